// SPDX-License-Identifier: Apache-2.0
/* A coarser grid over the same space, means of COARSE³ cells: light from all around, the fire's light and the floor's
 * shadows are found on it. */
#ifndef BW_COARSE_H
#define BW_COARSE_H

#include <picture/tools.h>
#include <picture/volume/scene/dense.h>

enum { BW_COARSE = 4 };

struct bw_coarse {
    struct bw_dense box;
    float *extinction; ///< mean, 1/m; NULL: clear air
};

/// The coarse grid over `box`; bw_coarse_free gives it back. Errors: BW_ERR_MEMORY.
enum bw_status bw_coarse_make(const struct bw_tools *tools, const struct bw_dense *box, const float *extinction,
                              struct bw_coarse *c);
void bw_coarse_free(const struct bw_tools *tools, struct bw_coarse *c);
/// Means of one value of `stride` a cell of `box`, over the coarse cells.
void bw_coarse_mean(const struct bw_coarse *c, const struct bw_dense *box, const float *f, int stride, float *out);
/// Share of the light from `away` metres (HUGE_VAL: far) in the direction `to` that gets to p.
float bw_coarse_through(const struct bw_coarse *c, const double p[3], const double to[3], double away);

#endif
