// SPDX-License-Identifier: Apache-2.0
/* The stages of this plugin: one descriptor a file, listed by module.c. */
#ifndef SCENE_STAGES_H
#define SCENE_STAGES_H

#include <billow/plugin.h>

extern const struct bw_stage_desc scene_emit_desc, scene_collide_desc, scene_set_desc, scene_load_desc,
    scene_force_desc, scene_dust_desc, scene_debris_desc;
extern const struct bw_stage_desc scene_transfer_desc, scene_guide_desc;

/* amounts.c: what a source's may be */

/// Cells come to have these values: no temperature, K over the ambient one, below 0 K. Said: BW_ERR_PRESET.
enum bw_status amounts_given(struct bw_stage *s, const struct bw_amount *amount, int64_t n);
/// They say how much to take: none below 0. Said: BW_ERR_PRESET.
enum bw_status amounts_taken(struct bw_stage *s, const struct bw_amount *amount, int64_t n);
/// The stage that carries the field with the flow, above this one in the list or below it; NULL: none does.
struct bw_stage *carrier_of(struct bw_stage *s, const struct bw_field *field, int below);
/// Has a step carried the field already, as this stage comes to it?
int carried_yet(struct bw_stage *s, const struct bw_field *field);

#endif
