// SPDX-License-Identifier: Apache-2.0
/* One sweep of flux-form advection over one tile: what flux_lines.c gets. */
#ifndef FLUX_LINES_H
#define FLUX_LINES_H

#include <billow/host.h>
#include <common/simd_pick.h>
#include <stdbool.h>

enum { FLUX_FIELDS = 5, FLUX_HALO = 16, FLUX_BESIDE = 3 }; ///< BESIDE: cells that a parabola reads on either side

/// Values of a block: cell (i,j,k) is at[i + j*step[1] + k*step[2]]; step[0] = 1. Where tiles are read in place, those
/// below and above along the axis lie elsewhere, in rows of 16 cells or more.
struct flux_cells {
    const float *at;
    ptrdiff_t step[3];
    bool split;
    const float *below, *above; ///< of a split one: cells from the block's low end down, -1 at below[-step], and from
                                ///< its high end up; NULL: there is `nothing` in all
    float nothing;
};

/// One field's way.
struct flux_amount {
    struct flux_cells from;
    float least, most; ///< bounds
    float *to;
    ptrdiff_t step[3]; ///< of `to`
    double left[2];    ///< out: what goes out through the open ends, low and high, less what comes in, in cells
    double lost, held; ///< out, where it counts: what bounds and values beside take from cells, and all absolute values
                       ///< in them, in cells
};

struct flux_tile {
    int32_t axis, n[3];
    int32_t around[2];        ///< cells beyond the tile's low and high end along the axis that may be read
    float scale;              ///< cells moved per m/s
    bool limit;               ///< values keep their bounds
    bool open[2];             ///< ends with nothing active beyond, and no wall
    bool keep_amount;         ///< after the last sweep: the volumes found count as whole ones
    bool counts;              ///< what is lost beside obstacles
    bool extend;              ///< beyond open ends is what is at them, not the background
    struct flux_cells u;      ///< velocity on the low faces along the axis, one plane more
    struct flux_cells beside; ///< above 0: an obstacle is within FLUX_BESIDE cells; at NULL: nowhere
    struct flux_cells pushed; ///< above 0: an obstacle moves nearby; at NULL: nowhere
    struct flux_cells volume; ///< of cells, less 1; at NULL: all are whole
    float *volume_to;         ///< NULL: not wanted
    ptrdiff_t volume_step[3]; ///< of volume_to
    struct flux_amount amount[FLUX_FIELDS];
    int32_t n_amounts;
};

/// All levels give the same bits.
typedef void flux_tile_fn(struct flux_tile *t);
extern flux_tile_fn flux_tile_baseline, flux_tile_avx2, flux_tile_avx512;

static inline flux_tile_fn *flux_tile_for(uint32_t simd) { return SIMD_PICK(flux_tile, simd); }

#endif
