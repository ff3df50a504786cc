// SPDX-License-Identifier: Apache-2.0
/* Leaves are packed in batches, each a task: values are gathered, judged, turned into half floats and compressed while
 * they are at hand, and no tree is built of them. Batches are cut by number, never by thread: the same bytes for any
 * number of threads. */
#include "packed.hpp"
#include "describe.hpp"
#include "pack.h"

#include <algorithm>
#include <mutex>
#include <openvdb/io/DelayedLoadMetadata.h>
#include <sstream>

#include <blosc.h>
#include <zlib.h>

namespace
{

constexpr size_t batch_leaves = 32;

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

/* Does a block hold all of a leaf? */
bool covers(const bwvdb_block &b, const Coord &leaf)
{
    for (int a = 0; a < 3; a++)
        if (b.origin[a] > leaf[a] || b.origin[a] + b.n[a] < leaf[a] + 8) return false;
    return true;
}

/* Multiples of a step have few bits that differ, and seldom four bytes in a row that are alike: LZ4 would spare a
 * quarter of them, Huffman codes spare half. */
bool rounds_packed(const bwvdb_grid &g, uint32_t flags) { return g.step > 0 && flags & vdb::io::COMPRESS_BLOSC; }

/* What a grid's leaves are made from. */
struct source {
    const bwvdb_options &o;
    const bwvdb_grid &g;
    uint32_t flags;
    std::vector<piece> pieces;
    std::vector<size_t> start; // of each leaf's pieces, and where they end
    size_t leaves = 0;

    source(const bwvdb_options &options, const bwvdb_grid &grid)
        : o(options), g(grid), flags(compression_flags(options))
    {
        const uint32_t blosc = vdb::io::COMPRESS_BLOSC, zip = vdb::io::COMPRESS_ZIP;
        if (rounds_packed(g, flags)) flags = (flags & ~blosc) | zip;
        // OpenVDB's rule: volumes are not zipped
        else if (g.grid_class == BWVDB_CLASS_FOG_VOLUME) flags &= ~zip;
        if (g.region) {
            leaves = g.region->leaves.size();
            return;
        }
        pieces = pieces_of(g);
        for (size_t i = 0; i < pieces.size(); i++)
            if (!i || !(pieces[i].leaf == pieces[i - 1].leaf)) start.push_back(i);
        leaves = start.size();
        start.push_back(pieces.size());
    }

    Coord origin(size_t leaf) const { return g.region ? g.region->leaves[leaf].origin : pieces[start[leaf]].leaf; }

    void gather(size_t leaf, vdb_pack_leaf &to) const
    {
        if (g.region) {
            float *rows[3] = {to.v[0], to.v[1], to.v[2]};
            int32_t at[3] = {origin(leaf).x(), origin(leaf).y(), origin(leaf).z()};
            g.fill(at, rows, g.fill_user);
            std::memcpy(to.mask, g.region->leaves[leaf].on, sizeof to.mask);
            return;
        }
        const bool whole =
            start[leaf + 1] == start[leaf] + 1 && covers(g.blocks[pieces[start[leaf]].block], origin(leaf));
        for (uint32_t c = 0; c < g.comps && !whole; c++) std::fill_n(to.v[c], 512, g.background[c]);
        for (size_t p = start[leaf]; p < start[leaf + 1]; p++)
            piece_copy(g, g.blocks[pieces[p].block], pieces[p].leaf, to.v);
    }
};

/* What a batch has become. */
struct batch {
    std::vector<leaf_mask> leaves;
    std::vector<int64_t> chunk; // bytes of each leaf's values
    byte_span bytes{nullptr, 0};
    float peak = 0;
};

/* What a task works in. */
struct desk {
    vdb_pack_leaf leaf;
    std::string bytes;
};

/* As many as there are tasks at once. */
class desks
{
  public:
    std::unique_ptr<desk> take()
    {
        std::lock_guard<std::mutex> hold(lock);
        if (idle.empty()) return std::make_unique<desk>();
        auto d = std::move(idle.back());
        idle.pop_back();
        return d;
    }
    void give(std::unique_ptr<desk> d)
    {
        std::lock_guard<std::mutex> hold(lock);
        idle.push_back(std::move(d));
    }

