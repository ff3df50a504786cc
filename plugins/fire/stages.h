// SPDX-License-Identifier: Apache-2.0
/* The stages beside fire in this module. */
#ifndef FIRE_STAGES_H
#define FIRE_STAGES_H

#include <billow/plugin.h>

extern const struct bw_stage_desc fire_control_desc, fire_vortons_desc;

#endif
