// SPDX-License-Identifier: Apache-2.0
/* Shading of obstacles: their BRDF (diffuse, Fresnel, gloss), lit by lamps, sky and flames. */
#ifndef BW_SOLID_SHADE_H
#define BW_SOLID_SHADE_H

#include "shadow.h"
#include "solid_spots.h"
#include <picture/volume/studio/studio.h>

/// A place on an obstacle as the eye sees it.
struct bw_solid_seen {
    const struct bw_volume *v;
    struct bw_shadow_place at;      ///< p, turn and rays are given
    double away;                    ///< m from the eye
    double dir[3];                  ///< the eye's way to it
    const struct bw_shape_hit *hit; ///< the same on an obstacle as it is; NULL: as distances say
    struct bw_solid_finish *finish; ///< of it what is kept from picture to picture; NULL: nothing
    int32_t mirrored;               ///< 1: it is seen in another, and mirrors neither others nor flames
};
/// Light that it sends back to the eye.
void bw_solid_shade(const struct bw_solid_seen *seen, const struct bw_studio *studio, float rgb[3]);

#endif
