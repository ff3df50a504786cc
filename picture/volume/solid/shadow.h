// SPDX-License-Identifier: Apache-2.0
/* Shadow rays against obstacles: soft shadows, as wide as lamps are. */
#ifndef BW_SOLID_SHADOW_H
#define BW_SOLID_SHADOW_H

#include <picture/volume/scene/light.h>
#include <picture/volume/scene/volume.h>

/// Where a shadow may fall: a place, and its part in a pixel's grain.
struct bw_shadow_place {
    double p[3];
    double lift; ///< cells over the surface, where its own rounding throws no shadow
    double normal[3];
    double face[3]; ///< a unit vector across its triangle, or 0: not on an obstacle as it is
    float turn;     ///< 0 … 1, blue noise: how the rays to a lamp are turned about its middle
    int32_t rays;   ///< to a lamp in whose half-shadow it lies; 0: one of many asks
};

/// Share of a lamp that obstacles let through, 0 … 1.
float bw_solid_shadow_rays(const struct bw_volume *v, const struct bw_shadow_place *at,
                           const struct bw_light_seen *seen);

#endif
