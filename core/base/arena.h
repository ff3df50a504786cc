// SPDX-License-Identifier: Apache-2.0
/* Memory that is taken piece by piece and forgotten at once: a worker's scratch. */
#ifndef BW_ARENA_H
#define BW_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct bw_arena;

struct bw_arena *bw_arena_create(void);
void bw_arena_destroy(struct bw_arena *a);
/// Forget all that was taken.
void bw_arena_reset(struct bw_arena *a);
void *bw_arena_take(struct bw_arena *a, size_t bytes);
/// Was anything refused since the last reset? A body cannot report it.
bool bw_arena_failed(const struct bw_arena *a);

#endif
