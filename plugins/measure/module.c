// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

static const struct bw_stage_desc *const stages[] = {&measure_stats_desc, &measure_probe_desc};

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
