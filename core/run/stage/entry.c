// SPDX-License-Identifier: Apache-2.0
#include "entry.h"
#include <string.h>

/* A plugin that was there and found no memory may be the one. */
static const struct bw_broken *broken_by_memory(const struct bw_registry *r)
{
    for (int32_t i = 0; i < r->n_broken; i++)
        if (r->broken[i].status == BW_ERR_MEMORY) return &r->broken[i];
    return NULL;
}

const struct bw_entry *entry_find(struct run_log *l, const struct bw_registry *r, const char *type, bool stage,
                                  const struct bw_place *at)
{
    const struct bw_entry *e = stage ? bw_registry_stage(r, type) : bw_registry_exporter(r, type);
    if (e) return e;
    const char *known[512];
    uint32_t n = 0;
    for (int32_t i = 0; i < r->n_entries && n < 512; i++)
        if (r->entry[i].exports != stage) known[n++] = r->entry[i].id;
    const struct bw_broken *starved = broken_by_memory(r);
    if (starved) {
        log_fail(l, at, BW_ERR_MEMORY, "unknown %s \"%s\": out of memory for plugins, such as %s",
                 stage ? "stage" : "exporter", type, starved->path ? starved->path : "some");
        return NULL;
    }
    const char *near = bw_did_you_mean(type, known, n);
    log_fail(l, at, BW_ERR_PRESET, "unknown %s \"%s\"%s%s%s", stage ? "stage" : "exporter", type,
             near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    return NULL;
}

int32_t entry_domain(struct run_log *l, const struct bw_preset *p, const char *name, const char *who,
                     const struct bw_place *at)
{
    if (!name) return 0;
    const char *known[BW_MAX_DOMAINS];
    for (int32_t i = 0; i < p->n_domains; i++) {
        known[i] = p->domain[i].name;
        if (!strcmp(name, known[i])) return i;
    }
    const char *near = bw_did_you_mean(name, known, (uint32_t)p->n_domains);
    log_fail(l, at, BW_ERR_PRESET, "%s: there is no domain \"%s\"%s%s%s", who, name, near ? "; did you mean \"" : "",
             near ? near : "", near ? "\"?" : "");
    return -1;
}

struct bw_params *entry_params(struct run_log *l, const struct bw_preset *p, const struct bw_entry *e, const char *id,
                               const struct bw_node *node)
{
    const struct bw_params_context context = {.owner = id,
                                              .fps = p->time.fps,
                                              .first = p->time.first,
                                              .seed = p->time.seed,
                                              .ambient = p->ambient,
                                              .common = e->stage ? bw_stage_rows : bw_export_rows,
                                              .n_common = e->stage ? bw_stage_n_rows : bw_export_n_rows};
    const struct bw_param *rows = e->stage ? e->stage->params : e->exporter->params;
    const uint32_t n = e->stage ? e->stage->n_params : e->exporter->n_params;
    const uint32_t size = e->stage ? e->stage->params_size : e->exporter->params_size;
    struct bw_node *shared = NULL;
    const struct bw_table table = {rows, n, !e->stage && bw_exporter_pictures(e->exporter)};
    if (!e->stage && bw_preset_inherit_look(p, node, &table, &shared))
        return log_fail(l, NULL, BW_ERR_MEMORY, "%s: out of memory", id), NULL;
    struct bw_params *params = bw_params_compile(rows, n, size, shared ? shared : node, &context, l->diag);
    bw_node_free(shared);
    return params;
}
