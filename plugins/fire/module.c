// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

static const struct bw_stage_desc *const stages[] = {&fire_desc, &fire_control_desc, &fire_vortons_desc,
                                                     &fire_embers_desc};

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
