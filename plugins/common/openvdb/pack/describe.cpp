// SPDX-License-Identifier: Apache-2.0
#include "describe.hpp"

namespace
{

vdb::math::Transform::Ptr transform_of(const bwvdb_grid &g)
{
    if (!g.y_up) {
        auto t = vdb::math::Transform::createLinearTransform(g.voxel);
        t->postTranslate(vdb::Vec3d(g.origin));
        return t;
    }
    const double h = g.voxel, *o = g.origin, z = 0; // row a of the matrix: where index axis a goes
    return vdb::math::Transform::createLinearTransform(
        vdb::Mat4R(h, z, z, z, z, z, -h, z, z, h, z, z, o[0], o[2], -o[1], 1.0));
}

vdb::GridClass class_of(uint32_t c)
{
    switch (c) {
    case BWVDB_CLASS_LEVEL_SET: return vdb::GRID_LEVEL_SET;
    case BWVDB_CLASS_FOG_VOLUME: return vdb::GRID_FOG_VOLUME;
    case BWVDB_CLASS_STAGGERED: return vdb::GRID_STAGGERED;
    default: return vdb::GRID_UNKNOWN;
    }
}

} // namespace

void meta_insert(vdb::MetaMap &map, const bwvdb_meta &m)
{
    if (m.type == BWVDB_STRING) map.insertMeta(m.key, vdb::StringMetadata(m.string ? m.string : ""));
    if (m.type == BWVDB_INT64) map.insertMeta(m.key, vdb::Int64Metadata(m.integer));
    if (m.type == BWVDB_DOUBLE) map.insertMeta(m.key, vdb::DoubleMetadata(m.number));
}

void describe_grid(vdb::GridBase &grid, const bwvdb_grid &g)
{
    grid.setName(g.name);
    grid.setGridClass(class_of(g.grid_class));
    if (g.comps == 3) grid.setVectorType(static_cast<vdb::VecType>(g.vector_type));
    grid.setSaveFloatAsHalf(g.half != 0);
    grid.setTransform(transform_of(g));
    for (uint32_t i = 0; i < g.n_meta; i++) meta_insert(grid, g.meta[i]);
}
