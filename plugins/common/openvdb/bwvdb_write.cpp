// SPDX-License-Identifier: Apache-2.0
/* Writing VDB files; bwvdb.h says what it does. Volumes and vectors become a file's bytes as they come (pack/); level
 * sets, whose insides must be found, and points are built and written by OpenVDB. */
#include "pack/describe.hpp"
#include "pack/packed.hpp"

#include <algorithm>
#include <cmath>

namespace
{

constexpr float half_max = 65504.0f; // largest finite 16-bit float

using level_leaf = vdb::FloatTree::LeafNodeType;

/* Distances of one leaf, which begins as `band`. Returns the largest magnitude, or NaN where one is no number. */
float level_leaf_fill(level_leaf &leaf, const bwvdb_grid &g, const float v[512])
{
    const float gain = g.gain != 0 ? g.gain : 1.0f;
    float peak = 0;
    for (vdb::Index n = 0; n < 512; n++) {
        const float at = v[(n >> 6) + (n & 0x38) + ((n & 7) << 6)] * gain;
        const float d = g.step > 0 ? g.step * std::nearbyint(at / g.step) : at, size = std::min(std::fabs(d), g.band);
        if (!(size <= peak)) peak = size;
        if (std::isnan(d)) return d;
        if (size < g.band) leaf.setValueOn(n, d);
        else leaf.setValueOff(n, d > 0 ? g.band : -g.band);
    }
    return peak;
}

/* Which way a leaf's lowest and highest layer of voxels lie, for the most part. */
struct level_ends {
    Coord leaf;
    bool inside[2];
};

level_ends ends_of(const level_leaf &leaf)
{
    int inside[2] = {};
    for (vdb::Index column = 0; column < 512; column += 8)
        for (vdb::Index e = 0; e < 2; e++) inside[e] += leaf.getValue(column + 7 * e) < 0;
    return {leaf.origin(), {inside[0] > 32, inside[1] > 32}};
}

/* What lies between two leaves of a column that face each other from within an obstacle is its inside. Beyond the last
 * leaf nothing is known, and is outside: OpenVDB's flood would draw a column from an obstacle that ends there, upwards
 * without end. */
void level_between_fill(vdb::FloatTree &tree, std::vector<level_ends> &ends, float band)
{
    constexpr int32_t farthest = 1 << 15; // voxels
    std::sort(ends.begin(), ends.end(), [](const level_ends &a, const level_ends &b) { return a.leaf < b.leaf; });
    for (size_t i = 1; i < ends.size(); i++) {
        const level_ends &below = ends[i - 1], &above = ends[i];
        const Coord &a = below.leaf, &b = above.leaf;
        if (a[0] != b[0] || a[1] != b[1] || b[2] - a[2] > farthest || !below.inside[1] || !above.inside[0]) continue;
        for (int32_t z = a[2] + 8; z < b[2]; z += 8) tree.addTile(1, Coord(a[0], a[1], z), -band, false);
    }
}

/* Leaves without a distance below `band` become tiles of one value. */
file_grid grid_of_level_set(const bwvdb_options &o, const bwvdb_grid &g, float *peak)
{
    auto grid = vdb::FloatGrid::create(g.band);
    const auto pieces = pieces_of(g);
    std::vector<level_ends> ends;
    *peak = 0;
    for (size_t p = 0, end, at_hand = 0; p < pieces.size(); p = end) {
        float v[3][512];
        if (p == at_hand) at_hand = leaves_reach(g, p, pieces.size(), [&](size_t i) { return pieces[i].leaf; });
        std::fill_n(v[0], 512, g.band / (g.gain != 0 ? g.gain : 1.0f));
        for (end = p; end < pieces.size() && pieces[end].leaf == pieces[p].leaf; end++)
            piece_copy(g, g.blocks[pieces[end].block], pieces[end].leaf, v);
        auto leaf = std::make_unique<level_leaf>(pieces[p].leaf, g.band);
        const float size = level_leaf_fill(*leaf, g, v[0]);
        if (!(size <= *peak)) *peak = size;
        if (std::isnan(size)) break;
        ends.push_back(ends_of(*leaf));
        if (!leaf->isEmpty()) grid->tree().addLeaf(leaf.release());
        else if (ends.back().inside[0]) grid->tree().addTile(1, pieces[p].leaf, -g.band, false);
    }
    level_between_fill(grid->tree(), ends, g.band);
    describe_grid(*grid, g);
    std::vector<leaf_mask> leaves;
    for (auto leaf = grid->tree().cbeginLeaf(); leaf; ++leaf) leaves.push_back(mask_of(*leaf));
    file_grid f = grid_serialised(o, grid);
    f.leaves = std::move(leaves);
    f.volume = true;
    return f;
}

/* Half floats have 11 bits: of larger multiples of `step` they would lose the last ones. */
bool outgrows_half(const bwvdb_grid &g, float peak) { return g.half && g.step > 0 && peak > 2048 * g.step; }

file_grid grid_make(bwvdb_writer &w, const bwvdb_grid &g, float *peak)
{
    const bool level_set = g.grid_class == BWVDB_CLASS_LEVEL_SET;
    return level_set ? grid_of_level_set(w.options, g, peak) : grid_packed(w.options, g, w.spool, peak);
}

bwvdb_status add_grid(bwvdb_writer &w, const bwvdb_grid &g, bwvdb_error *e)
{
    float peak;
    file_grid made = grid_make(w, g, &peak);
    if (outgrows_half(g, peak)) {
        bwvdb_grid whole = g;
        whole.half = 0;
        return add_grid(w, whole, e);
    }
    std::string name = g.name;
    if (!std::isfinite(peak))
        return report(e, BWVDB_ERR, "grid \"" + name + "\" holds values that are not finite numbers");
    if (g.half && peak > half_max) {
        char reaches[32];
        std::snprintf(reaches, sizeof reaches, "%.6g", double(peak));
        return report(e, BWVDB_ERR,
                      "grid \"" + name + "\" reaches " + reaches +
                          ", more than the 65504 that half floats hold: write full floats");
    }
    w.grids.push_back(std::move(made));
    return BWVDB_OK;
}

} // namespace

