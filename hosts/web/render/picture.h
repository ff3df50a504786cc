// SPDX-License-Identifier: Apache-2.0
/* Responses that a worker makes of a query: pictures (renders and slices) and the scene. */
#ifndef WEB_PICTURE_H
#define WEB_PICTURE_H

#include "sources/sources.h"
#include "sources/view_cache.h"
#include "query.h"
#include <microhttpd.h>

/// An HTTP response, as job_respond in routes.c sends it.
struct response {
    unsigned code; ///< MHD_HTTP_…
    const char *type;
    void *bytes; ///< the body, from malloc
    size_t size;
    double seconds; ///< that a picture took
    /// Processor time of the worker's thread, s. Waiting for a busy machine slows nobody and does not count. Its helper
    /// threads run as long on other cores, so it is a part of the machine's time.
    double cpu_seconds;
    double range[2];  ///< of a slice's colours; equal: not sent
    double box[2][3]; ///< of a slice, lower and upper corner of its layer, m
    char camera[280]; ///< of the movie, ten numbers; "": not sent
    int empty;        ///< 1: a render of a stage with nothing in it
};

/// A picture as JPEG, or the sentence that says why there is none.
struct response picture_response(struct view_cache *v, struct source *s, const struct query *q);
/// What a frame holds: stage, movie's camera, fields, as JSON.
struct response scene_response(struct view_cache *v, struct source *s, const struct query *q);
/// The camera of a render, for bw_view_picture. `movie` gets the movie's camera, wider in a narrow picture, so that all
/// of the movie's width is in it.
const struct bw_eye *picture_camera(const struct cached_view *o, const struct query *q, struct bw_eye *movie);
/// The snapshot that a slice is cut from, of the domain that the query names; to be closed. *slice gets the query with
/// the slice_json for it.
enum bw_status slice_snapshot(struct source *s, const struct query *q, struct bw_snapshot **cut, struct query *slice);
/// The response for bw_error_last: 404 or 500, or 204 where a running bake has given up that frame.
struct response frame_error_response(struct source *s, int64_t frame);
struct response text_response(unsigned code, const char *text);
/// A JSON text, which the response takes over. NULL: 500, out of memory.
struct response json_response(char *text);

#endif
