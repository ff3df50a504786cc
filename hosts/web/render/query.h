// SPDX-License-Identifier: Apache-2.0
/* The query string of a request for a picture, its probe, its overlay or its saving, parsed and checked. */
#ifndef WEB_QUERY_H
#define WEB_QUERY_H

#include "look/look_settings.h"
#include <billow/bake.h>

enum { OVERLAY_PARTICLES = 1, OVERLAY_OUTLINES = 2, OVERLAY_DOMAIN = 4, OVERLAY_TILES = 8 };

/// Which worker of the job queue makes it. INTERACTIVE: the user waits for it. REST: a sharp picture after the last
/// change, or a new frame. IDLE: thumbnails and saving, while nothing else is to be done.
enum priority { PRIORITY_INTERACTIVE, PRIORITY_REST, PRIORITY_IDLE, PRIORITIES };

struct query {
    int32_t source; ///< id of what is shown; 0: the current one
    int64_t frame;
    int32_t slice;         ///< 0: a render
    int32_t width, height; ///< pixels; slices: `height` alone
    int32_t coarse, quality;
    int32_t priority;    ///< enum priority
    int32_t independent; ///< 1: newer requests of the same page do not replace it
    int32_t has_camera;  ///< 0: the movie's camera
    struct bw_eye camera;
    double point[2];         ///< of a probe: fractions of the width and height, from the top left
    int32_t overlay;         ///< OVERLAY_…, added
    double fps;              ///< of a movie that is saved
    char slice_json[512];    ///< of slices: the parameters for bw_snapshot_picture
    char domain[64];         ///< of slices; "": the first
    char look[MAX_LOOK + 1]; ///< of renders: values over the bake's own (look_settings.h); "": none
};

/// The value of a key of the query string, or NULL.
typedef const char *(*query_param)(const char *key, void *user);
/// NULL: *q is good; else the sentence that says what is wrong.
const char *query_parse(struct query *q, query_param param, void *user);
/// Put the domain into slice_json: snapshots of a bake have several, those of files one.
void query_apply_domain(struct query *q);
/// Set another height of a slice, in slice_json too.
void query_set_height(struct query *q, int32_t height);

#endif
