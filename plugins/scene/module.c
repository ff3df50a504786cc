// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

/* A table of structs needs constants, and descriptors of other files are none: filled once, when the plugin is
 * loaded, before anybody can look at it. */
static struct bw_stage_desc stages[7];
__attribute__((constructor)) static void fill_stages(void)
{
    stages[0] = scene_emit_desc;
    stages[1] = scene_collide_desc;
    stages[2] = scene_set_desc;
    stages[3] = scene_force_desc;
    stages[4] = scene_transfer_desc;
    stages[5] = scene_guide_desc;
    stages[6] = scene_load_desc;
}

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
