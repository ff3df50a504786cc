// SPDX-License-Identifier: Apache-2.0
/* The mac family: one descriptor a file, listed by module.c. */
#ifndef MAC_H
#define MAC_H

#include <billow/plugin.h>

extern const struct bw_stage_desc mac_advect_desc, mac_forces_desc, mac_project_desc;
extern const struct bw_stage_desc mac_diffuse_desc, dissipate_desc;

#endif
