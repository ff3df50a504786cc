// SPDX-License-Identifier: Apache-2.0
#include "server.h"

#include "respond.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DEFAULT_PORT = 8420, PORTS_TRIED = 20, MAX_CONNECTIONS = 96, CONNECTION_TIMEOUT_S = 8, MAX_HEADER = 16 << 10 };

/* ---- request bodies ---- */

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static int has_body(struct MHD_Connection *c)
{
    const char *length = header(c, "Content-Length");
    return header(c, "Transfer-Encoding") || (length && strcmp(length, "0") != 0);
}

/// Allocate the upload's body, whose length the request must tell and which may have `max` bytes. 0: it is refused.
static int body_allocate(struct MHD_Connection *c, const char *method, long max, void **context)
{
    const char *length = header(c, "Content-Length");
    const long size = length ? strtol(length, NULL, 10) : 0;
    if (strcmp(method, "POST") != 0 || header(c, "Transfer-Encoding") || size <= 0 || size > max) return 0;
    struct job *job = calloc(1, sizeof *job);
    if (job) job->body = malloc((size_t)size + 1);
    if (!job || !job->body) {
        job_free(job);
        return 0;
    }
    job->body_capacity = (size_t)size;
    *context = job;
    return 1;
}

static void body_append(struct job *job, const char *bytes, size_t *size)
{
    const size_t left = job->body_capacity - job->body_size, n = *size < left ? *size : left;
    memcpy(job->body + job->body_size, bytes, n);
    job->body_size += n;
    job->body[job->body_size] = '\0';
    *size = 0;
}

/* ---- requests ---- */

/// Was the request made by another site's page, by its headers Origin and Sec-Fetch-Site?
static int is_cross_site(struct MHD_Connection *c)
{
    const char *site = header(c, "Sec-Fetch-Site");
    if (!auth_origin_allowed(header(c, "Origin"), header(c, "Host"))) return 1;
    return site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
}

/// Check the Host header, the token and the Origin, in this order; then begin the upload or call the route.
static enum MHD_Result request_begin(struct server *s, struct MHD_Connection *c, const char *url, const char *method,
                                     void **context)
{
    if (!auth_host_allowed(&s->auth, header(c, "Host")))
        return respond_html(c, MHD_HTTP_FORBIDDEN,
                            "Billow answers to this machine's own address only: open the one that it printed.");
    const char *path = auth_strip_token(&s->auth, url);
    if (!path)
        return respond_html(c, MHD_HTTP_FORBIDDEN,
                            "This address lacks the token, or has an old one: open the address that "
                            "<code>billow</code> printed when it began to listen.");
    connection_limit_authenticate(&s->connection_limit, c);
    if (is_cross_site(c) && *path) return respond_text(c, MHD_HTTP_FORBIDDEN, "another site's page asked for this");
    if (!strchr(url + 1, '/')) { // the page's relative addresses need the slash
        char there[TOKEN_LENGTH + 3];
        snprintf(there, sizeof there, "/%s/", s->auth.token);
        return respond_redirect(c, there);
    }
    if (!has_body(c)) return route_request(s, c, method, path, context);
    if (body_allocate(c, method, route_max_body(s, path), context)) return MHD_YES;
    return respond_text(c, MHD_HTTP_CONTENT_TOO_LARGE, "nothing here takes such a body");
}

/// MHD_AccessHandlerCallback. It is called when the headers have come, for each piece of the body, when all of the body
/// has come, and once more when the request's job is done.
static enum MHD_Result request_handle(void *server, struct MHD_Connection *c, const char *url, const char *method,
                                      const char *version, const char *body, size_t *body_size, void **context)
{
    struct server *s = server;
    struct job *job = *context;
    (void)version;
    if (job && !job->queued && *body_size) {
        body_append(job, body, body_size);
        return MHD_YES;
    }
    *body_size = 0;
    return job ? route_request(s, c, method, auth_strip_token(&s->auth, url), context)
               : request_begin(s, c, url, method, context);
}

static void request_completed(void *server, struct MHD_Connection *c, void **context,
                              enum MHD_RequestTerminationCode why)
{
    (void)server;
    (void)c;
    (void)why;
    job_free(*context);
    *context = NULL;
}

