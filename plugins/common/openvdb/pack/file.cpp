// SPDX-License-Identifier: Apache-2.0
/* The file around the grids. Its id, which comes first, is made of all the rest and written at the end. */
#include "file.hpp"
#include "../contents/identity.h"

#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

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

int64_t body_size(const file_grid &g)
{
    int64_t size = g.spooled + static_cast<int64_t>(g.body.size());
    for (auto &part : g.values) size += static_cast<int64_t>(part.size);
    return size;
}

/* An entry of the list, before the grid itself; it starts at `at` of the file. */
std::string entry(const file_grid &g, int64_t at)
{
    std::string e;
    put_text(e, g.name);
    put_text(e, g.type);
    put_text(e, ""); // shares nobody's tree
    int64_t begin = at + static_cast<int64_t>(e.size() + 3 * sizeof(int64_t)), end = begin;
    end += body_size(g);
    put(e, begin);
    put(e, begin + g.values_at);
    put(e, end);
    return e;
}

/* A file on its way, and what its id is made of. */
struct sink {
    std::ofstream os;
    vdb_identity_maker *maker = nullptr;

    explicit sink(const char *path)
    {
        os.exceptions(std::ios::failbit | std::ios::badbit);
        os.open(path, std::ios::binary | std::ios::trunc);
        maker = vdb_identity_begin(); // last: what throws here has no destructor
        if (!maker) throw std::bad_alloc();
    }
    ~sink()
    {
        if (maker) vdb_identity_end(maker, nullptr);
    }
    sink(const sink &) = delete;
    sink &operator=(const sink &) = delete;

    void write(const char *data, size_t n)
    {
        vdb_identity_add(maker, data, n);
        os.write(data, static_cast<std::streamsize>(n));
    }
    void write(const std::string &part) { write(part.data(), part.size()); }
    void end()
    {
        char id[VDB_ID_LENGTH];
        vdb_identity_end(maker, id);
        maker = nullptr;
        os.seekp(VDB_ID_AT);
        os.write(id, sizeof id);
        os.close();
    }
};

void spool_write(sink &to, const file_spool &spool, const file_grid &g)
{
    char room[65536];
    for (int64_t done = 0; done < g.spooled; done += static_cast<int64_t>(sizeof room)) {
        const size_t n = static_cast<size_t>(std::min<int64_t>(g.spooled - done, sizeof room));
        spool.take(g.spool_at + done, room, n);
        to.write(room, n);
    }
}

[[noreturn]] void io_throw() { throw std::ios_base::failure("input/output error"); }

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

file_spool::~file_spool()
{
    if (fd >= 0) close(fd);
}

void file_spool::open(const char *folder)
{
    fd = ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) return;
    std::string path = std::string(folder) + "/.values-XXXXXX"; // not all file systems know files without a name
    fd = mkostemp(&path[0], O_CLOEXEC);
    if (fd < 0 || unlink(path.c_str())) io_throw();
}

void file_spool::put(const byte_span &bytes)
{
    for (size_t done = 0; done < bytes.size;) {
        const ssize_t n = ::write(fd, bytes.data + done, bytes.size - done);
        if (n < 0 && errno != EINTR) io_throw();
        if (n > 0) done += static_cast<size_t>(n);
    }
    end += static_cast<int64_t>(bytes.size);
}

void file_spool::take(int64_t at, char *to, size_t n) const
{
    for (size_t done = 0; done < n;) {
        const ssize_t got = pread(fd, to + done, n - done, static_cast<off_t>(at) + static_cast<off_t>(done));
        if (got == 0 || (got < 0 && errno != EINTR)) io_throw();
        if (got > 0) done += static_cast<size_t>(got);
    }
}

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
    a.write_to(os, {grid});
    grid->clear();
    const std::string bytes = os.str();
    size_t at = VDB_ID_AT + VDB_ID_LENGTH + sizeof(uint32_t) + sizeof(int32_t); // no metadata, one grid
    int64_t place[3]; // of the grid, of its values, of its end
    g.name = take_text(bytes, at);
    g.type = take_text(bytes, at);
    take_text(bytes, at);
    std::memcpy(place, &bytes[at], sizeof place);
    g.body = bytes.substr(static_cast<size_t>(place[0]), static_cast<size_t>(place[2] - place[0]));
    g.values_at = place[1] - place[0];
    return g;
}

void file_write(const bwvdb_writer &w, const char *path)
{
    const std::string begin = head_begin(), end = head_end(w);
    int64_t at = static_cast<int64_t>(begin.size() + VDB_ID_LENGTH + end.size());
    sink to(path);
    to.write(begin);
    to.os.write(std::string(VDB_ID_LENGTH, '-').data(), VDB_ID_LENGTH);
    to.write(end);
    for (auto &g : w.grids) {
        const std::string e = entry(g, at);
        at += static_cast<int64_t>(e.size()) + body_size(g);
        to.write(e);
        to.write(g.body);
        for (auto &part : g.values) to.write(part.data, part.size);
        spool_write(to, w.spool, g);
    }
    to.end();
}
