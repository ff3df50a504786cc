// SPDX-License-Identifier: Apache-2.0
/* Active tiles of a snapshot's domains. Files of a cache do not have them: there a tile is active where one of its
 * cells differs from the background. */
#ifndef WEB_ACTIVE_TILES_H
#define WEB_ACTIVE_TILES_H

#include <billow/bake.h>

enum { TILE_SETS = 8 };

/// The active tiles of one domain, sorted by coordinate.
struct tile_set {
    int32_t (*coord)[3];
    int64_t n;
    double origin[3], edge[3]; ///< of tile (0, 0, 0), world units of the grids
};

struct tiles {
    struct tile_set set[TILE_SETS];
    int n;
};

/// Collect those of all grids. Tiles that there is no memory for are left out.
void tiles_collect(struct tiles *t, struct bw_snapshot *snapshot);
void tiles_free(struct tiles *t);

#endif
