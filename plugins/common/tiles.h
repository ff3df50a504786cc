// SPDX-License-Identifier: Apache-2.0
/* Which tile is where: cells to tile coordinates, and those to indices by billow.tiles/1. Cells are counted from the
 * domain's origin and may be negative in an unbounded domain. */
#ifndef TILES_H
#define TILES_H

#include <billow/plugin.h>

/// Coordinate of the tile that holds a cell, along an axis with `edge` cells a tile.
static inline int32_t tile_coord(int32_t cell, int32_t edge) { return cell / edge - (cell % edge < 0); }

/// The same along all axes.
static inline void tile_coords(const struct bw_domain_info *d, const int32_t cell[3], int32_t coord[3])
{
    for (int a = 0; a < 3; a++) coord[a] = tile_coord(cell[a], d->tile[a]);
}

/// Index of the tile that holds a cell, BW_TILE_INACTIVE or BW_TILE_OUTSIDE.
static inline int64_t tile_of_cell(const struct bw_tiles_api *tiles, const struct bw_domain *domain,
                                   const struct bw_domain_info *d, const int32_t cell[3])
{
    int32_t coord[3];
    tile_coords(d, cell, coord);
    return tiles->find(domain, coord);
}

/// Index of a block's tile; of the one at its low corner where it has several.
static inline int64_t tile_of_block(const struct bw_tiles_api *tiles, const struct bw_block *b)
{
    return tile_of_cell(tiles, b->stage->domain, b->grid, b->lo);
}

/// Tiles of a box, hi included.
struct tile_box {
    int32_t lo[3], hi[3];
};

/// Those that hold the cells from first to last.
static inline struct tile_box tile_box_of(const struct bw_domain_info *d, const int32_t first[3], const int32_t last[3])
{
    struct tile_box box;
    tile_coords(d, first, box.lo);
    tile_coords(d, last, box.hi);
    return box;
}

/// Those that a block's own cells lie in.
static inline struct tile_box tile_box_of_block(const struct bw_block *b)
{
    const int32_t last[3] = {b->lo[0] + b->n[0] - 1, b->lo[1] + b->n[1] - 1, b->lo[2] + b->n[2] - 1};
    return tile_box_of(b->grid, b->lo, last);
}

/// Index of a tile in a list of coordinates in the order of a topology (by z, then y, then x); -1: not there.
static inline int64_t tile_search(int32_t (*coord)[3], int64_t count, const int32_t at[3])
{
    int64_t lo = 0, hi = count;
    while (lo < hi) {
        const int64_t mid = (lo + hi) / 2;
        int q = 2;
        while (q > 0 && coord[mid][q] == at[q]) q--;
        if (coord[mid][q] == at[q]) return mid;
        if (coord[mid][q] < at[q]) lo = mid + 1;
        else hi = mid;
    }
    return -1;
}

/// World coordinate of index i (+0.5: centre) of a block along one axis: the same bits from either side of a tile
/// border.
static inline double block_coord(const struct bw_block *b, int axis, double i)
{
    return b->grid->origin[axis] + ((double)b->lo[axis] + i) * b->grid->h;
}

#endif
