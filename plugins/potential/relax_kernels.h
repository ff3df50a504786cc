// SPDX-License-Identifier: Apache-2.0
/* The relaxation's inner loop, rows of cells at a time, compiled once a SIMD level. */
#ifndef RELAX_KERNELS_H
#define RELAX_KERNELS_H

#include "mask_table.h"
#include <stddef.h>
#include <stdint.h>

/// What is known of a row: whether any source is in it, and the cells about its middle that have the same walls.
struct row_kind {
    uint8_t sourced, begin, end, walls;
};

/// One row of cells, or several without sources and of the same walls, `stride` cells from one to the next.
struct relax_row {
    int n, rows, stride, sides;  ///< n: cells of a row; sides: 4 or 6
    int skip;                    ///< cells of its kind that a row leaves out before the first
    const struct row_kind *kind; ///< by row
    const double *at;            ///< the cells
    const double *near[6];       ///< their neighbours on each of these sides
    int column[6];               ///< and those's column in the table
    const uint8_t *walls;
    const struct table *table;
    const double *source; ///< or NULL
    double strength;
    double *out;
};

struct relax_kernels {
    void (*row)(const struct relax_row *r);
};

extern const struct relax_kernels relax_kernels_baseline, relax_kernels_avx2, relax_kernels_avx512;

#endif
