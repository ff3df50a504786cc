// SPDX-License-Identifier: Apache-2.0
/* A preset as JSON: its domains, frames, stages and exports. */
#include "describe.h"

static json_t *domain_json(const struct bw_preset_domain *d)
{
    const struct bw_domain_info *i = &d->info;
    return json_pack("{s:s, s:[i,i,i], s:f, s:[f,f,f]}", "name", d->name, "cells", (int)i->n[0], (int)i->n[1],
                     (int)i->n[2], "voxel", i->h, "origin", i->origin[0], i->origin[1], i->origin[2]);
}

static json_t *link_json(const char *id, const char *type, const char *brief, int enabled)
{
    return json_pack("{s:s, s:s, s:s?, s:b}", "id", id, "type", type, "brief", brief, "enabled", enabled);
}

json_t *preset_json(const struct bw_preset *p, const struct bw_registry *r)
{
    json_t *domains = json_array(), *stages = json_array(), *exports = json_array();
    for (int32_t i = 0; i < p->n_domains; i++) json_array_append_new(domains, domain_json(&p->domain[i]));
    for (int32_t i = 0; i < p->n_stages; i++) {
        const struct bw_entry *e = bw_registry_stage(r, p->stage[i].type);
        const char *brief = !e ? "(no such stage)" : e->stage->brief;
        json_array_append_new(stages, link_json(p->stage[i].id, p->stage[i].type, brief, p->stage[i].enabled));
    }
    for (int32_t i = 0; i < p->n_exports; i++) {
        const struct bw_entry *e = bw_registry_exporter(r, p->export[i].type);
        const char *brief = !e ? "(no such exporter)" : e->exporter->brief;
        json_array_append_new(exports, link_json(p->export[i].id, p->export[i].type, brief, p->export[i].enabled));
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:I, s:I, s:f, s:I, s:o, s:o}", "name", p->name, "comment",
                     p->comment ? p->comment : "", "path", json_bytes(p->path), "domains", domains, "first",
                     (json_int_t)p->time.first, "last", (json_int_t)p->time.last, "fps", p->time.fps, "warmup",
                     (json_int_t)p->time.warmup, "stages", stages, "exports", exports);
}
