// SPDX-License-Identifier: Apache-2.0
/* When a run keeps a checkpoint: every so many seconds or frames, when it is asked to, when it is told to stop, and at
 * its end, so that it can be made longer. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "checkpoint.h"
#include "schedule_state.h"

/// Before the first step.
void schedule_begin(struct bw_chain *c);
/// After a frame: take a checkpoint when one is due. `early`: the run ends now; `last`: no frame follows.
enum bw_status schedule_frame(struct bw_chain *c, bool early, bool last);
/// The run ends within a frame, after `substeps` of it: take a checkpoint. Errors are logged.
enum bw_status schedule_stop(struct bw_chain *c, int64_t substeps);
/// writer_checkpoint_fn: write a checkpoint to its file, on the writer's thread.
enum bw_status schedule_write(struct checkpoint *p, void *chain);
/// Log how many were made and what they cost.
void schedule_report(struct bw_chain *c, double elapsed);

/* completed.c */

/// A checkpoint is on disk, written in that time (s). Counted on the first rank, whichever rank wrote it.
void schedule_completed(struct bw_chain *c, const char *name, int64_t frame, double seconds);
/// Add to the time spent on checkpoints.
void schedule_add_seconds(struct checkpoint_schedule *k, double seconds);

#endif
