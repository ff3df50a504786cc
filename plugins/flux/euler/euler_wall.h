// SPDX-License-Identifier: Apache-2.0
/* Where walls stand, and what goes through faces there. */
#ifndef FLUX_EULER_WALL_H
#define FLUX_EULER_WALL_H

#include "flux.h"

#include <string.h>

/// The first from `i` on that is 0 of values that are 0 or 1, or n. Hardly any is: sixteen at once, as bits.
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
    int axis, all;      ///< across which the face lies; values, those that are carried with them
    int i;              ///< the cell in the row
    float away, speed;  ///< 1: the wall is above the cell, -1: below; m/s along the axis
    float *const *cell; ///< primitive variables of the row, what is carried as share of the mass
    float *const *flux; ///< of the row: what goes through
};
/// Of gas that meets it with velocity `u`.
void flux_euler_wall(const struct flux_wall *w, float u);

#endif
