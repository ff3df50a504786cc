// SPDX-License-Identifier: Apache-2.0
/* The flow's wide cells round a block of finer ones. */
#ifndef WIDE_BOX_H
#define WIDE_BOX_H

#include <stddef.h>
#include <stdint.h>

/// Wide cells under a block and some more, x fastest; of cell (0,0,0) all arrays begin at `zero`.
struct wide_box {
    int32_t first[3], m[3], lo[3], n[3]; ///< cells under the block; with those around
    int32_t by[3];                       ///< 1 along the thin axis
    ptrdiff_t step[3], zero;
    size_t size;
    float *u[3], *slope[3][3], *bend[3]; ///< slope[a][t]: of component a along t, a cell's width
    uint8_t *shut;                       ///< cells in or beside obstacles; NULL: none are near
};

#endif
