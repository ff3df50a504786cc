// SPDX-License-Identifier: Apache-2.0
#include "connection_limit.h"

#include "clock.h"
#include <sys/socket.h>

/// The socket of a connection; 0: it has none.
static int socket_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : 0;
}

/* ---- slots, under the lock ---- */

static void slot_free(struct connection_limit *l, int fd)
{
    for (int i = 0; i < MAX_UNAUTHENTICATED; i++)
        if (l->connection[i].fd == fd) l->connection[i].fd = 0;
}

/// libmicrohttpd reads the end of the stream then, and closes the connection.
static void slot_shutdown(struct unauthenticated *u)
{
    if (u->fd) shutdown(u->fd, SHUT_RDWR);
    u->fd = 0;
}

/// Into a free slot, or that of the oldest connection.
static void slot_add(struct connection_limit *l, int fd)
{
    struct unauthenticated *oldest = l->connection;
    for (struct unauthenticated *u = oldest; u < l->connection + MAX_UNAUTHENTICATED && oldest->fd; u++)
        if (!u->fd || u->since < oldest->since) oldest = u;
    slot_shutdown(oldest);
    *oldest = (struct unauthenticated){.fd = fd, .since = clock_seconds(CLOCK_MONOTONIC)};
}

/* ---- connections ---- */

void connection_limit_init(struct connection_limit *l)
{
    *l = (struct connection_limit){.connection = {{.fd = 0}}};
    pthread_mutex_init(&l->lock, NULL);
}

void connection_limit_free(struct connection_limit *l) { pthread_mutex_destroy(&l->lock); }

void connection_limit_notify(void *limit, struct MHD_Connection *c, void **socket_context,
                             enum MHD_ConnectionNotificationCode what)
{
    struct connection_limit *l = limit;
    const int fd = socket_of(c);
    (void)socket_context;
    pthread_mutex_lock(&l->lock);
    if (what != MHD_CONNECTION_NOTIFY_STARTED) slot_free(l, fd);
    else if (fd) slot_add(l, fd);
    pthread_mutex_unlock(&l->lock);
}

void connection_limit_authenticate(struct connection_limit *l, struct MHD_Connection *c)
{
    pthread_mutex_lock(&l->lock);
    slot_free(l, socket_of(c));
    pthread_mutex_unlock(&l->lock);
}

void connection_limit_expire(struct connection_limit *l)
{
    const double until = clock_seconds(CLOCK_MONOTONIC) - AUTH_TIMEOUT_S;
    pthread_mutex_lock(&l->lock);
    for (int i = 0; i < MAX_UNAUTHENTICATED; i++)
        if (l->connection[i].since < until) slot_shutdown(&l->connection[i]);
    pthread_mutex_unlock(&l->lock);
}
