// SPDX-License-Identifier: Apache-2.0
/* Reading VDB files; bwvdb.h says what it does. Leaves are copied one by one; whatever is no leaf is constant over a
 * leaf's extent. */
#include "bwvdb_guard.hpp"

extern "C" {
#include "vdb_check.h"
}

#include <algorithm>
#include <cmath>
#include <deque>

namespace
{

struct meta_list {
    std::deque<std::string> text; // a deque: strings never move
    std::vector<bwvdb_meta> rows;

    void add(const std::string &key, const vdb::Metadata &m)
    {
        bwvdb_meta row{text.emplace_back(key).c_str(), BWVDB_STRING, text.emplace_back(m.str()).c_str(), 0, 0};
        double number = 0;
        int64_t integer = 0;
        bool whole = true;
        if (auto *i = dynamic_cast<const vdb::Int64Metadata *>(&m)) integer = i->value();
        else if (auto *s = dynamic_cast<const vdb::Int32Metadata *>(&m)) integer = s->value();
        else if (auto *b = dynamic_cast<const vdb::BoolMetadata *>(&m)) integer = b->value();
        else whole = false;
        bool real = true;
        if (auto *d = dynamic_cast<const vdb::DoubleMetadata *>(&m)) number = d->value();
        else if (auto *f = dynamic_cast<const vdb::FloatMetadata *>(&m)) number = double(f->value());
        else real = false;
        if (whole) row.type = BWVDB_INT64, row.integer = integer, row.number = double(integer);
        if (real) row.type = BWVDB_DOUBLE, row.number = number;
        rows.push_back(row);
    }

