// SPDX-License-Identifier: Apache-2.0
/* How much of a directional light reaches each cell. */
#ifndef BW_LIGHT_H
#define BW_LIGHT_H

#include <picture/tools.h>
#include <picture/volume/scene/dense.h>

/// Share of the light from `to` that arrives at each cell, 0 … 1, into `out`. Errors: BW_ERR_MEMORY.
enum bw_status bw_light_sweep(const struct bw_tools *tools, const struct bw_dense *box, const float *extinction,
                              const double to[3], float spread, float *out);

#endif
