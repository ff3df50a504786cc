// SPDX-License-Identifier: Apache-2.0
/* A stage and a host that readers may ask for memory and tell what is wrong: nothing of a run is behind them. */
#ifndef FUZZ_HOST_H
#define FUZZ_HOST_H

#include <billow/plugin.h>
#include <stdbool.h>

/// A stage without parameters. A host's failure must be a sentence in one line: else the process aborts.
struct bw_stage *fuzz_stage(void);

/// Let the k-th allocation from now on find no memory; k < 0: none. Answers whether the one asked for before was met.
bool fuzz_memory_ends(int64_t k);
/// Allocations that were not given back.
int64_t fuzz_memory_kept(void);

#endif
