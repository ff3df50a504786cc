// SPDX-License-Identifier: Apache-2.0
/* Transmittance from each cell towards a directional light, by one sweep through the cells. */
#ifndef BW_DIRECTIONAL_LIGHT_H
#define BW_DIRECTIONAL_LIGHT_H

#include <picture/tools.h>
#include <picture/volume/scene/dense.h>

/// Light from far off.
struct bw_light_beam {
    double to[3];         ///< a unit vector towards it
    float spread, weight; ///< 0 … 0.66: how fast shadows get soft; what is added to `out`, times that
};
/// Share of a beam that arrives at each cell, 0 … 1 times its weight, added to `out`. Errors: BW_ERR_MEMORY.
enum bw_status bw_directional_transmittance(const struct bw_tools *tools, const struct bw_dense *box,
                                            const float *extinction, const struct bw_light_beam *beam, float *out);

#endif
