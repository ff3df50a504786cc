// SPDX-License-Identifier: Apache-2.0
/* From a wish to what is sent. */
#ifndef WEB_DRAW_H
#define WEB_DRAW_H

#include "shelf/shelf.h"
#include "shelf/views.h"
#include "wish.h"

/// An answer's body.
struct drawn {
    unsigned code; ///< of HTTP
    const char *type;
    void *bytes; ///< new memory, given back with free
    size_t size;
    double seconds; ///< that it took
    char eye[280];  ///< the movie's camera, in numbers; "": none is told
};

/// A picture, or, in words, why there is none.
struct drawn draw_picture(struct views *v, struct shelf *s, const struct wish *w);
/// What there is to see in a frame: stage, camera, fields, as JSON.
struct drawn draw_scene(struct views *v, struct shelf *s, const struct wish *w);
/// A text as an answer.
struct drawn drawn_words(unsigned code, const char *words);

#endif
