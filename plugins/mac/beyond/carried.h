// SPDX-License-Identifier: Apache-2.0
/* What mac.advect knows of the flow: it before forces and pressure, for those who ask what a newborn tile starts
 * with. */
#ifndef CARRIED_H
#define CARRIED_H

#include <billow/plugin.h>

#define FLOW_CARRIED "mac.flow_carried/2"
/// Offered by mac.advect to the stages of its module.
struct flow_carried_api {
    /// [main] What the stage has carried with the tiles of this version of the topology; NULL: nothing yet.
    struct bw_field *(*flow)(struct bw_stage *advect, uint64_t version);
};

#endif