  private:
    std::mutex lock;
    std::vector<std::unique_ptr<desk>> idle;
};

/* Numbers are packed by component, not by voxel, which takes half the time, and at a fast level: of half floats in a
 * flow all of LZ4's levels spare a few hundredths only, and what packs well packs well at any. Shuffled bits would
 * save 10 % of such halves, but Blosc before 1.7 silently reads them as shuffled bytes. */
constexpr int blosc_level = 5;

/* Size and bytes of a chunk: less than it has, or as it is with a negative size. `room` is for n bytes. */
void put_chunk(std::string &to, const unsigned char *data, size_t n, size_t number, uint32_t flags, char *room)
{
    int64_t packed = 0;
    if (flags & vdb::io::COMPRESS_BLOSC) {
        if (n >= 48)
            packed = blosc_compress_ctx(blosc_level, BLOSC_SHUFFLE, number, n, data, room, n, BLOSC_LZ4_COMPNAME, n, 1);
    } else {
        uLongf got = n;
        if (compress(reinterpret_cast<Bytef *>(room), &got, data, n) == Z_OK) packed = int64_t(got);
    }
    const bool less = packed > 0 && size_t(packed) < n;
    const int64_t size = less ? packed : -int64_t(n);
    to.append(reinterpret_cast<const char *>(&size), sizeof size);
    to.append(less ? room : reinterpret_cast<const char *>(data), less ? size_t(packed) : n);
}

/* Mask, a 0 (all that is inactive is the background), values. */
void put_leaf(batch &b, const source &s, desk &d, const Coord &origin)
{
    const vdb_pack_leaf &leaf = d.leaf;
    leaf_mask m{origin, {}};
    std::memcpy(m.on, leaf.mask, sizeof m.on);
    b.leaves.push_back(m);
    d.bytes.append(reinterpret_cast<const char *>(leaf.mask), sizeof leaf.mask);
    d.bytes.push_back(0);
    const size_t at = d.bytes.size(), number = s.g.half ? 2 : 4;
    char room[sizeof leaf.packed];
    if (s.flags & (vdb::io::COMPRESS_BLOSC | vdb::io::COMPRESS_ZIP))
        put_chunk(d.bytes, leaf.packed, leaf.bytes, number, s.flags, room);
    else d.bytes.append(reinterpret_cast<const char *>(leaf.packed), leaf.bytes);
    b.chunk.push_back(static_cast<int64_t>(d.bytes.size() - at));
}

uint32_t turns(const bwvdb_grid &g) { return g.y_up && g.comps == 3 && g.vector_type != BWVDB_VEC_INVARIANT; }

/* A grid's background as the file has it. */
void background_of(const bwvdb_grid &g, float out[3])
{
    const float gain = g.gain != 0 ? g.gain : 1.0f;
    for (uint32_t c = 0; c < 3; c++) out[c] = c < g.comps ? g.background[c] * gain : 0.0f;
    if (!turns(g)) return;
    std::swap(out[1], out[2]);
    out[2] = 0.0f - out[2];
}

batch batch_make(const source &s, size_t first, size_t end, desk &d, byte_slab &slab)
{
    batch b;
    const bwvdb_grid &g = s.g;
    const vdb_pack_fn pack = vdb_pack_for(s.o.simd);
    vdb_pack_rule rule{g.comps, g.half, turns(g), g.gain != 0 ? g.gain : 1.0f, g.step, g.threshold, {}};
    background_of(g, rule.background);
    d.bytes.clear();
    for (size_t i = first; i < end; i++) {
        s.gather(i, d.leaf);
        pack(&d.leaf, &rule, g.region != nullptr);
        if (!(d.leaf.peak <= b.peak)) b.peak = d.leaf.peak;
        if (b.peak != b.peak) break; // the grid is refused
        if (d.leaf.bytes) put_leaf(b, s, d, s.origin(i));
    }
    b.bytes = slab.put(d.bytes.data(), d.bytes.size());
    return b;
}

/* ---- topology ---- */

template <class T> void put(std::string &to, const T &v) { to.append(reinterpret_cast<const char *>(&v), sizeof v); }

/* Masks of an inner node of 2^log entries an edge, for the leaves first … end-1 that lie in it. Its own values are all
 * background, and only that is kept of them. */
void put_inner(std::string &to, const std::vector<leaf_mask> &leaves, size_t first, size_t end, int log, int below,
               bool sized)
{
    const int32_t most = (1 << log) - 1;
    const size_t bytes = size_t(1) << 3 * log >> 3, at = to.size();
    to.append(2 * bytes + 1, 0);
    for (size_t i = first; i < end; i++) {
        const Coord &c = leaves[i].origin;
        const size_t n =
            size_t((((c[0] >> below & most) << log | (c[1] >> below & most)) << log) | (c[2] >> below & most));
        to[at + n / 8] = static_cast<char>(to[at + n / 8] | 1 << n % 8);
    }
    if (sized) put(to, int64_t(0)); // no values, and their size
}

size_t same_node(const std::vector<leaf_mask> &leaves, size_t first, size_t end, int shift)
{
    size_t i = first;
    for (; i < end; i++)
        for (int a = 0; a < 3; a++)
            if (leaves[i].origin[a] >> shift != leaves[first].origin[a] >> shift) return i;
    return i;
}

std::string topology(const source &s, const std::vector<leaf_mask> &leaves)
{
    std::string to;
    const bool sized = !s.g.half && s.flags & (vdb::io::COMPRESS_BLOSC | vdb::io::COMPRESS_ZIP);
    uint32_t roots = 0;
    for (size_t i = 0; i < leaves.size(); i = same_node(leaves, i, leaves.size(), 12)) roots++;
    float background[3];
    background_of(s.g, background);
    put(to, int32_t(1)); // buffers
    for (uint32_t c = 0; c < s.g.comps; c++)
        put(to, s.g.half ? vdb::io::truncateRealToHalf(background[c]) : background[c]);
    put(to, uint32_t(0)), put(to, roots); // tiles, children
    for (size_t i = 0, upper; i < leaves.size(); i = upper) {
        upper = same_node(leaves, i, leaves.size(), 12);
        for (int a = 0; a < 3; a++) put(to, leaves[i].origin[a] & ~int32_t(4095));
        put_inner(to, leaves, i, upper, 5, 7, sized);
        for (size_t j = i, lower; j < upper; j = lower) {
            lower = same_node(leaves, j, upper, 7);
            put_inner(to, leaves, j, lower, 4, 3, sized);
            for (size_t k = j; k < lower; k++) put(to, leaves[k].on);
        }
    }
    return to;
}

/* ---- what OpenVDB tells of a grid before it ---- */

vdb::CoordBBox box_of_active(const std::vector<leaf_mask> &leaves)
{
    vdb::CoordBBox box;
    for (auto &leaf : leaves) {
        vdb::util::NodeMask<3> mask;
        for (vdb::Index i = 0; i < 8; i++) mask.getWord<uint64_t>(i) = leaf.on[i];
        if (box.isInside(vdb::CoordBBox::createCube(leaf.origin, 8))) continue;
        for (auto it = mask.beginOn(); it; ++it) {
            const vdb::Index n = it.pos();
            box.expand(leaf.origin.offsetBy(int(n >> 6), int(n >> 3 & 7), int(n & 7)));
        }
    }
    return box;
}

template <class Grid> std::string head_of(const source &s, const file_grid &f, const std::vector<int64_t> &chunk)
{
    using vdb::GridBase;
    auto grid = Grid::create();
    describe_grid(*grid, s.g);
    const auto box = box_of_active(f.leaves);
    int64_t active = 0,
            leaf = int64_t(sizeof(typename Grid::TreeType::LeafNodeType) + 512 * sizeof(typename Grid::ValueType));
    for (auto &l : f.leaves)
        for (uint64_t word : l.on) active += __builtin_popcountll(word);
    grid->insertMeta(GridBase::META_FILE_BBOX_MIN, vdb::Vec3IMetadata(box.min().asVec3i()));
    grid->insertMeta(GridBase::META_FILE_BBOX_MAX, vdb::Vec3IMetadata(box.max().asVec3i()));
    grid->insertMeta(GridBase::META_FILE_MEM_BYTES, vdb::Int64Metadata(leaf * int64_t(f.leaves.size())));
    grid->insertMeta(GridBase::META_FILE_VOXEL_COUNT, vdb::Int64Metadata(active));
    grid->insertMeta(GridBase::META_FILE_COMPRESSION, vdb::StringMetadata(vdb::io::compressionToString(s.flags)));
    if (!chunk.empty()) { // so that leaves can be found without reading those before them
        vdb::io::DelayedLoadMetadata places;
        places.resizeMask(chunk.size());
        const bool sized = s.flags & (vdb::io::COMPRESS_BLOSC | vdb::io::COMPRESS_ZIP);
        if (sized) places.resizeCompressedSize(chunk.size());
        for (size_t i = 0; sized && i < chunk.size(); i++) places.setCompressedSize(i, chunk[i]);
        grid->insertMeta(GridBase::META_FILE_DELAYED_LOAD, places);
    }
    std::ostringstream os;
    os.write(reinterpret_cast<const char *>(&s.flags), sizeof s.flags);
    grid->writeMeta(os);
    grid->writeTransform(os);
    return os.str();
}

} // namespace

