// SPDX-License-Identifier: Apache-2.0
/* What a run remembers of its checkpoints. */
#ifndef KEEPER_H
#define KEEPER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct checkpoint_keeper {
    bool able;    ///< the run is one that can be resumed
    double began; ///< when the run did, s
    double due;   ///< when the next one is, s; HUGE_VAL: never
    _Atomic int32_t kept;
    _Atomic int64_t spent; ///< ns on all of them, both threads
};

#endif
