// SPDX-License-Identifier: Apache-2.0
/* Multiple scattering in one channel of a medium, by the method of discrete ordinates. */
#ifndef BW_DISCRETE_ORDINATES_H
#define BW_DISCRETE_ORDINATES_H

#include <picture/tools.h>
#include <picture/volume/scene/dense.h>
#include <picture/volume/scene/fast_math.h>

enum { BW_BOUNCES = 2 }; ///< as often it is scattered on its way before it goes to the eye; as Cycles is told

/// One channel of a medium.
struct bw_scatter_medium {
    const struct bw_dense *box;
    const float *extinction; ///< of each cell, 1/m
    const float *albedo;     ///< likewise; NULL: `even` in all
    float even;
    float more, ahead; ///< extinction times that; mean cosine of what is scattered
};

/// A cell, as beams along a cube's diagonals see it: of what enters what leaves, and the mean within; of light that
/// meets it, what it sends on.
struct bw_scatter_cell {
    float keep, even, sends;
};
static inline struct bw_scatter_cell bw_scatter_cell(const struct bw_scatter_medium *m, float extinction, float albedo)
{
    const float lost = 1 - albedo * m->ahead, depth = extinction * m->more * lost * 1.7320508f * (float)m->box->h;
    const float keep = bw_exp_neg(depth), even = depth > 0.02f ? (1 - keep) / depth : 1 - 0.5f * depth;
    return (struct bw_scatter_cell){keep, even, extinction > 0 ? albedo * (1 - m->ahead) / lost : 0};
}

/// `light`: mean radiance that is scattered for the first time in each cell, 0 where it is not smoke; in its place,
/// what arrives scattered. Calls `parallel`. Errors: BW_ERR_MEMORY.
enum bw_status bw_discrete_ordinates(const struct bw_tools *tools, const struct bw_scatter_medium *m, float *light);

#endif
