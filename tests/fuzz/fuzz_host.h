// SPDX-License-Identifier: Apache-2.0
/* A stage and a host that readers may ask for memory and tell what is wrong: nothing of a run is behind them. */
#ifndef FUZZ_HOST_H
#define FUZZ_HOST_H

#include <billow/plugin.h>

/// A stage without parameters. A host's failure must be a sentence in one line: else the process aborts.
struct bw_stage *fuzz_stage(void);

#endif
