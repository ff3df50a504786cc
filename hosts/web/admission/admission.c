// SPDX-License-Identifier: Apache-2.0
#include "admission.h"

#include <sys/socket.h>
#include <time.h>

static const int64_t SECOND = 1000000000;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return SECOND * t.tv_sec + t.tv_nsec;
}

/// 0: it has no socket.
static int socket_of(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : 0;
}

/* ---- the strangers, under their lock ---- */

static void stranger_forget(struct admission *a, int fd)
{
    for (int i = 0; i < STRANGERS_MOST; i++)
        if (a->stranger[i].fd == fd) a->stranger[i].fd = 0;
}

/// MHD sees the end of what it reads, and closes it.
static void stranger_end(struct stranger *s)
{
    if (s->fd) shutdown(s->fd, SHUT_RDWR);
    s->fd = 0;
}

/// In a free place, or in that of the oldest.
static void stranger_add(struct admission *a, int fd)
{
    struct stranger *oldest = a->stranger;
    for (struct stranger *s = oldest; s < a->stranger + STRANGERS_MOST && oldest->fd; s++)
        if (!s->fd || s->since < oldest->since) oldest = s;
    stranger_end(oldest);
    *oldest = (struct stranger){.fd = fd, .since = now()};
}

/* ---- connections ---- */

void admission_init(struct admission *a)
{
    *a = (struct admission){.stranger = {{.fd = 0}}};
    pthread_mutex_init(&a->lock, NULL);
}

void admission_free(struct admission *a) { pthread_mutex_destroy(&a->lock); }

void admission_notify(void *admission, struct MHD_Connection *c, void **socket_context,
                      enum MHD_ConnectionNotificationCode what)
{
    struct admission *a = admission;
    const int fd = socket_of(c);
    (void)socket_context;
    pthread_mutex_lock(&a->lock);
    if (what != MHD_CONNECTION_NOTIFY_STARTED) stranger_forget(a, fd);
    else if (fd) stranger_add(a, fd);
    pthread_mutex_unlock(&a->lock);
}

void admission_grant(struct admission *a, struct MHD_Connection *c)
{
    pthread_mutex_lock(&a->lock);
    stranger_forget(a, socket_of(c));
    pthread_mutex_unlock(&a->lock);
}

void admission_tick(struct admission *a)
{
    const int64_t until = now() - STRANGER_SECONDS * SECOND;
    pthread_mutex_lock(&a->lock);
    for (int i = 0; i < STRANGERS_MOST; i++)
        if (a->stranger[i].since < until) stranger_end(&a->stranger[i]);
    pthread_mutex_unlock(&a->lock);
}
