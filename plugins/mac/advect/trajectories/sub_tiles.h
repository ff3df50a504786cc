// SPDX-License-Identifier: Apache-2.0
/* Sub-tiles (sub_tile_ranges.c): tiles halved along each axis alike, so that a turned flow has the same bounds. For
 * each: the range of the velocity, and which fields are more than background. Tiles are too coarse for that: in a step
 * of a frame each has the fire's velocity somewhere among its neighbours. */
#ifndef SUB_TILES_H
#define SUB_TILES_H

#include <billow/plugin.h>
#include <stdbool.h>
#include <stdint.h>

struct pass;

/// Bounds of three components; 0 lies between them.
struct range3 {
    float least[3], most[3];
};

/// Of all of a sub-tile's faces, so that a mirrored flow has the same; and of its first plane along each component's
/// axis, which are the high ends of the sub-tile below, too.
struct sub_tile_ranges {
    struct range3 all, first;
};

/// Of traces from a sub-tile's cells.
struct sub_tile_bounds {
    struct range3 displacement; ///< ahead, cells
    uint32_t at_exterior;       ///< 1: inactive tiles, or what is beyond an open side, may lie within their reach
};

enum { TILE_LEAST = 16 };    ///< cells of a tile along an axis, at least
enum { SUB_TILE_PARTS = 2 }; ///< of a tile along an axis, at most

/// Cells of a block, ends included, as the block counts them: beyond it too.
struct cells {
    int32_t lo[3], hi[3];
};

/// How a domain's tiles are divided.
struct sub_tiles {
    int32_t parts[3], edge[3]; ///< parts of a tile along an axis; cells of a part
    int32_t count;             ///< of a tile
};

struct sub_tiles sub_tiles_of(const struct bw_domain_info *g);

/// Does a periodic side cut the tiles along axis a? They may be of few cells then.
static inline bool sub_tiles_are_cut(const struct bw_domain_info *g, int a)
{
    return g->side[2 * a].kind == BW_PERIODIC && g->n[a] % g->tile[a];
}

/// Place of the q-th part in its tile, x fastest.
static inline void sub_tile_place(const struct sub_tiles *by, int32_t q, int32_t at[3])
{
    at[0] = q % by->parts[0];
    at[1] = q / by->parts[0] % by->parts[1];
    at[2] = q / by->parts[0] / by->parts[1];
}

/// The sub-tiles around a block.
struct sub_tiles_near {
    const struct bw_block *block;
    struct sub_tiles sub_tiles;
    int32_t ring;           ///< tiles around the block
    int32_t first[3], n[3]; ///< tile at the low corner; sub-tiles along each axis
    struct range3 *speed;   ///< range of the velocity, m/s; x fastest. NULL: unknown
    struct range3 *half;    ///< of c/2 (advect_centred.c), m/s; NULL: there is none
    uint8_t *occupied;      ///< items, a bit each; all where unknown
};

/// Bytes for `ring` tiles around a block of two tiles a side.
size_t sub_tiles_bytes(const struct bw_domain_info *g, int32_t ring);
/// Gathers the sub-tiles within `ring` tiles around a block. Not where a periodic side cuts its tiles.
struct sub_tiles_near sub_tiles_gather(const struct bw_block *b, const struct pass *p, int32_t ring);
/// Cells of one of the block's own sub-tiles.
struct cells sub_tile_cells(const struct sub_tiles_near *near, const int32_t at[3]);
void range_widen(struct range3 *r, const struct range3 *by);
/// Widens r by the velocities (or c/2, as `of` says) on faces in and around a box, mirror images included.
void sub_tiles_speed(const struct sub_tiles_near *near, const struct range3 *of, const struct cells *box,
                     struct range3 *r);
/// Items that are not background somewhere in a box.
uint8_t sub_tiles_occupied(const struct sub_tiles_near *near, const struct cells *box);

/// Number of cells of sub-tile `at` along an axis, of a tile's n, from *first on. The last sub-tile has `more`, for
/// high faces.
static inline int32_t sub_tile_cells_along(const struct sub_tiles *by, int a, int32_t at, int32_t n, int32_t more,
                                           int32_t *first)
{
    *first = at * by->edge[a];
    const int32_t left = n - *first, own = left < by->edge[a] ? left : by->edge[a];
    return own <= 0 ? 0 : own == left ? own + more : own;
}

#endif
