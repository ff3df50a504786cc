// SPDX-License-Identifier: Apache-2.0
/* The velocity of tiles that have just become active (born.c). */
#ifndef BORN_H
#define BORN_H

#include "far.h"

/// A side of an old tile beyond which no old tile is: the flow on its faces' plane, less the background. Axes are the
/// solver's; the sums of 16 patches of a side's faces, and of all.
struct born_skin {
    int32_t tile, side;
    float u[FAR_FACES][3], patch[16][3], sum[3];
};

/// The flow in one newborn tile.
struct born_tile {
    int32_t tile, known; ///< the tile; 1: `rest` is known
    float rest[3];       ///< what the skins do not account for, the same everywhere
    float (*node)[3];    ///< what they do, on 4 (2D: 16) nodes along each axis
};

struct born {
    int64_t n_skins, n_tiles;
    int32_t (*skin_of)[6]; ///< by tile and side, -1: none
    int32_t *born_of;      ///< by tile: in `tile`, -1: it is an old one
    struct born_skin *skin;
    struct born_tile *tile;
    struct far_image image[FAR_IMAGES];
    int images;
    struct mg_buffer memory;
    const struct multigrid *mg; ///< while it fills
    const struct bw_tiles_api *tiles;
    const double *background; ///< of vel, m/s
    int has_carried;
};

/// Give tiles that were not active in the last step the flow that the old ones' says they have. `carried`: what vel was
/// before this step's forces, which is free of divergence nearly, and whose skins are not cut by what forces give smoke
/// beside them; newborn tiles keep what forces have given them on top. NULL: not known, vel itself. Reads with halo 1,
/// updates both. Errors: BW_ERR_MEMORY.
enum bw_status born_fill(struct born *b, const struct multigrid *mg, const struct bw_topology *t, struct bw_field *vel,
                         struct bw_field *carried);

#endif