    /* OpenVDB's own bookkeeping is told by bwvdb_info already. */
    void add_all(const vdb::MetaMap &map)
    {
        for (auto it = map.beginMeta(); it != map.endMeta(); ++it) {
            const std::string &k = it->first;
            bool own = k == "name" || k == "class" || k == "vector_type" || k == "is_saved_as_half_float" ||
                       k.compare(0, 5, "file_") == 0;
            if (!own && it->second) add(k, *it->second);
        }
    }
};

struct grid_entry {
    std::string unique, name, type; // unique: as the file knows it, "density[1]" for a second one
    vdb::GridBase::Ptr grid;        // without its voxels until loaded
    bwvdb_info info{};
    meta_list meta;
};

/* Calls f with the grid as its own type; false for types that hold no floats. */
template <class F> bool with_grid(const vdb::GridBase &base, F &&f)
{
    return base.apply<vdb::TypeList<vdb::FloatGrid, vdb::DoubleGrid, vdb::Vec3SGrid, vdb::Vec3DGrid>>(f);
}

/* Of the trees that vdb_check_trees() looks at; no other may be loaded. */
uint32_t comps_of(const vdb::GridBase &g)
{
    size_t half;
    if (!vdb_tree_value(g.baseTree().type().c_str(), &half)) return 0;
    return g.valueType() == "float" || g.valueType() == "double" ? 1 : 3;
}

uint32_t class_from(vdb::GridClass c)
{
    if (c == vdb::GRID_LEVEL_SET) return BWVDB_CLASS_LEVEL_SET;
    if (c == vdb::GRID_FOG_VOLUME) return BWVDB_CLASS_FOG_VOLUME;
    return c == vdb::GRID_STAGGERED ? BWVDB_CLASS_STAGGERED : BWVDB_CLASS_UNKNOWN;
}

void fill_box(bwvdb_info &i, const vdb::CoordBBox &box, const vdb::math::Transform &t)
{
    for (int a = 0; a < 3; a++) {
        i.lo[a] = box.empty() ? 0 : box.min()[a];
        i.hi[a] = box.empty() ? -1 : box.max()[a];
    }
    if (box.empty()) return;
    vdb::Vec3d lo(1e300), hi(-1e300);
    for (int c = 0; c < 8; c++) {
        vdb::Vec3d p;
        for (int a = 0; a < 3; a++) p[a] = c >> a & 1 ? i.hi[a] + 0.5 : i.lo[a] - 0.5;
        vdb::Vec3d w = t.indexToWorld(p);
        lo = vdb::math::minComponent(lo, w);
        hi = vdb::math::maxComponent(hi, w);
    }
    for (int a = 0; a < 3; a++) i.world_lo[a] = lo[a], i.world_hi[a] = hi[a];
}

void fill_transform(bwvdb_info &i, const vdb::math::Transform &t)
{
    vdb::Vec3d zero = t.indexToWorld(vdb::Vec3d(0)), voxel = t.voxelSize();
    for (int a = 0; a < 3; a++) {
        vdb::Vec3d unit(0);
        unit[a] = 1;
        vdb::Vec3d d = t.indexToWorld(unit) - zero;
        for (int r = 0; r < 3; r++) i.matrix[4 * r + a] = d[r];
        i.matrix[4 * a + 3] = zero[a];
        i.voxel[a] = voxel[a];
    }
}

void describe_entry(grid_entry &e)
{
    const vdb::GridBase &g = *e.grid;
    bwvdb_info &i = e.info;
    e.name = g.getName();
    e.type = g.valueType();
    i.comps = comps_of(g);
    i.grid_class = class_from(g.getGridClass());
    i.vector_type = static_cast<uint32_t>(g.getVectorType());
    i.half = g.saveFloatAsHalf();
    fill_transform(i, g.transform());
    e.meta.add_all(g);
    auto count = g.getMetadata<vdb::Int64Metadata>(vdb::GridBase::META_FILE_VOXEL_COUNT);
    auto lo = g.getMetadata<vdb::Vec3IMetadata>(vdb::GridBase::META_FILE_BBOX_MIN);
    auto hi = g.getMetadata<vdb::Vec3IMetadata>(vdb::GridBase::META_FILE_BBOX_MAX);
    i.active = count ? count->value() : -1;
    if (i.active == 0) fill_box(i, vdb::CoordBBox(), g.transform());
    else if (lo && hi) fill_box(i, vdb::CoordBBox(Coord(lo->value()), Coord(hi->value())), g.transform());
    else i.active = -1;
}

void attach_strings(grid_entry &e)
{
    e.info.name = e.name.c_str();
    e.info.type = e.type.c_str();
    e.info.meta = e.meta.rows.data();
    e.info.n_meta = static_cast<uint32_t>(e.meta.rows.size());
}

struct background_of {
    double *out;
    template <class Grid> void operator()(const Grid &g)
    {
        if constexpr (vdb::VecTraits<typename Grid::ValueType>::IsVec)
            for (int c = 0; c < 3; c++) out[c] = double(g.background()[c]);
        else out[0] = double(g.background());
    }
};

void read_voxels(vdb::io::File &file, grid_entry &e)
{
    if (e.info.loaded) return;
    e.grid = file.readGrid(e.unique);
    e.info.loaded = 1;
    e.info.active = static_cast<int64_t>(e.grid->activeVoxelCount()); // whatever the file said of it
    fill_box(e.info, e.grid->evalActiveVoxelBoundingBox(), e.grid->transform());
    with_grid(*e.grid, background_of{e.info.background});
}

template <class T> void put(float *const out[3], size_t at, const T &v)
{
    if constexpr (vdb::VecTraits<T>::IsVec)
        for (int c = 0; c < 3; c++) out[c][at] = float(v[c]);
    else out[0][at] = float(v);
}

struct box_reader {
    const int32_t *lo, *n;
    float *const *out;

    template <class Grid> void operator()(const Grid &g) const
    {
        auto tree = g.getConstUnsafeAccessor();
        Coord c;
        for (c[2] = lo[2] & ~7; c[2] < lo[2] + n[2]; c[2] += 8)
            for (c[1] = lo[1] & ~7; c[1] < lo[1] + n[1]; c[1] += 8)
                for (c[0] = lo[0] & ~7; c[0] < lo[0] + n[0]; c[0] += 8) {
                    auto *leaf = tree.probeConstLeaf(c);
                    auto constant = leaf ? g.background() : tree.getValue(c);
                    copy(c, leaf, constant);
                }
    }

