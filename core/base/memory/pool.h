// SPDX-License-Identifier: Apache-2.0
/* Blocks of one size from 2 MiB chunks, each block with a reference count: a field's tiles are blocks, a snapshot
 * is a second reference, and a sweep that rewrites a field takes fresh blocks and drops the old ones, so the
 * double buffer exists once for all fields. Thread-safe. */
#ifndef BW_POOL_H
#define BW_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bw_pool;

/// A pool of blocks of `bytes` (a power of two, 4 KiB … 256 KiB), which counts as the bake's that the thread works for
/// (account.h); NULL: out of memory.
struct bw_pool *bw_pool_create(size_t bytes);
/// All blocks must have come back.
void bw_pool_destroy(struct bw_pool *p);
/// A block, contents undefined, one reference; NULL: out of memory or over the limit.
void *bw_pool_get(struct bw_pool *p);
/// One reference more, or less; the last one gives the block back (NULL is allowed).
void bw_pool_ref(void *block);
void bw_pool_unref(void *block);
/// Does somebody else hold the block too?
bool bw_pool_shared(const void *block);
/// Give back to the system what was not needed since the last trim (mapping fresh pages costs more than a sweep).
void bw_pool_trim(struct bw_pool *p);
/// Bytes that it has from the system.
int64_t bw_pool_held(struct bw_pool *p);
/// Bytes of all pools of the process, as taken from the system: for tests that all come back.
int64_t bw_pool_bytes(void);

#endif
