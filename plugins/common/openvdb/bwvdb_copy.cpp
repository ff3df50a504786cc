// SPDX-License-Identifier: Apache-2.0
/* A file's grid in another file, changed on the way: units, axes, precision, what a host wants. bwvdb.h says how. */
#include "pack/describe.hpp"
#include "pack/file.hpp"
#include "read/entry.hpp"

#include <array>
#include <cmath>

namespace
{

constexpr double half_most = 65504; // largest finite 16-bit float

vdb::math::Transform::Ptr linear(const std::array<double, 16> &rows)
{
    return vdb::math::Transform::createLinearTransform(vdb::Mat4R(rows.data()));
}

struct topology_add {
    vdb::MaskTree &to;
    template <class Grid> void operator()(const Grid &g) const { to.topologyUnion(g.tree()); }
};

/* Voxels of tiles take memory only once they are voxels: a few bytes of a file may ask for more than there is. */
template <class Tree> void tiles_split(Tree &tree)
{
    constexpr vdb::Index64 most = vdb::Index64(1) << 28;
    if (tree.activeVoxelCount() - tree.activeLeafVoxelCount() > most) throw std::bad_alloc();
    tree.voxelizeActiveTiles(false);
}

/* One vector grid of three grids of numbers, wherever one of these has a voxel. */
vdb::GridBase::Ptr joined_grid(const bwvdb_file &f, int32_t grid)
{
    const grid_entry &e = f.grids[grid];
    vdb::MaskTree any;
    for (int32_t p : e.part) f.grids[p].grid->apply<readable>(topology_add{any});
    tiles_split(any);
    auto made = vdb::Vec3SGrid::create();
    const double *m = e.info.matrix;
    made->setTransform(linear({m[0], m[4], m[8], 0, m[1], m[5], m[9], 0, m[2], m[6], m[10], 0, m[3], m[7], m[11], 1}));
    made->setVectorType(vdb::VEC_CONTRAVARIANT_RELATIVE);
    const int32_t edge[3] = {8, 8, 8};
    float x[3][512];
    float *const out[3] = {x[0], x[1], x[2]};
    for (auto leaf = any.cbeginLeaf(); leaf; ++leaf) {
        if (bwvdb_read_box(&f, grid, leaf->origin().data(), edge, out, nullptr)) continue;
        auto *to = made->tree().touchLeaf(leaf->origin());
        for (auto v = leaf->cbeginValueOn(); v; ++v) {
            const vdb::Index n = v.pos(), at = (n >> 6) + (n & 0x38) + ((n & 7) << 6);
            to->setValueOn(n, vdb::Vec3f(x[0][at], x[1][at], x[2][at]));
        }
    }
    any.root().clear();
    return made;
}

/* Voxels twice as wide: the mean of eight, of which those that are not active are the background. */
template <class Grid> void coarsen(Grid &g)
{
    using T = typename Grid::ValueType;
    const T nothing = g.background();
    tiles_split(g.tree());
    auto wide = Grid::create(nothing);
    auto to = wide->getAccessor();
    for (auto v = g.cbeginValueOn(); v; ++v) {
        const Coord c = v.getCoord(), at(c[0] >> 1, c[1] >> 1, c[2] >> 1);
        to.setValue(at, T(to.getValue(at) + (*v - nothing) * 0.125f));
    }
    auto place = g.transform().copy();
    const std::array<double, 16> twice{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, .5, .5, .5, 1};
    place->preMult(vdb::Mat4R(twice.data()));
    g.tree().root().clear();
    g.setTree(wide->treePtr());
    g.setTransform(place);
}

/* A value as the new file has it. */
struct value_change {
    float gain;
    int turn;

