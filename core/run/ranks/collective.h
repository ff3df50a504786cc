// SPDX-License-Identifier: Apache-2.0
/* A run over several ranks (grid/ranks/ranks.h): calls that all ranks make in the same order, around stages and
 * snapshots. In one process they do nothing. */
#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include "run/chain.h"

/// Partition the domains among the ranks. BW_ERR_MEMORY.
enum bw_status collective_begin(struct bw_chain *c);
/// The first rank's decision, broadcast to all.
bool collective_first_decides(const struct bw_chain *c, bool own);
/// Add what this rank has sent in the frame to timings.csv.
void collective_metrics(struct bw_chain *c);
/// Before a stage is called. A stage without BW_STAGE_RANKS is replicated: every rank fetches all tiles of all fields
/// and runs all blocks of its sweeps, so that the stage's state is the same on all ranks.
enum bw_status collective_stage_begin(struct bw_chain *c, const struct run_stage *s);
/// After a stage: drop the copies of other ranks' tiles, to save memory.
void collective_stage_end(struct bw_chain *c);
/// Before a snapshot. Where stages are replicated the first rank fetches all fields; else snapshots fetch what they
/// read.
enum bw_status collective_snapshot_begin(struct bw_chain *c);
/// Answer no more requests: waiting writers get BW_ERR_CANCELLED.
void collective_end(struct bw_chain *c);
/// Does each rank run that stage on its own tiles alone? Else it is replicated.
bool collective_is_distributed(const struct bw_chain *c, const struct run_stage *s);
/// May stages be distributed at all? Not if a replicated stage offers a service, for others may call it.
bool collective_all_distributed(const struct bw_chain *c);

#endif
