// SPDX-License-Identifier: Apache-2.0
/* A shadow volume: the transmittance from each cell to a light, with shadows as soft as the light is wide. */
#ifndef BW_SHADOW_VOLUME_H
#define BW_SHADOW_VOLUME_H

#include <picture/tools.h>
#include <picture/volume/scene/dense.h>
#include <picture/volume/scene/light.h>

struct bw_shadow_volume_wish {
    const struct bw_light *light;
    const float *extinction;
    int32_t quality; ///< enum bw_quality
};
/// 0 … 1 a cell, into `out`. Errors: BW_ERR_MEMORY.
enum bw_status bw_shadow_volume(const struct bw_tools *tools, const struct bw_dense *box,
                                const struct bw_shadow_volume_wish *wish, float *out);

#endif