std::vector<piece> pieces_of(const bwvdb_grid &g)
{
    std::vector<piece> all;
    for (int64_t b = 0; b < g.n_blocks; b++) {
        const bwvdb_block &k = g.blocks[b];
        Coord first(k.origin[0] & ~7, k.origin[1] & ~7, k.origin[2] & ~7), c;
        for (c[0] = first[0]; c[0] < k.origin[0] + k.n[0]; c[0] += 8)
            for (c[1] = first[1]; c[1] < k.origin[1] + k.n[1]; c[1] += 8)
                for (c[2] = first[2]; c[2] < k.origin[2] + k.n[2]; c[2] += 8) all.push_back({c, b});
    }
    std::sort(all.begin(), all.end(), [](const piece &a, const piece &b) {
        return a.leaf == b.leaf ? a.block < b.block : tree_order(a.leaf, b.leaf);
    });
    return all;
}

template <class S>
static void values_copy(const bwvdb_grid &g, const bwvdb_block &b, const Coord &leaf, float v[3][512])
{
    int64_t s[3] = {b.stride[0], b.stride[1], b.stride[2]};
    if (!s[0] && !s[1] && !s[2]) s[0] = 1, s[1] = b.n[0], s[2] = int64_t(b.n[0]) * b.n[1];
    int lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = std::max(0, b.origin[a] - leaf[a]);
        hi[a] = std::min(8, b.origin[a] + b.n[a] - leaf[a]);
    }
    const int64_t at = (leaf[0] - b.origin[0]) * s[0] + (leaf[1] - b.origin[1]) * s[1] + (leaf[2] - b.origin[2]) * s[2];
    for (uint32_t c = 0; c < g.comps; c++)
        for (int k = lo[2]; k < hi[2]; k++)
            for (int j = lo[1]; j < hi[1]; j++) {
                const S *row = static_cast<const S *>(b.data[c]) + (at + j * s[1] + k * s[2]);
                float *to = v[c] + 8 * j + 64 * k;
                if (s[0] == 1 && hi[0] - lo[0] == 8)
                    for (int i = 0; i < 8; i++) to[i] = static_cast<float>(row[i]);
                else
                    for (int i = lo[0]; i < hi[0]; i++) to[i] = static_cast<float>(row[i * s[0]]);
            }
}

