// SPDX-License-Identifier: Apache-2.0
/* A camera ray: what it sees of the medium, of obstacles and of the studio behind. */
#ifndef BW_CAMERA_RAY_H
#define BW_CAMERA_RAY_H

#include "haze.h"
#include "lens/still.h"
#include "shot.h"
#include "step/march_segment.h"
#include <picture/image/image.h>
#include <picture/volume/spots.h>
#include <picture/volume/studio/studio.h>

/// What a screen tile shows of obstacles: none; one that moves while the shutter is open.
enum bw_tile { BW_TILE_BARE = 1, BW_TILE_BLURRED = 2 };

/// The medium along a pixel's camera ray.
struct bw_veil {
    float rgb[3], transmittance[4]; ///< radiance; {rgb, grey}
    int32_t known;                  ///< 0: it may meet obstacles
};

/// A picture in the making.
struct bw_take {
    struct bw_shot shot;
    struct bw_march_medium medium;
    bw_march_fn march;
    struct bw_studio studio;
    struct bw_blocks blocks;
    struct bw_haze haze;
    struct bw_image *img;
    float *alpha;             ///< of each pixel, or NULL: the studio is seen
    struct bw_still still[2]; ///< surfaces without blur, of pixels far apart, and less far
    int32_t wide;             ///< the lens: all pixels have many rays
    int32_t margin;           ///< pixels round the picture that are looked at, too
    struct bw_veil *veil;     ///< of each pixel; NULL: all are marched
    uint8_t *tile;            ///< of each screen tile, enum bw_tile; NULL: nobody looked
};

static inline int bw_take_tile(const struct bw_take *m, int x, int y)
{
    return m->tile ? m->tile[y / BW_SCREEN_TILE * m->blocks.tiles[0] + x / BW_SCREEN_TILE] : 0;
}

/// 1: a pixel's rays are many and find edges of obstacles by that; 0: each finds them within its part of the pixel.
static inline int bw_take_many(const struct bw_take *m, int x, int y)
{
    return m->wide || bw_take_tile(m, x, y) == BW_TILE_BLURRED;
}

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
    double amid;                    ///< m to the middle of the last segment through the medium
    const struct bw_studio *studio; ///< as this ray sees it
    struct bw_floor_spot *floor;    ///< of its place; NULL: none is kept
    struct bw_solid_pixel solid;    ///< likewise
};

/// Light along the ray through (u, v) in -1 … 1 over the picture, into `rgb`; answers how much smoke and obstacles
/// cover. x, y, jitter, lens, when, through and studio are given.
float bw_camera_ray_trace(const struct bw_take *m, const double uv[2], struct bw_camera_ray *s, float rgb[3]);
/// The medium alone, as far as the floor, of the ray of a pixel that has but one.
void bw_camera_ray_veil(const struct bw_take *m, struct bw_camera_ray *s, struct bw_veil *veil);
/// A part of what a pixel shows.
struct bw_lens_part {
    float blur;                 ///< radius of its circle of confusion, pixels; < 0: it is before the focus
    float rgb[3], share, cover; ///< light; of the pixel; of that what smoke and obstacles are
};
enum { BW_LENS_PARTS = 5 };
/// What a pixel shows to the lens's middle, near parts first; answers how many, at most BW_LENS_PARTS.
int bw_camera_ray_parts(const struct bw_take *m, struct bw_camera_ray *s, struct bw_lens_part *part);
/// The mean of a sharp pixel's rays, likewise.
float bw_camera_rays_trace(const struct bw_take *m, int x, int y, float rgb[3]);
/// Before a grid of so many places is looked at, each by one ray.
void bw_camera_rays_keep(const struct bw_tools *tools, const struct bw_take *m, int grid, const int32_t size[2]);
/// For a ray that is the only one of place i, j of a grid: what is kept of that.
void bw_camera_ray_keeps(const struct bw_take *m, int grid, int i, int j, struct bw_camera_ray *s);
/// What is first behind the medium there, as the lens's middle sees it, if it is blurred over `blurred` pixels.
void bw_camera_ray_surface(const struct bw_take *m, const double uv[2], double blurred, struct bw_camera_ray *s,
                           struct bw_still_spot *spot);

#endif
