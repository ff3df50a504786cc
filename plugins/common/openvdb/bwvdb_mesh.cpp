// SPDX-License-Identifier: Apache-2.0
/* Distance to a triangle mesh on a sparse grid; bwvdb.h says what it does. Voxelising is OpenVDB's meshToVolume (Museth
 * 2013): the exact distance to the nearest triangle in a band, its sign by flooding the outside, so that the direction
 * of the faces does not matter and parts that overlap unite. It runs on one thread, as all calls do: which of two
 * equally near triangles is found first, and with it a sign, would depend on their number.
 */
#include "bwvdb_guard.hpp"

#pragma GCC visibility push(default)
#include <openvdb/tools/MeshToVolume.h>
#pragma GCC visibility pop

#include <cmath>
#include <vector>

namespace
{

/* In voxels from an origin near the mesh, where floats are good to a thousandth of a voxel. */
std::vector<vdb::Vec3s> points_in_voxels(const bwvdb_mesh &m)
{
    std::vector<vdb::Vec3s> point(m.n_points);
    for (size_t i = 0; i < point.size(); i++)
        for (int a = 0; a < 3; a++) point[i][a] = float((m.points[i][a] - m.origin[a]) / m.voxel);
    return point;
}

bwvdb_status mesh_check(const bwvdb_mesh &m, bwvdb_error *error)
{
    if (!(m.voxel > 0) || !(m.band >= m.voxel))
        return report(error, BWVDB_ERR_USAGE, "a mesh needs a voxel > 0 and a band of one voxel at least");
    for (size_t i = 0; i < m.n_triangles; i++)
        for (int a = 0; a < 3; a++) {
            const int32_t corner = m.triangles[i][a];
            if (corner < 0 || size_t(corner) >= m.n_points)
                return report(error, BWVDB_ERR_USAGE,
                              "triangle " + std::to_string(i) + " has a corner without a point");
            for (int k = 0; k < 3; k++)
                if (!(std::abs((m.points[corner][k] - m.origin[k]) / m.voxel) < 1e9))
                    return report(error, BWVDB_ERR_USAGE,
                                  "point " + std::to_string(corner) + " of the mesh is too far out");
        }
    return BWVDB_OK;
}

} // namespace

struct bwvdb_distance {
    vdb::FloatGrid::Ptr grid;
    vdb::Int32Grid::Ptr nearest;
    float band;
};

enum bwvdb_status bwvdb_distance_create(const struct bwvdb_mesh *mesh, struct bwvdb_distance **d,
                                        struct bwvdb_error *error)
{
    *d = nullptr;
    return guarded(error, "voxelising a mesh", [&] {
        bwvdb_status status = mesh_check(*mesh, error);
        if (status) return status;
        vdb::initialize();
        auto out = std::make_unique<bwvdb_distance>();
        out->nearest = vdb::Int32Grid::create(-1);
        out->band = float(mesh->band);
        const float width = float(mesh->band / mesh->voxel) + 1; // the outermost voxels of a band are not all found
        const auto transform = vdb::math::Transform::createLinearTransform(mesh->voxel);
        const auto point = points_in_voxels(*mesh);
        const auto *corners = reinterpret_cast<const vdb::Vec3I *>(mesh->triangles);
        // The library has an instance of this type: one of our own would take half a minute to compile.
        const vdb::tools::QuadAndTriangleDataAdapter<vdb::Vec3s, vdb::Vec3I> triangles(point.data(), point.size(),
                                                                                       corners, mesh->n_triangles);
        vdb::util::NullInterrupter none;
        out->grid = vdb::tools::meshToVolume<vdb::FloatGrid>(none, triangles, *transform, width, width,
                                                             mesh->sheet ? vdb::tools::UNSIGNED_DISTANCE_FIELD : 0,
                                                             out->nearest.get());
        *d = out.release();
        return BWVDB_OK;
    });
}

void bwvdb_distance_free(struct bwvdb_distance *d)
{
    if (!d) return;
    grid_empty(d->grid.get());
    grid_empty(d->nearest.get());
    delete d;
}

void bwvdb_distance_box(const struct bwvdb_distance *d, int32_t lo[3], int32_t n[3])
{
    vdb::CoordBBox box = d->grid->evalActiveVoxelBoundingBox();
    for (int a = 0; a < 3; a++) {
        lo[a] = box.empty() ? 0 : box.min()[a];
        n[a] = box.empty() ? 0 : box.max()[a] - box.min()[a] + 1;
    }
}

/* The box of voxels lo … lo+n-1, node by node: where there is no leaf, a whole node has one value. */
template <typename Tree, typename Fn>
static void box_walk(const Tree &tree, const int32_t lo[3], const int32_t n[3], Fn each)
{
    constexpr int32_t edge = int32_t(Tree::LeafNodeType::DIM);
    vdb::tree::ValueAccessor<const Tree, false> at(tree);
    const Coord first(lo[0] & -edge, lo[1] & -edge, lo[2] & -edge);
    for (int32_t z = first[2]; z < lo[2] + n[2]; z += edge)
        for (int32_t y = first[1]; y < lo[1] + n[1]; y += edge)
            for (int32_t x = first[0]; x < lo[0] + n[0]; x += edge) {
                const Coord node(x, y, z);
                const auto *leaf = at.probeConstLeaf(node);
                const auto tile = leaf ? tree.background() : at.getValue(node);
                const bool on = !leaf && at.isValueOn(node);
                for (int32_t k = std::max(z, lo[2]); k < std::min(z + edge, lo[2] + n[2]); k++)
                    for (int32_t j = std::max(y, lo[1]); j < std::min(y + edge, lo[1] + n[1]); j++)
                        for (int32_t i = std::max(x, lo[0]); i < std::min(x + edge, lo[0] + n[0]); i++) {
                            const auto q = Tree::LeafNodeType::coordToOffset(Coord(i, j, k));
                            each(i - lo[0] + n[0] * (j - lo[1] + n[1] * (k - lo[2])), leaf ? leaf->getValue(q) : tile,
                                 leaf ? leaf->isValueOn(q) : on);
                        }
            }
}

void bwvdb_distance_read(const struct bwvdb_distance *d, const int32_t lo[3], const int32_t n[3], float *out,
                         int32_t *nearest)
{
    box_walk(d->grid->tree(), lo, n,
             [&](int32_t q, float value, bool) { out[q] = std::min(std::max(value, -d->band), d->band); });
    if (!nearest) return;
    box_walk(d->nearest->tree(), lo, n, [&](int32_t q, int32_t value, bool on) { nearest[q] = on ? value : -1; });
}
