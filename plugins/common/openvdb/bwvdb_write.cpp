// SPDX-License-Identifier: Apache-2.0
/* Writing VDB files; bwvdb.h says what it does. One task for each 8×8×8 leaf fills values and mask straight into a new
 * leaf node, then the leaves are hung into the tree one after another in the order of their coordinates: several times
 * faster than setValue, and the same tree for any number of threads. */
#include "bwvdb_guard.hpp"
#include "contents/identity.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <mutex>

namespace
{

constexpr float half_max = 65504.0f; // largest finite 16-bit float

/* Archive::write with a seekable index but on a stream of ours, so that a full disk is noticed: io::File ignores it. */
struct file_archive : vdb::io::Archive {
    void write_to(std::ostream &os, const vdb::GridCPtrVec &grids, const vdb::MetaMap &meta) const
    {
        vdb::io::Archive::write(os, grids, true, meta);
    }
};

void meta_insert(vdb::MetaMap &map, const bwvdb_meta &m)
{
    if (m.type == BWVDB_STRING) map.insertMeta(m.key, vdb::StringMetadata(m.string ? m.string : ""));
    if (m.type == BWVDB_INT64) map.insertMeta(m.key, vdb::Int64Metadata(m.integer));
    if (m.type == BWVDB_DOUBLE) map.insertMeta(m.key, vdb::DoubleMetadata(m.number));
}

} // namespace

struct bwvdb_region {
    vdb::MaskTree tree;
    std::vector<const vdb::MaskTree::LeafNodeType *> leaves; // by z, y, x
};

namespace
{

bool coord_before(const Coord &a, const Coord &b)
{
    if (a.z() != b.z()) return a.z() < b.z();
    if (a.y() != b.y()) return a.y() < b.y();
    return a.x() < b.x();
}

/* Run task(i) for every i; a task that throws stops there, and the first exception comes out here, because the threads
 * may be the caller's, whose C code cannot unwind. */
void run_tasks(const bwvdb_options &o, int64_t n, const std::function<void(int64_t)> &task)
{
    struct job {
        const std::function<void(int64_t)> &task;
        std::mutex lock;
        std::exception_ptr failure;
    } shared{task, {}, nullptr};
    auto run = [](int64_t i, void *user) {
        job &j = *static_cast<job *>(user);
        try {
            j.task(i);
        } catch (...) {
            std::lock_guard<std::mutex> hold(j.lock);
            if (!j.failure) j.failure = std::current_exception();
        }
    };
    if (o.parallel_for) {
        o.parallel_for(o.parallel_user, n, run, &shared);
    } else if (o.threads > 1) {
        tbb::task_arena arena(static_cast<int>(o.threads));
        arena.execute([&] { tbb::parallel_for(int64_t(0), n, [&](int64_t i) { run(i, &shared); }); });
    } else {
        for (int64_t i = 0; i < n; i++) run(i, &shared);
    }
    if (shared.failure) std::rethrow_exception(shared.failure);
}

struct piece { // the part of one block that lies in one leaf
    Coord leaf;
    int64_t block;
};

std::vector<piece> pieces_of(const bwvdb_grid &g)
{
    std::vector<piece> all;
    for (int64_t b = 0; b < g.n_blocks; b++) {
        const bwvdb_block &k = g.blocks[b];
        Coord first(k.origin[0] & ~7, k.origin[1] & ~7, k.origin[2] & ~7), c;
        for (c[2] = first[2]; c[2] < k.origin[2] + k.n[2]; c[2] += 8)
            for (c[1] = first[1]; c[1] < k.origin[1] + k.n[1]; c[1] += 8)
                for (c[0] = first[0]; c[0] < k.origin[0] + k.n[0]; c[0] += 8) all.push_back({c, b});
    }
    std::sort(all.begin(), all.end(), [](const piece &a, const piece &b) {
        return a.leaf == b.leaf ? a.block < b.block : coord_before(a.leaf, b.leaf);
    });
    return all;
}

/* Of two magnitudes the larger, or the one that is not a number. */
float larger(float a, float b) { return std::isnan(a) || a >= b ? a : b; }

float value_size(float v) { return std::fabs(v); }
float value_size(const vdb::Vec3f &v) { return v.length(); }
float value_peak(float v) { return std::fabs(v); }
float value_peak(const vdb::Vec3f &v) { return larger(larger(std::fabs(v[0]), std::fabs(v[1])), std::fabs(v[2])); }

void value_make(const float *in, const bwvdb_grid &g, float &v) { v = in[0] * (g.gain != 0 ? g.gain : 1.0f); }
void value_make(const float *in, const bwvdb_grid &g, vdb::Vec3f &v)
{
    float s = g.gain != 0 ? g.gain : 1.0f;
    bool turn = g.y_up && g.vector_type != BWVDB_VEC_INVARIANT;
    v = turn ? vdb::Vec3f(in[0] * s, in[2] * s, -in[1] * s) : vdb::Vec3f(in[0] * s, in[1] * s, in[2] * s);
}

/* One leaf on its way: node, mask, largest magnitude (NaN if there was one). */
template <class Grid> struct leaf_build {
    using leaf_type = typename Grid::TreeType::LeafNodeType;
    using value_type = typename Grid::ValueType;
    std::unique_ptr<leaf_type> leaf;
    typename leaf_type::NodeMaskType mask;
    float peak = 0;

    void store(const bwvdb_grid &g, vdb::Index at, const float *in, bool always)
    {
        value_type v;
        value_make(in, g, v);
        float size = value_size(v);
        bool level_set = g.grid_class == BWVDB_CLASS_LEVEL_SET;
        peak = larger(peak, level_set && size >= g.band ? g.band : value_peak(v));
        bool on = always || (level_set ? size < g.band : size > g.threshold);
        if (!on) v = level_set ? value_type(*in > 0 ? g.band : -g.band) : value_type(0.0f);
        leaf->buffer().data()[at] = v;
        mask.set(at, on);
    }
};

template <class S> void fetch(const bwvdb_block &b, uint32_t comps, int64_t at, float *v)
{
    for (uint32_t c = 0; c < comps; c++) v[c] = static_cast<float>(static_cast<const S *>(b.data[c])[at]);
}

template <class Grid, class S>
void build_piece(leaf_build<Grid> &out, const bwvdb_grid &g, const bwvdb_block &b, const Coord &leaf)
{
    int64_t s[3] = {b.stride[0], b.stride[1], b.stride[2]};
    if (!s[0] && !s[1] && !s[2]) s[0] = 1, s[1] = b.n[0], s[2] = int64_t(b.n[0]) * b.n[1];
    int lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = std::max(0, b.origin[a] - leaf[a]);
        hi[a] = std::min(8, b.origin[a] + b.n[a] - leaf[a]);
    }
    float v[3] = {0, 0, 0};
    for (int k = lo[2]; k < hi[2]; k++)
        for (int j = lo[1]; j < hi[1]; j++) {
            int64_t row = (leaf[1] + j - b.origin[1]) * s[1] + (leaf[2] + k - b.origin[2]) * s[2];
            for (int i = lo[0]; i < hi[0]; i++) {
                fetch<S>(b, g.comps, row + (leaf[0] + i - b.origin[0]) * s[0], v);
                out.store(g, static_cast<vdb::Index>(i << 6 | j << 3 | k), v, false);
            }
        }
}

