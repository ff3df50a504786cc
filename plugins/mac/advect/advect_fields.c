// SPDX-License-Identifier: Apache-2.0
/* Which fields mac.advect advects, whatever its scheme. */
#include "advect_pass.h"

bool pass_advects_velocity(const struct pass *p)
{
    const struct bw_bound *list = &p->stage->ports[PORT_FIELDS];
    if (!p->options->only.count) return p->stage->host->field_info(p->vel)->advected;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->fields[i] == p->vel) return true;
    return false;
}

struct bw_field *pass_field_at(const struct pass *p, uint32_t k)
{
    const struct bw_bound *list = &p->stage->ports[PORT_FIELDS];
    for (uint32_t i = 0; i < list->count; i++)
        if (list->fields[i] != p->vel && k-- == 0) return list->fields[i];
    return NULL;
}
