// SPDX-License-Identifier: Apache-2.0
/* The room round the stage: what it sends from all sides, and what is known of it while a picture is made. */
#ifndef BW_ROOM_H
#define BW_ROOM_H

#include "stones.h"
#include "surroundings.h"
#include <picture/volume/light/ambient.h>
#include <picture/volume/motion/shine.h>
#include <picture/volume/scene/volume.h>
#include <picture/volume/sky/sphere.h>

/// The room, radiance: from above, from below, and the wall that the camera sees, in the middle and far from it.
struct bw_look_room {
    float above[3], below[3], wall[3], edge[3];
};
struct bw_look_room bw_look_room(const struct bw_look *l);

/// Scene and light are the caller's and outlive it.
struct bw_studio {
    const struct bw_scene *scene;
    const struct bw_ambient *ambient;
    const struct bw_shine *shine; ///< NULL: none; set by the caller
    const struct bw_volume *v;    ///< obstacles that throw shadows; NULL: none
    struct bw_look_room room;
    struct bw_light light[BW_LIGHTS];
    int32_t n_lights;
    double lo[2], size; ///< of the shadow map, m
    int32_t n, lanes;
    float *map;          ///< n × n × lanes, light that reaches the floor
    float *low_sky;      ///< the sky's light just above the horizon, by azimuth; NULL: no sky
    float far[3];        ///< what a white floor sends back along the map's rim, mean
    int32_t rays;        ///< to a lamp from where it is half hidden
    double fire[3];      ///< the middle of the fire's light
    double fire_wide[2]; ///< standard deviations of where it comes from, level and upright, m
    struct bw_surroundings_plan plan;
    struct bw_surroundings own;           ///< where the scene has none that are kept
    const struct bw_surroundings *around; ///< the scene's, or those
    struct bw_sky_clouds clouds;
    struct bw_stones_field rocks;
    double soil;    ///< width at a distance of 1 of what is seen of soil at least
    double pixel;   ///< width at a distance of 1 of what one ray sees; set by the caller
    double blur;    ///< of what a wide lens blurs a place to, the share that one ray sees; set by the caller
    int32_t grains; ///< parts, squared, in which a ray sees stones, ≤ BW_GRAINS; set by the caller
};

/// How wide is what one ray sees so far away, m: what is finer there is a mean.
double bw_studio_wide(const struct bw_studio *s, double depth);
/// The room's light from a direction, a unit vector.
void bw_studio_sky(const struct bw_studio *s, const double to[3], float rgb[3]);

#endif