template <class Grid>
void build_region_leaf(leaf_build<Grid> &out, const bwvdb_grid &g, const vdb::MaskTree::LeafNodeType &m)
{
    alignas(64) float values[3][512];
    float *rows[3] = {values[0], values[1], values[2]};
    int32_t origin[3] = {m.origin().x(), m.origin().y(), m.origin().z()};
    g.fill(origin, rows, g.fill_user);
    for (auto it = m.cbeginValueOn(); it; ++it) {
        vdb::Index at = it.pos(), from = (at >> 6) + (at & 0x38) + ((at & 7) << 6);
        float v[3] = {values[0][from], values[1][from], values[2][from]};
        out.store(g, at, v, true);
    }
}

template <class Grid> std::vector<leaf_build<Grid>> build_leaves(const bwvdb_options &o, const bwvdb_grid &g)
{
    using leaf_type = typename Grid::TreeType::LeafNodeType;
    typename Grid::ValueType empty(g.grid_class == BWVDB_CLASS_LEVEL_SET ? g.band : 0.0f);
    std::vector<leaf_build<Grid>> built;
    std::vector<piece> pieces;
    std::vector<size_t> start;
    if (!g.region) {
        pieces = pieces_of(g);
        for (size_t i = 0; i < pieces.size(); i++)
            if (!i || !(pieces[i].leaf == pieces[i - 1].leaf)) start.push_back(i);
    }
    built.resize(g.region ? g.region->leaves.size() : start.size());
    start.push_back(pieces.size());
    run_tasks(o, static_cast<int64_t>(built.size()), [&](int64_t i) {
        leaf_build<Grid> &b = built[i];
        b.leaf = std::make_unique<leaf_type>(g.region ? g.region->leaves[i]->origin() : pieces[start[i]].leaf, empty);
        if (g.region) build_region_leaf(b, g, *g.region->leaves[i]);
        else
            for (size_t p = start[i]; p < start[i + 1]; p++) {
                const bwvdb_block &from = g.blocks[pieces[p].block];
                if (g.f64) build_piece<Grid, double>(b, g, from, pieces[p].leaf);
                else build_piece<Grid, float>(b, g, from, pieces[p].leaf);
            }
        b.leaf->setValueMask(b.mask);
        if (b.mask.isOff()) b.leaf.reset();
    });
    return built;
}

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

void describe_grid(vdb::GridBase &grid, const bwvdb_grid &g)
{
    grid.setName(g.name);
    grid.setGridClass(class_of(g.grid_class));
    if (g.comps == 3) grid.setVectorType(static_cast<vdb::VecType>(g.vector_type));
    grid.setSaveFloatAsHalf(g.half != 0);
    grid.setTransform(transform_of(g));
    for (uint32_t i = 0; i < g.n_meta; i++) meta_insert(grid, g.meta[i]);
}

