// SPDX-License-Identifier: Apache-2.0
#include "admission.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

struct visitor {
    struct visitor *older, *newer;
    int fd, known;
    time_t since;
};

static time_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* ---- the list, under its lock ---- */

static void list_add(struct admission *a, struct visitor *v)
{
    v->older = a->newest;
    if (v->older) v->older->newer = v;
    else a->oldest = v;
    a->newest = v;
    a->strangers++;
}

static void list_remove(struct admission *a, struct visitor *v)
{
    if (v->known) return;
    if (v->older) v->older->newer = v->newer;
    else a->oldest = v->newer;
    if (v->newer) v->newer->older = v->older;
    else a->newest = v->older;
    v->older = v->newer = NULL;
    v->known = 1;
    a->strangers--;
}

/// MHD sees the end of what it reads, and closes it.
static void send_away(struct admission *a, struct visitor *v)
{
    list_remove(a, v);
    shutdown(v->fd, SHUT_RDWR);
}

/* ---- connections ---- */

void admission_init(struct admission *a)
{
    *a = (struct admission){.strangers = 0};
    pthread_mutex_init(&a->lock, NULL);
}

void admission_free(struct admission *a) { pthread_mutex_destroy(&a->lock); }

static struct visitor *visitor_new(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct visitor *v = info ? calloc(1, sizeof *v) : NULL;
    if (v) v->fd = info->connect_fd, v->since = now();
    return v;
}

void admission_notify(void *admission, struct MHD_Connection *c, void **socket_context,
                      enum MHD_ConnectionNotificationCode what)
{
    struct admission *a = admission;
    struct visitor *v = *socket_context;
    pthread_mutex_lock(&a->lock);
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *socket_context = v = visitor_new(c);
        if (v) list_add(a, v);
        if (a->strangers > STRANGERS_MOST) send_away(a, a->oldest);
    } else if (v) {
        list_remove(a, v);
        *socket_context = NULL;
        free(v);
    }
    pthread_mutex_unlock(&a->lock);
}

void admission_grant(struct admission *a, struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct visitor *v = info ? info->socket_context : NULL;
    pthread_mutex_lock(&a->lock);
    if (v) list_remove(a, v);
    pthread_mutex_unlock(&a->lock);
}

void admission_tick(struct admission *a)
{
    const time_t until = now() - STRANGER_SECONDS;
    pthread_mutex_lock(&a->lock);
    while (a->oldest && a->oldest->since < until) send_away(a, a->oldest);
    pthread_mutex_unlock(&a->lock);
}
