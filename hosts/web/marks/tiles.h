// SPDX-License-Identifier: Apache-2.0
/* Active tiles; of a cache, whose files have none, the blocks of cells that hold
 * something. */
#ifndef WEB_TILES_H
#define WEB_TILES_H

#include <billow/bake.h>

enum { TILE_SETS = 8 };

/// Those of one domain, by coordinate.
struct tile_set {
    int32_t (*coord)[3];
    int64_t n;
    double origin[3], edge[3]; ///< of tile (0, 0, 0), world units of the grids
};

struct tiles {
    struct tile_set set[TILE_SETS];
    int n;
};

/// All of a snapshot. What there is no memory for is left out.
void tiles_take(struct tiles *t, struct bw_snapshot *snapshot);
void tiles_free(struct tiles *t);

#endif
