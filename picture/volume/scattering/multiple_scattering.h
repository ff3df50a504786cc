// SPDX-License-Identifier: Apache-2.0
/* Multiple scattering: light that smoke scatters on to smoke. What lamps send is single scattering (medium.c). */
#ifndef BW_MULTIPLE_SCATTERING_H
#define BW_MULTIPLE_SCATTERING_H

#include <picture/volume/light/lit.h>
#include <picture/tools.h>
#include <picture/volume/scene/scene.h>
#include <picture/volume/scene/volume.h>
#include <picture/volume/scattering/discrete_ordinates.h>

/// What is lit, and how.
struct bw_multiple_medium {
    const struct bw_volume *v;
    const struct bw_look *look;
    const struct bw_lit *lit; ///< rgbs: mean radiance that is scattered for the first time, and smoke's extinction
    const float *extinction;  ///< that of flames' soot and of obstacles with it
    const float *emission;    ///< soot: the last of four a cell, 1/m; NULL: there is none
    float ahead;              ///< mean cosine of what is scattered
};

struct bw_multiple {
    struct bw_dense box; ///< cells of `wide` of the medium's along each axis, the last ones stick out
    int32_t wide;
    float *rgb[3], *open;   ///< what arrives scattered; open: how much it counts, NULL: all alike
    float *first[3], *body; ///< NULL, or what was scattered there for the first time, times `body`: the smoke that does
    float *memory;
};
/// A row of n of the medium's cells.
struct bw_multiple_at {
    int32_t n, j, k;
};

/// bw_multiple_free gives it back, after a failure too. Calls `parallel`. Errors: BW_ERR_MEMORY.
enum bw_status bw_multiple_scattering(const struct bw_tools *tools, const struct bw_multiple_medium *m,
                                      struct bw_multiple *a);
/// What arrives, by channel one row after the other; `scratch`: two rows as long.
void bw_multiple_row(const struct bw_multiple *a, const struct bw_multiple_at *at, float *scratch, float *fine);
/// Where first[]: what the cells that this was found in scattered for the first time. What a cell has that they have
/// not it sees itself by bw_multiple_own of it.
void bw_multiple_single(const struct bw_multiple *a, const struct bw_multiple_at *at, float *scratch, float *fine);
/// Of light that is scattered for the first time in a cell: what it sees of that, twice.
static inline float bw_multiple_own(const struct bw_scatter_cell *cell)
{
    const float own = (1 - cell->even) * cell->sends;
    return own * (1 + own);
}
void bw_multiple_free(const struct bw_tools *tools, struct bw_multiple *a);

#endif
