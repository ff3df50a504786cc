// SPDX-License-Identifier: Apache-2.0
/* Saving what is seen, which the page draws and sends: a picture, or a movie picture by picture, one at a time. */
#ifndef WEB_KEEP_H
#define WEB_KEEP_H

#include "show/draw.h"

enum { CLIENT = 16 }; ///< letters of a page's name

enum keep_what { KEEP_PICTURE, KEEP_FRAME, KEEP_FILM, KEEP_DROP };

/// What a page sends.
struct sent {
    enum keep_what what;
    const struct wish *wish;
    const char *client;
    const void *jpeg; ///< of a picture and a frame; NULL: nothing came
    size_t size;
};

/// A movie in the making, of the thread that saves.
struct keep {
    struct bw_film *film;    ///< NULL: there is none
    char client[CLIENT + 1]; ///< the page that makes it
    double last;             ///< monotonic s, when its last picture came
};

/// Save a picture, add one to the page's movie, save that or give it up; an answer of one line: the path, or why not.
struct drawn keep_make(struct keep *k, struct shelf *shelf, const struct sent *sent);
/// What is being made is given up.
void keep_stop(struct keep *k);

#endif
