// SPDX-License-Identifier: Apache-2.0
/* Grids as their files describe them.
 *
 * Names need not differ in a file, nor be there: the second `density` is called density[1] here, as OpenVDB counts
 * them, and one without a name `unnamed`. A flow that is stored as three grids of numbers, vel.x, vel.y, vel.z, is one
 * vector more behind the file's own grids, which its name alone finds. */
#include "entry.hpp"

extern "C" {
#include <common/openvdb/vdb_check.h>
}

#include <algorithm>
#include <cmath>
#include <map>

#include <strings.h>

namespace
{

void meta_add(meta_list &list, const std::string &key, const vdb::Metadata &m)
{
    bwvdb_meta row{list.text.emplace_back(key).c_str(), BWVDB_STRING, list.text.emplace_back(m.str()).c_str(), 0, 0};
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
    list.rows.push_back(row);
}

/* Of the trees that vdb_check_trees() looks at; no other may be loaded. */
uint32_t comps_of(const vdb::GridBase &g)
{
    size_t half;
    if (!vdb_tree_value(g.baseTree().type().c_str(), &half)) return 0;
    return g.valueType().compare(0, 3, "vec") ? 1 : 3;
}

uint32_t class_from(vdb::GridClass c)
{
    if (c == vdb::GRID_LEVEL_SET) return BWVDB_CLASS_LEVEL_SET;
    if (c == vdb::GRID_FOG_VOLUME) return BWVDB_CLASS_FOG_VOLUME;
    return c == vdb::GRID_STAGGERED ? BWVDB_CLASS_STAGGERED : BWVDB_CLASS_UNKNOWN;
}

vdb::Vec3d corner_of(const bwvdb_info &i, int c)
{
    vdb::Vec3d p;
    for (int a = 0; a < 3; a++) p[a] = c >> a & 1 ? i.hi[a] + 0.5 : i.lo[a] - 0.5;
    return p;
}

/* Voxels of a map that is not linear differ: those in the middle stand for all, whatever is active. */
void voxel_middle(bwvdb_info &i, const vdb::math::Transform &t)
{
    vdb::Vec3d middle = .5 * (corner_of(i, 0) + corner_of(i, 7));
    if (auto map = t.map<vdb::math::NonlinearFrustumMap>()) middle = map->getBBox().getCenter();
    for (int a = 0; a < 3; a++) {
        vdb::Vec3d p = middle, q = middle;
        p[a] -= .5, q[a] += .5;
        i.voxel[a] = (t.indexToWorld(q) - t.indexToWorld(p)).length();
    }
}

void transform_describe(bwvdb_info &i, const vdb::math::Transform &t)
{
    vdb::Vec3d zero = t.indexToWorld(vdb::Vec3d(0)), voxel = t.voxelSize();
    i.linear = t.isLinear();
    for (int a = 0; a < 3; a++) {
        vdb::Vec3d unit(0);
        unit[a] = 1;
        vdb::Vec3d d = t.indexToWorld(unit) - zero;
        for (int r = 0; r < 3; r++) i.matrix[4 * r + a] = d[r];
        i.matrix[4 * a + 3] = zero[a];
        i.voxel[a] = voxel[a];
    }
}

void strings_attach(grid_entry &e)
{
    e.info.name = e.name.c_str();
    e.info.type = e.type.c_str();
    e.info.meta = e.meta.rows.data();
    e.info.n_meta = static_cast<uint32_t>(e.meta.rows.size());
}

/* ---- several of one name ---- */

void twins_name(bwvdb_file &f)
{
    std::map<std::string, uint32_t> count, next;
    for (auto &e : f.grids) {
        if (e.name.empty()) e.name = "unnamed";
        count[e.name]++;
    }
    for (auto &e : f.grids) {
        const std::string own = e.name, before = own + "[";
        e.info.twins = count[own];
        e.info.twin = next[own]++;
        if (!e.unique.compare(0, before.size(), before)) // files are sorted by text, 10 before 2
            e.info.twin = static_cast<uint32_t>(std::strtoul(e.unique.c_str() + before.size(), nullptr, 10));
        if (e.info.twin) e.name += "[" + std::to_string(e.info.twin) + "]";
    }
}

/* ---- vectors of three ---- */

/* "vel.x" to "vel", component 0; of endings without a dot only where the rest is what flows are called. */
int part_split(const std::string &name, std::string &stem)
{
    static const char *const flows[] = {BWVDB_FLOW_NAMES};
    const char last = name.empty() ? '\0' : name.back();
    const int c = last == 'x' || last == 'X' ? 0 : last == 'y' || last == 'Y' ? 1 : last == 'z' || last == 'Z' ? 2 : -1;
    if (c < 0 || name.size() < 2) return -1;
    const char mark = name[name.size() - 2];
    const bool marked = mark == '.' || mark == '_' || mark == ':';
    stem = name.substr(0, name.size() - (marked ? 2 : 1));
    if (stem.empty()) return -1;
    bool flow = mark == '.';
    for (auto word : flows) flow = flow || !strcasecmp(stem.c_str(), word);
    return flow ? c : -1;
}

} // namespace

/* Of the three, what is known now, and again once they are loaded. Index to world at cell centres: of three grids that
 * sit on faces, each tells the other two axes' places. */
