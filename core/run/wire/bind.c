// SPDX-License-Identifier: Apache-2.0
#include "bind.h"
#include "base/alloc.h"
#include "levels.h"
#include <string.h>

static enum bw_status bind_check(const struct field_table *t, const struct stage_list *stages, int32_t index,
                                 const struct bw_port *p, const struct run_field *f, const char *name)
{
    const struct run_stage *s = &stages->stage[index];
    const struct bw_place *at = &s->preset->place;
    bool list = p->flags & BW_PORT_LIST;
    uint32_t kinds = p->kinds ? p->kinds : BW_KIND_BIT(BW_SCALAR) | BW_KIND_BIT(BW_VECTOR) | BW_KIND_BIT(BW_MAC);
    if (list ? !(kinds & BW_KIND_BIT(f->kind)) : p->kind != f->kind)
        return log_fail(t->log, at, BW_ERR_PRESET, "%s wants %s \"%s\", but %s makes it a %s", s->pub.id,
                        list ? "another kind of" : port_kind_word[p->kind], name, port_creator_name(stages, f),
                        port_kind_word[f->kind]);
    if (!list && p->kind != BW_PARTICLES && p->precision != f->precision)
        return log_fail(t->log, at, BW_ERR_PRESET, "%s wants \"%s\" in %s, but %s makes it %s", s->pub.id, name,
                        port_precision_word[p->precision], port_creator_name(stages, f),
                        port_precision_word[f->precision]);
    if (!list && p->unit && f->unit && strcmp(p->unit, f->unit))
        return log_fail(t->log, at, BW_ERR_PRESET, "%s wants \"%s\" in %s, but %s makes it in %s", s->pub.id, name,
                        p->unit, port_creator_name(stages, f), f->unit);
    if (p->access == BW_UPDATE && f->writer > index)
        return log_fail(t->log, at, BW_ERR_PRESET,
                        "%s updates \"%s\", but %s, which comes later, writes it from scratch", s->pub.id, name,
                        stages->stage[f->writer].pub.id);
    for (uint32_t a = 0; p->kind == BW_PARTICLES && !list && a < p->n_attributes; a++)
        if (!bw_particles_has(f->particles, &p->attributes[a]))
            return log_fail(t->log, at, BW_ERR_PRESET,
                            "%s wants attribute \"%s\" of particles \"%s\" as %u × %s; no stage makes it so", s->pub.id,
                            p->attributes[a].name, name, p->attributes[a].comps,
                            port_precision_word[p->attributes[a].precision % 3]);
    if (f->lifetime == BW_STEP && f->creator > index && p->access == BW_READ) {
        const struct run_stage *maker = &stages->stage[f->creator];
        const bool extends = strcmp(maker->preset->place.file, at->file) != 0;
        if (f->late) return BW_ERR_PRESET; /* told of a stage above: what mends that mends this */
        t->field[f - t->field].late = true;
        return log_fail(t->log, extends ? &maker->preset->place : at, BW_ERR_PRESET,
                        "%s reads \"%s\", which lives for one step only and is made later, by %s: %s%s%s", s->pub.id,
                        name, maker->pub.id, extends ? "give that `before: " : "move ",
                        extends ? s->pub.id : maker->pub.id, extends ? "`" : " before it");
    }
    return BW_OK;
}

static enum bw_status bind_add(const struct field_table *t, struct bw_bound *b, int32_t field)
{
    intptr_t *list = bw_realloc((void *)b->fields, (b->count + 1) * sizeof *list);
    if (!list) return log_fail(t->log, NULL, BW_ERR_MEMORY, "out of memory for the chain");
    b->fields = (struct bw_field *const *)list;
    list[b->count++] = field; /* an index now, a handle when the fields exist */
    return BW_OK;
}

static bool bound_elsewhere(const struct run_stage *s, int32_t field)
{
    for (uint32_t i = 0; i < s->pub.desc->n_ports; i++) {
        struct bw_port p = port_row(s, i);
        if (p.flags & BW_PORT_LIST) continue;
        for (uint32_t k = 0; k < s->bound[i].count; k++)
            if (((const intptr_t *)s->bound[i].fields)[k] == field) return true;
    }
    return false;
}

/* Domain that a port's fields live in; -1: the preset names none; -2: one that there is not (said). */
static int32_t port_domain(const struct field_table *t, const struct run_stage *s, const struct bw_port *p)
{
    struct port_names names = {.n = 0};
    if (!p->domain) return s->domain;
    port_names_of(s, p->domain, &names);
    if (!names.n) return -1;
    int32_t d = entry_domain(t->log, t->preset, names.name[0], s->pub.id, &s->preset->place);
    return d < 0 ? -2 : d;
}

static enum bw_status bind_single(const struct field_table *t, const struct stage_list *stages, int32_t index,
                                  const struct bw_port *p, struct bw_bound *b)
{
    struct run_stage *s = &stages->stage[index];
    int32_t domain = port_domain(t, s, p);
    if (domain < 0) return domain == -1 ? BW_OK : BW_ERR_PRESET;
    if (!level_has_port(s, p)) return BW_OK;
    char *name = port_name(s, p);
    if (!name) return BW_ERR_MEMORY;
    const struct run_field *f = fields_find(t, name, domain);
    if (f && f->mean && p->access != BW_READ) f = NULL;
    enum bw_status status = BW_OK;
    if (f && f->creator < 0 && f->updater < 0 && f->writer < 0 && p->access == BW_READ && !f->settled) f = NULL;
    if (f) status = bind_check(t, stages, index, p, f, name);
    else if (!(p->flags & (BW_PORT_OPTIONAL | BW_PORT_ON_DEMAND)))
        status = log_fail(t->log, &s->preset->place, BW_ERR_PRESET, "%s needs %s \"%s\"; no stage makes it", s->pub.id,
                          port_kind_word[p->kind], name);
    if (f && status == BW_OK) status = bind_add(t, b, (int32_t)(f - t->field));
    bw_free(name);
    return status;
}

