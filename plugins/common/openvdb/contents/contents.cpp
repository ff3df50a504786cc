// SPDX-License-Identifier: Apache-2.0
/* Leaves are walked one by one, on the calling thread, so that sums are the same every time; a tile counts as all the
 * voxels that it stands for. */
#include "contents.h"

#include <common/openvdb/bwvdb_guard.hpp>

#include <cmath>

namespace
{

template <class T> double size_of(const T &v)
{
    if constexpr (vdb::VecTraits<T>::IsVec) return double(v.length());
    else return double(v);
}

template <class T> double distance(const T &a, const T &b)
{
    if (a == b) return 0;
    double d = std::fabs(size_of(T(a - b)));
    if (std::isfinite(d)) return d;
    return std::isnan(size_of(a)) && std::isnan(size_of(b)) ? 0 : HUGE_VAL;
}

void place(const Coord &c, int32_t out[3])
{
    for (int a = 0; a < 3; a++) out[a] = c[a];
}

/* Calls visit(coord, value, voxels) for active values: of leaves one by one, of tiles once each. */
template <class Grid, class F> void each_active(const Grid &g, F &&visit)
{
    for (auto leaf = g.tree().cbeginLeaf(); leaf; ++leaf)
        for (auto v = leaf->cbeginValueOn(); v; ++v) visit(v.getCoord(), *v, 1.0);
    auto tile = g.tree().cbeginValueOn();
    tile.setMaxDepth(decltype(tile)::LEAF_DEPTH - 1);
    for (; tile; ++tile) visit(tile.getCoord(), *tile, double(tile.getVoxelCount()));
}

struct gatherer {
    vdb_contents *out;

    template <class Grid> void operator()(const Grid &g)
    {
        vdb_contents &o = *out;
        double sum = 0, n = 0;
        each_active(g, [&](const Coord &at, const typename Grid::ValueType &value, double voxels) {
            double size = size_of(value);
            o.active += int64_t(voxels);
            if (!std::isfinite(size)) {
                if (!o.bad) place(at, o.bad_at);
                o.bad += int64_t(voxels);
                return;
            }
            if (n == 0 || size < o.least) o.least = size;
            if (n == 0 || size > o.most) o.most = size;
            sum += size * voxels;
            n += voxels;
        });
        if (n > 0) o.mean = sum / n;
    }
};

/* Sums up pairs of voxels. */
template <class Value> struct pairing {
    vdb_difference &o;
    double sum = 0;

    void add(const Coord &at, const Value &a, bool on_a, const Value &b, bool on_b, double voxels = 1)
    {
        if (!on_a && !on_b) return;
        o.either += int64_t(voxels);
        if (!on_b) o.only_a += int64_t(voxels);
        if (!on_a) o.only_b += int64_t(voxels);
        double d = distance(a, b);
        if (d == 0) return;
        o.differ += int64_t(voxels);
        sum += d * voxels;
        if (d <= o.most) return;
        o.most = d;
        o.a = size_of(a), o.b = size_of(b);
        place(at, o.at);
    }
};

struct comparer {
    const vdb::GridBase &other;
    vdb_difference *out;
    bool same_type = false;

    template <class Grid> void operator()(const Grid &a)
    {
        auto b = dynamic_cast<const Grid *>(&other);
        if (!b) return;
        same_type = true;
        pairing<typename Grid::ValueType> pairs{*out};
        leaves(a.tree(), b->tree(), pairs, false);
        leaves(b->tree(), a.tree(), pairs, true);
        tiles(a, *b, pairs, false);
        tiles(*b, a, pairs, true);
        if (out->either) out->mean = pairs.sum / double(out->either);
    }

    /* `turned`: `x` is the second grid, and what both have is done. */
    template <class Tree, class Pairs> static void leaves(const Tree &x, const Tree &y, Pairs &pairs, bool turned)
    {
        for (auto leaf = x.cbeginLeaf(); leaf; ++leaf) {
            auto match = y.probeConstLeaf(leaf->origin());
            if (match && turned) continue;
            typename Tree::ValueType constant;
            bool on = y.probeValue(leaf->origin(), constant);
            for (vdb::Index i = 0; i < leaf->SIZE; i++) {
                const auto &v = leaf->getValue(i), &w = match ? match->getValue(i) : constant;
                bool on_v = leaf->isValueOn(i), on_w = match ? match->isValueOn(i) : on;
                Coord at = leaf->offsetToGlobalCoord(i);
                if (turned) pairs.add(at, w, on_w, v, on_v);
                else pairs.add(at, v, on_v, w, on_w);
            }
        }
    }

    /* Where the other has no leaf. */
    template <class Grid, class Pairs> static void tiles(const Grid &x, const Grid &y, Pairs &pairs, bool turned)
    {
        auto tile = x.tree().cbeginValueOn();
        tile.setMaxDepth(decltype(tile)::LEAF_DEPTH - 1);
        for (; tile; ++tile) {
            Coord at = tile.getCoord();
            typename Grid::ValueType constant;
            bool on = y.tree().probeValue(at, constant);
            if (y.tree().probeConstLeaf(at) || (turned && on)) continue;
            if (turned) pairs.add(at, constant, on, *tile, true, double(tile.getVoxelCount()));
            else pairs.add(at, *tile, true, constant, on, double(tile.getVoxelCount()));
        }
    }
};

} // namespace

extern "C" bwvdb_status vdb_contents_find(const bwvdb_file *f, int32_t grid, vdb_contents *out, bwvdb_error *error)
{
    *out = {};
    return guarded(error, "cannot look at voxels", [&] {
        const vdb::GridBase *g = bwvdb_loaded_grid(f, grid, error);
        if (!g) return BWVDB_ERR_USAGE;
        gatherer gather{out};
        g->apply<readable>(gather);
        return BWVDB_OK;
    });
}

extern "C" bwvdb_status vdb_difference_find(const bwvdb_file *a, int32_t grid_a, const bwvdb_file *b, int32_t grid_b,
                                            vdb_difference *out, bwvdb_error *error)
{
    *out = {};
    return guarded(error, "cannot compare voxels", [&] {
        const vdb::GridBase *x = bwvdb_loaded_grid(a, grid_a, error), *y = nullptr;
        if (x) y = bwvdb_loaded_grid(b, grid_b, error);
        if (!y) return BWVDB_ERR_USAGE;
        comparer compare{*y, out};
        x->apply<readable>(compare);
        return compare.same_type ? BWVDB_OK
                                 : report(error, BWVDB_ERR_USAGE,
                                          "grid \"" + x->getName() + "\" is " + x->valueType() + " there and " +
                                              y->valueType() + " here");
    });
}
