// SPDX-License-Identifier: Apache-2.0
#include "potential.h"

static const struct bw_stage_desc *const stages[] = {&potential_desc};

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