static enum bw_status bind_list(const struct field_table *t, const struct stage_list *stages, int32_t index,
                                const struct bw_port *p, struct bw_bound *b)
{
    struct run_stage *s = &stages->stage[index];
    int32_t domain = port_domain(t, s, p);
    if (domain < 0) return domain == -1 ? BW_OK : BW_ERR_PRESET;
    enum bw_status status = BW_OK;
    struct port_names names = {.n = 0};
    if (p->from) port_names_of(s, p->from, &names);
    bool all = (p->flags & (BW_PORT_ADVECTED | BW_PORT_NO_CREATE)) == (BW_PORT_ADVECTED | BW_PORT_NO_CREATE);
    if (p->from && (names.n || !all)) {
        for (uint32_t i = 0; i < names.n && status == BW_OK; i++) {
            const struct run_field *f = fields_find(t, names.name[i], domain);
            if (!f && (p->flags & BW_PORT_OPTIONAL || s->twin)) continue;
            if (f && !level_lists(s, f->kind)) continue;
            if (!f)
                return log_fail(t->log, &s->preset->place, BW_ERR_PRESET,
                                "%s names field \"%s\"; no stage makes it%s%s", s->pub.id, names.name[i],
                                p->domain ? " in domain " : "", p->domain ? t->preset->domain[domain].name : "");
            status = bind_check(t, stages, index, p, f, names.name[i]);
            if (status == BW_OK) status = bind_add(t, b, (int32_t)(f - t->field));
        }
        return status;
    }
    for (int32_t i = 0; i < t->n && status == BW_OK; i++) {
        const struct run_field *f = &t->field[i];
        if (!f->advected || f->domain != domain || f->kind >= BW_PARTICLES) continue;
        if ((p->kinds && !(p->kinds & BW_KIND_BIT(f->kind))) || bound_elsewhere(s, i)) continue;
        if (!level_lists(s, f->kind)) continue;
        status = bind_add(t, b, i);
    }
    return status;
}

static enum bw_status bind_names_check(const struct field_table *t, const struct run_stage *s)
{
    const struct bw_node *b = s->preset->bind;
    const char *known[64];
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->pub.desc->n_ports && n < 64; i++) known[n++] = port_row(s, i).name;
    for (int32_t i = 0; b && i < b->count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < n; k++) found |= !strcmp(known[k], b->child[i]->key);
        if (found) continue;
        const char *near = bw_did_you_mean(b->child[i]->key, known, n);
        return log_fail(t->log, &b->child[i]->key_place, BW_ERR_PRESET, "%s has no port \"%s\"%s%s%s", s->pub.id,
                        b->child[i]->key, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    return BW_OK;
}

/* Fields that one parameter names in two domains: the same kind in both. */
static enum bw_status pairs_check(const struct field_table *t, const struct run_stage *s)
{
    for (uint32_t i = 0; i < s->pub.desc->n_ports; i++) {
        struct bw_port far = port_row(s, i);
        if (!far.domain || !far.from) continue;
        for (uint32_t k = 0; k < s->pub.desc->n_ports; k++) {
            struct bw_port near = port_row(s, k);
            if (near.domain || !near.from || strcmp(near.from, far.from)) continue;
            for (uint32_t q = 0; q < s->bound[i].count && q < s->bound[k].count; q++) {
                const struct run_field *a = &t->field[((const intptr_t *)s->bound[i].fields)[q]];
                const struct run_field *b = &t->field[((const intptr_t *)s->bound[k].fields)[q]];
                if (a == b)
                    return log_fail(t->log, &s->preset->place, BW_ERR_PRESET, "%s reads domain %s into itself",
                                    s->pub.id, t->preset->domain[a->domain].name);
                if (a->kind == b->kind) continue;
                return log_fail(t->log, &s->preset->place, BW_ERR_PRESET,
                                "%s: \"%s\" is a %s in domain %s, but a %s in domain %s", s->pub.id, a->name,
                                port_kind_word[a->kind], t->preset->domain[a->domain].name, port_kind_word[b->kind],
                                t->preset->domain[b->domain].name);
            }
        }
    }
    return BW_OK;
}

enum bw_status bind_stage(const struct field_table *t, struct stage_list *stages, int32_t index)
{
    struct run_stage *s = &stages->stage[index];
    uint32_t n = s->pub.desc->n_ports;
    enum bw_status status = bind_names_check(t, s);
    s->bound = bw_calloc((n + 1) * sizeof *s->bound);
    if (!s->bound) return log_fail(t->log, NULL, BW_ERR_MEMORY, "out of memory for the chain");
    for (int lists = 0; lists < 2; lists++) /* single ports first: a list leaves out what they hold */
        for (uint32_t i = 0; i < n && status == BW_OK; i++) {
            struct bw_port p = port_row(s, i);
            bool is_list = p.flags & BW_PORT_LIST;
            if (is_list != (lists == 1)) continue;
            status = is_list ? bind_list(t, stages, index, &p, &s->bound[i])
                             : bind_single(t, stages, index, &p, &s->bound[i]);
        }
    return status == BW_OK ? pairs_check(t, s) : status;
}
