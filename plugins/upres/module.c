// SPDX-License-Identifier: Apache-2.0
/* Stages that work on finished caches: finer, slower, faster. */
#include "stages.h"

/* A table of structs needs constants, and descriptors of other files are none: filled once, when the plugin is
 * loaded, before anybody can look at it. */
static struct bw_stage_desc stages[3];
__attribute__((constructor)) static void fill_stages(void)
{
    stages[0] = upres_flow_desc;
    stages[1] = upres_match_desc;
    stages[2] = retime_desc;
}

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
