// SPDX-License-Identifier: Apache-2.0
/* Connections whose sender has not shown the token. They get little time and few places, so that those who know the
 * token always find one: anybody on the machine can connect, and a byte now and then keeps a connection alive. */
#ifndef WEB_ADMISSION_H
#define WEB_ADMISSION_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdint.h>

enum { STRANGERS_MOST = 24, STRANGER_SECONDS = 10 };

struct stranger {
    int fd;        ///< 0: none
    int64_t since; ///< ns
};

struct admission {
    pthread_mutex_t lock;
    struct stranger stranger[STRANGERS_MOST];
};

void admission_init(struct admission *a);
void admission_free(struct admission *a); ///< when no connection is left
/// MHD_OPTION_NOTIFY_CONNECTION: a stranger too many sends the oldest away.
void admission_notify(void *admission, struct MHD_Connection *c, void **socket_context,
                      enum MHD_ConnectionNotificationCode what);
/// Its sender knows the token.
void admission_grant(struct admission *a, struct MHD_Connection *c);
/// Send strangers away whose time is over; now and then.
void admission_tick(struct admission *a);

#endif
