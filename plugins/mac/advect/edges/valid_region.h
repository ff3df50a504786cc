// SPDX-License-Identifier: Apache-2.0
/* The valid region: nodes that hold values. Where a trajectory leaves it, mac.advect's `outside` applies. */
#ifndef VALID_REGION_H
#define VALID_REGION_H

#include <advect/advect_pass.h>

/// The valid region of one component's nodes, around one block.
struct valid_region {
    const struct bw_block *block;
    const struct bw_tiles_api *tiles;
    int axis;                 ///< of a face's component; -1: cell centres
    int32_t first[3];         ///< first of the tiles of `occupied`, the block's and those around
    bool occupied[4 * 4 * 4]; ///< x fastest: is the tile valid?
    double inner[2][3]; ///< nodes from inner[0] to inner[1] are valid, in nodes of the block: most traces end there
};

struct valid_region valid_region_init(const struct bw_block *b, const struct bw_tiles_api *tiles, int axis);
/// Are all nodes of a linear interpolation at x valid? Looks up tiles. x: in nodes of the block.
bool valid_region_search(const struct valid_region *e, const double x[3]);
/// For valid_fraction.
double valid_fraction_search(const struct valid_region *e, const int32_t from[3], const double d[3]);

/* Velocity of the exterior beyond the active tiles: it decays as r^-3 (2D: r^-2), like the flow of a puff whose middle
 * is DECAY_LENGTH cells inside. With air at rest there, smoke would depend on where its tiles end (test_alignment.c:
 * .0024 of the peak, not .0007). Without decay, a wind that nothing drives would never be washed out. */
#define DECAY_LENGTH 16.0

/// Decay factor of a velocity whose displacement d leaves the valid region after this fraction.
static inline double exterior_decay(const struct valid_region *e, double fraction, const double d[3])
{
    const double beyond = (1 - fraction) * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]),
                 left = DECAY_LENGTH / (DECAY_LENGTH + beyond);
    return e->block->grid->thin < 0 ? left * left * left : left * left;
}

/// Is x in the inner box of valid nodes?
static inline bool valid_region_is_inner(const struct valid_region *e, const double x[3])
{
    bool safe = true;
    for (int a = 0; a < 3; a++) safe = safe && x[a] >= e->inner[0][a] && x[a] <= e->inner[1][a];
    return safe;
}

/// Fraction of the displacement d from node `from` at which it leaves the valid region; 1: it does not.
static inline double valid_fraction(const struct valid_region *e, const int32_t from[3], const double d[3])
{
    const double x[3] = {from[0] + d[0], from[1] + d[1], from[2] + d[2]};
    return valid_region_is_inner(e, x) ? 1 : valid_fraction_search(e, from, d);
}

/// The same as valid_region_search, faster.
static inline bool valid_region_contains(const struct valid_region *e, const double x[3])
{
    return valid_region_is_inner(e, x) || valid_region_search(e, x);
}

#endif