/* ---- the listening socket ---- */

/// A listening socket; -1: errno says why not.
static int socket_bind(const struct addrinfo *at, int port)
{
    const int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
    struct sockaddr_storage where = {0};
    memcpy(&where, at->ai_addr, at->ai_addrlen);
    if (at->ai_family == AF_INET) ((struct sockaddr_in *)&where)->sin_port = htons((uint16_t)port);
    else ((struct sockaddr_in6 *)&where)->sin6_port = htons((uint16_t)port);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (!bind(fd, (struct sockaddr *)&where, at->ai_addrlen) && !listen(fd, MAX_CONNECTIONS)) return fd;
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/// A listening socket at *port, or, where that is 0, at the first free port from the default one on. -1: errno says
/// why.
static int socket_listen(const struct addrinfo *at, int32_t *port)
{
    const int first = *port ? *port : DEFAULT_PORT, last = *port ? *port : DEFAULT_PORT + PORTS_TRIED - 1;
    int fd = -1;
    for (int p = first; fd < 0 && p <= last; p++) {
        fd = socket_bind(at, p);
        *port = p;
        if (fd < 0 && errno != EADDRINUSE) break;
    }
    return fd;
}

static int is_loopback(const struct addrinfo *at)
{
    if (at->ai_family == AF_INET) return ntohl(((const struct sockaddr_in *)at->ai_addr)->sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)at->ai_addr)->sin6_addr);
}

/// Open the listening socket, and set s->auth and s->address for it. Errors with a sentence in `why`.
static enum bw_status socket_open(struct server *s, const char *listen, int32_t port, int *fd, char *why, size_t size)
{
    struct addrinfo want = {.ai_flags = AI_NUMERICHOST | AI_PASSIVE, .ai_socktype = SOCK_STREAM}, *at = NULL;
    const int asked = port > 0;
    if (getaddrinfo(listen, NULL, &want, &at)) {
        snprintf(why, size, "listen is %s; an address of this machine is wanted, 127.0.0.1 or 0.0.0.0", listen);
        return BW_ERR_USAGE;
    }
    const int v6 = at->ai_family == AF_INET6, good = auth_init(&s->auth, listen, !is_loopback(at));
    *fd = good ? socket_listen(at, &port) : -1;
    const int error = errno;
    freeaddrinfo(at);
    snprintf(s->address, sizeof s->address, "http://%s%s%s:%d/%s/", v6 ? "[" : "", listen, v6 ? "]" : "", port,
             s->auth.token);
    if (*fd >= 0) return BW_OK;
    if (!good) snprintf(why, size, "the system has no random numbers for a token");
    else if (error == EADDRINUSE && asked)
        snprintf(why, size, "port %d is taken by another program: give another one", port);
    else if (error == EADDRINUSE)
        snprintf(why, size, "ports %d to %d are all taken: give another one", DEFAULT_PORT, port);
    else snprintf(why, size, "cannot listen on %s at port %d: %s", listen, port, strerror(error));
    return BW_ERR_IO;
}

enum bw_status server_start(struct server *s, const char *listen, int32_t port, char *why, size_t why_size)
{
    int fd;
    enum bw_status status = socket_open(s, listen, port, &fd, why, why_size);
    if (status) return status;
    events_init(&s->events, s->sources);
    connection_limit_init(&s->connection_limit);
    s->daemon = MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, request_handle,
                                 s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED, request_completed, s,
                                 MHD_OPTION_NOTIFY_CONNECTION, connection_limit_notify, &s->connection_limit,
                                 MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
                                 (unsigned)CONNECTION_TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MAX_HEADER,
                                 MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (s->daemon) return BW_OK;
    close(fd);
    events_free(&s->events);
    connection_limit_free(&s->connection_limit);
    snprintf(why, why_size, "the page's server cannot be started: %s", strerror(errno));
    return BW_ERR;
}

void server_stop(struct server *s)
{
    if (!s->daemon) return;
    events_stop(&s->events);
    MHD_stop_daemon(s->daemon);
    events_free(&s->events);
    connection_limit_free(&s->connection_limit);
    s->daemon = NULL;
}
