// SPDX-License-Identifier: Apache-2.0
/* Server-sent events: each open page hears what is new, at most some times a second. */
#ifndef WEB_EVENTS_H
#define WEB_EVENTS_H

#include "shelf/shelf.h"
#include <microhttpd.h>

struct stream;

struct events {
    pthread_mutex_t lock;
    struct shelf *shelf;
    struct stream *streams;
    int32_t n;
    int stop;
};

void events_init(struct events *e, struct shelf *s);
void events_free(struct events *e); ///< when no connection is left
/// Send what is new to all; `alive`: a word to those as well for whom there is nothing, which tells who has gone.
void events_tell(struct events *e, int alive);
/// Every stream ends.
void events_stop(struct events *e);
int32_t events_count(struct events *e);
/// One page more listens.
enum MHD_Result events_answer(struct events *e, struct MHD_Connection *c);

#endif
