// SPDX-License-Identifier: Apache-2.0
/* Points as grids of OpenVDB's points; bwvdb.h says what it does. */
#include "pack/file.hpp"

extern "C" {
#include "vdb_check.h"
}

#pragma GCC visibility push(default)
#include <openvdb/points/PointDataGrid.h>
#include <openvdb/tools/PointIndexGrid.h>

BWVDB_TREE_OF_LIBRARY(openvdb::points::PointDataTree::RootNodeType);
BWVDB_TREE_OF_LIBRARY(openvdb::tools::PointIndexTree::RootNodeType);

#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointCount.h>
#pragma GCC visibility pop

#include <cmath>

namespace
{

vdb::Vec3d turned(const bwvdb_points &p, const vdb::Vec3d &x) { return p.y_up ? vdb::Vec3d(x.x(), x.z(), -x.y()) : x; }

double number_at(const bwvdb_points_attribute &a, size_t i)
{
    if (a.number == BWVDB_F64) return static_cast<const double *>(a.data)[i];
    if (a.number == BWVDB_I64) return double(static_cast<const int64_t *>(a.data)[i]);
    return double(static_cast<const float *>(a.data)[i]);
}

template <class Value>
void attribute_put(vdb::points::PointDataGrid &grid, const vdb::tools::PointIndexGrid &index, const char *name,
                   const std::vector<Value> &values)
{
    vdb::points::appendAttribute(grid.tree(), name, vdb::points::TypedAttributeArray<Value>::attributeType());
    vdb::points::PointAttributeVector<Value> wrapped(values);
    vdb::points::populateAttribute(grid.tree(), index.tree(), name, wrapped);
}

void attribute_add(vdb::points::PointDataGrid &grid, const vdb::tools::PointIndexGrid &index, const bwvdb_points &p,
                   const bwvdb_points_attribute &a)
{
    const size_t n = size_t(p.count);
    const double gain = a.gain ? a.gain : 1;
    if (a.number == BWVDB_I64 && a.comps == 1) {
        std::vector<int32_t> values(n);
        for (size_t i = 0; i < n; i++) values[i] = int32_t(static_cast<const int64_t *>(a.data)[i]);
        attribute_put(grid, index, a.name, values);
    } else if (a.comps == 1) {
        std::vector<float> values(n);
        for (size_t i = 0; i < n; i++) values[i] = float(gain * number_at(a, i));
        attribute_put(grid, index, a.name, values);
    } else {
        std::vector<vdb::Vec3f> values(n);
        for (size_t i = 0; i < n; i++) {
            vdb::Vec3d x(number_at(a, 3 * i), number_at(a, 3 * i + 1), number_at(a, 3 * i + 2));
            values[i] = vdb::Vec3f(gain * (a.turns ? turned(p, x) : x));
        }
        attribute_put(grid, index, a.name, values);
    }
}

vdb::GridBase::Ptr points_make(const bwvdb_points &p, const std::vector<vdb::Vec3d> &places)
{
    vdb::points::PointAttributeVector<vdb::Vec3d> wrapped(places);
    const double voxel = p.voxel > 0 ? p.voxel : places.empty() ? 1 : vdb::points::computeVoxelSize(wrapped, 8);
    auto transform = vdb::math::Transform::createLinearTransform(voxel);
    auto index = vdb::tools::createPointIndexGrid<vdb::tools::PointIndexGrid>(wrapped, *transform);
    auto grid = vdb::points::createPointDataGrid<vdb::points::NullCodec, vdb::points::PointDataGrid>(*index, wrapped,
                                                                                                     *transform);
    for (uint32_t a = 0; a < p.n_attributes && !places.empty(); a++) attribute_add(*grid, *index, p, p.attributes[a]);
    grid->setName(p.name);
    return grid;
}

/* Values of one attribute, leaf by leaf; positions are taken from their voxels into the world. */
template <class Value, class Put>
void attribute_get(const vdb::points::PointDataGrid &grid, const std::string &name, Put put)
{
    for (auto leaf = grid.tree().cbeginLeaf(); leaf; ++leaf) {
        vdb::points::AttributeHandle<Value> handle(leaf->constAttributeArray(name));
        for (auto i = leaf->beginIndexOn(); i; ++i) put(i.getCoord(), handle.get(*i));
    }
}

bool points_get(const vdb::points::PointDataGrid &grid, const std::string &name, uint32_t comps, double *out)
{
    auto first = grid.tree().cbeginLeaf();
    if (!first) return true;
    if (first->attributeSet().find(name) == vdb::points::AttributeSet::INVALID_POS) return false;
    const std::string type = first->attributeSet().get(name)->type().first;
    auto three = [&](const Coord &, const vdb::Vec3f &v) {
        for (int a = 0; a < 3; a++) *out++ = v[a];
    };
    auto one = [&](const Coord &, double v) { *out++ = v; };
    if (name == "P")
        attribute_get<vdb::Vec3f>(grid, name, [&](const Coord &at, const vdb::Vec3f &v) {
            const vdb::Vec3d world = grid.indexToWorld(at.asVec3d() + vdb::Vec3d(v));
            for (int a = 0; a < 3; a++) *out++ = world[a];
        });
    else if (comps == 3 && type == vdb::typeNameAsString<vdb::Vec3f>()) attribute_get<vdb::Vec3f>(grid, name, three);
    else if (comps == 1 && type == vdb::typeNameAsString<int32_t>()) attribute_get<int32_t>(grid, name, one);
    else if (comps == 1 && type == vdb::typeNameAsString<float>()) attribute_get<float>(grid, name, one);
    else return false;
    return true;
}

} // namespace