extern "C" bwvdb_status bwvdb_writer_create(const bwvdb_options *options, bwvdb_writer **w, bwvdb_error *error)
{
    *w = nullptr;
    return guarded(error, "cannot start a VDB file", [&] {
        vdb::initialize();
        auto made = std::make_unique<bwvdb_writer>();
        if (options) made->options = *options;
        if (options && options->spool) made->spool.open(options->spool);
        *w = made.release();
        return BWVDB_OK;
    });
}

extern "C" bwvdb_status bwvdb_writer_add(bwvdb_writer *w, const bwvdb_grid *g, bwvdb_error *error)
{
    return guarded(error, "cannot build a VDB grid", [&] {
        if (!g->name || !*g->name) return report(error, BWVDB_ERR_USAGE, "a VDB grid needs a name");
        std::string name = g->name;
        if (grid_named(*w, name)) return report(error, BWVDB_ERR_USAGE, "the file has a grid \"" + name + "\" already");
        if (!(g->voxel > 0)) return report(error, BWVDB_ERR_USAGE, "grid \"" + name + "\" needs a voxel size above 0");
        if (g->comps != 1 && g->comps != 3)
            return report(error, BWVDB_ERR_USAGE, "grid \"" + name + "\" must have 1 or 3 components");
        bool level_set = g->grid_class == BWVDB_CLASS_LEVEL_SET;
        if (level_set && (!(g->band > 0) || g->comps != 1))
            return report(error, BWVDB_ERR_USAGE, "level set \"" + name + "\" needs one component and a band above 0");
        return add_grid(*w, *g, error);
    });
}

extern "C" bwvdb_status bwvdb_writer_meta(bwvdb_writer *w, const bwvdb_meta *meta, bwvdb_error *error)
{
    return guarded(
        error, "cannot add VDB metadata",
        [&] {
            meta_insert(w->meta, *meta);
            return BWVDB_OK;
        },
        0);
}

extern "C" bwvdb_status bwvdb_writer_write(bwvdb_writer *w, const char *path, bwvdb_error *error)
{
    errno = 0;
    std::string what; // the sentence's beginning, also used in the handlers
    bwvdb_status status = guarded(error, "cannot write a VDB file", [&] {
        what = std::string("cannot write ") + path;
        return guarded(error, what.c_str(), [&] {
            file_write(*w, path);
            return BWVDB_OK;
        });
    });
    if (status) std::remove(path);
    return status;
}

extern "C" int bwvdb_writer_empty(const bwvdb_writer *w)
{
    return std::all_of(w->grids.begin(), w->grids.end(), [](const file_grid &g) { return g.leaves.empty(); });
}

extern "C" void bwvdb_writer_free(bwvdb_writer *w) { delete w; }