    template <class Leaf, class T> void copy(const Coord &at, const Leaf *leaf, const T &constant) const
    {
        int from[3], to[3];
        for (int a = 0; a < 3; a++) from[a] = std::max(at[a], lo[a]), to[a] = std::min(at[a] + 8, lo[a] + n[a]);
        for (int k = from[2]; k < to[2]; k++)
            for (int j = from[1]; j < to[1]; j++)
                for (int i = from[0]; i < to[0]; i++) {
                    size_t o =
                        size_t(i - lo[0]) + size_t(n[0]) * (size_t(j - lo[1]) + size_t(n[1]) * size_t(k - lo[2]));
                    auto l = static_cast<vdb::Index>((i & 7) << 6 | (j & 7) << 3 | (k & 7));
                    put(out, o, leaf ? leaf->getValue(l) : constant);
                }
    }
};

struct sampler {
    size_t count;
    const double (*pos)[3];
    double *out;

    template <class Grid> void operator()(const Grid &g) const
    {
        auto tree = g.getConstUnsafeAccessor();
        using T = typename Grid::ValueType;
        for (size_t p = 0; p < count; p++) {
            vdb::Vec3d at = g.transform().worldToIndex(vdb::Vec3d(pos[p]));
            if constexpr (vdb::VecTraits<T>::IsVec) {
                T v = g.getGridClass() == vdb::GRID_STAGGERED ? vdb::tools::StaggeredBoxSampler::sample(tree, at)
                                                              : vdb::tools::BoxSampler::sample(tree, at);
                for (int c = 0; c < 3; c++) out[3 * p + c] = double(v[c]);
            } else {
                out[p] = double(vdb::tools::BoxSampler::sample(tree, at));
            }
        }
    }
};

} // namespace

struct bwvdb_file {
    explicit bwvdb_file(const char *p) : path(p), file(p) {}
    std::string path, names;
    bool checked = false; // its trees
    vdb::io::File file;
    std::deque<grid_entry> grids; // entries never move
    meta_list meta;
};

namespace
{

/* A linear map's file holds its inverse too, as numbers of their own. */
bool inverse_fits(const vdb::math::Transform &t)
{
    const vdb::Vec3d there(3, -5, 7), back = t.worldToIndex(t.indexToWorld(there));
    return !t.isLinear() || (back - there).lengthSqr() < 1e-4; // not so if it is no number
}

bwvdb_status check_transform(const bwvdb_file &f, const grid_entry &e, bwvdb_error *error)
{
    bool good = inverse_fits(e.grid->transform());
    const vdb::Vec3d voxel = e.grid->transform().voxelSize();
    for (double m : e.info.matrix) good = good && std::fabs(m) < 1e15;
    for (int a = 0; a < 3; a++) good = good && voxel[a] > 1e-15 && voxel[a] < 1e15;
    return good ? BWVDB_OK
                : report(error, BWVDB_ERR_IO,
                         "cannot read " + f.path + ": the transform of grid \"" + e.name +
                             "\" has no size, no inverse, or numbers that are none");
}

/* Load a grid, after the file's trees have been looked at once. */
bwvdb_status load_checked(bwvdb_file &f, grid_entry &e, bwvdb_error *error)
{
    bwvdb_status status = f.checked ? BWVDB_OK : vdb_check_trees(f.path.c_str(), error);
    if (status) return status;
    f.checked = true;
    read_voxels(f.file, e);
    return check_transform(f, e, error); // as the file has it: what was read first has been worked out anew
}

bwvdb_status read_contents(bwvdb_file &f, bwvdb_error *error)
{
    bwvdb_status status = BWVDB_OK;
    f.file.open(false); // no delayed loading: a truncated file must fail in bwvdb_load, not later
    for (auto it = f.file.beginName(); it != f.file.endName(); ++it) {
        grid_entry &e = f.grids.emplace_back();
        e.unique = it.gridName();
        e.grid = f.file.readGridMetadata(e.unique);
        describe_entry(e);
        status = check_transform(f, e, error);
        bool unknown = e.info.active < 0 && e.info.comps; // written without statistics
        if (!status && unknown) status = load_checked(f, e, error);
        if (status) return status;
        attach_strings(e);
        f.names += (f.names.empty() ? "" : ", ") + e.name;
    }
    if (auto m = f.file.getMetadata()) f.meta.add_all(*m);
    return BWVDB_OK;
}

const grid_entry *loaded_grid(const bwvdb_file *f, int32_t grid, bwvdb_error *error)
{
    bool there = grid >= 0 && static_cast<size_t>(grid) < f->grids.size();
    if (there && f->grids[grid].info.loaded && f->grids[grid].info.comps) return &f->grids[grid];
    report(error, BWVDB_ERR_USAGE, there ? "grid \"" + f->grids[grid].name + "\" has not been loaded" : "no such grid");
    return nullptr;
}

} // namespace

