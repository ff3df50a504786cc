// SPDX-License-Identifier: Apache-2.0
/* Faces at walls, and the fluxes there. */
#ifndef FLUX_WALL_FLUX_H
#define FLUX_WALL_FLUX_H

#include "flux.h"

#include <string.h>

/// Index of the first 0 from `i` on among values that are 0 or 1, or n. Few are 0: tests sixteen at once, as bits.
static inline int flux_closed_next(const float *open, int i, int n)
{
    for (; i + 16 <= n; i += 16) {
        uint32_t bits[16], all = ~UINT32_C(0);
        memcpy(bits, open + i, sizeof bits);
        for (int c = 0; c < 16; c++) all &= bits[c];
        if (!all) break;
    }
    while (i < n && open[i] > 0) i++;
    return i;
}

/// One face of a row.
struct flux_wall {
    const struct flux_gas *gas;
    int axis, all;      ///< the face's normal; number of values, advected scalars included
    int i;              ///< the cell in the row
    float away, speed;  ///< 1: the wall is above the cell, -1: below; m/s along the axis
    float *const *cell; ///< primitive variables of the row; scalars as mass fractions
    float *const *flux; ///< of the row, out
};
/// Flux at a wall, of gas that arrives with velocity `u`.
void flux_wall_flux(const struct flux_wall *w, float u);

#endif
