// SPDX-License-Identifier: Apache-2.0
#include "vorton.h"

static const struct bw_stage_desc *const stages[] = {
    &vorton_emit_desc,   &vorton_velocity_desc, &vorton_stretch_desc, &vorton_diffuse_desc, &vorton_remesh_desc,
    &vorton_advect_desc, &tracers_desc,         &to_grid_desc,        &vorton_confine_desc, &vorton_collide_desc};

BW_EXPORT const struct bw_module billow_module = BW_MODULE(stages);
