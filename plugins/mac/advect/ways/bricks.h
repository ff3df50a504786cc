// SPDX-License-Identifier: Apache-2.0
/* advect_bricks.c: what is known of parts of tiles, halves along y and z and whole along x as rows are: the range of
 * the velocity there, and which fields are more than their background. Tiles are too coarse for it: by the step of a
 * frame each of them meets the fire's velocity somewhere among its neighbours. */
#ifndef BRICKS_H
#define BRICKS_H

#include <billow/plugin.h>
#include <stdbool.h>
#include <stdint.h>

struct pass;
struct range3;

enum { BRICK_PARTS = 2, BRICK_MOST = 2 * 4 * 4 }; ///< of a tile along an axis, of a block, at most

/// Cells of a block, ends included, as the block counts them: beyond it too.
struct cells {
    int32_t lo[3], hi[3];
};

/// A domain's bricks.
struct bricks {
    int32_t parts[3], edge[3]; ///< of a tile; cells a side
    int32_t count;             ///< of a tile
};

struct bricks bricks_of(const struct bw_domain_info *g);

/// Those around a block.
struct bricks_near {
    const struct bw_block *block;
    struct bricks bricks;
    int32_t ring;           ///< tiles around the block
    int32_t first[3], n[3]; ///< tile at the low corner; bricks a side
    struct range3 *speed;   ///< of the velocity, m/s; x fastest. NULL: they are not known
    struct range3 *half;    ///< of c/2 (advect_centred.c), m/s; NULL: there is none
    uint8_t *holds;         ///< items, a bit each; of what is not known all
};

/// Bytes of the lists for `ring` tiles around a block of two tiles a side.
size_t bricks_room(const struct bw_domain_info *g, int32_t ring);
/// Looks up those within `ring` tiles around a block. Not where a periodic side cuts its tiles.
struct bricks_near bricks_gather(const struct bw_block *b, const struct pass *p, int32_t ring);
/// Cells of one of the block's own, by its place among them.
struct cells bricks_cells(const struct bricks_near *near, const int32_t at[3]);
void range_widen(struct range3 *r, const struct range3 *by);
/// Widens by the velocities (or c/2, as `of` says) whose faces lie in or around a box, or that are mirrored there, by
/// side and corner.
void bricks_speed(const struct bricks_near *near, const struct range3 *of, const struct cells *box, struct range3 *r);
/// Items that are not their background somewhere in a box.
uint8_t bricks_hold(const struct bricks_near *near, const struct cells *box);

/// Cells of the block's tile that are brick `at`'s along an axis, of n: from *first on. The last ones' brick has `more`
/// of them, as high faces are.
static inline int32_t brick_span(const struct bricks *by, int a, int32_t at, int32_t n, int32_t more, int32_t *first)
{
    *first = at * by->edge[a];
    const int32_t left = n - *first, own = left < by->edge[a] ? left : by->edge[a];
    return own <= 0 ? 0 : own == left ? own + more : own;
}

#endif
