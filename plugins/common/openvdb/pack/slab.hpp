// SPDX-License-Identifier: Apache-2.0
/* Bytes that wait for their place in a file, in memory: pieces of a huge page each, for small pages that are new in
 * every frame cost a fault each, a quarter of what writing takes. */
#ifndef BWVDB_SLAB_HPP
#define BWVDB_SLAB_HPP

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
    byte_slab() = default;
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
    std::mutex lock;
    std::vector<piece> pieces;
};

#endif
