// SPDX-License-Identifier: Apache-2.0
/* Blocks of one size from 2 MiB chunks, each block with a reference count: a field's tiles are blocks, a snapshot
 * is a second reference, and a sweep that rewrites a field takes fresh blocks and drops the old ones, so the
 * double buffer exists once for all fields. Thread-safe. */
#ifndef BW_POOL_H
#define BW_POOL_H

#include <stddef.h>
#include <stdint.h>

struct bw_pool;

/// A pool of blocks of `bytes` (a power of two, 4 KiB … 256 KiB); NULL: out of memory.
struct bw_pool *bw_pool_create(size_t bytes);
/// All blocks must have come back.
void bw_pool_destroy(struct bw_pool *p);
/// A block, contents undefined, one reference; NULL: out of memory or over the limit.
void *bw_pool_get(struct bw_pool *p);
/// One reference more, or less; the last one gives the block back (NULL is allowed).
void bw_pool_ref(void *block);
void bw_pool_unref(void *block);
/// 1 when somebody else holds the block too.
int bw_pool_shared(const void *block);
/// Give back to the system what was not needed since the last trim (mapping fresh pages costs more than a sweep).
void bw_pool_trim(struct bw_pool *p);
/// Bytes of all pools together, as taken from the system, and the limit above which bw_pool_get answers NULL (0: none).
int64_t bw_pool_bytes(void);
void bw_pool_limit(int64_t bytes);

#endif
