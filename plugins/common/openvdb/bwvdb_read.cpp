// SPDX-License-Identifier: Apache-2.0
/* Reading VDB files; bwvdb.h says what it does. Leaves are copied one by one; whatever is no leaf is constant over a
 * leaf's extent. */
#include "read/entry.hpp"

extern "C" {
#include "vdb_check.h"
}

#include <algorithm>
#include <cmath>

namespace
{

/* Calls f with the grid as its own type; false for types that hold no floats. */
template <class F> bool with_grid(const vdb::GridBase &base, F &&f) { return base.apply<readable>(f); }

struct background_of {
    double *out;
    template <class Grid> void operator()(const Grid &g)
    {
        if constexpr (vdb::VecTraits<typename Grid::ValueType>::IsVec)
            for (int c = 0; c < 3; c++) out[c] = double(g.background()[c]);
        else out[0] = double(g.background());
    }
};

/* Whole numbers and truths as doubles: interpolation would cut them off. */
struct doubles_from {
    vdb::GridBase::Ptr *out;
    template <class Grid> void operator()(const Grid &g) const { *out = std::make_shared<vdb::DoubleGrid>(g); }
};

void voxels_take(grid_entry &e, const vdb::GridBase::Ptr &grid)
{
    e.grid = grid;
    e.info.loaded = 1;
    e.info.active = static_cast<int64_t>(grid->activeVoxelCount()); // whatever the file said of it
    entry_box(e.info, grid->evalActiveVoxelBoundingBox(), grid->transform());
    vdb::GridBase::Ptr doubles;
    grid->apply<vdb::TypeList<vdb::Int32Grid, vdb::Int64Grid, vdb::BoolGrid>>(doubles_from{&doubles});
    if (doubles) e.grid = doubles;
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
        const auto *value = leaf ? leaf->buffer().data() : nullptr;
        for (int k = from[2]; k < to[2]; k++)
            for (int j = from[1]; j < to[1]; j++)
                for (int i = from[0]; i < to[0]; i++) {
                    size_t o =
                        size_t(i - lo[0]) + size_t(n[0]) * (size_t(j - lo[1]) + size_t(n[1]) * size_t(k - lo[2]));
                    auto l = static_cast<vdb::Index>((i & 7) << 6 | (j & 7) << 3 | (k & 7));
                    put(out, o, value ? value[l] : constant);
                }
    }
};

/* A voxel's own place is read as that voxel alone: by rounding its neighbour would count 1e-15, which next to nothing
 * is not nothing to whoever takes logarithms. */
vdb::Vec3d rounded(vdb::Vec3d at)
{
    for (int a = 0; a < 3; a++)
        if (std::fabs(at[a] - std::nearbyint(at[a])) < 1e-7) at[a] = std::nearbyint(at[a]);
    return at;
}

struct sampler {
    size_t count;
    const double (*pos)[3];
    double *out;
    size_t stride; // of `out`, of grids of numbers

    template <class Grid> void operator()(const Grid &g) const
    {
        auto tree = g.getConstUnsafeAccessor();
        using T = typename Grid::ValueType;
        for (size_t p = 0; p < count; p++) {
            const vdb::Vec3d at = rounded(g.transform().worldToIndex(vdb::Vec3d(pos[p])));
            if constexpr (vdb::VecTraits<T>::IsVec) {
                T v = g.getGridClass() == vdb::GRID_STAGGERED ? vdb::tools::StaggeredBoxSampler::sample(tree, at)
                                                              : vdb::tools::BoxSampler::sample(tree, at);
                for (int c = 0; c < 3; c++) out[3 * p + c] = double(v[c]);
            } else {
                out[stride * p] = double(vdb::tools::BoxSampler::sample(tree, at));
            }
        }
    }
};

/* A component of a joined vector: its own voxels where they lie like the vector's, else what is between them. */
void part_read_box(const bwvdb_info &whole, const grid_entry &part, const box_reader &box, float *out)
{
    double off = 0;
    for (int m = 0; m < 12; m++) off = std::max(off, std::fabs(whole.matrix[m] - part.info.matrix[m]));
    if (part.info.linear && off < 1e-6 * part.info.voxel[0]) {
        with_grid(*part.grid, box_reader{box.lo, box.n, &out});
        return;
    }
    const double *m = whole.matrix;
    const auto cells = static_cast<size_t>(box.n[0]);
    std::vector<vdb::Vec3d> row(cells);
    std::vector<double> value(cells);
    for (int32_t k = 0; k < box.n[2]; k++)
        for (int32_t j = 0; j < box.n[1]; j++, out += cells) {
            for (size_t i = 0; i < cells; i++)
                for (int r = 0; r < 3; r++)
                    row[i][r] = m[4 * r] * (box.lo[0] + int32_t(i)) + m[4 * r + 1] * (box.lo[1] + j) +
                                m[4 * r + 2] * (box.lo[2] + k) + m[4 * r + 3];
            with_grid(*part.grid, sampler{cells, reinterpret_cast<const double(*)[3]>(row.data()), value.data(), 1});
            for (size_t i = 0; i < cells; i++) out[i] = float(value[i]);
        }
}

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
    if (e.info.loaded) return BWVDB_OK;
    bwvdb_status status = f.checked ? BWVDB_OK : vdb_check_trees(f.path.c_str(), error);
    if (status) return status;
    f.checked = true;
    if (!e.joined()) {
        voxels_take(e, f.file.readGrid(e.unique));
        return check_transform(f, e, error); // as the file has it: what was read first has been worked out anew
    }
    for (int c = 0; c < 3 && !status; c++) status = load_checked(f, f.grids[e.part[c]], error);
    entry_join(f, e);
    e.info.loaded = !status;
    return status;
}

