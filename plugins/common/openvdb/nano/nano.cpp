// SPDX-License-Identifier: Apache-2.0
/* From an open VDB file to NanoVDB's buffers, on the caller's thread, and these one after the other in a file. */
#include "nano.h"
#include "../read/entry.hpp"

#define NANOVDB_USE_TBB // else it starts threads of its own
#define NANOVDB_USE_ZIP
#define NANOVDB_USE_BLOSC
#pragma GCC visibility push(default)
#include <nanovdb/util/IO.h>
#include <nanovdb/util/OpenToNanoVDB.h>
#pragma GCC visibility pop

#include <cmath>
#include <limits>

namespace
{

/* Zeros to begin with: NanoVDB leaves what is between its nodes as it was, and files would differ from run to run. */
class zeroed
{
    std::unique_ptr<uint8_t, void (*)(void *)> memory{nullptr, std::free};
    uint64_t bytes = 0;

  public:
    explicit zeroed(uint64_t n = 0) : bytes(n)
    {
        if (!n) return;
        const uint64_t whole = (n + NANOVDB_DATA_ALIGNMENT - 1) / NANOVDB_DATA_ALIGNMENT * NANOVDB_DATA_ALIGNMENT;
        memory.reset(static_cast<uint8_t *>(std::aligned_alloc(NANOVDB_DATA_ALIGNMENT, whole)));
        if (!memory) throw std::bad_alloc();
        std::memset(memory.get(), 0, whole);
    }
    static zeroed create(uint64_t n, const zeroed *) { return zeroed(n); }
    uint8_t *data() { return memory.get(); }
    const uint8_t *data() const { return memory.get(); }
    uint64_t size() const { return bytes; }
    bool empty() const { return !bytes; }
    void clear() { memory.reset(), bytes = 0; }
};

using handle = nanovdb::GridHandle<zeroed>;

template <class T> float size_of(const T &v)
{
    if constexpr (vdb::VecTraits<T>::IsVec) {
        float most = 0;
        for (int c = 0; c < 3; c++)
            if (!(std::fabs(v[c]) <= most)) most = std::fabs(v[c]);
        return most;
    } else {
        return std::fabs(v);
    }
}

/* Of all values, of inactive ones as well, since steps reach from a leaf's least to its largest; NaN if one is. */
template <class Grid> float peak_of(const Grid &g)
{
    float most = size_of(g.background());
    for (auto v = g.cbeginValueAll(); v; ++v) {
        const float size = size_of(*v);
        if (!(size <= most)) most = size;
        if (std::isnan(most)) break;
    }
    return most;
}

template <class Nano, class Grid> handle converted(const Grid &g)
{
    nanovdb::OpenToNanoVDB<typename Grid::TreeType::BuildType, Nano, nanovdb::AbsDiff, zeroed> converter;
    return converter(g, nanovdb::StatsMode::All, nanovdb::ChecksumMode::Partial, 0); // full ones need a leaf
}

handle numbers(const vdb::FloatGrid &g, uint32_t precision)
{
    if (precision == BWVDB_FP16) return converted<nanovdb::Fp16>(g);
    return precision == BWVDB_FP8 ? converted<nanovdb::Fp8>(g) : converted<float>(g);
}

bwvdb_status grid_add(bwvdb_file &f, int32_t i, const bwvdb_nano &nano, std::vector<handle> &to, bwvdb_error *error)
{
    const grid_entry &e = f.grids[i];
    const std::string name = "grid \"" + e.name + "\"";
    if (!e.info.linear) return report(error, BWVDB_ERR, name + " is a frustum, which NanoVDB has no place for");
    const bwvdb_status bad = bwvdb_load(&f, i, error);
    if (bad) return bad;
    const vdb::GridBase::Ptr floats = grid_as_floats(e.grid); // as for everyone who reads them here
    auto vector = std::dynamic_pointer_cast<vdb::Vec3SGrid>(floats);
    auto number = std::dynamic_pointer_cast<vdb::FloatGrid>(floats);
    const float peak = vector ? peak_of(*vector) : peak_of(*number);
    if (!std::isfinite(peak)) return report(error, BWVDB_ERR, name + " holds values that are no finite numbers");
    if (number && nano.precision != BWVDB_FP32 && peak > std::numeric_limits<float>::max() / 2)
        return report(error, BWVDB_ERR, name + " holds values too large for steps between them: fp32 keeps them");
    to.push_back(vector ? converted<nanovdb::Vec3f>(*vector) : numbers(*number, nano.precision));
    return BWVDB_OK;
}

void file_write(const char *path, const std::vector<handle> &grids, uint32_t compression)
{
    static const nanovdb::io::Codec codecs[] = {nanovdb::io::Codec::BLOSC, nanovdb::io::Codec::ZIP,
                                                nanovdb::io::Codec::NONE};
    std::ofstream os;
    os.exceptions(std::ios::failbit | std::ios::badbit);
    os.open(path, std::ios::binary | std::ios::trunc);
    nanovdb::io::writeGrids<zeroed, std::vector>(os, grids, codecs[compression]);
    os.close();
}

} // namespace

extern "C" bwvdb_status bwvdb_nano_write(const char *from, const char *to, const bwvdb_nano *nano, bwvdb_error *error)
{
    bwvdb_file *f = nullptr;
    errno = 0;
    std::string what;
    bwvdb_status status = bwvdb_open(from, &f, error);
    if (!status)
        status = guarded(error, "cannot write a NanoVDB file", [&] {
            what = std::string("cannot write ") + to;
            return guarded(error, what.c_str(), [&] {
                std::vector<handle> grids;
                for (int32_t i = 0; i < bwvdb_count(f); i++) {
                    if (!f->grids[i].info.comps) continue;
                    const bwvdb_status bad = grid_add(*f, i, *nano, grids, error);
                    if (bad) return bad;
                }
                if (grids.empty()) return report(error, BWVDB_ERR, "there is no grid that NanoVDB could hold");
                file_write(to, grids, nano->compression);
                return BWVDB_OK;
            });
        });
    bwvdb_close(f);
    if (status) std::remove(to);
    return status;
}
