// SPDX-License-Identifier: Apache-2.0
/* Saving what is seen: a picture, or a movie, which a thread of its own makes, one at a time. */
#ifndef WEB_KEEP_H
#define WEB_KEEP_H

#include "place.h"
#include "show/draw.h"

/// A movie in the making, or made.
struct keep {
    struct shelf *shelf;
    struct views *views;
    pthread_mutex_t lock; ///< of all below
    pthread_t thread;
    int has_thread, running, stop, failed;
    int32_t done, total;
    char said[PLACE]; ///< the path of the last one, or why there is none; "": there was none
    json_t *asked;
};

void keep_init(struct keep *k, struct shelf *shelf, struct views *views);
/// What is being made is given up.
void keep_stop(struct keep *k);

/// Save a picture; an answer of one line: its path, or why not.
struct drawn keep_picture(struct views *v, struct shelf *shelf, const struct wish *w);
/// Begin a movie: {"wish": {key: text, … as of a picture}, "frames": [n, …], "eyes": [[10 numbers], …] (or none: the
/// movie's own camera), "fps"}. NULL: it is begun; else why not, static.
const char *keep_movie(struct keep *k, const char *json);
/// {"running", "failed", "done", "total", "said"}, new.
json_t *keep_state(struct keep *k);
/// Give the movie up.
void keep_cancel(struct keep *k);

#endif