void piece_copy(const bwvdb_grid &g, const bwvdb_block &b, const Coord &leaf, float v[3][512])
{
    if (g.f64) values_copy<double>(g, b, leaf, v);
    else values_copy<float>(g, b, leaf, v);
}

/* Leaves first … end-1, all of which are at hand. */
static std::vector<batch> batches_make(const source &s, size_t first, size_t end, desks &rooms, byte_slab &slab)
{
    std::vector<batch> made((end - first + batch_leaves - 1) / batch_leaves);
    run_tasks(s.o, int64_t(made.size()), [&](int64_t i) {
        const size_t from = first + size_t(i) * batch_leaves;
        auto d = rooms.take();
        made[size_t(i)] = batch_make(s, from, std::min(from + batch_leaves, end), *d, slab);
        rooms.give(std::move(d));
    });
    return made;
}

static void batch_add(file_grid &f, const batch &b, file_spool &spool)
{
    f.leaves.insert(f.leaves.end(), b.leaves.begin(), b.leaves.end());
    if (!spool.is_open()) {
        f.values.push_back(b.bytes);
        return;
    }
    spool.put(b.bytes);
    f.spooled += static_cast<int64_t>(b.bytes.size);
}

file_grid grid_packed(const bwvdb_options &o, const bwvdb_grid &g, file_spool &spool, float *peak)
{
    const source s(o, g);
    file_grid f;
    desks rooms;
    std::vector<int64_t> chunk;
    f.name = g.name;
    f.type = (g.comps == 1 ? vdb::FloatGrid::gridType() : vdb::Vec3SGrid::gridType()) + (g.half ? "_HalfFloat" : "");
    f.volume = true;
    *peak = 0;
    f.slab = std::make_unique<byte_slab>(s.o);
    f.spool_at = spool.size();
    for (size_t first = 0, end; first < s.leaves; first = end) {
        end = leaves_reach(g, first, s.leaves, [&](size_t i) { return s.origin(i); });
        for (auto &b : batches_make(s, first, end, rooms, *f.slab)) {
            if (!(b.peak <= *peak) && *peak == *peak) *peak = b.peak;
            chunk.insert(chunk.end(), b.chunk.begin(), b.chunk.end());
            batch_add(f, b, spool);
        }
        if (spool.is_open()) f.slab->clear();
    }
    f.body = g.comps == 1 ? head_of<vdb::FloatGrid>(s, f, chunk) : head_of<vdb::Vec3SGrid>(s, f, chunk);
    f.body += topology(s, f.leaves);
    f.values_at = static_cast<int64_t>(f.body.size());
    return f;
}
