// SPDX-License-Identifier: Apache-2.0
/* What is known of a file's grids before their voxels are: names, places, metadata. */
#ifndef BWVDB_ENTRY_HPP
#define BWVDB_ENTRY_HPP

#include <common/openvdb/bwvdb_guard.hpp>

#include <deque>
#include <fstream>

struct meta_list {
    std::deque<std::string> text; // a deque: strings never move
    std::vector<bwvdb_meta> rows;

    void add_all(const vdb::MetaMap &map);
};

struct grid_entry {
    std::string unique, name, type; // unique: as the file knows it, "density[1]" for a second one
    vdb::GridBase::Ptr grid;        // without its voxels until loaded
    int32_t part[3] = {-1, -1, -1}; // of a vector that the file holds as three grids of numbers
    bwvdb_info info{};
    meta_list meta;

    bool joined() const { return part[0] >= 0; }
};

struct bwvdb_file {
    explicit bwvdb_file(const char *p) : path(p), file(p) {}
    std::string path, names;
    bool checked = false; // its trees
    vdb::io::File file;
    std::deque<grid_entry> grids; // entries never move
    int32_t own = 0;              // of them; vectors joined of three follow
    meta_list meta;
};

/* Fill in what a grid's metadata and transform tell. */
void entry_describe(grid_entry &e);
/* The box of active voxels, and its place. */
void entry_box(bwvdb_info &i, const vdb::CoordBBox &box, const vdb::math::Transform &t);
/* What a vector of three grids is by now. */
void entry_join(bwvdb_file &f, grid_entry &e);
/* bwvdb_copy.cpp: the grid itself if its values are floats; else a copy whose values are, of doubles. Of others
 * nullptr. */
vdb::GridBase::Ptr grid_as_floats(const vdb::GridBase::Ptr &grid);
/* Once all grids of a file are described: names that differ, the list of them, and vectors of three grids. */
void entries_name(bwvdb_file &f);

#endif
