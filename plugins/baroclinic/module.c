// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

static const struct bw_stage_desc *const stages[] = {&baroclinic_desc};

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
