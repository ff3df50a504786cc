// SPDX-License-Identifier: Apache-2.0
/* The relaxation's inner loop, one row of cells at a time, compiled once a SIMD level. */
#ifndef RELAX_KERNELS_H
#define RELAX_KERNELS_H

#include "table.h"
#include <stddef.h>
#include <stdint.h>

struct relax_row {
    int n, sides;          ///< sides: 4 or 6
    const double *at;      ///< the cells
    const double *near[6]; ///< their neighbours on each of these sides
    int column[6];         ///< and those's column in the table
    const uint8_t *walls;
    int even; ///< 1: all cells have the first one's walls
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
