// SPDX-License-Identifier: Apache-2.0
#include "flux.h"

static const struct bw_stage_desc *const stages[] = {&flux_desc};

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
