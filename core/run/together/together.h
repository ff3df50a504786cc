// SPDX-License-Identifier: Apache-2.0
/* A run over several ranks (grid/ranks/ranks.h): what all must do alike, and when a rank has to have more than its own.
 * In one process none of it does anything. */
#ifndef TOGETHER_H
#define TOGETHER_H

#include "run/chain.h"

/// Domains are dealt out. BW_ERR_MEMORY.
enum bw_status together_begin(struct bw_chain *c);
/// What the first rank says counts for all.
bool together_says(const struct bw_chain *c, bool own);
/// What this rank has sent in the frame, for timings.csv.
void together_count(struct bw_chain *c);
/// A stage is about to be called: one that does not say BW_STAGE_RANKS finds all tiles of all fields, and its sweeps
/// run whole on every rank, so that what it keeps to itself is the same on all.
enum bw_status together_call(struct bw_chain *c, const struct run_stage *s);
/// It is done: what it looked at of others' tiles goes, for memory's sake.
void together_done(struct bw_chain *c);
/// Snapshots are about to be taken: fields are lent to them, or, where each stage runs whole, the first rank has all.
enum bw_status together_show(struct bw_chain *c);
void together_end(struct bw_chain *c);
/// Does a stage run on its own tiles alone?
bool together_shares(const struct bw_chain *c, const struct run_stage *s);
/// Do some?
bool together_share_all(const struct bw_chain *c);

#endif
