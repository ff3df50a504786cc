// SPDX-License-Identifier: Apache-2.0
/* One sweep of flux-form advection over one tile (flux_lines.c): its arguments. */
#ifndef FLUX_LINES_H
#define FLUX_LINES_H

#include <billow/host.h>
#include <common/simd_pick.h>
#include <stdbool.h>

enum { FLUX_FIELDS = 5, FLUX_HALO = 16, FLUX_STENCIL = 3 }; ///< STENCIL: cells that a parabola reads on either side

/// Values of a block: cell (i,j,k) is at[i + j*step[1] + k*step[2]]; step[0] = 1. Where tiles are read in place, those
/// below and above along the axis lie elsewhere, in rows of 16 cells or more.
struct flux_cells {
    const float *at;
    ptrdiff_t step[3];
    bool split;
    const float *below, *above; ///< of a split one: cells from the block's low end down, -1 at below[-tile_step], and
                                ///< from its high end up; NULL: there is `nothing` in all
    ptrdiff_t tile_step[3];     ///< of these
    float nothing;              ///< the background: beyond open ends
};

/// One conserved quantity: source, bounds, destination, sums.
struct flux_amount {
    struct flux_cells from;
    float least, most; ///< bounds
    float *to;
    ptrdiff_t step[3];       ///< of `to`
    struct flux_cells other; ///< what the result is averaged with; at NULL: nothing
    double left[2];          ///< out: net outflow through the open ends, low and high, in cells
    double lost,
        held; ///< out, where `counts`: what limits took from cells beside obstacles; sum of all absolute values there
};

struct flux_tile {
    int32_t axis, n[3];
    int32_t around[2];              ///< cells beyond the tile's low and high end along the axis that may be read
    float scale;                    ///< cells moved per m/s
    bool limit;                     ///< the limiter: values keep their bounds
    bool open[2];                   ///< ends with no active tile and no wall beyond
    bool keep_amount;               ///< after the last sweep: conservative form, volumes become 1 again
    bool counts;                    ///< loss beside obstacles is summed
    bool extend;                    ///< extrapolate beyond open ends, instead of the background
    struct flux_cells u;            ///< velocity on the low faces along the axis, one plane more
    struct flux_cells near_solid;   ///< above 0: within FLUX_STENCIL cells of an obstacle; at NULL: nowhere
    struct flux_cells moving_solid; ///< above 0: near a moving obstacle; at NULL: nowhere
    struct flux_cells volume;       ///< of cells, less 1; at NULL: all are whole
    float *volume_to;               ///< NULL: not stored
    ptrdiff_t volume_step[3];       ///< of volume_to
    struct flux_amount amount[FLUX_FIELDS];
    int32_t n_amounts;
};

/// All levels give the same bits.
typedef void flux_tile_fn(struct flux_tile *t);
extern flux_tile_fn flux_tile_baseline, flux_tile_avx2, flux_tile_avx512;

static inline flux_tile_fn *flux_tile_for(uint32_t simd) { return SIMD_PICK(flux_tile, simd); }

#endif
