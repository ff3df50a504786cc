// SPDX-License-Identifier: Apache-2.0
#include "server.h"

#include "reply.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT = 8420, PORTS = 20, CONNECTIONS = 96, IDLE_SECONDS = 8, REQUEST_BYTES = 16 << 10 };

/* ---- who may ask ---- */

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/// A body of a size that is told and not too large: room for it. 0: no.
static int body_begin(struct MHD_Connection *c, const char *method, long most, void **waits)
{
    const char *length = header(c, "Content-Length");
    const long size = length ? strtol(length, NULL, 10) : 0;
    if (strcmp(method, "POST") != 0 || header(c, "Transfer-Encoding") || size <= 0 || size > most) return 0;
    struct request *r = calloc(1, sizeof *r);
    if (r) r->body = malloc((size_t)size + 1);
    if (!r || !r->body) {
        request_free(r);
        return 0;
    }
    r->body_whole = (size_t)size;
    *waits = r;
    return 1;
}

static void body_take(struct request *r, const char *bytes, size_t *size)
{
    const size_t room = r->body_whole - r->body_size, n = *size < room ? *size : room;
    memcpy(r->body + r->body_size, bytes, n);
    r->body_size += n;
    r->body[r->body_size] = '\0';
    *size = 0;
}

static int has_body(struct MHD_Connection *c)
{
    const char *length = header(c, "Content-Length");
    return header(c, "Transfer-Encoding") || (length && strcmp(length, "0") != 0);
}

static int from_elsewhere(struct MHD_Connection *c)
{
    const char *site = header(c, "Sec-Fetch-Site");
    if (!guard_origin(header(c, "Origin"), header(c, "Host"))) return 1;
    return site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
}

static enum MHD_Result request_take(void *server, struct MHD_Connection *c, const char *url, const char *method,
                                    const char *version, const char *body, size_t *body_size, void **waits)
{
    struct server *s = server;
    struct request *r = *waits;
    (void)version;
    if (r && r->body && *body_size) {
        body_take(r, body, body_size);
        return MHD_YES;
    }
    *body_size = 0;
    if (r && !r->body) return route(s, c, method, "", waits); // it went on waiting
    if (r) return route(s, c, method, guard_path(&s->guard, url), waits);
    if (!guard_host(&s->guard, header(c, "Host")))
        return reply_page(c, MHD_HTTP_FORBIDDEN,
                          "Billow answers to this machine's own address only: open the one that it printed.");
    const char *path = guard_path(&s->guard, url);
    if (!path)
        return reply_page(c, MHD_HTTP_FORBIDDEN,
                          "This address lacks the token, or has an old one: open the address that "
                          "<code>billow</code> printed when it began to listen.");
    admission_grant(&s->admission, c);
    if (from_elsewhere(c) && strcmp(path, "") != 0)
        return reply_sentence(c, MHD_HTTP_FORBIDDEN, "another site's page asked for this");
    if (!strchr(url + 1, '/')) { // what the page asks for would be looked up beside it
        char there[GUARD_TOKEN + 3];
        snprintf(there, sizeof there, "/%s/", s->guard.token);
        return reply_moved(c, there);
    }
    if (has_body(c) && body_begin(c, method, route_takes_body(s, path), waits)) return MHD_YES;
    if (has_body(c)) return reply_sentence(c, MHD_HTTP_CONTENT_TOO_LARGE, "nothing here takes such a body");
    return route(s, c, method, path, waits);
}

static void request_over(void *server, struct MHD_Connection *c, void **waits, enum MHD_RequestTerminationCode why)
{
    (void)server;
    (void)c;
    (void)why;
    request_free(*waits);
    *waits = NULL;
}

/* ---- where it listens ---- */

static int socket_bind(const struct addrinfo *at, int port)
{
    const int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
    struct sockaddr_storage where = {0};
    memcpy(&where, at->ai_addr, at->ai_addrlen);
    if (at->ai_family == AF_INET) ((struct sockaddr_in *)&where)->sin_port = htons((uint16_t)port);
    else ((struct sockaddr_in6 *)&where)->sin6_port = htons((uint16_t)port);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (!bind(fd, (struct sockaddr *)&where, at->ai_addrlen) && !listen(fd, CONNECTIONS)) return fd;
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/// A socket that listens, and its port.
static int socket_listen(const struct addrinfo *at, int32_t *port)
{
    const int first = *port ? *port : PORT, last = *port ? *port : PORT + PORTS - 1;
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

static enum bw_status socket_open(struct server *s, const char *listen, int32_t port, int *fd, char *why, size_t size)
{
    struct addrinfo want = {.ai_flags = AI_NUMERICHOST | AI_PASSIVE, .ai_socktype = SOCK_STREAM}, *at = NULL;
    const int asked = port > 0;
    if (getaddrinfo(listen, NULL, &want, &at)) {
        snprintf(why, size, "listen is %s; an address of this machine is wanted, 127.0.0.1 or 0.0.0.0", listen);
        return BW_ERR_USAGE;
    }
    const int v6 = at->ai_family == AF_INET6, good = guard_init(&s->guard, listen, !is_loopback(at));
    *fd = good ? socket_listen(at, &port) : -1;
    const int error = errno;
    freeaddrinfo(at);
    snprintf(s->address, sizeof s->address, "http://%s%s%s:%d/%s/", v6 ? "[" : "", listen, v6 ? "]" : "", port,
             s->guard.token);
    if (*fd >= 0) return BW_OK;
    if (!good) snprintf(why, size, "the system has no random numbers for a token");
    else if (error == EADDRINUSE && asked)
        snprintf(why, size, "port %d is taken by another program: give another one", port);
    else if (error == EADDRINUSE) snprintf(why, size, "ports %d to %d are all taken: give another one", PORT, port);
    else snprintf(why, size, "cannot listen on %s at port %d: %s", listen, port, strerror(error));
    return BW_ERR_IO;
}

enum bw_status server_start(struct server *s, const char *listen, int32_t port, char *why, size_t why_size)
{
    int fd;
    enum bw_status status = socket_open(s, listen, port, &fd, why, why_size);
    if (status) return status;
    events_init(&s->events, s->shelf);
    admission_init(&s->admission);
    s->daemon = MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, request_take,
                                 s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED, request_over, s,
                                 MHD_OPTION_NOTIFY_CONNECTION, admission_notify, &s->admission,
                                 MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
                                 (unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
                                 MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    if (s->daemon) return BW_OK;
    close(fd);
    events_free(&s->events);
    admission_free(&s->admission);
    snprintf(why, why_size, "the page's server cannot be started: %s", strerror(errno));
    return BW_ERR;
}

void server_stop(struct server *s)
{
    if (!s->daemon) return;
    events_stop(&s->events);
    MHD_stop_daemon(s->daemon);
    events_free(&s->events);
    admission_free(&s->admission);
    s->daemon = NULL;
}
