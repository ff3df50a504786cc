// SPDX-License-Identifier: Apache-2.0
/* The state of the checkpoint schedule. */
#ifndef SCHEDULE_STATE_H
#define SCHEDULE_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct checkpoint_schedule {
    bool able;    ///< the run can be resumed, and checkpoints are asked for
    double began; ///< start of the run, s
    double due;   ///< time of the next checkpoint, s; HUGE_VAL: never
    _Atomic int32_t completed;
    _Atomic int64_t nanoseconds; ///< of both threads, for all of them
};

#endif
