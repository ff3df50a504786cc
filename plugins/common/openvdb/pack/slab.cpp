// SPDX-License-Identifier: Apache-2.0
#include "slab.hpp"

#include <cstdint>
#include <cstring>
#include <new>

#include <sys/mman.h>

static constexpr size_t huge = size_t(2) << 20;

/* At a whole multiple of a huge page; what lies beside goes back. */
static char *pages_map(size_t size)
{
    void *raw = mmap(nullptr, size + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) throw std::bad_alloc();
    char *const first = static_cast<char *>(raw);
    char *const at = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(first) + huge - 1) & ~(huge - 1));
    if (at > first) munmap(first, size_t(at - first));
    if (first + huge > at) munmap(at + size, size_t(first + huge - at));
#ifdef MADV_HUGEPAGE
    madvise(at, size, MADV_HUGEPAGE);
#endif
    return at;
}

byte_span byte_slab::put(const char *data, size_t size)
{
    char *to;
    {
        std::lock_guard<std::mutex> hold(lock);
        if (pieces.empty() || pieces.back().size - pieces.back().used < size) {
            const size_t whole = (size + huge - 1) & ~(huge - 1);
            pieces.reserve(pieces.size() + 1); // what throws later would lose the pages
            pieces.push_back({pages_map(whole), whole, 0});
        }
        to = pieces.back().data + pieces.back().used;
        pieces.back().used += size;
    }
    std::memcpy(to, data, size);
    return {to, size};
}

void byte_slab::clear()
{
    for (auto &p : pieces) munmap(p.data, p.size);
    pieces.clear();
}
