// SPDX-License-Identifier: Apache-2.0
/* A camera ray: what it sees of the medium, of obstacles and of the studio behind. */
#ifndef BW_CAMERA_RAY_H
#define BW_CAMERA_RAY_H

#include "haze.h"
#include "lens/still.h"
#include "shot.h"
#include "step/march_segment.h"
#include <picture/image/image.h>
#include <picture/volume/studio/studio.h>

/// A picture in the making.
struct bw_take {
    struct bw_shot shot;
    struct bw_march_medium medium;
    bw_march_fn march;
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
/// A camera ray so far: radiance, and the transmittance from there on.
struct bw_camera_ray {
    int x, y;
    float jitter;   ///< -0.5 … 0.5 steps
    double lens[2]; ///< where on the lens, of its radius
    double when;    ///< s after the frame's time
    double eye[3], dir[3];
    float rgb[3];
    struct lanes transmittance;     ///< {rgb, grey}; BW_CLEAR at first
    const struct bw_studio *studio; ///< as this ray sees it
};

/// Light along the ray through (u, v) in -1 … 1 over the picture, into `rgb`; answers how much smoke and obstacles
/// cover. x, y, jitter, lens, when, through and studio are given.
float bw_camera_ray_trace(const struct bw_take *m, const double uv[2], struct bw_camera_ray *s, float rgb[3]);
/// What is first behind the medium there, as the lens's middle sees it.
void bw_camera_ray_surface(const struct bw_take *m, const double uv[2], struct bw_camera_ray *s,
                           struct bw_still_spot *spot);

#endif
