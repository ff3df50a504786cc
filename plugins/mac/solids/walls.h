// SPDX-License-Identifier: Apache-2.0
/* Map of obstacles for advection: which cells are fluid and which faces are open, a byte a cell in the tiles near
 * obstacles; consistent with mac.project's faces. */
#ifndef WALLS_H
#define WALLS_H

#include <billow/plugin.h>

/* Bit a: the cell's low face along a is open; WALLS_FLUID: gas can flow through it; WALLS_SURFACE: it is solid, but its
 * centre lies less than a cell deep. WALLS_FREE: far from any obstacle. */
enum { WALLS_FLUID = 8, WALLS_FREE = 15, WALLS_SURFACE = 16, WALLS_CELLS = 4096 };

/// The tiles near obstacles at one time, in the order of the topology.
struct walls_map {
    int64_t count, capacity;
    int32_t (*coord)[3];
    uint64_t *mark;    ///< changes when the obstacles in and near a tile do
    uint8_t *cells;    ///< WALLS_CELLS a tile, x fastest
    uint8_t (*box)[6]; ///< per axis: first cell of the tile that is not free, and one past the last
};

/// Obstacles at the end of a step and at its start; kept from step to step.
struct walls {
    struct walls_map now, old;
    int32_t *now_of, *old_of; ///< per active tile: index into the maps, or -1
    int64_t steps;            ///< updates so far
    double speed;             ///< largest velocity component of obstacles, m/s
    const struct bw_tiles_api *tiles;
    struct bw_stage *stage;
};

/// Begin a step: what was `now` is `old`. `solid`: the obstacles' distance; `vel`: their velocity, or NULL.
/// Errors: BW_ERR_MEMORY (reported).
enum bw_status walls_update(struct walls *w, struct bw_stage *s, struct bw_field *solid, struct bw_field *vel);
/// Save or restore where obstacles stand: the next step needs to know where they stood. Errors: BW_ERR_MEMORY.
enum bw_status walls_checkpoint(struct walls *w, struct bw_stage *s, struct bw_archive *a);
/// Is any cell within reach of the block (2a below, 2a+1 above along axis a), or beside it, not WALLS_FREE?
int walls_touch(const struct walls *w, const struct bw_block *b, const int32_t reach[6]);
/// The same within `cells` on all sides.
static inline int walls_near(const struct walls *w, const struct bw_block *b, int32_t cells)
{
    return walls_touch(w, b, (const int32_t[6]){cells, cells, cells, cells, cells, cells});
}
/// Bytes of the cells lo … lo+n-1 (of the domain), x fastest; beyond closed sides the mirror image, elsewhere free.
void walls_fill(const struct walls *w, int old, const int32_t lo[3], const int32_t n[3], uint8_t *out);
/// Dilation of marks, a byte a cell: sets to[i] where one of the cells -low … high further by `step` is marked. Ends of
/// rows are ignored: marks wrap around.
void marks_dilate(uint8_t *restrict to, const uint8_t *restrict from, size_t size, ptrdiff_t step, int32_t low,
                  int32_t high);

#endif
