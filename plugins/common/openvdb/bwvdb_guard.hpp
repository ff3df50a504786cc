// SPDX-License-Identifier: Apache-2.0
/* What the wrapper's C++ files share: OpenVDB's headers, and the guard that every public call runs in. */
#ifndef BWVDB_GUARD_HPP
#define BWVDB_GUARD_HPP

#include "bwvdb.h"

/* Hidden copies of OpenVDB's statics beside the library's own end in a crash in initialize(): keep them shared. */
#pragma GCC visibility push(default)
#include <openvdb/openvdb.h>
#include <openvdb/io/File.h>
#include <openvdb/io/GridDescriptor.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/Morphology.h>
#include <openvdb/tools/SignedFloodFill.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#pragma GCC visibility pop

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace vdb = openvdb;
using vdb::Coord;

struct bwvdb_writer {
    bwvdb_options options;
    vdb::GridPtrVec grids;
    vdb::MetaMap meta;
};

/* bwvdb_read.cpp: a grid that has been loaded, or nullptr after a sentence. */
const vdb::GridBase *bwvdb_loaded_grid(const bwvdb_file *f, int32_t grid, bwvdb_error *error);

namespace
{

inline bwvdb_status report(bwvdb_error *e, bwvdb_status status, const std::string &text) noexcept
{
    if (e) {
        std::snprintf(e->text, sizeof e->text, "%s", text.c_str());
        for (char *c = e->text; *c; c++)
            if (*c == '\n') *c = ' ';
    }
    return status;
}

inline vdb::GridBase::Ptr grid_named(const bwvdb_writer &w, const std::string &name)
{
    for (auto &g : w.grids)
        if (g->getName() == name) return g;
    return nullptr;
}

/* Every public call runs in here: no exception leaves the wrapper. `what` opens the sentence. */
template <class F> bwvdb_status guarded(bwvdb_error *e, const char *what, F &&body) noexcept
{
    if (e) e->text[0] = 0;
    try {
        return body();
    } catch (const std::bad_alloc &) {
        if (e) std::snprintf(e->text, sizeof e->text, "%s: out of memory", what);
        return BWVDB_ERR_MEMORY;
    } catch (const std::ios_base::failure &) {
        if (e)
            std::snprintf(e->text, sizeof e->text, "%s: %s", what, errno ? std::strerror(errno) : "input/output error");
        return BWVDB_ERR_IO;
    } catch (const vdb::IoError &x) {
        if (e) std::snprintf(e->text, sizeof e->text, "%s: %s", what, x.what());
        return BWVDB_ERR_IO;
    } catch (const std::exception &x) {
        if (e) std::snprintf(e->text, sizeof e->text, "%s: %s", what, x.what());
        return BWVDB_ERR;
    } catch (...) {
        if (e) std::snprintf(e->text, sizeof e->text, "%s: unknown failure", what);
        return BWVDB_ERR;
    }
}

} // namespace
#endif
