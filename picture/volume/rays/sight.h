// SPDX-License-Identifier: Apache-2.0
/* What one ray of a picture sees: the medium, obstacles and the studio behind. */
#ifndef BW_SIGHT_H
#define BW_SIGHT_H

#include "haze.h"
#include "lens/still.h"
#include "shot.h"
#include "step/through.h"
#include <picture/image/image.h>
#include <picture/volume/studio/studio.h>

/// A picture in the making.
struct bw_take {
    struct bw_shot shot;
    struct bw_through through;
    bw_through_fn see;
    struct bw_studio studio;
    struct bw_blocks blocks;
    struct bw_haze haze;
    struct bw_image *img;
    float *alpha;          ///< of each pixel, or NULL: the studio is seen
    struct bw_still still; ///< surfaces without blur
    int32_t alone;         ///< 1: edges of obstacles are found within a ray's part of a pixel; 0: by their being many
    uint8_t *bare;         ///< then, of each screen tile: 1: no obstacle is in it; or NULL
};

#define BW_CLEAR ((struct lanes){{1, 1, 1, 1}})
/// What a ray has seen so far: light, and what gets through from behind.
struct bw_sight {
    int x, y;
    float jitter;   ///< -0.5 … 0.5 steps
    double lens[2]; ///< where on the lens, of its radius
    double when;    ///< s after the frame's time
    double eye[3], dir[3];
    float rgb[3];
    struct lanes through;           ///< {rgb, grey}; BW_CLEAR at first
    const struct bw_studio *studio; ///< as this ray sees it
};

/// Light along the ray through (u, v) in -1 … 1 over the picture, into `rgb`; answers how much smoke and obstacles
/// cover. x, y, jitter, lens, when, through and studio are given.
float bw_sight_see(const struct bw_take *m, const double uv[2], struct bw_sight *s, float rgb[3]);
/// What is first behind the medium there, as the lens's middle sees it.
void bw_sight_spot(const struct bw_take *m, const double uv[2], struct bw_sight *s, struct bw_still_spot *spot);

#endif
