// SPDX-License-Identifier: Apache-2.0
/* Extremes of the flow through rows of cells. */
#ifndef FLUX_EXTREMES_H
#define FLUX_EXTREMES_H

#include <billow/host.h>
#include <common/simd_pick.h>

enum { FLUX_SETS = 8 }; ///< of axes, a bit each
enum { FLUX_ROW = 64 }; ///< cells of a tile's longest row

/// Maxima over all rows so far, by the place in the row: independent, so they vectorise.
struct flux_rows {
    float up[3][FLUX_ROW], down[3][FLUX_ROW]; ///< flow through a face, along each axis and against it
    float emptied[FLUX_SETS][FLUX_ROW];       ///< net outflow of a cell, by the set of axes
};

/// The `n` cells of one more row, and the low and high faces of each.
typedef void flux_extremes_fn(int32_t thin, const float *const low[3], const float *const high[3], int32_t n,
                              struct flux_rows *r);
extern flux_extremes_fn flux_extremes_baseline, flux_extremes_avx2, flux_extremes_avx512;

static inline flux_extremes_fn *flux_extremes_for(uint32_t simd) { return SIMD_PICK(flux_extremes, simd); }

#endif