/* A stream has no list of what is where: it is read from its first byte to its last, once it has been looked at. */
bwvdb_status stream_read(bwvdb_file &f, bwvdb_error *error)
{
    bwvdb_status status = vdb_check_trees(f.path.c_str(), error);
    if (status) return status;
    std::ifstream in(f.path, std::ios::binary);
    vdb::io::Stream stream(in, false);
    for (const auto &grid : *stream.getGrids()) {
        grid_entry &e = f.grids.emplace_back();
        e.grid = grid;
        entry_describe(e);
        status = check_transform(f, e, error);
        if (status) return status;
        if (e.info.comps) voxels_take(e, grid);
    }
    if (auto m = stream.getMetadata()) f.meta.add_all(*m);
    entries_name(f);
    return BWVDB_OK;
}

bwvdb_status read_contents(bwvdb_file &f, bwvdb_error *error)
{
    bwvdb_status status = BWVDB_OK;
    f.file.open(false); // no delayed loading: a truncated file must fail in bwvdb_load, not later
    for (auto it = f.file.beginName(); it != f.file.endName(); ++it) {
        grid_entry &e = f.grids.emplace_back();
        e.unique = it.gridName();
        e.grid = f.file.readGridMetadata(e.unique);
        entry_describe(e);
        status = check_transform(f, e, error);
        bool unknown = e.info.active < 0 && e.info.comps; // written without statistics
        if (!status && unknown) status = load_checked(f, e, error);
        if (status) return status;
    }
    if (auto m = f.file.getMetadata()) f.meta.add_all(*m);
    entries_name(f);
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
    if (e && e->joined()) report(error, BWVDB_ERR_USAGE, "\"" + e->name + "\" is three grids");
    return e ? e->grid.get() : nullptr;
}

extern "C" bwvdb_status bwvdb_open(const char *path, bwvdb_file **f, bwvdb_error *error)
{
    *f = nullptr;
    return guarded(error, "cannot read a VDB file", [&] {
        std::string what = std::string("cannot read ") + path;
        bool stream = false;
        bwvdb_status status = vdb_check_head(path, &stream, error);
        if (status) return status;
        status = guarded(error, what.c_str(), [&] {
            vdb::initialize();
            auto file = std::make_unique<bwvdb_file>(path);
            bwvdb_status bad = stream ? stream_read(*file, error) : read_contents(*file, error);
            if (!bad) *f = file.release();
            return bad;
        });
        return status == BWVDB_ERR ? BWVDB_ERR_IO : status; // OpenVDB stumbles over rubbish in many ways
    });
}

extern "C" void bwvdb_close(bwvdb_file *f)
{
    if (!f) return;
    for (auto &e : f->grids)
        if (e.grid) grid_empty(e.grid.get());
    delete f;
}

extern "C" int32_t bwvdb_count(const bwvdb_file *f) { return f->own; }

extern "C" const bwvdb_info *bwvdb_grid_info(const bwvdb_file *f, int32_t grid)
{
    return grid >= 0 && static_cast<size_t>(grid) < f->grids.size() ? &f->grids[grid].info : nullptr;
}

extern "C" int32_t bwvdb_find(const bwvdb_file *f, const char *name)
{
    for (size_t i = 0; i < f->grids.size(); i++)
        if (f->grids[i].name == name) return static_cast<int32_t>(i);
    for (size_t i = 0; i < f->grids.size(); i++)
        if (f->grids[i].unique == name) return static_cast<int32_t>(i); // density[0]
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
        if (!bwvdb_grid_info(f, grid)) return report(error, BWVDB_ERR_USAGE, "no such grid in " + f->path);
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
            const box_reader box{lo, n, out};
            for (int c = 0; c < 3 && e->joined(); c++) part_read_box(e->info, f->grids[e->part[c]], box, out[c]);
            if (!e->joined()) with_grid(*e->grid, box);
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
            for (int c = 0; c < 3 && e->joined(); c++)
                with_grid(*f->grids[e->part[c]].grid, sampler{count, pos, out + c, 3});
            if (!e->joined()) with_grid(*e->grid, sampler{count, pos, out, 1});
            return BWVDB_OK;
        },
        0);
}
