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
/// Which row of cells: `n` of them, `times` as many along each axis as in `box`.
struct bw_coarse_row {
    const struct bw_dense *box;
    int32_t times, n, j, k;
};
/// Values of coarse cells between their middles, linearly, clamped; `scratch`: as long as a row of them.
void bw_coarse_row(const struct bw_coarse_row *row, const float *f, float *scratch, float *out);
/// Share of the light from `away` metres (HUGE_VAL: far) in the direction `to` that gets to p.
float bw_coarse_transmittance(const struct bw_coarse *c, const double p[3], const double to[3], double away);

#endif
