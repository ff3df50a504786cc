// SPDX-License-Identifier: Apache-2.0
/* The velocity of newly activated tiles (activation.c). */
#ifndef BORN_H
#define BORN_H

#include "far_field.h"

/// A side of the boundary of the old active region: the velocity on its faces, less the background, along the solver's
/// axes; its sums over 16 patches of faces, and over all. The box may cut its tile.
struct boundary_side {
    int32_t tile, side;
    int32_t n[2]; ///< faces along the next two axes
    float u[FAR_FACES][3], patch[16][3], sum[3];
};

/// The flow in one newly activated tile.
struct new_tile {
    int32_t tile, known; ///< the tile; layer from which `uniform` is known, 0: not yet
    float uniform[3];    ///< what the boundary integral lacks, the same everywhere
    float (*node)[3];    ///< the boundary integral, on 4 (2D: 16) nodes along each axis
};

struct activation {
    int64_t n_sides, n_tiles;
    int32_t (*side_of)[6]; ///< boundary side by tile and side, -1: none
    int32_t *new_of;       ///< by tile: its index in `tile`, -1: an old one
    struct boundary_side *side;
    struct new_tile *tile;
    struct far_image image[FAR_IMAGES];
    int images;
    struct mg_buffer memory;
    const struct multigrid *mg; ///< during activation_fill
    const struct bw_tiles_api *tiles;
    const double *background; ///< of vel, m/s
    int has_advected;
};

/// Fill `vel` in tiles that were not active in the last step, from the old tiles' flow. `advected`: vel before this
/// step's forces, nearly free of divergence, so the boundary integral is taken of it; new tiles keep what forces have
/// added to vel. NULL: unknown, vel itself. Reads with halo 1, updates both. Errors: BW_ERR_MEMORY.
enum bw_status activation_fill(struct activation *b, const struct multigrid *mg, const struct bw_topology *t,
                               struct bw_field *vel, struct bw_field *advected);

#endif
