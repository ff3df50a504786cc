// SPDX-License-Identifier: Apache-2.0
#include "stages.h"

static const struct bw_stage_desc *const stages[] = {&mac_advect_desc, &mac_forces_desc, &mac_project_desc,
                                                     &mac_diffuse_desc, &dissipate_desc};

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
