// SPDX-License-Identifier: Apache-2.0
/* The stage of this plugin, listed by module.c. */
#ifndef BAROCLINIC_STAGES_H
#define BAROCLINIC_STAGES_H

#include <billow/plugin.h>

extern const struct bw_stage_desc baroclinic_desc;

#endif
