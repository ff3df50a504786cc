// SPDX-License-Identifier: Apache-2.0
#include "halves.h"
#include <stdbool.h>
#include <string.h>

/* Scalars of the flow itself, beside velocities. */
static bool is_of_flow(const struct bw_port *p)
{
    static const char *const name[] = {"pressure", "solid", "solid_grip"};
    bool found = p->kind == BW_MAC && !(p->flags & BW_PORT_LIST);
    for (size_t i = 0; i < BW_COUNT(name) && !found; i++) found = !strcmp(p->name, name[i]);
    return found;
}

int32_t level_of(const struct bw_stage_desc *stage)
{
    bool flow = false, amounts = false, particles = false;
    if (stage->flags & BW_STAGE_SPLITS) return LEVEL_AMOUNTS;
    for (uint32_t i = 0; i < stage->n_ports; i++) {
        const struct bw_port *p = &stage->ports[i];
        if (p->access == BW_READ) continue;
        if (p->kind == BW_PARTICLES) particles = true;
        else if (is_of_flow(p)) flow = true;
        else amounts = true;
    }
    if (flow && amounts) return -1;
    return flow || (particles && !amounts) ? LEVEL_FLOW : LEVEL_AMOUNTS;
}
