// SPDX-License-Identifier: Apache-2.0
/* The stages of this plugin: one descriptor a file, listed by module.c. */
#ifndef FIRE_STAGES_H
#define FIRE_STAGES_H

#include <billow/plugin.h>

extern const struct bw_stage_desc fire_desc, fire_control_desc, fire_vortons_desc, fire_embers_desc;

#endif