const vdb::GridBase *bwvdb_loaded_grid(const bwvdb_file *f, int32_t grid, bwvdb_error *error)
{
    const grid_entry *e = loaded_grid(f, grid, error);
    return e ? e->grid.get() : nullptr;
}

extern "C" bwvdb_status bwvdb_open(const char *path, bwvdb_file **f, bwvdb_error *error)
{
    *f = nullptr;
    return guarded(error, "cannot read a VDB file", [&] {
        std::string what = std::string("cannot read ") + path;
        bwvdb_status status = vdb_check_head(path, error);
        if (status) return status;
        status = guarded(error, what.c_str(), [&] {
            vdb::initialize();
            auto file = std::make_unique<bwvdb_file>(path);
            bwvdb_status bad = read_contents(*file, error);
            if (!bad) *f = file.release();
            return bad;
        });
        return status == BWVDB_ERR ? BWVDB_ERR_IO : status; // OpenVDB stumbles over rubbish in many ways
    });
}

extern "C" void bwvdb_close(bwvdb_file *f)
{
    if (!f) return;
    for (auto &e : f->grids) grid_empty(e.grid.get());
    delete f;
}

extern "C" int32_t bwvdb_count(const bwvdb_file *f) { return static_cast<int32_t>(f->grids.size()); }

extern "C" const bwvdb_info *bwvdb_grid_info(const bwvdb_file *f, int32_t grid)
{
    return grid >= 0 && grid < bwvdb_count(f) ? &f->grids[grid].info : nullptr;
}

extern "C" int32_t bwvdb_find(const bwvdb_file *f, const char *name)
{
    for (size_t i = 0; i < f->grids.size(); i++)
        if (f->grids[i].name == name) return static_cast<int32_t>(i);
    return -1;
}

extern "C" const bwvdb_meta *bwvdb_file_meta(const bwvdb_file *f, uint32_t *n)
{
    *n = static_cast<uint32_t>(f->meta.rows.size());
    return f->meta.rows.data();
}

extern "C" const char *bwvdb_names(const bwvdb_file *f) { return f->names.c_str(); }

extern "C" bwvdb_status bwvdb_load(bwvdb_file *f, int32_t grid, bwvdb_error *error)
{
    return guarded(error, "cannot read a VDB grid", [&] {
        if (grid < 0 || grid >= bwvdb_count(f)) return report(error, BWVDB_ERR_USAGE, "no such grid in " + f->path);
        grid_entry &e = f->grids[grid];
        if (!e.info.comps)
            return report(error, BWVDB_ERR_USAGE,
                          "grid \"" + e.name + "\" of " + f->path + " holds " + e.type +
                              " values, which cannot be read as numbers or vectors");
        std::string what = "cannot read grid \"" + e.name + "\" of " + f->path;
        bwvdb_status status = guarded(error, what.c_str(), [&] { return load_checked(*f, e, error); });
        return status == BWVDB_ERR ? BWVDB_ERR_IO : status; // a chunk that does not unpack
    });
}

extern "C" bwvdb_status bwvdb_read_box(const bwvdb_file *f, int32_t grid, const int32_t lo[3], const int32_t n[3],
                                       float *const out[3], bwvdb_error *error)
{
    return guarded(
        error, "cannot read voxels",
        [&] {
            const grid_entry *e = loaded_grid(f, grid, error);
            if (!e) return BWVDB_ERR_USAGE;
            with_grid(*e->grid, box_reader{lo, n, out});
            return BWVDB_OK;
        },
        0);
}

extern "C" bwvdb_status bwvdb_sample(const bwvdb_file *f, int32_t grid, size_t count, const double (*pos)[3],
                                     double *out, bwvdb_error *error)
{
    return guarded(
        error, "cannot sample voxels",
        [&] {
            const grid_entry *e = loaded_grid(f, grid, error);
            if (!e) return BWVDB_ERR_USAGE;
            with_grid(*e->grid, sampler{count, pos, out});
            return BWVDB_OK;
        },
        0);
}
