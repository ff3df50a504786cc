// SPDX-License-Identifier: Apache-2.0
/* The fire as lamps, which light what is around it. */
#ifndef BW_LAMPS_H
#define BW_LAMPS_H

#include "coarse.h"

#include <picture/volume/scene/light.h>

/// A part of the fire as a source of light.
struct bw_lamp {
    double at[3];
    float rgb[3]; ///< ∫ j dV
    float floor;  ///< added to r², m²
};

struct bw_lamps {
    struct bw_dense box; ///< of what dims them
    float *dim;          ///< what takes their light away for good there, 1/m: smoke, obstacles and the flames' own soot
    float *smoke;        ///< of that what is no obstacle, or NULL: surfaces would stand in their own light
    float share;         ///< of smoke's and obstacles' extinction, in both
    float gain[3];       ///< of their light on surfaces
    struct bw_lamp *lamp;
    int32_t n;
};

/// `glow`: mean emission of the coarse cells, 1/m, by channel, and the flames' own extinction, which `c` has in it;
/// `albedo`: of the smoke.
/// bw_lamps_free gives it back, after a failure too. Errors: BW_ERR_MEMORY.
enum bw_status bw_lamps_make(const struct bw_tools *tools, const struct bw_coarse *c, float *const glow[4],
                             float albedo, struct bw_lamps *l);
/// For obstacles that the fire lights: `smoke` is the coarse grid's extinction `c` without them. Errors: BW_ERR_MEMORY.
enum bw_status bw_lamps_solids(const struct bw_tools *tools, const struct bw_coarse *c, const float *smoke,
                               struct bw_lamps *l);
void bw_lamps_free(const struct bw_tools *tools, struct bw_lamps *l);
/// A surface that is lit: its normal, 1 where it is an obstacle's, which has no shadow of obstacles then, and, where
/// relief has turned the normal, that of the face below it, or 0: what is behind the face lights no relief.
struct bw_shading_point {
    double normal[3];
    int solid;
    double face[3];
};
/// Add the fire's light at p: mean radiance, or, on a surface (NULL: none), irradiance over 4π.
void bw_lamps_light(const struct bw_lamps *l, const double p[3], const struct bw_shading_point *surface, float rgb[3]);

/// Lamp i as p, on an obstacle, sees it, and its light: irradiance over 4π on what faces it, in clear air.
struct bw_light_seen bw_lamps_seen(const struct bw_lamps *l, int i, const double p[3], float rgb[3]);
/// Of that light how much gets there through smoke and flames, not obstacles.
float bw_lamps_clear(const struct bw_lamps *l, int i, const double p[3]);

#endif
