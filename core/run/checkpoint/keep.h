// SPDX-License-Identifier: Apache-2.0
/* When a run keeps a checkpoint: every so many seconds or frames, when it is asked to, when it is told to stop, and at
 * its end, so that it can be made longer. */
#ifndef KEEP_H
#define KEEP_H

#include "checkpoint.h"
#include "keeper.h"

/// Before the first step.
void keeper_begin(struct bw_chain *c);
/// A frame is whole: take one when it is time. `early`: the run is told to end now; `last`: it has no more.
enum bw_status keeper_frame(struct bw_chain *c, bool early, bool last);
/// The run ends now, `substeps` made of the frame. Errors are said.
enum bw_status keeper_stop(struct bw_chain *c, int64_t substeps);
/// The writer's part: write and name it. See writer_checkpoint_fn.
enum bw_status keeper_write(struct checkpoint *p, void *chain);
/// What they cost, for the log.
void keeper_end(struct bw_chain *c, double elapsed);

/* kept.c */

/// One is whole, and took that time (s) to write; on the first rank, whoever wrote it.
void keeper_kept(struct bw_chain *c, const char *name, int64_t frame, double seconds);
void keeper_spent(struct checkpoint_keeper *k, double seconds);

#endif
