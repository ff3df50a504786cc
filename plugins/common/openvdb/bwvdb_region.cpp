// SPDX-License-Identifier: Apache-2.0
/* Which voxels a grid without a threshold has. Masks grow by a cube round each voxel, along one axis after another, a
 * word of 64 voxels at a time; what leaves a leaf goes into its neighbour. */
#include "pack/packed.hpp"

#include <algorithm>

namespace
{

using mask_leaf = vdb::MaskTree::LeafNodeType;
constexpr uint64_t low_bits = 0x0101010101010101;

vdb::CoordBBox box_of(const int32_t lo[3], const int32_t n[3])
{
    return vdb::CoordBBox(lo[0], lo[1], lo[2], lo[0] + n[0] - 1, lo[1] + n[1] - 1, lo[2] + n[2] - 1);
}

/* A leaf's words, and what of them has come into the leaves before and behind it along an axis. */
struct grown {
    uint64_t before[8], in[8], behind[8];
};

/* By one voxel along z or y: bits `by` apart, of which `first` are a line's first. */
void grow_words(grown &g, int by, uint64_t first)
{
    const uint64_t last = first << 7 * by;
    for (int i = 0; i < 8; i++) {
        const uint64_t in = g.in[i];
        g.before[i] |= (g.before[i] >> by & ~last) | (in & first) << 7 * by;
        g.behind[i] |= (g.behind[i] << by & ~first) | (in & last) >> 7 * by;
        g.in[i] |= (in << by & ~first) | (in >> by & ~last);
    }
}

void grow_x(grown &g)
{
    const grown was = g;
    for (int i = 0; i < 8; i++) {
        if (i < 7) g.in[i] |= was.in[i + 1], g.before[i] |= was.before[i + 1];
        if (i > 0) g.in[i] |= was.in[i - 1], g.behind[i] |= was.behind[i - 1];
    }
    g.before[7] |= was.in[0];
    g.behind[0] |= was.in[7];
}

void leaf_add(vdb::tree::ValueAccessor<vdb::MaskTree> &to, const Coord &origin, const uint64_t on[8])
{
    if (std::all_of(on, on + 8, [](uint64_t word) { return !word; })) return;
    auto &mask = to.touchLeaf(origin)->getValueMask();
    for (vdb::Index i = 0; i < 8; i++) mask.getWord<uint64_t>(i) |= on[i];
}

/* By up to a leaf's edge. */
void tree_grow(vdb::MaskTree &tree, int axis, int voxels)
{
    vdb::MaskTree made;
    vdb::tree::ValueAccessor<vdb::MaskTree> to(made);
    Coord edge(0);
    edge[axis] = 8;
    for (auto leaf = tree.cbeginLeaf(); leaf; ++leaf) {
        grown g{};
        for (vdb::Index i = 0; i < 8; i++) g.in[i] = leaf->valueMask().getWord<uint64_t>(i);
        for (int n = 0; n < voxels; n++) {
            if (axis == 0) grow_x(g);
            else grow_words(g, axis == 1 ? 8 : 1, axis == 1 ? 0xff : low_bits);
        }
        leaf_add(to, leaf->origin() - edge, g.before);
        leaf_add(to, leaf->origin(), g.in);
        leaf_add(to, leaf->origin() + edge, g.behind);
    }
    tree.root().clear(); // here: destructors would do it on all threads
    std::swap(tree.root(), made.root());
}

/* Voxels twice as wide. */
void tree_coarsen(vdb::MaskTree &tree)
{
    vdb::MaskTree made;
    vdb::tree::ValueAccessor<vdb::MaskTree> to(made);
    for (auto leaf = tree.cbeginLeaf(); leaf; ++leaf)
        for (auto v = leaf->cbeginValueOn(); v; ++v) {
            const Coord c = v.getCoord();
            to.touchLeaf(Coord(c[0] >> 1, c[1] >> 1, c[2] >> 1))->setValueOn(Coord(c[0] >> 1, c[1] >> 1, c[2] >> 1));
        }
    tree.root().clear();
    std::swap(tree.root(), made.root());
}

/* false: `name` is no grid of the writer's. */
bool volume_add(const bwvdb_writer &w, const char *name, vdb::MaskTree &tree)
{
    const file_grid *grid = grid_named(w, name);
    if (!grid || !grid->volume) return false;
    vdb::tree::ValueAccessor<vdb::MaskTree> to(tree);
    for (auto &leaf : grid->leaves) leaf_add(to, leaf.origin, leaf.on);
    return true;
}

} // namespace

extern "C" bwvdb_status bwvdb_region_create(const bwvdb_writer *w, const bwvdb_area *area, bwvdb_region **r,
                                            bwvdb_error *error)
{
    *r = nullptr;
    return guarded(error, "cannot mark voxels", [&] {
        auto region = std::make_unique<bwvdb_region>();
        vdb::MaskTree tree;
        for (auto name = area->grids; name && *name; name++)
            if (!volume_add(*w, *name, tree))
                return report(error, BWVDB_ERR_USAGE, std::string("the file has no grid \"") + *name + "\" yet");
        for (int64_t b = 0; b < area->n_boxes; b++)
            tree.sparseFill(box_of(area->boxes[b].origin, area->boxes[b].n), true, true);
        tree.voxelizeActiveTiles(false);
        for (int32_t left = area->pad; left > 0; left -= 8)
            for (int axis = 0; axis < 3; axis++) tree_grow(tree, axis, std::min(left, 8));
        if (area->n[0] || area->n[1] || area->n[2]) tree.clip(box_of(area->lo, area->n));
        tree.voxelizeActiveTiles(false); // clipping makes tiles of full leaves
        if (area->coarse) tree_coarsen(tree);
        for (auto leaf = tree.cbeginLeaf(); leaf; ++leaf)
            if (!leaf->isEmpty()) region->leaves.push_back(mask_of(*leaf));
        tree.root().clear();
        *r = region.release();
        return BWVDB_OK;
    });
}

extern "C" void bwvdb_region_free(bwvdb_region *r) { delete r; }
