// SPDX-License-Identifier: Apache-2.0
/* Estimates before a bake: memory and disk, and whether the memory suffices. */
#include "job.h"

#include "grid/grid.h"
#include <math.h>
#include <string.h>

static double box_cells(const struct bw_domain_info *d) { return (double)d->n[0] * d->n[1] * d->n[2]; }

static double preset_cells(const struct bw_preset *p)
{
    double cells = 0;
    for (int32_t i = 0; i < p->n_domains; i++) cells += box_cells(&p->domain[i].info);
    return cells;
}

/* A frame of one VDB export with every cell of the box filled, 16 bits a value and nothing compressed away. */
static double export_bytes(const struct bw_chain *c, const struct bw_preset *p, const struct bw_preset_export *e)
{
    const struct bw_node *fields = bw_node_get(e->node, "fields");
    double values = 0, cells = box_cells(&p->domain[0].info);
    for (int32_t i = 0; i < p->n_domains; i++) {
        if (e->domain && !strcmp(e->domain, p->domain[i].name)) cells = box_cells(&p->domain[i].info);
    }
    for (int32_t i = 0; fields && fields->type == BW_NODE_SEQ && i < fields->count; i++) {
        const char *name = fields->child[i]->text;
        const struct bw_field *f = name ? bw_chain_field(c, name) : NULL;
        values += f ? f->info.comps : 1;
    }
    return cells * 2 * (values > 0 ? values : 4);
}

static bool is_cache(const struct bw_registry *r, const struct bw_preset_export *e)
{
    const struct bw_entry *entry = e->enabled ? bw_registry_exporter(r, e->type) : NULL;
    return entry && entry->exporter->flags & BW_EXPORTER_CACHE;
}

static double frame_bytes(const struct job *j)
{
    double bytes = 0;
    for (int32_t i = 0; i < j->preset->n_exports; i++) {
        const struct bw_preset_export *e = &j->preset->export[i];
        if (is_cache(j->session->registry, e)) bytes += export_bytes(j->chain, j->preset, e);
    }
    return bytes;
}

/* Particles are not counted. */
static double checkpoints_bytes(const struct bw_chain *c, const struct bw_preset *p, double others)
{
    const double one = bw_chain_state_estimate(c);
    if (!(p->checkpoint_every > 0) && !p->checkpoint_frames) return 0;
    return p->checkpoint_keep ? one * (double)p->checkpoint_keep : checkpoints_max_bytes(others, one);
}

double memory_allowed(const struct bw_preset *p)
{
    double machine = machine_memory();
    return p->memory_limit > 0 && p->memory_limit < machine ? p->memory_limit : machine;
}

json_t *estimate_json(const struct job *j)
{
    const struct bw_preset *p = j->preset;
    const struct bw_preset_time *t = &p->time;
    double frames = (double)(t->write_last - t->write_first + 1), free_bytes = disk_free(j->out ? j->out : "."),
           disk = frames * frame_bytes(j);
    char *wiring = bw_chain_describe(j->chain);
    json_t *o = json_pack("{s:s, s:I, s:I, s:f, s:I, s:f, s:f, s:f, s:f, s:f, s:o?}", "wiring", wiring ? wiring : "",
                          "first", (json_int_t)t->write_first, "last", (json_int_t)t->write_last, "fps", t->fps,
                          "before", (json_int_t)(t->write_first - bw_preset_begin(t)), "cells", preset_cells(p),
                          "memory", bw_chain_memory_estimate(j->chain), "memory_allowed", memory_allowed(p), "disk",
                          disk, "checkpoints", checkpoints_bytes(j->chain, p, disk), "out", json_bytes(j->out));
    if (o && isfinite(free_bytes)) json_object_set_new(o, "disk_free", json_real(free_bytes));
    char *whole = bw_chain_replicated_stages(j->chain);
    if (o && whole) json_object_set_new(o, "whole_on_ranks", json_string(whole));
    bw_free(whole);
    bw_free(wiring);
    return o;
}

/* Two digits, rounded up: 0.0231 → 0.024. */
static double round_up(double x)
{
    double unit = pow(10, floor(log10(x)) - 1);
    return ceil(x / unit - 1e-9) * unit;
}

enum bw_status estimate_check(const struct bw_chain *c, const struct bw_preset *p, struct bw_diag *d)
{
    char need[48], have[48];
    double bytes = bw_chain_memory_estimate(c), allowed = memory_allowed(p);
    const struct bw_preset_domain *domain = &p->domain[0];
    if (!(bytes > allowed)) return BW_OK;
    for (int32_t i = 1; i < p->n_domains; i++) {
        if (box_cells(&p->domain[i].info) > box_cells(&domain->info)) domain = &p->domain[i];
    }
    double power = domain->info.thin >= 0 ? 2 : 3, voxel = round_up(domain->info.h * pow(bytes / allowed, 1 / power));
    return bw_diag_error(d, &domain->place, BW_ERR_LIMIT,
                         "domain \"%s\" needs up to %s when it is full, %s is %s; voxel: %.3g m would fit",
                         domain->name, bw_number_words(bytes, "B", need),
                         p->memory_limit > 0 ? "the limit" : "this machine's memory",
                         bw_number_words(allowed, "B", have), voxel);
}
