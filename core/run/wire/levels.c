// SPDX-License-Identifier: Apache-2.0
#include "levels.h"
#include "base/alloc.h"
#include "ports.h"
#include <string.h>

static bool is_half(const struct run_stage *s)
{
    return s->pub.desc->flags & BW_STAGE_SPLITS && (s->pub.flow || s->pub.amounts);
}

bool level_has_port(const struct run_stage *s, const struct bw_port *p)
{
    if (!is_half(s)) return true;
    if (s->pub.flow) return !(p->flags & BW_PORT_FLOW);
    const bool amount = p->kind != BW_MAC && !(p->flags & BW_PORT_LIST) && p->access != BW_READ;
    return !amount || p->lifetime == BW_STEP;
}

bool level_lists(const struct run_stage *s, uint32_t kind)
{
    return !is_half(s) || (kind == BW_MAC) == (s->pub.amounts != NULL);
}

enum bw_status level_make(struct field_table *t, const struct run_stage *s, const struct bw_port *p,
                          struct run_field *f)
{
    if (!s->pub.flow || f->kind != BW_MAC) return BW_OK;
    f->lifetime = BW_STEP;
    f->advected = 0;
    if (!(p->flags & BW_PORT_LIST)) return BW_OK;
    return log_fail(t->log, &s->preset->place, BW_ERR_PRESET,
                    "%s: \"%s\" is a velocity, which with flow: %d wants a stage of its own: here are amounts, too",
                    s->pub.id, f->name, t->preset->domain[0].flow);
}

/* Does it change what parameters name, and are these velocities, all of them? */
static bool lists_velocities(const struct field_table *t, const struct run_stage *s)
{
    bool any = false;
    for (uint32_t k = 0; k < s->pub.desc->n_ports; k++) {
        const struct bw_port p = port_row(s, k);
        struct port_names names = {.n = 0};
        if (p.access == BW_READ || !(p.flags & BW_PORT_LIST) || !p.from) continue;
        port_names_of(s, p.from, &names);
        for (uint32_t i = 0; i < names.n; i++) {
            if (fields_kind(t, names.name[i]) != BW_MAC) return false;
            any = true;
        }
    }
    return any;
}

void levels_place(const struct field_table *t, struct stage_list *stages)
{
    for (int32_t i = 0; i < stages->n; i++) {
        struct run_stage *s = &stages->stage[i];
        if (!s->pub.flow || s->preset->domain || s->pub.desc->flags & BW_STAGE_SPLITS || !lists_velocities(t, s))
            continue;
        s->domain = LEVEL_FLOW;
        s->pub.amounts = s->pub.domain;
        s->pub.domain = s->pub.flow;
        s->pub.grid = &s->pub.domain->info;
        s->pub.flow = NULL;
        s->pub.flow_cells = 1;
    }
}

/* The mean of an amount on the flow's cells. */
static enum bw_status mean_make(struct field_table *t, const char *name)
{
    const struct run_field *fine = fields_find(t, name, LEVEL_AMOUNTS);
    if (fields_find(t, name, LEVEL_FLOW) || !fine || fine->kind > BW_VECTOR || fine->particles) return BW_OK;
    const int32_t from = (int32_t)(fine - t->field);
    struct run_field *f = fields_enter(t, name, LEVEL_FLOW);
    if (!f) return BW_ERR_MEMORY;
    fine = &t->field[from];
    f->kind = fine->kind;
    f->precision = fine->precision;
    f->unit = fine->unit;
    memcpy(f->background, fine->background, sizeof f->background);
    f->lifetime = BW_STEP;
    f->advected = 0;
    f->alive = 0;
    f->settled = f->typed = f->mean = true;
    return BW_OK;
}

enum bw_status levels_share(struct field_table *t, const struct stage_list *stages)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < stages->n; i++) {
        const struct run_stage *s = &stages->stage[i];
        for (uint32_t k = 0; s->pub.amounts && k < s->pub.desc->n_ports && status == BW_OK; k++) {
            const struct bw_port p = port_row(s, k);
            if (p.access != BW_READ || p.kind == BW_PARTICLES || p.domain || !level_has_port(s, &p)) continue;
            struct port_names names = {.n = 0};
            if (p.flags & BW_PORT_LIST && p.from) port_names_of(s, p.from, &names);
            for (uint32_t q = 0; q < names.n && status == BW_OK; q++) status = mean_make(t, names.name[q]);
            if (p.flags & BW_PORT_LIST) continue;
            char *name = port_name(s, &p);
            status = name ? mean_make(t, name) : BW_ERR_MEMORY;
            bw_free(name);
        }
    }
    return status;
}

enum bw_status levels_refresh(const struct run_stage *s, struct bw_workers *w)
{
    enum bw_status status = BW_OK;
    for (uint32_t k = 0; s->pub.amounts && k < s->pub.desc->n_ports; k++)
        for (uint32_t q = 0; s->bound[k].fields && q < s->bound[k].count && status == BW_OK; q++)
            status = bw_level_refresh(s->bound[k].fields[q], w);
    return status;
}
