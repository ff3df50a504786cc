// SPDX-License-Identifier: Apache-2.0
/* Set-up of one step: fields that live for a step are cleared, and each domain's time step is found. */
#ifndef STEP_FACTS_H
#define STEP_FACTS_H

#include "chain.h"

/// Reset the fields that live for one step to their backgrounds. Warns when a stage wrote one that no stage consumed.
/// Errors: BW_ERR_MEMORY, logged.
enum bw_status step_fields_clear(struct bw_chain *c);
/// Set bw_stage.span of every stage: the time step that a stage of its domain returns, else dt. Errors are logged.
enum bw_status step_lengths_find(struct bw_chain *c, double dt);

#endif
