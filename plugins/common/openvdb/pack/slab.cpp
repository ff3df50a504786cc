// SPDX-License-Identifier: Apache-2.0
#include "slab.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

static constexpr size_t least = size_t(64) << 10, most = size_t(16) << 20;

char *byte_slab::piece_take(size_t size)
{
    void *raw = options.alloc ? options.alloc(options.parallel_user, size) : std::malloc(size);
    if (!raw) throw std::bad_alloc();
    return static_cast<char *>(raw);
}

byte_span byte_slab::put(const char *data, size_t size)
{
    char *to;
    {
        std::lock_guard<std::mutex> hold(lock);
        if (pieces.empty() || pieces.back().size - pieces.back().used < size) {
            const size_t twice = pieces.empty() ? least : std::min(2 * pieces.back().size, most);
            const size_t whole = std::max(twice, size);
            pieces.reserve(pieces.size() + 1); // what throws later would lose the piece
            pieces.push_back({piece_take(whole), whole, 0});
        }
        to = pieces.back().data + pieces.back().used;
        pieces.back().used += size;
    }
    std::memcpy(to, data, size);
    return {to, size};
}

void byte_slab::clear()
{
    for (auto &p : pieces) {
        if (options.alloc) options.release(options.parallel_user, p.data);
        else std::free(p.data);
    }
    pieces.clear();
}
