// SPDX-License-Identifier: Apache-2.0
/* Fields of a preset whose flow has wider cells than what it carries (domain.flow): the first domain holds amounts, the
 * second velocities, and what stages there read of amounts as means. */
#ifndef LEVELS_H
#define LEVELS_H

#include "fields.h"
#include "run/stage/halves.h"
#include "run/stage/stage.h"

/// Before fields are made: a stage whose parameters name velocities alone works on the flow's cells.
void levels_place(const struct field_table *t, struct stage_list *stages);
/// Does this half of a stage that splits have the port at all?
bool level_has_port(const struct run_stage *s, const struct bw_port *p);
/// Is a field, of that kind, one that this half of a stage that splits lists?
bool level_lists(const struct run_stage *s, uint32_t kind);
/// A port that makes `f` in the amounts' domain. A velocity there is what a step reads: the flow's, between its faces.
enum bw_status level_make(struct field_table *t, const struct run_stage *s, const struct bw_port *p,
                          struct run_field *f);
/// After all stages have made their fields: in the flow's domain, the means of what its stages read of amounts.
enum bw_status levels_share(struct field_table *t, const struct stage_list *stages);
/// Before a stage runs: renew the means that it reads. Errors: BW_ERR_MEMORY.
enum bw_status levels_refresh(const struct run_stage *s, struct bw_workers *w);

#endif
