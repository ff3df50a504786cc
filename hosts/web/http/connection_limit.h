// SPDX-License-Identifier: Apache-2.0
/* Rate limit of unauthenticated connections: those whose sender has not shown the token yet. Few are kept at a time,
 * each for a short timeout, so that clients with the token always find a free connection. Anybody on the machine can
 * connect, and one byte now and then would keep a connection alive (slowloris). */
#ifndef WEB_CONNECTION_LIMIT_H
#define WEB_CONNECTION_LIMIT_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdint.h>

enum { MAX_UNAUTHENTICATED = 24, AUTH_TIMEOUT_S = 10 };

struct unauthenticated {
    int fd;       ///< 0: a free slot
    double since; ///< monotonic s
};

struct connection_limit {
    pthread_mutex_t lock;
    struct unauthenticated connection[MAX_UNAUTHENTICATED];
};

void connection_limit_init(struct connection_limit *l);
void connection_limit_free(struct connection_limit *l); ///< when no connection is left
/// MHD_OPTION_NOTIFY_CONNECTION: a new connection closes the oldest unauthenticated one where all slots are taken.
void connection_limit_notify(void *limit, struct MHD_Connection *c, void **socket_context,
                             enum MHD_ConnectionNotificationCode what);
/// The sender has shown the token: the limit and the timeout no longer hold for this connection.
void connection_limit_authenticate(struct connection_limit *l, struct MHD_Connection *c);
/// Close unauthenticated connections whose timeout is over; called by the timer.
void connection_limit_expire(struct connection_limit *l);

#endif
