// SPDX-License-Identifier: Apache-2.0
/* The file around the grids. Everything is in memory by then, so that its id, which comes first, can be made of it. */
#include "file.hpp"
#include "../contents/identity.h"

#include <fstream>
#include <sstream>

namespace
{

template <class T> void put(std::string &to, const T &v) { to.append(reinterpret_cast<const char *>(&v), sizeof v); }

void put_text(std::string &to, const std::string &text)
{
    put(to, static_cast<uint32_t>(text.size()));
    to += text;
}

/* Before and after the id. */
std::string head_begin()
{
    std::string head;
    put(head, static_cast<int64_t>(vdb::OPENVDB_MAGIC));
    put(head, static_cast<uint32_t>(vdb::OPENVDB_FILE_VERSION));
    put(head, static_cast<uint32_t>(vdb::OPENVDB_LIBRARY_MAJOR_VERSION));
    put(head, static_cast<uint32_t>(vdb::OPENVDB_LIBRARY_MINOR_VERSION));
    put(head, static_cast<char>(1)); // has an index
    return head;
}

std::string head_end(const bwvdb_writer &w)
{
    std::ostringstream os;
    w.meta.writeMeta(os);
    std::string head = os.str();
    put(head, static_cast<int32_t>(w.grids.size()));
    return head;
}

/* An entry of the list, before the grid itself; it starts at `at` of the file. */
std::string entry(const file_grid &g, int64_t at)
{
    std::string e;
    put_text(e, g.name);
    put_text(e, g.type);
    put_text(e, ""); // shares nobody's tree
    int64_t begin = at + static_cast<int64_t>(e.size() + 3 * sizeof(int64_t)), end = begin;
    for (auto &part : g.body) end += static_cast<int64_t>(part.size());
    put(e, begin);
    put(e, begin + g.values_at);
    put(e, end);
    return e;
}

/* OpenVDB's own way to write a grid. */
struct archive : vdb::io::Archive {
    void write_to(std::ostream &os, const vdb::GridCPtrVec &grids) const
    {
        vdb::io::Archive::write(os, grids, true, vdb::MetaMap());
    }
};

std::string take_text(const std::string &from, size_t &at)
{
    uint32_t n;
    std::memcpy(&n, &from[at], sizeof n);
    at += sizeof n + n;
    return from.substr(at - n, n);
}

} // namespace

uint32_t compression_flags(const bwvdb_options &o)
{
    uint32_t extra[] = {vdb::io::COMPRESS_BLOSC, vdb::io::COMPRESS_ZIP, vdb::io::COMPRESS_NONE};
    return vdb::io::COMPRESS_ACTIVE_MASK | extra[o.compression % 3];
}

file_grid grid_serialised(const bwvdb_options &o, const vdb::GridBase::Ptr &grid)
{
    file_grid g;
    archive a;
    std::ostringstream os;
    os.exceptions(std::ios::failbit | std::ios::badbit);
    a.setCompression(compression_flags(o));
    tbb::task_arena arena(1); // the writer's thread: the solver has the others
    arena.execute([&] {
        a.write_to(os, {grid});
        grid->clear();
    });
    const std::string bytes = os.str();
    size_t at = VDB_ID_AT + VDB_ID_LENGTH + sizeof(uint32_t) + sizeof(int32_t); // no metadata, one grid
    int64_t place[3]; // of the grid, of its values, of its end
    g.name = take_text(bytes, at);
    g.type = take_text(bytes, at);
    take_text(bytes, at);
    std::memcpy(place, &bytes[at], sizeof place);
    g.body.push_back(bytes.substr(static_cast<size_t>(place[0]), static_cast<size_t>(place[2] - place[0])));
    g.values_at = place[1] - place[0];
    return g;
}

void file_write(const bwvdb_writer &w, const char *path)
{
    std::vector<std::string> own{head_begin(), std::string(VDB_ID_LENGTH, '-'), head_end(w)};
    int64_t at = 0;
    for (auto &part : own) at += static_cast<int64_t>(part.size());
    for (auto &g : w.grids) {
        own.push_back(entry(g, at));
        at += static_cast<int64_t>(own.back().size());
        for (auto &part : g.body) at += static_cast<int64_t>(part.size());
    }
    std::vector<const std::string *> parts{&own[0], &own[1], &own[2]};
    for (size_t i = 0; i < w.grids.size(); i++) {
        parts.push_back(&own[3 + i]);
        for (auto &part : w.grids[i].body) parts.push_back(&part);
    }
    std::vector<vdb_identity_part> hashed;
    for (auto part : parts)
        if (part != &own[1]) hashed.push_back({part->data(), part->size()});
    if (!vdb_identity_make(hashed.data(), hashed.size(), &own[1][0])) throw std::bad_alloc();
    std::ofstream os;
    os.exceptions(std::ios::failbit | std::ios::badbit);
    os.open(path, std::ios::binary | std::ios::trunc);
    for (auto part : parts) os.write(part->data(), static_cast<std::streamsize>(part->size()));
    os.close();
}
