// SPDX-License-Identifier: Apache-2.0
/* The stages of this plugin: one descriptor a file, listed by module.c. */
#ifndef SCENE_STAGES_H
#define SCENE_STAGES_H

#include <billow/plugin.h>

extern const struct bw_stage_desc scene_emit_desc, scene_collide_desc, scene_set_desc, scene_load_desc,
    scene_force_desc, scene_dust_desc, scene_debris_desc;
extern const struct bw_stage_desc scene_transfer_desc, scene_guide_desc;

/* ---- amounts.c ---- */

/// Checks amounts that become cells' values: no temperature (K above ambient) below 0 K. Errors, said: BW_ERR_PRESET.
enum bw_status amounts_check_targets(struct bw_stage *s, const struct bw_amount *amount, int64_t n);
/// Checks amounts that are removed: none below 0. Errors, said: BW_ERR_PRESET.
enum bw_status amounts_check_removal(struct bw_stage *s, const struct bw_amount *amount, int64_t n);
/// The stage that advects the field, above this one in the list or below it; NULL: none does.
struct bw_stage *advecting_stage(struct bw_stage *s, const struct bw_field *field, int below);
/// Has the field been advected in this step already?
int advected_this_step(struct bw_stage *s, const struct bw_field *field);

/* ---- mixed_age.c ---- */

/// The density before a stage adds to it.
struct smoke_before {
    struct bw_field *age, *smoke, *before; ///< age NULL: nobody asks
    double dt;
};
/// Keep it, where the stage has an age on port `port` and changes the density. Errors: BW_ERR_MEMORY, the sweep's.
enum bw_status smoke_keep(struct bw_stage *s, uint32_t port, struct smoke_before *m);
/// Mix the age with what has been added since. Errors: the sweep's.
enum bw_status smoke_mix_age(struct bw_stage *s, struct smoke_before *m);

#endif
