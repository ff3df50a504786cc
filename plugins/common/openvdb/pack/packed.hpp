// SPDX-License-Identifier: Apache-2.0
/* Grids whose inactive voxels are all 0, straight from blocks or a callback to a file's bytes. */
#ifndef BWVDB_PACKED_HPP
#define BWVDB_PACKED_HPP

#include "file.hpp"

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

/* `peak`: the largest magnitude of a component, NaN where one is no finite number. */
file_grid grid_packed(const bwvdb_options &o, const bwvdb_grid &g, float *peak);

#endif
