// SPDX-License-Identifier: Apache-2.0
/* The event stream (server-sent events, GET events): each open page gets the state as JSON whenever it has changed. A
 * connection is suspended while it has nothing to send. */
#ifndef WEB_EVENTS_H
#define WEB_EVENTS_H

#include "sources/sources.h"
#include <microhttpd.h>

struct stream;

struct events {
    pthread_mutex_t lock;
    struct sources *sources;
    struct stream *streams;
    int32_t n;
    int stop;
};

void events_init(struct events *e, struct sources *s);
void events_free(struct events *e); ///< when no connection is left
/// Wake the streams whose page has an older state than now. `keepalive`: wake the others as well; they send an empty
/// comment, which fails where the page is gone.
void events_publish(struct events *e, int keepalive);
/// End every stream.
void events_stop(struct events *e);
/// How many pages are open.
int32_t events_count(struct events *e);
/// Answer GET events: one stream more. 503: there are too many.
enum MHD_Result events_subscribe(struct events *e, struct MHD_Connection *c);

#endif
