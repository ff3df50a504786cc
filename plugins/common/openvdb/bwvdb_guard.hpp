// SPDX-License-Identifier: Apache-2.0
/* What the wrapper's C++ files share: OpenVDB's headers, and the guard that every public call runs in. */
#ifndef BWVDB_GUARD_HPP
#define BWVDB_GUARD_HPP

#include "bwvdb.h"

/* Hidden copies of OpenVDB's statics beside the library's own end in a crash in initialize(): keep them shared. */
#pragma GCC visibility push(default)
#include <openvdb/openvdb.h>

/* Virtual functions, which all trees have whether they are called or not: OpenVDB's library has those of its own trees.
 * Made here as well they would cost ten seconds and 250 kB a tree and file. It must be said before a tree is used,
 * and with the template's own name, as clang has it. */
#define BWVDB_TREE_OF_LIBRARY(Root)                                                                                    \
    extern template void openvdb::tree::Tree<Root>::readTopology(std::istream &, bool);                                \
    extern template void openvdb::tree::Tree<Root>::writeTopology(std::ostream &, bool) const;                         \
    extern template void openvdb::tree::Tree<Root>::readBuffers(std::istream &, bool);                                 \
    extern template void openvdb::tree::Tree<Root>::readBuffers(std::istream &, const openvdb::CoordBBox &, bool);     \
    extern template void openvdb::tree::Tree<Root>::readNonresidentBuffers() const;                                    \
    extern template void openvdb::tree::Tree<Root>::writeBuffers(std::ostream &, bool) const;                          \
    extern template void openvdb::tree::Tree<Root>::print(std::ostream &, int) const;                                  \
    extern template openvdb::TreeBase::Ptr openvdb::tree::Tree<Root>::copy() const;                                    \
    extern template bool openvdb::tree::Tree<Root>::evalLeafBoundingBox(openvdb::CoordBBox &) const;                   \
    extern template bool openvdb::tree::Tree<Root>::evalActiveVoxelBoundingBox(openvdb::CoordBBox &) const;            \
    extern template std::vector<openvdb::Index32> openvdb::tree::Tree<Root>::nodeCount() const;                        \
    extern template openvdb::Index64 openvdb::tree::Tree<Root>::activeLeafVoxelCount() const;                          \
    extern template openvdb::Index64 openvdb::tree::Tree<Root>::inactiveLeafVoxelCount() const;                        \
    extern template openvdb::Index64 openvdb::tree::Tree<Root>::activeVoxelCount() const;                              \
    extern template openvdb::Index64 openvdb::tree::Tree<Root>::inactiveVoxelCount() const;                            \
    extern template openvdb::Index64 openvdb::tree::Tree<Root>::activeTileCount() const;                               \
    extern template openvdb::Index64 openvdb::tree::Tree<Root>::memUsage() const;                                      \
    extern template void openvdb::tree::Tree<Root>::clipUnallocatedNodes();                                            \
    extern template openvdb::Index32 openvdb::tree::Tree<Root>::unallocatedLeafCount() const;                          \
    extern template openvdb::GridBase::Ptr openvdb::Grid<openvdb::tree::Tree<Root>>::deepCopyGrid() const;             \
    extern template void openvdb::Grid<openvdb::tree::Tree<Root>>::pruneGrid(float);                                   \
    extern template void openvdb::Grid<openvdb::tree::Tree<Root>>::clip(const openvdb::CoordBBox &);                   \
    extern template void openvdb::Grid<openvdb::tree::Tree<Root>>::readBuffers(std::istream &,                         \
                                                                               const openvdb::CoordBBox &)

BWVDB_TREE_OF_LIBRARY(openvdb::FloatTree::RootNodeType);
BWVDB_TREE_OF_LIBRARY(openvdb::DoubleTree::RootNodeType);
BWVDB_TREE_OF_LIBRARY(openvdb::Vec3STree::RootNodeType);
BWVDB_TREE_OF_LIBRARY(openvdb::Vec3DTree::RootNodeType);
BWVDB_TREE_OF_LIBRARY(openvdb::Int32Tree::RootNodeType);
BWVDB_TREE_OF_LIBRARY(openvdb::Int64Tree::RootNodeType);
BWVDB_TREE_OF_LIBRARY(openvdb::BoolTree::RootNodeType);
BWVDB_TREE_OF_LIBRARY(openvdb::MaskTree::RootNodeType);

