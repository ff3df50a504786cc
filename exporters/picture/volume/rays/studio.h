// SPDX-License-Identifier: Apache-2.0
/* The studio round the stage: backdrop, and a floor that takes shadows and the fire's light. */
#ifndef BW_STUDIO_H
#define BW_STUDIO_H

#include "ground.h"
#include <picture/volume/light/ambient.h>

/// The room, radiance: from above, from below, and the wall that the camera sees, in the middle and far from it.
struct bw_look_room {
    float above[3], below[3], wall[3], edge[3];
};
struct bw_look_room bw_look_room(const struct bw_look *l);

enum { BW_STUDIO_LANES = 4 }; ///< of the map: {rgb, share of the fire's}

/// Scene and light are the caller's and outlive it.
struct bw_studio {
    const struct bw_scene *scene;
    const struct bw_ambient *ambient;
    struct bw_look_room room;
    struct bw_light light[BW_LIGHTS];
    int32_t n_lights;
    double lo[2], size; ///< of the shadow map, m
    int32_t n;
    float *map;     ///< n × n, light that reaches the floor; released by the caller
    float far[3];   ///< mean of the map's rim
    double fire[3]; ///< the middle of the fire's light
    double pixel;   ///< width of a pixel at a distance of 1; set by the caller
};

/// Errors: BW_ERR_MEMORY.
enum bw_status bw_studio_make(const struct bw_tools *tools, const struct bw_scene *scene,
                              const struct bw_ambient *ambient, struct bw_studio *s);
/// What is behind the smoke along a ray.
struct bw_behind {
    float rgb[3]; ///< linear light
    double depth; ///< m to the floor, or HUGE_VAL
    float mirror; ///< share of the light from `mirrored` that the floor sends on, above `rgb`
    double mirrored[3];
};
/// The room's light from a direction, a unit vector.
void bw_studio_sky(const struct bw_studio *s, const double to[3], float rgb[3]);
/// Along a ray from `eye`, (u, v) in -1 … 1 over the picture.
void bw_studio_colour(const struct bw_studio *s, const double eye[3], const double dir[3], const double uv[2],
                      struct bw_behind *b);

#endif
