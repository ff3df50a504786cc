// SPDX-License-Identifier: Apache-2.0
/* An arena: memory allocated piece by piece and freed all at once, for a worker's scratch. */
#ifndef BW_ARENA_H
#define BW_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct bw_arena;

struct bw_arena *bw_arena_create(void);
void bw_arena_destroy(struct bw_arena *a);
/// Free all allocations.
void bw_arena_reset(struct bw_arena *a);
/// NULL: out of memory.
void *bw_arena_alloc(struct bw_arena *a, size_t bytes);
/// Has an allocation failed since the last reset? A body cannot report it itself.
bool bw_arena_failed(const struct bw_arena *a);

#endif
