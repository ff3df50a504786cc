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
    /// s that its thread ran: what it waits where others use the machine slows nobody. Its helpers run as long on the
    /// other cores, so it is a part of the machine's time.
    double processor;
    double range[2];  ///< of a slice's colours; equal: none is told
    double box[2][3]; ///< of a slice, the corners of its layer, m
    char eye[280];    ///< the movie's camera, in numbers; "": none is told
    int empty;        ///< a render shows a stage with nothing in it
};

/// A picture, or, in words, why there is none.
struct drawn draw_picture(struct views *v, struct shelf *s, const struct wish *w);
/// What there is to see in a frame: stage, camera, fields, as JSON.
struct drawn draw_scene(struct views *v, struct shelf *s, const struct wish *w);
/// Whose eye a render has, for bw_view_picture; `movies` gets the movie's, which in a narrower picture still sees all
/// of its width.
const struct bw_eye *draw_eye(const struct open_view *o, const struct wish *w, struct bw_eye *movies);
/// What a slice is cut from, to be closed: of the domain that is wished. *look gets how, for bw_snapshot_picture.
enum bw_status draw_cut(struct source *s, const struct wish *w, struct bw_snapshot **cut, struct wish *look);
/// The library's sentence. Frames of a bake may be gone again when it is given up.
struct drawn drawn_failure(struct source *s, int64_t frame);
/// A text as an answer.
struct drawn drawn_words(unsigned code, const char *words);

#endif
