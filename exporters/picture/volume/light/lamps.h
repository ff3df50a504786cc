// SPDX-License-Identifier: Apache-2.0
/* The fire as lamps, which light what is around it. */
#ifndef BW_LAMPS_H
#define BW_LAMPS_H

#include "coarse.h"

/// A part of the fire as a source of light.
struct bw_lamp {
    double at[3];
    float rgb[3]; ///< ∫ j dV
    float floor;  ///< added to r², m²
};

struct bw_lamps {
    struct bw_coarse between; ///< what dims them; not owned
    float *smoke;             ///< of that what is no obstacle: surfaces would stand in their own light
    float dims;               ///< share of its extinction that takes light away for good
    struct bw_lamp *lamp;
    int32_t n;
};

/// `glow`: mean emission of the coarse cells, 1/m, by channel; `albedo`: of the smoke. `c` outlives the lamps. Errors:
/// BW_ERR_MEMORY.
enum bw_status bw_lamps_make(const struct bw_tools *tools, const struct bw_coarse *c, float *const glow[3],
                             float albedo, struct bw_lamps *l);
void bw_lamps_free(const struct bw_tools *tools, struct bw_lamps *l);
/// A surface that is lit: its normal, and 1 where it is an obstacle's, which has no shadow of obstacles then.
struct bw_facing {
    double normal[3];
    int solid;
};
/// Add the fire's light at p: mean radiance, or, on a surface (NULL: none), irradiance over 4π.
void bw_lamps_light(const struct bw_lamps *l, const double p[3], const struct bw_facing *surface, float rgb[3]);

#endif
