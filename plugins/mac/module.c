// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

/* A table of structs needs constants, and descriptors of other files are none: filled once, when the plugin is
 * loaded, before anybody can look at it. */
static struct bw_stage_desc stages[5];
__attribute__((constructor)) static void fill_stages(void)
{
    stages[0] = mac_advect_desc;
    stages[1] = mac_forces_desc;
    stages[2] = mac_project_desc;
    stages[3] = mac_diffuse_desc;
    stages[4] = dissipate_desc;
}

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
