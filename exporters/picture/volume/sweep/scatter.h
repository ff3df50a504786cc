// SPDX-License-Identifier: Apache-2.0
/* Light that has been scattered in a medium. */
#ifndef BW_SCATTER_H
#define BW_SCATTER_H

#include <picture/tools.h>
#include <picture/volume/scene/dense.h>

enum { BW_BOUNCES = 2 }; ///< as often it is scattered on its way before it goes to the eye; as Cycles is told

/// One channel of a medium.
struct bw_scatter_medium {
    const struct bw_dense *box;
    const float *extinction; ///< of each cell, 1/m
    const float *albedo;     ///< likewise; NULL: `even` in all
    float even;
    float more, ahead; ///< extinction times that; mean cosine of what is scattered
};

/// `light`: mean radiance that is scattered for the first time in each cell, 0 where it is not smoke; it is lost. What
/// arrives scattered, likewise, into `out`. Errors: BW_ERR_MEMORY.
enum bw_status bw_scatter(const struct bw_tools *tools, const struct bw_scatter_medium *m, float *light, float *out);

#endif
