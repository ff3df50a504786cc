// SPDX-License-Identifier: Apache-2.0
/* How much of a lamp's light reaches each cell, with shadows as soft as the lamp is wide. */
#ifndef BW_SHARES_H
#define BW_SHARES_H

#include <picture/tools.h>
#include <picture/volume/scene/dense.h>
#include <picture/volume/scene/light.h>

struct bw_shares_wish {
    const struct bw_light *light;
    const float *extinction;
    int32_t quality; ///< enum bw_quality
};
/// 0 … 1 a cell, into `out`. Errors: BW_ERR_MEMORY.
enum bw_status bw_light_shares(const struct bw_tools *tools, const struct bw_dense *box,
                               const struct bw_shares_wish *wish, float *out);

#endif
