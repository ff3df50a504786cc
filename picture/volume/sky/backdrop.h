// SPDX-License-Identifier: Apache-2.0
/* What stands far off: outlines before the sky, each row of them paler than the one before it. */
#ifndef BW_BACKDROP_H
#define BW_BACKDROP_H

#include <stdint.h>

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
enum { BW_BACKDROP_ROWS = 3 };
/// What a ray meets of each row, 0 the farthest, in 65535 parts: how much of it the row covers; of a hillside how much
/// it faces the sun, and how high over a gully. The same in all lights but for where the sun is.
struct bw_backdrop_spot {
    uint16_t cover[BW_BACKDROP_ROWS], facing[BW_BACKDROP_ROWS], high[BW_BACKDROP_ROWS];
    uint16_t found; ///< 0: not yet looked at
};

/// Into rgb along `to`, a unit vector, seen by a pixel `wide` at a distance of 1. Below the horizon: fog.
/// `spot` is looked up where it is not found yet; NULL: nothing is kept.
void bw_backdrop_see(enum bw_backdrop kind, const struct bw_backdrop_light *light, const double to[3], double wide,
                     struct bw_backdrop_spot *spot, float rgb[3]);

#endif
