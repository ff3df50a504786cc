// SPDX-License-Identifier: Apache-2.0
/* The mac family: one descriptor a file, listed by module.c; what mac.advect offers mac.project. */
#ifndef MAC_H
#define MAC_H

#include <billow/plugin.h>

extern const struct bw_stage_desc mac_advect_desc, mac_forces_desc, mac_project_desc;
extern const struct bw_stage_desc mac_diffuse_desc, dissipate_desc;

#define ADVECTED_FLOW "mac.flow_advected/2"
/// Offered by mac.advect: the velocity after advection, before forces and pressure, for newly activated tiles.
struct advected_flow_api {
    /// [main] The field, if the stage has advected with the tiles of this version of the topology; else NULL.
    struct bw_field *(*flow)(struct bw_stage *advect, uint64_t version);
};

#define GAS_DENSITY "mac.gas_density/1"
/// Offered by mac.project: what its field `pressure` means for the flow.
struct gas_density_api {
    /// [main] kg/m³: the flow's acceleration is the pressure's gradient over it.
    double (*density)(const struct bw_stage *projection);
};

#endif
