// SPDX-License-Identifier: Apache-2.0
/* nano_values A.vdb B.nvdb: is every value of A's grids in B, as OpenVDB's and NanoVDB's own readers have them? Exact,
 * or within half a step of the leaf; which voxels are active, and where they are in the world. A line a grid; exit 1
 * where something differs. */
#define NANOVDB_USE_TBB
#define NANOVDB_USE_ZIP
#define NANOVDB_USE_BLOSC
#include <nanovdb/util/IO.h>
#include <openvdb/openvdb.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

namespace
{

struct found {
    double worst = 0, most_allowed = 0; ///< error; half a step, of the leaf with the widest steps
    long values = 0, wrong = 0;
};

template <class Grid> double distance(const typename Grid::ValueType &a, const float *b)
{
    double worst = 0;
    if constexpr (openvdb::VecTraits<typename Grid::ValueType>::IsVec)
        for (int c = 0; c < 3; c++) worst = std::max(worst, std::fabs(double(a[c]) - double(b[c])));
    else worst = std::fabs(double(a) - double(b[0]));
    return worst;
}

template <class Nano> void value_of(const nanovdb::NanoGrid<Nano> &n, const nanovdb::Coord &at, float out[3])
{
    const auto v = n.tree().getValue(at);
    if constexpr (std::is_same<Nano, nanovdb::Vec3f>::value)
        for (int c = 0; c < 3; c++) out[c] = v[c];
    else out[0] = v;
}

/* The widest distance between two values of a leaf, in steps of which half may be missing. */
template <class Grid> double allowed_in(const typename Grid::TreeType::LeafNodeType &leaf, double steps)
{
    if constexpr (openvdb::VecTraits<typename Grid::ValueType>::IsVec) return 0;
    else {
        const auto ends = std::minmax_element(leaf.buffer().data(), leaf.buffer().data() + 512);
        const double wide = double(*ends.second) - double(*ends.first);
        const double round = std::max(std::fabs(double(*ends.second)), std::fabs(double(*ends.first))) * 2e-7;
        return steps > 0 ? wide / steps / 2 + round : 0;
    }
}

template <class Grid, class Nano> found values_compare(const Grid &a, const nanovdb::NanoGrid<Nano> &n, double steps)
{
    found f;
    for (auto leaf = a.tree().cbeginLeaf(); leaf; ++leaf) {
        const double allowed = allowed_in<Grid>(*leaf, steps);
        f.most_allowed = std::max(f.most_allowed, allowed);
        for (auto v = leaf->cbeginValueAll(); v; ++v, f.values++) {
            const openvdb::Coord c = v.getCoord();
            const nanovdb::Coord at(c[0], c[1], c[2]);
            float b[3] = {};
            value_of<Nano>(n, at, b);
            const double off = distance<Grid>(*v, b);
            f.worst = std::max(f.worst, off);
            f.wrong += !(off <= allowed) || v.isValueOn() != n.tree().isActive(at);
        }
    }
    for (const openvdb::Vec3d p : {openvdb::Vec3d(0, 0, 0), openvdb::Vec3d(3, -5, 7), openvdb::Vec3d(100, 9, 1)}) {
        const openvdb::Vec3d w = a.transform().indexToWorld(p);
        const nanovdb::Vec3d u = n.indexToWorld(nanovdb::Vec3d(p[0], p[1], p[2]));
        for (int k = 0; k < 3; k++) f.wrong += !(std::fabs(w[k] - u[k]) <= 1e-9 * (1 + std::fabs(w[k])));
    }
    float b[3] = {};
    value_of<Nano>(n, nanovdb::Coord(1 << 20, 1 << 20, 1 << 20), b);
    f.wrong += distance<Grid>(a.background(), b) != 0; // outside of all that is there
    f.wrong += uint64_t(a.activeVoxelCount()) != n.activeVoxelCount();
    return f;
}

bool said(const std::string &name, const char *type, const found &f)
{
    std::printf("%s %s: %ld values, off by %.3g at most, %.3g allowed, %ld wrong\n", name.c_str(), type, f.values,
                f.worst, f.most_allowed, f.wrong);
    return !f.wrong;
}

bool grid_compare(const openvdb::GridBase &base, const nanovdb::GridHandle<> &h)
{
    const std::string name = base.getName();
    if (const auto *a = dynamic_cast<const openvdb::Vec3SGrid *>(&base)) {
        const auto *n = h.grid<nanovdb::Vec3f>();
        return n && said(name, "Vec3f", values_compare(*a, *n, 0));
    }
    const auto *a = dynamic_cast<const openvdb::FloatGrid *>(&base);
    if (const auto *n = a ? h.grid<float>() : nullptr) return said(name, "Fp32", values_compare(*a, *n, 0));
    if (const auto *n = a ? h.grid<nanovdb::Fp16>() : nullptr) return said(name, "Fp16", values_compare(*a, *n, 65535));
    if (const auto *n = a ? h.grid<nanovdb::Fp8>() : nullptr) return said(name, "Fp8", values_compare(*a, *n, 255));
    return false;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    openvdb::initialize();
    openvdb::io::File file(argv[1]);
    file.open(false);
    const auto there = file.getGrids();
    const auto here = nanovdb::io::readGrids(argv[2]);
    bool good = here.size() == there->size();
    for (const auto &grid : *there) {
        bool found_it = false;
        for (const auto &h : here)
            if (grid->getName() == h.gridMetaData()->shortGridName()) found_it = grid_compare(*grid, h);
        if (!found_it) std::printf("%s: not there, of another type, or wrong\n", grid->getName().c_str());
        good = good && found_it;
    }
    return good ? 0 : 1;
}
