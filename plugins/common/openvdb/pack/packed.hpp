// SPDX-License-Identifier: Apache-2.0
/* Grids whose inactive voxels are all 0, straight from blocks or a callback to a file's bytes. */
#ifndef BWVDB_PACKED_HPP
#define BWVDB_PACKED_HPP

#include "file.hpp"

#include <array>

struct bwvdb_region {
    std::vector<leaf_mask> leaves; // in the tree's order
};

/* The part of one block that lies in one leaf. */
struct piece {
    Coord leaf;
    int64_t block;
};
/* All of a grid's, in the tree's order, then that of the blocks. */
std::vector<piece> pieces_of(const bwvdb_grid &g);
/* Values of block `b` in a leaf, into v[c][i + 8j + 64k]; what the block has not stays. */
void piece_copy(const bwvdb_grid &g, const bwvdb_block &b, const Coord &leaf, float v[3][512]);

/* Leaves i with origin(i), from `first` on, that are reached at once: all of them, or those of a slab of 16 voxels in a
 * lower node, which are each other's neighbours in the tree's order. What the grid's owner must know has been said.
 * Returns the first that is not among them. */
template <class Origin> size_t leaves_reach(const bwvdb_grid &g, size_t first, size_t n, Origin origin)
{
    size_t end = first;
    std::vector<std::array<int32_t, 3>> list;
    if (!g.reach || first == n) return n;
    const Coord c = origin(first);
    for (; end < n; end++) {
        const Coord l = origin(end);
        if (l[0] >> 4 != c[0] >> 4 || l[1] >> 7 != c[1] >> 7 || l[2] >> 7 != c[2] >> 7) break;
        if (list.empty() || list.back() != std::array<int32_t, 3>{l[0], l[1], l[2]}) list.push_back({l[0], l[1], l[2]});
    }
    if (g.reach(reinterpret_cast<const int32_t(*)[3]>(list.data()), int64_t(list.size()), g.reach_user))
        throw std::bad_alloc();
    return end;
}

/* `peak`: the largest magnitude of a component, NaN where one is no finite number. An open spool gets the values. */
file_grid grid_packed(const bwvdb_options &o, const bwvdb_grid &g, file_spool &spool, float *peak);

#endif
