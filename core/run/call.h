// SPDX-License-Identifier: Apache-2.0
/* Calling a stage: what it sees of the clock, and what becomes of its answer. */
#ifndef CALL_H
#define CALL_H

#include "chain.h"

/// Does the stage work now: in the step that begins at the clock's time, or as the frame stands there?
bool call_due(const struct bw_chain *c, const struct run_stage *s);
/// How far steps may go towards the time `end`, s: a stage that begins or ends within a frame does so between two.
double call_until(const struct bw_chain *c, double end);
/// What a stage sees of the clock; dt = 0: no step is being made.
void call_clock(const struct bw_chain *c, struct run_stage *s, double dt);
/// Run a callback; its status, with a sentence in every case.
enum bw_status call_stage(struct bw_chain *c, struct run_stage *s, enum bw_status (*callback)(struct bw_stage *),
                          const char *what);
/// Status of a callback that has answered `status`, with a sentence in every case.
enum bw_status call_status(struct bw_chain *c, const struct run_stage *s, enum bw_status status, const char *what);
/// Save or restore what the stage keeps; said.
enum bw_status call_checkpoint(struct bw_chain *c, struct run_stage *s, struct bw_archive *a);
/// Memory for `what` ran out, or the preset's limit of it is reached. Said.
enum bw_status call_no_memory(struct bw_chain *c, const char *what);

#endif
