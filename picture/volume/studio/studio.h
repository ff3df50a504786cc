// SPDX-License-Identifier: Apache-2.0
/* The studio round the stage: backdrop, and a floor that takes shadows and the fire's light. */
#ifndef BW_STUDIO_H
#define BW_STUDIO_H

#include "stone_lots.h"
#include "studio_spots.h"
#include "room.h"

/// To be freed, also after an error. Errors: BW_ERR_MEMORY.
enum bw_status bw_studio_make(const struct bw_tools *tools, const struct bw_scene *scene, const struct bw_volume *v,
                              const struct bw_ambient *ambient, struct bw_studio *s);
void bw_studio_free(const struct bw_tools *tools, struct bw_studio *s);
/// What is behind the smoke along a ray.
struct bw_behind {
    float rgb[3]; ///< linear light
    double depth; ///< m to the floor, or HUGE_VAL
    float mirror; ///< share of the light from `mirrored` that the floor sends on, above `rgb`
    double mirrored[3];
};
struct bw_studio_ray {
    const double *eye, *dir, *uv; ///< -1 … 1 over the picture
    float turn;                   ///< 0 … 1: grain of shadows
    struct bw_floor_spot *floor;  ///< of its pixel, kept; NULL: none is
};
/// m along a ray to the floor; HUGE_VAL: it does not meet it.
double bw_studio_depth(const struct bw_studio *s, const double eye[3], const double dir[3]);
void bw_studio_colour(const struct bw_studio *s, const struct bw_studio_ray *ray, struct bw_behind *b);

/// What is far off along `to`, as the camera sees it, `pixel` wide at a distance of 1; where it has a background of one
/// colour, which lights nothing, the light from there.
void bw_studio_far(const struct bw_scene *scene, double pixel, const double to[3], float rgb[3]);

/// 1: that is a sky or a backdrop; 0: the studio's wall, which goes with the camera.
int bw_studio_is_far(const struct bw_look *l);

/// How far the floor is seen: at a distance r from the middle of a stage of a size, exp(-r² / (this size²)) is left.
double bw_studio_horizon(const struct bw_look *l);

/// The air before what is `depth` m away along a ray and hides the shares `cover` of what is behind, over its light.
void bw_studio_air(const struct bw_studio *s, const double dir[3], double depth, const float cover[3], float rgb[3]);
static const float BW_HIDDEN[3] = {1, 1, 1}; ///< nothing behind is seen

#endif
