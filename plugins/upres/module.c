// SPDX-License-Identifier: Apache-2.0
/* Stages that work on finished caches: finer, slower, faster, or with other smoke. */
#include "stages.h"

static const struct bw_stage_desc *const stages[] = {&upres_flow_desc, &upres_match_desc, &retime_desc, &resim_desc};

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
