// SPDX-License-Identifier: Apache-2.0
/* Grids as the bytes that a file has of them, and the file around them. Format 224: what OpenVDB 10 writes. */
#ifndef BWVDB_FILE_HPP
#define BWVDB_FILE_HPP

#include "../bwvdb_guard.hpp"
#include "slab.hpp"

#include <memory>

/* A leaf with active voxels. */
struct leaf_mask {
    Coord origin;
    uint64_t on[8]; // bit z of byte y of word x
};

template <class Leaf> leaf_mask mask_of(const Leaf &leaf)
{
    leaf_mask m{leaf.origin(), {}};
    for (vdb::Index i = 0; i < 8; i++) m.on[i] = leaf.valueMask().template getWord<uint64_t>(i);
    return m;
}

/* Bytes that wait for their place in a file, in one without a name. Throws what streams throw. */
class file_spool
{
  public:
    ~file_spool();
    void open(const char *folder);
    bool is_open() const { return fd >= 0; }
    int64_t size() const { return end; }
    void put(const byte_span &bytes);
    void take(int64_t at, char *to, size_t n) const;

  private:
    int fd = -1;
    int64_t end = 0;
};

/* One grid: compression, metadata, transform and topology in `body`, from `values_at` on the values of all leaves: what
 * `body` has of them, then `values`, then so many bytes of the spool. */
struct file_grid {
    std::string name, type, body;
    std::unique_ptr<byte_slab> slab; // where `values` are
    std::vector<byte_span> values;
    int64_t values_at = 0, spool_at = 0, spooled = 0;
    std::vector<leaf_mask> leaves; // in the tree's order
    bool volume = false;           // a region may be made of it
};

struct bwvdb_writer {
    bwvdb_options options;
    std::vector<file_grid> grids;
    vdb::MetaMap meta;
    file_spool spool;
};

/* The tree's own order of leaves: by upper node, by lower node, by leaf; along x, then y, then z in each. */
inline bool tree_order(const Coord &a, const Coord &b)
{
    for (int shift : {12, 7, 3})
        for (int axis = 0; axis < 3; axis++)
            if (a[axis] >> shift != b[axis] >> shift) return a[axis] >> shift < b[axis] >> shift;
    return false;
}

inline const file_grid *grid_named(const bwvdb_writer &w, const std::string &name)
{
    for (auto &g : w.grids)
        if (g.name == name) return &g;
    return nullptr;
}

/* OpenVDB's flags for a writer's choice. */
uint32_t compression_flags(const bwvdb_options &o);

/* A grid that OpenVDB has built, as it writes it. The tree is emptied. */
file_grid grid_serialised(const bwvdb_options &o, const vdb::GridBase::Ptr &grid);

/* All of a writer's grids. Throws what streams throw. */
void file_write(const bwvdb_writer &w, const char *path);

#endif
