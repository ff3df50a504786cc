// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

/* Descriptors of other files are no constants: the table is filled when the plugin is loaded. */
static struct bw_stage_desc stages[3];
__attribute__((constructor)) static void fill_stages(void)
{
    stages[0] = body_desc;
    stages[1] = bodies_desc;
    stages[2] = body_solid_desc;
}

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
