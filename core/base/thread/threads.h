// SPDX-License-Identifier: Apache-2.0
/* The host's worker pool: one for a run, plain pthreads, so that ThreadSanitizer sees every edge. */
#ifndef BW_THREADS_H
#define BW_THREADS_H

#include <billow/host.h>

struct bw_workers;

/// n workers: the caller and n-1 threads. NULL: out of memory or threads.
struct bw_workers *bw_workers_create(uint32_t n);
void bw_workers_destroy(struct bw_workers *w);
uint32_t bw_workers_count(const struct bw_workers *w);
/// fn(i, worker, user) for all i in [0,n), any order, from the creating thread only.
void bw_workers_for(struct bw_workers *w, int64_t n, void (*fn)(int64_t i, uint32_t worker, void *user), void *user);
/// fn on every worker at once.
void bw_workers_team(struct bw_workers *w, void (*fn)(struct bw_team *team, void *user), void *user);
/// What every thread of a run does first: round to nearest, trap nowhere, flush denormals to zero, and read and write
/// numbers as C does, whatever the host's modes and locale are. Each worker does so by itself.
void bw_thread_begin(void);

#endif