void entry_join(bwvdb_file &f, grid_entry &e)
{
    e.info.active = 0;
    for (int a = 0; a < 3; a++) e.info.lo[a] = 0, e.info.hi[a] = -1;
    const bwvdb_info *of[3];
    vdb::Vec3d lo(1e300), hi(-1e300);
    for (int c = 0; c < 3; c++) {
        of[c] = &f.grids[e.part[c]].info;
        for (int a = 0; a < 3; a++) {
            const bool begun = e.info.lo[a] <= e.info.hi[a], there = of[c]->active != 0;
            if (there) e.info.lo[a] = begun ? std::min(e.info.lo[a], of[c]->lo[a]) : of[c]->lo[a];
            if (there) e.info.hi[a] = begun ? std::max(e.info.hi[a], of[c]->hi[a]) : of[c]->hi[a];
            if (there) lo[a] = std::min(lo[a], of[c]->world_lo[a]), hi[a] = std::max(hi[a], of[c]->world_hi[a]);
        }
        e.info.active = std::max(e.info.active, of[c]->active);
        e.info.linear = (c == 0 || e.info.linear) && of[c]->linear;
    }
    std::copy(of[0]->matrix, of[0]->matrix + 12, e.info.matrix);
    for (int a = 0; a < 3; a++) {
        e.info.matrix[4 * a + 3] = of[(a + 1) % 3]->matrix[4 * a + 3];
        e.info.voxel[a] = of[0]->voxel[a];
        e.info.world_lo[a] = e.info.active ? lo[a] : 0, e.info.world_hi[a] = e.info.active ? hi[a] : 0;
        e.info.background[a] = of[a]->background[0];
    }
}

namespace
{

void joined_add(bwvdb_file &f, const std::string &name, const int32_t part[3])
{
    for (int c = 0; c < 3; c++)
        if (part[c] < 0 || f.grids[part[c]].info.comps != 1) return;
    for (auto &g : f.grids)
        if (g.name == name) return; // the vector itself is there
    grid_entry &e = f.grids.emplace_back();
    e.name = name;
    e.type = f.grids[part[0]].type;
    std::copy(part, part + 3, e.part);
    e.info.comps = 3;
    e.info.twins = 1;
    e.info.half = f.grids[part[0]].info.half;
    e.info.vector_type = BWVDB_VEC_CONTRAVARIANT_RELATIVE;
    for (int c = 0; c < 3; c++) f.grids[part[c]].info.part = 1;
    entry_join(f, e);
    strings_attach(e);
}

void joined_find(bwvdb_file &f)
{
    std::map<std::string, std::vector<int32_t>> found;
    std::string stem;
    for (int32_t i = 0; i < f.own; i++) {
        const int c = part_split(f.grids[i].name, stem);
        if (c < 0) continue;
        auto &part = found.try_emplace(stem, 3, -1).first->second;
        part[c] = i;
    }
    for (auto &[name, part] : found) joined_add(f, name, part.data());
}

} // namespace

void meta_list::add_all(const vdb::MetaMap &map)
{
    for (auto it = map.beginMeta(); it != map.endMeta(); ++it) {
        const std::string &k = it->first; // OpenVDB's own bookkeeping is told by bwvdb_info already
        bool own = k == "name" || k == "class" || k == "vector_type" || k == "is_saved_as_half_float" ||
                   k.compare(0, 5, "file_") == 0;
        if (!own && it->second) meta_add(*this, k, *it->second);
    }
}

void entry_box(bwvdb_info &i, const vdb::CoordBBox &box, const vdb::math::Transform &t)
{
    for (int a = 0; a < 3; a++) {
        i.lo[a] = box.empty() ? 0 : box.min()[a];
        i.hi[a] = box.empty() ? -1 : box.max()[a];
    }
    if (box.empty()) return;
    vdb::Vec3d lo(1e300), hi(-1e300);
    for (int c = 0; c < 8; c++) {
        vdb::Vec3d w = t.indexToWorld(corner_of(i, c));
        lo = vdb::math::minComponent(lo, w);
        hi = vdb::math::maxComponent(hi, w);
    }
    for (int a = 0; a < 3; a++) i.world_lo[a] = lo[a], i.world_hi[a] = hi[a];
    if (!i.linear) voxel_middle(i, t);
}

void entry_describe(grid_entry &e)
{
    const vdb::GridBase &g = *e.grid;
    bwvdb_info &i = e.info;
    e.name = g.getName();
    e.type = g.valueType();
    i.comps = comps_of(g);
    i.grid_class = class_from(g.getGridClass());
    i.vector_type = static_cast<uint32_t>(g.getVectorType());
    i.half = g.saveFloatAsHalf();
    transform_describe(i, g.transform());
    e.meta.add_all(g);
    auto count = g.getMetadata<vdb::Int64Metadata>(vdb::GridBase::META_FILE_VOXEL_COUNT);
    auto lo = g.getMetadata<vdb::Vec3IMetadata>(vdb::GridBase::META_FILE_BBOX_MIN);
    auto hi = g.getMetadata<vdb::Vec3IMetadata>(vdb::GridBase::META_FILE_BBOX_MAX);
    i.active = count ? count->value() : -1;
    if (i.active == 0) entry_box(i, vdb::CoordBBox(), g.transform());
    else if (lo && hi) entry_box(i, vdb::CoordBBox(Coord(lo->value()), Coord(hi->value())), g.transform());
    else i.active = -1;
}

void entries_name(bwvdb_file &f)
{
    f.own = static_cast<int32_t>(f.grids.size());
    twins_name(f);
    joined_find(f);
    for (int32_t i = 0; i < f.own; i++) {
        strings_attach(f.grids[i]);
        f.names += (i ? ", " : "") + f.grids[i].name;
    }
    if (!f.own) f.names = "none at all";
}
