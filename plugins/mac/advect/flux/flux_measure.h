// SPDX-License-Identifier: Apache-2.0
/* The most that flows through rows of cells. */
#ifndef FLUX_MEASURE_H
#define FLUX_MEASURE_H

#include <billow/host.h>
#include <common/simd_pick.h>

enum { FLUX_SETS = 8 }; ///< of axes, a bit each
enum { FLUX_ROW = 64 }; ///< cells of a tile's longest row

/// The most of all rows so far, by the place in the row: maxima side by side need no order.
struct flux_rows {
    float up[3][FLUX_ROW], down[3][FLUX_ROW]; ///< flow through a face, along each axis and against it
    float emptied[FLUX_SETS][FLUX_ROW];       ///< what leaves a cell less what enters it, by the axes that count
};

/// The `n` cells of one more row, and the low and high faces of each.
typedef void flux_measure_fn(int32_t thin, const float *const low[3], const float *const high[3], int32_t n,
                             struct flux_rows *r);
extern flux_measure_fn flux_measure_baseline, flux_measure_avx2, flux_measure_avx512;

static inline flux_measure_fn *flux_measure_for(uint32_t simd) { return SIMD_PICK(flux_measure, simd); }

#endif
