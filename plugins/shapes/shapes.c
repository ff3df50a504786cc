// SPDX-License-Identifier: Apache-2.0
#include "shape.h"

/* A table of structs needs constants, and descriptors of other files are none: filled once, when the plugin is
 * loaded, before anybody can look at it. */
static struct bw_stage_desc stages[6];
__attribute__((constructor)) static void fill_stages(void)
{
    stages[0] = shapes_emit_desc;
    stages[1] = shapes_collide_desc;
    stages[2] = shapes_set_desc;
    stages[3] = shapes_force_desc;
    stages[4] = shapes_transfer_desc;
    stages[5] = shapes_guide_desc;
}

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
