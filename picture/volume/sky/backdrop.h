// SPDX-License-Identifier: Apache-2.0
/* What stands far off: outlines before the sky, each row of them paler than the one before it. */
#ifndef BW_BACKDROP_H
#define BW_BACKDROP_H

#include <picture/volume/studio/texture.h>

enum bw_backdrop { BW_BACKDROP_STUDIO, BW_BACKDROP_DUSK, BW_BACKDROP_HILLS, BW_BACKDROP_FOREST, BW_BACKDROP_TOWN };
#define BW_BACKDROP_CHOICES "studio|dusk|hills|forest|town"

/// How it is lit, radiance: the sky overhead and at the horizon, and what stands there near by.
struct bw_backdrop_light {
    float zenith[3], horizon[3], stands[3];
    float sky[3], sun[3]; ///< what a level white place sends back of the sky, one that faces the sun of that; 0: night
    double to[3];         ///< a unit vector towards the sun
    float windows;        ///< 0 … 1: how bright those of a town are
    float stars;          ///< likewise, of the sky
    int32_t bare;         ///< 1: there is a sky of its own, `rgb` has it
};

/// Its rows as a texture, by the angle round the eye, rad, and the tangent over the horizon; `sun`: towards it, or 0.
void bw_backdrop_plan(enum bw_backdrop kind, const double sun[3], struct bw_texture_plan *plan);
/// Into rgb along `to`, a unit vector, seen by a pixel `wide` at a distance of 1. Below the horizon: fog. `t` is of the
/// plan, or NULL.
void bw_backdrop_see(const struct bw_texture_plan *plan, struct bw_texture *t, const struct bw_backdrop_light *light,
                     const double to[3], double wide, float rgb[3]);

#endif
