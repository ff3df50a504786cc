// SPDX-License-Identifier: Apache-2.0
/* The stage beside fire in this module. */
#ifndef FIRE_CONTROL_H
#define FIRE_CONTROL_H

#include <billow/plugin.h>

extern const struct bw_stage_desc fire_control_desc;

#endif
