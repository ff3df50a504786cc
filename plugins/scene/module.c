// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

static const struct bw_stage_desc *const stages[] = {&scene_emit_desc,  &scene_collide_desc,  &scene_set_desc,
                                                     &scene_force_desc, &scene_transfer_desc, &scene_guide_desc,
                                                     &scene_load_desc,  &scene_dust_desc,     &scene_debris_desc};

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
