// SPDX-License-Identifier: Apache-2.0
/* Bytes that wait for their place in a file, in memory of the caller's: in few pieces, for small pages that are new in
 * every frame cost a fault each, a quarter of what writing takes. */
#ifndef BWVDB_SLAB_HPP
#define BWVDB_SLAB_HPP

#include "../bwvdb.h"

#include <cstddef>
#include <mutex>
#include <vector>

struct byte_span {
    const char *data;
    size_t size;
};

class byte_slab
{
  public:
    explicit byte_slab(const bwvdb_options &o) : options(o) {}
    byte_slab(const byte_slab &) = delete;
    byte_slab &operator=(const byte_slab &) = delete;
    ~byte_slab() { clear(); }
    /* A copy that stays where it is until `clear`; from any thread. Throws std::bad_alloc. */
    byte_span put(const char *data, size_t size);
    void clear();

  private:
    struct piece {
        char *data;
        size_t size, used;
    };
    char *piece_take(size_t size);
    const bwvdb_options options;
    std::mutex lock;
    std::vector<piece> pieces;
};

#endif
