// SPDX-License-Identifier: Apache-2.0
/* Far-field pressure: the potential of the flow's own sources beyond the active tiles (far_field.c), by a tree of their
 * multipole moments (far_field_moments.c). Axes and coordinates are the solver's, in cells from the low corner of the
 * active tiles' bounding box. */
#ifndef FAR_H
#define FAR_H

#include "far_field_kernels.h"
#include <common/multigrid/multigrid.h>
#include <math.h>

/* Levels of the tree: 64 boxes of 4³ cells (2D: 8²) a tile, 8 (16) octants of 2³ (2²) boxes, tiles, groups of up to 4³
 * tiles. */
enum { FAR_BOXES = 64, FAR_GROUP = 4, FAR_IMAGES = 27, FAR_FACES = 256, FAR_STEP = 4 };

/// One side of a tile that leads to the exterior.
struct far_side {
    int32_t tile, side;
};

/* Method of images: sources mirrored behind closed sides, or a period away. The target x sees them as the sources
 * proper are seen from x' = sign x + by; on a periodic axis, over the shortest displacement plus `turn`. */
struct far_image {
    float sign[3];
    double by[3], turn[3];
    double period[3]; ///< cells of a periodic axis, else 0
};

/// Displacement along axis q from a source to the image of a target.
static inline double far_displacement(const struct far_image *i, int q, double source, double target)
{
    const double d = (double)i->sign[q] * target + i->by[q] - source;
    return i->period[q] > 0 ? d - i->period[q] * floor(d / i->period[q] + .5) + i->turn[q] : d;
}

struct far_field {
    int64_t n_sides, n_tiles, n_groups;
    int32_t (*side_index)[6]; ///< by tile and side: index in `side`, or -1
    struct far_side *side;
    float (*robin)[FAR_FACES]; ///< by side: what far_field_robin() returns
    int32_t *member, *first;   ///< a group's tiles are member[first[g]] … member[first[g+1] - 1]
    int32_t (*extent)[2][3];   ///< a group's tiles lie in [0] … [1] - 1
    struct far_moments *box, *octant, *tile, *group;
    struct mg_buffer tables, robin_memory, moments;
};

/// Allocate for the tiles of level 0 and number their sides to the exterior. Errors: BW_ERR_MEMORY.
enum bw_status far_field_fit(struct far_field *f, const struct multigrid *mg);
/// Evaluate the Robin terms for level 0's right-hand side b, and add them to b. Errors: BW_ERR_MEMORY.
enum bw_status far_field_apply(struct far_field *f, struct multigrid *mg, const struct bw_topology *t);
/* The inhomogeneous term of the exterior's Robin condition: beyond a face of conductance c the pressure is (1-c) p +
 * term, where p is the cell's. Row by row along the two axes that follow the side's; NULL: no exterior there. */
static inline const float *far_field_robin(const struct far_field *f, int64_t tile, int side)
{
    return f && f->side_index && f->side_index[tile][side] >= 0 ? f->robin[f->side_index[tile][side]] : NULL;
}

/// Mirror images behind closed sides, and on periodic axes the next periods. The first image is the box itself. Returns
/// their number.
int far_images(const struct multigrid *mg, const struct bw_topology *t, struct far_image image[FAR_IMAGES]);
/// Cubic Lagrange interpolation: the weights of four nodes, from the returned one on, at x (cells from a tile's first)
/// in a row of n nodes FAR_STEP cells apart, the first at 1.5.
int far_lagrange_weights(int n, double x, double w[4]);

/* ---- far_field_moments.c ---- */

/// Boxes along an axis of a tile, cells along an axis of a box.
static inline int far_boxes(const struct multigrid *mg) { return mg->shape.dim == 3 ? 4 : 8; }
static inline int far_octants(const struct multigrid *mg) { return far_boxes(mg) / 2; }
/// Sort the tiles into groups, mirrored for mirrored sets of tiles. Fills member, first, extent.
void far_group_tiles(struct far_field *f, const struct multigrid *mg, int32_t *scratch);
/// Compute the moments of all levels of the tree from level 0's b. Errors: BW_ERR_MEMORY.
enum bw_status far_compute_moments(struct far_field *f, struct multigrid *mg);

#endif
