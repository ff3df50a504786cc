// SPDX-License-Identifier: Apache-2.0
/* The stages of this plugin. */
#ifndef UPRES_H
#define UPRES_H

#include <billow/plugin.h>

extern const struct bw_stage_desc upres_flow_desc, upres_match_desc, retime_desc, resim_desc;

#endif
