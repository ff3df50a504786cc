// SPDX-License-Identifier: Apache-2.0
/* Which share of each face is open to the gas, from the signed distance to obstacles. */
#ifndef CUT_H
#define CUT_H

#include <billow/plugin.h>

enum { CUT_HALO = 2 }; ///< cells of `solid` that cut_make reads around a block

/// Open shares of a block's faces: the low face along axis a of cell (i,j,k) is w[a][i + j*sy + k*sz], i, j, k ≤ n.
struct cut {
    float *w[3];
    ptrdiff_t stride[3];
};

/// Is any cell of the block, or next to it, less than a cell away from an obstacle?
int cut_touches(const struct bw_block *b, const struct bw_view *solid);
/// Fill *c in the body's scratch memory. 0: out of memory.
int cut_make(const struct bw_block *b, const struct bw_view *solid, struct cut *c);

#endif
