// SPDX-License-Identifier: Apache-2.0
/* The stages of this plugin: one descriptor a file, listed by module.c. */
#ifndef SCENE_STAGES_H
#define SCENE_STAGES_H

#include <billow/plugin.h>

extern const struct bw_stage_desc scene_emit_desc, scene_collide_desc, scene_set_desc, scene_load_desc,
    scene_force_desc, scene_dust_desc;
extern const struct bw_stage_desc scene_transfer_desc, scene_guide_desc;

#endif
