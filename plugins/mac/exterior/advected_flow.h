// SPDX-License-Identifier: Apache-2.0
/* The velocity after advection, before forces and pressure, which mac.advect keeps: for newly activated tiles
 * (activation.c). */
#ifndef ADVECTED_FLOW_H
#define ADVECTED_FLOW_H

#include <billow/plugin.h>

#define ADVECTED_FLOW "mac.flow_advected/2"
/// Offered by mac.advect to the stages of its module.
struct advected_flow_api {
    /// [main] The field, if the stage has advected with the tiles of this version of the topology; else NULL.
    struct bw_field *(*flow)(struct bw_stage *advect, uint64_t version);
};

#endif
