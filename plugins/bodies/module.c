// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

static const struct bw_stage_desc *const stages[] = {&body_desc, &bodies_desc, &body_solid_desc};

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