extern "C" bwvdb_status bwvdb_read_points(const char *path, const char *name, const char *attribute, uint32_t comps,
                                          int64_t *count, double *out, bwvdb_error *error)
{
    const std::string what = std::string("cannot read ") + path;
    return guarded(error, what.c_str(), [&] {
        bool stream = false;
        bwvdb_status bad = vdb_check_head(path, &stream, error);
        if (bad) return bad;
        if (stream) return report(error, BWVDB_ERR_IO, what + ": points in a file written as a stream are not read");
        vdb::initialize();
        vdb::io::File file(path);
        file.open(false);
        vdb::points::PointDataGrid::Ptr grid;
        if (file.hasGrid(name)) grid = vdb::gridPtrCast<vdb::points::PointDataGrid>(file.readGrid(name));
        if (!grid) return report(error, BWVDB_ERR_USAGE, what + ": there are no points \"" + name + "\"");
        *count = int64_t(vdb::points::pointCount(grid->tree()));
        if (out && !points_get(*grid, attribute, comps, out))
            return report(error, BWVDB_ERR_USAGE,
                          what + ": \"" + name + "\" has no such attribute \"" + attribute + "\"");
        return BWVDB_OK;
    });
}

extern "C" bwvdb_status bwvdb_writer_points(bwvdb_writer *w, const bwvdb_points *p, bwvdb_error *error)
{
    return guarded(error, "cannot build a grid of points", [&] {
        if (!p->name || !*p->name) return report(error, BWVDB_ERR_USAGE, "a VDB grid needs a name");
        if (grid_named(*w, p->name))
            return report(error, BWVDB_ERR_USAGE, std::string("the file has a grid \"") + p->name + "\" already");
        for (uint32_t a = 0; a < p->n_attributes; a++)
            if (p->attributes[a].comps != 1 && p->attributes[a].comps != 3)
                return report(error, BWVDB_ERR_USAGE,
                              std::string("attribute \"") + p->attributes[a].name + "\" must have 1 or 3 components");
        std::vector<vdb::Vec3d> places(size_t(p->count));
        for (size_t i = 0; i < places.size(); i++) {
            places[i] = (p->gain ? p->gain : 1) * turned(*p, vdb::Vec3d(p->pos[i][0], p->pos[i][1], p->pos[i][2]));
            if (!std::isfinite(places[i].lengthSqr()))
                return report(error, BWVDB_ERR, "point " + std::to_string(i) + " of \"" + p->name + "\" is nowhere");
        }
        w->grids.push_back(grid_serialised(w->options, points_make(*p, places)));
        return BWVDB_OK;
    });
}
