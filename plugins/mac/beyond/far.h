// SPDX-License-Identifier: Apache-2.0
/* The pressure that a flow's own sources have beyond the active tiles (far.c), and trees of their moments
 * (far_moments.c). Axes and coordinates are the solver's, in cells from the low corner of the active tiles' box. */
#ifndef FAR_H
#define FAR_H

#include "far_kernels.h"
#include <common/multigrid/multigrid.h>
#include <math.h>

/* A tile is 64 boxes of 4³ cells (in 2D of 8²), 8 (16) octants of 2³ (2²) of those; up to 4³ tiles make a group. */
enum { FAR_BOXES = 64, FAR_GROUP = 4, FAR_IMAGES = 196, FAR_FACES = 256, FAR_STEP = 4 };

/// One side of a tile that leads to still air.
struct far_side {
    int32_t tile, side;
};

/* What a target sees of sources behind closed sides, or a turn farther round: as from x' = sign x + by, and where an
 * axis leads round, the nearest way and `turn` on top. */
struct far_image {
    float sign[3];
    double by[3], turn[3];
    double round[3]; ///< cells of an axis that leads round, else 0
    double gain;     ///< of their strength: -1 where p is 0 between
};

/// Way along axis q from a source to what the image makes of a target.
static inline double far_way(const struct far_image *i, int q, double source, double target)
{
    const double way = (double)i->sign[q] * target + i->by[q] - source;
    return i->round[q] > 0 ? way - i->round[q] * floor(way / i->round[q] + .5) + i->turn[q] : way;
}

struct far {
    int64_t n_sides, n_tiles, n_groups;
    int32_t (*number)[6];     ///< of a tile's sides, or -1
    struct far_side *side;    ///< by number
    float (*lift)[FAR_FACES]; ///< by number: what far_lift() hands out
    int32_t *member, *first;  ///< a group's tiles are member[first[g]] … member[first[g+1] - 1]
    int32_t (*span)[2][3];    ///< a group's tiles lie in [0] … [1] - 1
    struct far_node *box, *octant, *tile, *group;
    struct mg_buffer tables, lifts, moments;
};

/// Make it fit the tiles of level 0 and their rims. Errors: BW_ERR_MEMORY.
enum bw_status far_fit(struct far *f, const struct multigrid *mg);
/// Find the lifts for level 0's right-hand side b, and add to b what they make of it. Errors: BW_ERR_MEMORY.
enum bw_status far_apply(struct far *f, struct multigrid *mg, const struct bw_topology *t);
/* Beyond a rim's face of conductance c the pressure is (1-c) p + lift, where p is the cell's own. A row after the other
 * along the two axes that follow the side's; NULL where there is no rim. */
static inline const float *far_lift(const struct far *f, int64_t tile, int side)
{
    return f && f->number && f->number[tile][side] >= 0 ? f->lift[f->number[tile][side]] : NULL;
}

/// Mirror images behind closed sides and, `open` not 0, behind the open ones that active tiles touch; the next turns
/// where an axis leads round. The box itself comes first. Returns their number.
int far_images(const struct multigrid *mg, const struct bw_topology *t, int open, struct far_image image[FAR_IMAGES]);
/// Lagrange's weights of the four nodes from the returned one on, for place x (cells from a tile's first) in a row of n
/// nodes FAR_STEP cells apart, the first at 1.5.
int far_cubic(int n, double x, double w[4]);
/// Cuts `bytes` off a piece of memory, in steps of 64.
void *far_cut(char **memory, size_t bytes);

/* ---- far_moments.c ---- */

/// Boxes along an axis of a tile, cells along an axis of a box.
static inline int far_boxes(const struct multigrid *mg) { return mg->shape.dim == 3 ? 4 : 8; }
static inline int far_octants(const struct multigrid *mg) { return far_boxes(mg) / 2; }
/// Sort the tiles into groups, the same for mirrored sets. Fills member, first, span.
void far_group(struct far *f, const struct multigrid *mg, int32_t *scratch);
/// Fill all moments from level 0's b. Errors: BW_ERR_MEMORY.
enum bw_status far_gather(struct far *f, struct multigrid *mg);

#endif
