// SPDX-License-Identifier: Apache-2.0
/* Transmittance from each cell to a point light, by a sweep away from it. */
#ifndef BW_POINT_LIGHT_H
#define BW_POINT_LIGHT_H

#include <picture/tools.h>
#include <picture/volume/scene/dense.h>

/// Share of the light from `at`, m, that arrives at each cell through `extinction`, 0 … 1, times `weight`, added to
/// `out`; nothing is known of distances here. Errors: BW_ERR_MEMORY.
enum bw_status bw_point_transmittance(const struct bw_tools *tools, const struct bw_dense *box, const float *extinction,
                                      const double at[3], float weight, float *out);

#endif
