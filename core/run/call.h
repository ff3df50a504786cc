// SPDX-License-Identifier: Apache-2.0
/* Calls a stage's callbacks: sets its clock, and checks the status that it returns. */
#ifndef CALL_H
#define CALL_H

#include "chain.h"

/// Does the stage work now: in the step that begins at the clock's time, or as the frame stands there?
bool call_due(const struct bw_chain *c, const struct run_stage *s);
/// Where the next steps have to end at the latest, s: `end`, or an earlier time at which a stage begins or ends.
double call_step_end(const struct bw_chain *c, double end);
/// Set the stage's time, frame and dt; dt = 0: outside of a step.
void call_clock(const struct bw_chain *c, struct run_stage *s, double dt);
/// Run a callback. Returns its status; a failure is always logged.
enum bw_status call_stage(struct bw_chain *c, struct run_stage *s, enum bw_status (*callback)(struct bw_stage *),
                          const char *what);
/// The status of a callback that returned `status` or reported a failure; a failure is always logged.
enum bw_status call_status(struct bw_chain *c, const struct run_stage *s, enum bw_status status, const char *what);
/// Save or restore the stage's state. Errors are logged.
enum bw_status call_checkpoint(struct bw_chain *c, struct run_stage *s, struct bw_archive *a);
/// Log that memory for `what` ran out, or that the preset's limit is reached. Returns BW_ERR_MEMORY or BW_ERR_LIMIT.
enum bw_status call_no_memory(struct bw_chain *c, const char *what);

#endif
