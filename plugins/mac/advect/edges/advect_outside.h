// SPDX-License-Identifier: Apache-2.0
/* Where a trace leaves the gas: what `outside` of mac.advect is about. */
#ifndef ADVECT_OUTSIDE_H
#define ADVECT_OUTSIDE_H

#include <advect/advect_pass.h>

/// One component's nodes that hold values, as one block sees them.
struct edge {
    const struct bw_block *block;
    const struct bw_tiles_api *tiles;
    const uint8_t *born;   ///< by tile: 1, it counts as if it were not there; NULL: all count
    int axis;              ///< of a face's component; -1: cell centres
    int32_t first[3];      ///< of the tiles that `holds` is of, the block's and those around
    bool holds[4 * 4 * 4]; ///< x fastest: does the tile count?
    double safe[2][3]; ///< all nodes from safe[0] to safe[1] hold values, in nodes of the block: most traces end there
};

struct edge edge_init(const struct bw_block *b, const struct bw_tiles_api *tiles, const uint8_t *born, int axis);
/// Does every node that a linear interpolation at x reads hold a value? Asks for tiles. x: in nodes of the block.
bool edge_search(const struct edge *e, const double x[3]);
/// Share of the way from node `from` to from + d at which it leaves; 1 when it does not.
double edge_share(const struct edge *e, const int32_t from[3], const double d[3]);

/* Air beyond the active tiles moves as a puff's flow does whose middle is STILL cells off: it falls off as r^-3, in two
 * dimensions r^-2. Were still air drawn in from there, smoke would know where its tiles end (test_alignment.c: .0024
 * of the peak, not .0007); did nothing fall off, a wind that nothing drives would never be washed out. */
#define STILL 16.0

/// What is left of a flow whose trace of d leaves the gas after `share` of its way.
static inline double edge_left(const struct edge *e, double share, const double d[3])
{
    const double beyond = (1 - share) * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), left = STILL / (STILL + beyond);
    return e->block->grid->thin < 0 ? left * left * left : left * left;
}

/// Is x among the nodes that surely hold values?
static inline bool edge_safe(const struct edge *e, const double x[3])
{
    bool safe = true;
    for (int a = 0; a < 3; a++) safe = safe && x[a] >= e->safe[0][a] && x[a] <= e->safe[1][a];
    return safe;
}

/// The same as edge_search, soon.
static inline bool edge_has(const struct edge *e, const double x[3]) { return edge_safe(e, x) || edge_search(e, x); }

#endif
