// SPDX-License-Identifier: Apache-2.0
/* What holds for one step: fields that live no longer, and by how much each domain's flow goes on. */
#ifndef STEP_FACTS_H
#define STEP_FACTS_H

#include "chain.h"

/// Fields that live for one step hold their backgrounds again. What was written to one and never taken is told.
/// Errors: BW_ERR_MEMORY, said.
enum bw_status step_fields_clear(struct bw_chain *c);
/// bw_stage.span of every stage: as one of its domain says, or dt. Errors: said.
enum bw_status step_spans_find(struct bw_chain *c, double dt);

#endif
