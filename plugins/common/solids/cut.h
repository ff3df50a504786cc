// SPDX-License-Identifier: Apache-2.0
/* Cut cells: the open area fraction of each face, from the signed distance to obstacles. */
#ifndef SOLIDS_CUT_H
#define SOLIDS_CUT_H

#include <billow/plugin.h>

enum { CUT_HALO = 3 }; ///< cells of `solid` that cut_make reads around what it fills

/// Open area fractions of faces: the low face along axis a of cell (i,j,k) is w[a][i + j*sy + k*sz], -pad ≤ i, j, k ≤ n
/// + pad.
struct cut {
    float *w[3];
    ptrdiff_t stride[3];
};

/// Is any cell of the block, or next to it, less than a cell away from an obstacle?
int cut_touches(const struct bw_block *b, const struct bw_view *solid);
/// A number that changes when the obstacles in and near a block do. Reads CUT_HALO cells around it.
uint64_t cut_mark(const struct bw_block *b, const struct bw_view *solid);
/// Fill *c for the block and `pad` cells around it, in the body's scratch memory. 0: out of memory.
int cut_make(const struct bw_block *b, const struct bw_view *solid, int pad, struct cut *c);
/// Open area fraction of a cell's face on side s (2a below, 2a+1 above along axis a).
static inline float cut_side(const struct cut *c, const int32_t cell[3], int s)
{
    const int32_t at[3] = {cell[0] + (s == 1), cell[1] + (s == 3), cell[2] + (s == 5)};
    return c->w[s >> 1][at[0] * c->stride[0] + at[1] * c->stride[1] + at[2] * c->stride[2]];
}
/// Does a wall about one cell thick stand at a face? `high`: distance in its high cell, `step` leads there from the low
/// one; h: cell edge.
int cut_is_thin_wall(const float *high, ptrdiff_t step, float h);
/// Does the middle of this cell lie in such a wall? `thin`: the axis that does not count, or -1.
int cut_is_wall(const float *cell, const ptrdiff_t step[3], int thin, float h);

#endif