#include <openvdb/io/File.h>
#include <openvdb/io/GridDescriptor.h>
#include <openvdb/io/Stream.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/Morphology.h>
#include <openvdb/tools/SignedFloodFill.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#pragma GCC visibility pop

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <sys/mman.h>

namespace vdb = openvdb;
using vdb::Coord;

/* bwvdb_read.cpp: a grid that has been loaded, or nullptr after a sentence. */
const vdb::GridBase *bwvdb_loaded_grid(const bwvdb_file *f, int32_t grid, bwvdb_error *error);

namespace
{

/* Grids whose voxels are read: whole numbers are doubles by then. */
using readable = vdb::TypeList<vdb::FloatGrid, vdb::DoubleGrid, vdb::Vec3SGrid, vdb::Vec3DGrid>;

inline bwvdb_status report(bwvdb_error *e, bwvdb_status status, const std::string &text) noexcept
{
    if (e) {
        std::snprintf(e->text, sizeof e->text, "%s", text.c_str());
        for (char *c = e->text; *c; c++)
            if (*c == '\n') *c = ' ';
    }
    return status;
}

/* Threads that can't be started, by us or by TBB, which says it in words alone. */
inline bool lacks_memory(const std::exception &x) noexcept
{
    return std::strstr(x.what(), std::strerror(EAGAIN)) || std::strstr(x.what(), std::strerror(ENOMEM));
}

/* Would so many bytes be had? Asked of the system, since debugging allocators fill what they give. */
inline bool has_room(std::size_t bytes) noexcept
{
    if (!bytes) return true;
    void *room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room != MAP_FAILED && !munmap(room, bytes);
}

/* OpenVDB frees a tree by lists that it makes inside a destructor: where memory lacks for them, the process ends. So a
 * call begins only with this much to spare, and at the end the tree is emptied first, node by node, which takes
 * nothing. */
constexpr std::size_t to_begin = 64 << 20;

template <class Tree> void tree_empty(Tree &tree) noexcept { tree.root().clear(); }

inline void grid_empty(vdb::GridBase *g) noexcept
{
    if (auto f = dynamic_cast<vdb::FloatGrid *>(g)) tree_empty(f->tree());
    else if (auto v = dynamic_cast<vdb::Vec3SGrid *>(g)) tree_empty(v->tree());
    else if (auto d = dynamic_cast<vdb::DoubleGrid *>(g)) tree_empty(d->tree());
    else if (auto i = dynamic_cast<vdb::Int32Grid *>(g)) tree_empty(i->tree());
}

/* Every public call runs in here: no exception leaves the wrapper. `what` opens the sentence. `room`: to begin with;
 * 0 for calls that only look into a tree, which are many. Others run on the caller's thread alone: TBB starts its
 * threads where it likes, destructors among that, and where one can't be had the process ends. */
template <class F>
bwvdb_status guarded(bwvdb_error *e, const char *what, F &&body, std::size_t room = to_begin) noexcept
{
    if (e) e->text[0] = 0;
    try {
        if (!has_room(room)) throw std::bad_alloc();
        if (!room) return body();
        tbb::task_arena alone(1);
        return alone.execute(body);
    } catch (const std::bad_alloc &) {
        if (e) std::snprintf(e->text, sizeof e->text, "%s: out of memory", what);
        return BWVDB_ERR_MEMORY;
    } catch (const std::ios_base::failure &) {
        if (e)
            std::snprintf(e->text, sizeof e->text, "%s: %s", what, errno ? std::strerror(errno) : "input/output error");
        return BWVDB_ERR_IO;
    } catch (const vdb::IoError &x) {
        if (e) std::snprintf(e->text, sizeof e->text, "%s: %s", what, x.what());
        return BWVDB_ERR_IO;
    } catch (const std::exception &x) {
        if (e) std::snprintf(e->text, sizeof e->text, "%s: %s", what, x.what());
        return lacks_memory(x) ? BWVDB_ERR_MEMORY : BWVDB_ERR;
    } catch (...) {
        if (e) std::snprintf(e->text, sizeof e->text, "%s: unknown failure", what);
        return BWVDB_ERR;
    }
}

} // namespace
#endif
