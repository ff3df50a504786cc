// SPDX-License-Identifier: Apache-2.0
/* Stones that lie on earth: cut ellipsoids, at most one a square of a lattice, of four sizes; and rocks, of two, round
 * the stage. */
#ifndef BW_STONES_H
#define BW_STONES_H

#include "stone_lots.h"

struct bw_stone_hit {
    double depth; ///< m along the ray; what is farther than it is when asked is no hit
    double normal[3];
    float which; ///< 0 … 1, of many
};

/// The first stone along a ray, `from` above a floor at z = 0, m; those of less than some two times `footprint` (what a
/// pixel sees there) sink into the earth, so that none flickers. 1: it hits.
int bw_stones_hit(const struct bw_stones_field *f, const double from[3], const double dir[3], double footprint,
                  struct bw_stone_hit *hit);
/// What stones near by leave of the sky's light at a place of the floor, 0 … 1.
float bw_stones_open(const struct bw_stones_field *f, const double at[2], double footprint);

#endif