void flood(vdb::FloatGrid &grid) { vdb::tools::signedFloodFill(grid.tree(), false); }
void flood(vdb::Vec3SGrid &) {}

template <class Grid> bwvdb_status add_grid(bwvdb_writer &w, const bwvdb_grid &g, bwvdb_error *e)
{
    bool level_set = g.grid_class == BWVDB_CLASS_LEVEL_SET;
    auto grid = Grid::create(typename Grid::ValueType(level_set ? g.band : 0.0f));
    float peak = 0;
    for (auto &b : build_leaves<Grid>(w.options, g)) {
        if (b.leaf) grid->tree().addLeaf(b.leaf.release());
        peak = larger(peak, b.peak);
    }
    std::string name = g.name;
    if (!std::isfinite(peak))
        return report(e, BWVDB_ERR, "grid \"" + name + "\" holds values that are not finite numbers");
    if (g.half && peak > half_max)
        return report(e, BWVDB_ERR,
                      "grid \"" + name + "\" reaches " + std::to_string(peak) +
                          ", more than the 65504 that half floats hold: write full floats");
    if (level_set) flood(*grid);
    describe_grid(*grid, g);
    w.grids.push_back(grid);
    return BWVDB_OK;
}

vdb::CoordBBox box_of(const int32_t lo[3], const int32_t n[3])
{
    return vdb::CoordBBox(lo[0], lo[1], lo[2], lo[0] + n[0] - 1, lo[1] + n[1] - 1, lo[2] + n[2] - 1);
}

} // namespace

extern "C" bwvdb_status bwvdb_writer_create(const bwvdb_options *options, bwvdb_writer **w, bwvdb_error *error)
{
    *w = nullptr;
    return guarded(error, "cannot start a VDB file", [&] {
        vdb::initialize();
        *w = new bwvdb_writer{options ? *options : bwvdb_options{}, {}, {}};
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
        return g->comps == 1 ? add_grid<vdb::FloatGrid>(*w, *g, error) : add_grid<vdb::Vec3SGrid>(*w, *g, error);
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
            file_archive archive;
            uint32_t extra[] = {vdb::io::COMPRESS_BLOSC, vdb::io::COMPRESS_ZIP, vdb::io::COMPRESS_NONE};
            archive.setCompression(vdb::io::COMPRESS_ACTIVE_MASK | extra[w->options.compression % 3]);
            std::ofstream os;
            os.exceptions(std::ios::failbit | std::ios::badbit);
            os.open(path, std::ios::binary | std::ios::trunc);
            archive.write_to(os, vdb::GridCPtrVec(w->grids.begin(), w->grids.end()), w->meta);
            os.close();
            int bad = vdb_identity_set(path);
            return bad ? report(error, BWVDB_ERR_IO, what + ": " + std::strerror(bad)) : BWVDB_OK;
        });
    });
    if (status) std::remove(path);
    return status;
}

extern "C" void bwvdb_writer_free(bwvdb_writer *w)
{
    if (!w) return;
    for (auto &g : w->grids) grid_empty(g.get());
    delete w;
}

extern "C" bwvdb_status bwvdb_region_create(const bwvdb_writer *w, const bwvdb_area *area, bwvdb_region **r,
                                            bwvdb_error *error)
{
    *r = nullptr;
    return guarded(error, "cannot mark voxels", [&] {
        auto region = std::make_unique<bwvdb_region>();
        vdb::MaskTree &tree = region->tree;
        for (auto name = area->grids; name && *name; name++) {
            auto grid = grid_named(*w, *name);
            if (auto f = vdb::gridPtrCast<vdb::FloatGrid>(grid)) tree.topologyUnion(f->tree());
            else if (auto v = vdb::gridPtrCast<vdb::Vec3SGrid>(grid)) tree.topologyUnion(v->tree());
            else return report(error, BWVDB_ERR_USAGE, std::string("the file has no grid \"") + *name + "\" yet");
        }
        for (int64_t b = 0; b < area->n_boxes; b++)
            tree.sparseFill(box_of(area->boxes[b].origin, area->boxes[b].n), true, true);
        auto all = vdb::tools::NN_FACE_EDGE_VERTEX; // a cube around each voxel
        if (area->pad > 0) vdb::tools::dilateActiveValues(tree, area->pad, all, vdb::tools::EXPAND_TILES, false);
        if (area->n[0] || area->n[1] || area->n[2]) tree.clip(box_of(area->lo, area->n));
        tree.voxelizeActiveTiles(false);
        for (auto it = tree.cbeginLeaf(); it; ++it)
            if (!it->isEmpty()) region->leaves.push_back(&*it);
        std::sort(region->leaves.begin(), region->leaves.end(),
                  [](auto *p, auto *q) { return coord_before(p->origin(), q->origin()); });
        *r = region.release();
        return BWVDB_OK;
    });
}

extern "C" void bwvdb_region_free(bwvdb_region *r)
{
    if (r) tree_empty(r->tree);
    delete r;
}
