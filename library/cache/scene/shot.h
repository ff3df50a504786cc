// SPDX-License-Identifier: Apache-2.0
/* What changes over a scene: camera and look at each frame, and how the fire lights what is round it. */
#ifndef CACHE_SHOT_H
#define CACHE_SHOT_H

#include "cache/look.h"
#include <stdbool.h>

enum { SHOT_LAMPS = 3 };

/// The fire's light as a lamp.
struct shot_lamp {
    double at[3], radius; ///< world units of the files
    double rgb[3];        ///< radiant intensity on surfaces, W/sr; 0: it is dark
};

struct shot_frame {
    int64_t frame;
    struct bw_camera camera;
    double exposure, extinction, fire; ///< extinction of a density of 1, 1/m; flames' brightness, times the default
    int32_t lit;                       ///< 1: `lamp` is known; of the frames between, hosts interpolate
    struct shot_lamp lamp[SHOT_LAMPS];
    double clear; ///< of the fire's light, what gets out of smoke and flames
};

struct shot {
    struct shot_frame *frame;
    int32_t n;
};

/// All frames of a cache with the look `first`; `lights`: the fire's, too, for which files are read. Errors:
/// BW_ERR_MEMORY; shot_free in any case.
enum bw_status shot_make(const struct cache *c, const struct bw_vdb_view *view, const struct cache_look *first,
                         bool lights, struct shot *s);
/// 0: it stands still, and its first frame tells it.
bool shot_camera_moves(const struct shot *s);
void shot_free(struct shot *s);

#endif
