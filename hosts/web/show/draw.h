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
    char marks[200]; ///< what is drawn over it, in words; "": nothing
    double range[2]; ///< of a slice's colours; equal: none is told
    char eye[280];   ///< the movie's camera, in numbers; "": none is told
    int empty;       ///< a render shows a stage with nothing in it
};

/// A picture, or, in words, why there is none.
struct drawn draw_picture(struct views *v, struct shelf *s, const struct wish *w);
/// What there is to see in a frame: stage, camera, fields, as JSON.
struct drawn draw_scene(struct views *v, struct shelf *s, const struct wish *w);
/// Whose eye a render has, for bw_view_picture; `movies` gets the movie's, which in a narrower picture still sees all
/// of its width.
const struct bw_eye *draw_eye(const struct open_view *o, const struct wish *w, struct bw_eye *movies);
/// The pixels of a picture (bw_pixels_free); `told` gets the camera and the marks. Errors are in bw_error_last.
enum bw_status draw_pixels(struct views *v, struct source *s, const struct wish *w, struct bw_pixels *out,
                           struct drawn *told);
/// What a slice is cut from, to be closed: of the domain that is wished. *look gets how, for bw_snapshot_picture.
enum bw_status draw_cut(struct source *s, const struct wish *w, struct bw_snapshot **cut, struct wish *look);
/// A text as an answer.
struct drawn drawn_words(unsigned code, const char *words);

#endif