    float operator()(float v) const { return v * gain; }
    vdb::Vec3f operator()(const vdb::Vec3f &v) const
    {
        const float x = v[0] * gain, y = v[1] * gain, z = v[2] * gain;
        return turn > 0 ? vdb::Vec3f(x, z, -y) : turn < 0 ? vdb::Vec3f(x, -z, y) : vdb::Vec3f(x, y, z);
    }
};

float size_of(float v) { return std::fabs(v); }
float size_of(const vdb::Vec3f &v) { return std::max(std::fabs(v[0]), std::max(std::fabs(v[1]), std::fabs(v[2]))); }

/* Returns the largest magnitude, or NaN. */
template <class Grid> float values_change(Grid &g, const value_change &change)
{
    using T = typename Grid::ValueType;
    const T nothing = change(g.background());
    float peak = 0;
    for (auto v = g.beginValueAll(); v; ++v) {
        const T value = change(*v);
        const float size = size_of(value);
        if (!(size <= peak)) peak = size;
        if (std::isnan(size)) return size;
        v.setValue(value);
    }
    g.tree().root().setBackground(nothing, false);
    return peak;
}

template <class Grid> void corners_activate(Grid &g, const bwvdb_change &c)
{
    for (const int32_t *at : {c.lo, c.hi}) g.tree().setActiveState(Coord(at[0], at[1], at[2]), true);
}

void transform_change(vdb::GridBase &g, const bwvdb_change &c)
{
    auto place = g.transform().copy();
    if (c.scale > 0 && c.scale != 1) place->postScale(c.scale);
    const double s = c.turn > 0 ? 1 : -1;
    const std::array<double, 16> turned{1, 0, 0, 0, 0, 0, -s, 0, 0, s, 0, 0, 0, 0, 0, 1};
    if (c.turn) place->postMult(vdb::Mat4R(turned.data()));
    g.setTransform(place);
}

template <class Grid> float grid_change(Grid &g, const bwvdb_change &c)
{
    const bool turns = c.turn && g.getVectorType() != vdb::VEC_INVARIANT;
    if (c.coarse) coarsen(g);
    const float peak = values_change(g, {c.gain != 0 ? float(c.gain) : 1.0f, turns ? int(c.turn) : 0});
    if (c.corners) corners_activate(g, c);
    transform_change(g, c);
    return peak;
}

template <class Grid> std::vector<leaf_mask> masks_of(const Grid &g)
{
    std::vector<leaf_mask> all;
    for (auto leaf = g.tree().cbeginLeaf(); leaf; ++leaf)
        if (!leaf->isEmpty()) all.push_back(mask_of(*leaf));
    return all;
}

void meta_change(vdb::GridBase &g, const bwvdb_change &c, const std::string &name)
{
    g.removeMeta(vdb::GridBase::META_FILE_DELAYED_LOAD);
    g.setName(name);
    g.setSaveFloatAsHalf(c.half != 0);
    for (uint32_t i = 0; i < c.n_meta; i++) {
        g.removeMeta(c.meta[i].key); // another type may be there
        meta_insert(g, c.meta[i]);
    }
}

bwvdb_status grid_copy(bwvdb_writer &w, const bwvdb_file &f, int32_t grid, const bwvdb_change &c, bwvdb_error *e)
{
    const grid_entry &from = f.grids[grid];
    const std::string name = c.name ? c.name : from.name;
    if (grid_named(w, name)) return report(e, BWVDB_ERR_USAGE, "the file has a grid \"" + name + "\" already");
    if (!from.info.linear)
        return report(e, BWVDB_ERR_USAGE, "grid \"" + name + "\" of " + f.path + " is a frustum, which keeps its form");
    vdb::GridBase::Ptr made;
    if (from.joined()) made = joined_grid(f, grid);
    else made = grid_as_floats(from.grid);
    if (made == from.grid) made = made->deepCopyGrid();
    if (!made) return report(e, BWVDB_ERR_USAGE, "grid \"" + name + "\" of " + f.path + " holds no numbers");
    auto number = std::dynamic_pointer_cast<vdb::FloatGrid>(made);
    auto vector = std::dynamic_pointer_cast<vdb::Vec3SGrid>(made);
    const float peak = number ? grid_change(*number, c) : grid_change(*vector, c);
    if (!std::isfinite(peak))
        return report(e, BWVDB_ERR, "grid \"" + name + "\" of " + f.path + " holds values that are no finite numbers");
    if (c.half && double(peak) > half_most)
        return report(e, BWVDB_ERR,
                      "grid \"" + name + "\" of " + f.path + " reaches " + std::to_string(peak) +
                          ", more than the 65504 that half floats hold");
    meta_change(*made, c, name);
    std::vector<leaf_mask> leaves = number ? masks_of(*number) : masks_of(*vector);
    file_grid packed = grid_serialised(w.options, made);
    packed.leaves = std::move(leaves);
    packed.volume = true;
    w.grids.push_back(std::move(packed));
    return BWVDB_OK;
}

/* A grid as another type, where it is of type From. */
template <class To, class From> vdb::GridBase::Ptr converted_from(const vdb::GridBase &grid)
{
    const auto *other = dynamic_cast<const From *>(&grid);
    return other ? std::make_shared<To>(*other) : nullptr;
}

} // namespace

vdb::GridBase::Ptr grid_as_floats(const vdb::GridBase::Ptr &grid)
{
    if (grid->isType<vdb::FloatGrid>() || grid->isType<vdb::Vec3SGrid>()) return grid;
    auto number = converted_from<vdb::FloatGrid, vdb::DoubleGrid>(*grid);
    return number ? number : converted_from<vdb::Vec3SGrid, vdb::Vec3DGrid>(*grid);
}

extern "C" bwvdb_status bwvdb_writer_copy(bwvdb_writer *w, const bwvdb_file *f, int32_t grid,
                                          const bwvdb_change *change, bwvdb_error *error)
{
    return guarded(error, "cannot copy a VDB grid", [&] {
        const bool there = grid >= 0 && static_cast<size_t>(grid) < f->grids.size();
        if (!there || !f->grids[grid].info.loaded)
            return report(error, BWVDB_ERR_USAGE, there ? "the grid has not been loaded" : "no such grid");
        return grid_copy(*w, *f, grid, *change, error);
    });
}
