// SPDX-License-Identifier: Apache-2.0
#include "wire.h"
#include "base/alloc.h"
#include "bind.h"
#include "levels.h"
#include <string.h>

static bool creates(const struct bw_port *p)
{
    const bool optional = p->flags & BW_PORT_OPTIONAL && !(p->flags & BW_PORT_ON_DEMAND);
    return !p->domain && p->access != BW_READ && !optional && !(p->flags & BW_PORT_NO_CREATE);
}

/* Does a text of the tree name the field? */
static bool node_names(const struct bw_node *n, const char *name)
{
    bool found = n->text && !strcmp(n->text, name);
    for (int32_t i = 0; i < n->count && !found; i++) found = node_names(n->child[i], name);
    return found;
}

static bool is_demanded(const struct bw_preset *p, const struct bw_port *port, const char *name)
{
    bool found = p->character > 0 && !(port->flags & BW_PORT_OPTIONAL);
    for (int32_t i = 0; i < p->n_fields && !found; i++) found = !strcmp(p->field[i].name, name);
    for (int32_t i = 0; i < p->n_stages && !found; i++)
        found = p->stage[i].enabled && node_names(p->stage[i].node, name);
    for (int32_t i = 0; i < p->n_exports && !found; i++)
        found = p->export[i].enabled && node_names(p->export[i].node, name);
    return found;
}

/* A port that makes a field: settle what the field is, or find that another stage sees it differently. */
static enum bw_status field_make(struct field_table *t, struct stage_list *stages, int32_t index,
                                 const struct bw_port *p, const char *name, int32_t comps)
{
    struct run_stage *s = &stages->stage[index];
    struct run_field *f = fields_enter(t, name, s->domain);
    if (!f) return BW_ERR_MEMORY;
    bool list = p->flags & BW_PORT_LIST;
    uint32_t kind = p->kind;
    if (list && (fields_standard(name) || f->settled)) kind = f->kind;
    else if (list && comps == 3) kind = BW_VECTOR;
    const struct bw_place *at = &s->preset->place;
    if (!f->settled) {
        f->kind = kind;
        f->settled = true;
    } else if (!list && f->kind != kind) {
        return log_fail(t->log, at, BW_ERR_PRESET, "%s makes %s \"%s\", but %s made it a %s", s->pub.id,
                        port_kind_word[kind], name, port_creator_name(stages, f), port_kind_word[f->kind]);
    }
    if (f->creator < 0) f->creator = index;
    if (!list && !f->typed) { /* what an emitter or `set` names becomes what the solver after it makes of it */
        f->typed = true;
        f->lifetime = p->lifetime;
        f->precision = p->precision;
        if (p->unit && !fields_standard(name)) f->unit = p->unit;
        if (p->background != 0) f->background[0] = f->background[1] = f->background[2] = p->background;
        if (p->alive > 0 && !fields_standard(name)) f->alive = p->alive;
        bool said = false;
        for (int32_t i = 0; i < t->preset->n_fields; i++)
            said |= !strcmp(t->preset->field[i].name, name) && t->preset->field[i].advect >= 0;
        if ((p->flags & BW_PORT_ADVECTED) && !said && !fields_standard(name)) f->advected = 1;
    }
    if (p->access == BW_WRITE) {
        if (f->writer >= 0 && f->writer != index)
            return log_fail(t->log, at, BW_ERR_PRESET,
                            "%s and %s both write \"%s\": only one stage may be its sole producer", s->pub.id,
                            stages->stage[f->writer].pub.id, name);
        if (f->updater >= 0)
            return log_fail(t->log, at, BW_ERR_PRESET,
                            "%s writes \"%s\" from scratch, which would discard what %s did before", s->pub.id, name,
                            stages->stage[f->updater].pub.id);
        f->writer = index;
    } else if (f->updater < 0) {
        f->updater = index;
    }
    enum bw_status level = level_make(t, s, p, f);
    if (level != BW_OK) return level;
    if (p->kind != BW_PARTICLES || list) return BW_OK;
    if (!f->particles && !(f->particles = bw_particles_create(name)))
        return log_fail(t->log, at, BW_ERR_MEMORY, "out of memory");
    for (uint32_t a = 0; a < p->n_attributes; a++) {
        enum bw_status status = bw_particles_declare(f->particles, &p->attributes[a]);
        if (status == BW_ERR_MEMORY) return log_fail(t->log, at, status, "out of memory for particles \"%s\"", name);
        if (status == BW_ERR_LIMIT)
            return log_fail(t->log, at, BW_ERR_PRESET, "particles \"%s\" have too many attributes", name);
        if (status != BW_OK)
            return log_fail(
                t->log, at, BW_ERR_PRESET,
                "%s wants attribute \"%s\" of particles \"%s\" as %u × %s; another stage made it differently",
                s->pub.id, p->attributes[a].name, name, p->attributes[a].comps,
                port_precision_word[p->attributes[a].precision % 3]);
    }
    return BW_OK;
}

static enum bw_status stage_make(struct field_table *t, struct stage_list *stages, int32_t index)
{
    struct run_stage *s = &stages->stage[index];
    for (uint32_t i = 0; i < s->pub.desc->n_ports; i++) {
        struct bw_port p = port_row(s, i);
        if (!creates(&p) || !level_has_port(s, &p)) continue;
        if (p.flags & BW_PORT_LIST) {
            struct port_names names = {.n = 0};
            if (p.from) port_names_of(s, p.from, &names);
            for (uint32_t k = 0; k < names.n; k++) {
                if (s->twin) continue;
                enum bw_status status = field_make(t, stages, index, &p, names.name[k], names.comps[k]);
                if (status != BW_OK) return status;
            }
            continue;
        }
        char *name = port_name(s, &p);
        const bool wanted = name && (!(p.flags & BW_PORT_ON_DEMAND) || is_demanded(t->preset, &p, name));
        enum bw_status status = !name ? BW_ERR_MEMORY : wanted ? field_make(t, stages, index, &p, name, 0) : BW_OK;
        bw_free(name);
        if (status != BW_OK) return status;
    }
    return BW_OK;
}

/* What only lists make lives for a step if one that reads it by a port of its own says so: a source of divergence that
 * has ended would otherwise go on. */
static enum bw_status lifetimes_of_readers(struct field_table *t, const struct stage_list *stages)
{
    for (int32_t i = 0; i < stages->n; i++)
        for (uint32_t k = 0; k < stages->stage[i].pub.desc->n_ports; k++) {
            const struct bw_port p = port_row(&stages->stage[i], k);
            if (p.flags & BW_PORT_LIST || p.lifetime != BW_STEP || creates(&p)) continue;
            char *name = port_name(&stages->stage[i], &p);
            if (!name) return BW_ERR_MEMORY;
            struct run_field *f = fields_find(t, name, stages->stage[i].domain);
            if (f && !f->typed) f->lifetime = BW_STEP;
            bw_free(name);
        }
    return BW_OK;
}

/* Particles always have a position, whether or not a stage thought of saying so. */
static enum bw_status positions_make(struct field_table *t)
{
    const struct bw_attribute f32 = {"pos", BW_F32, 3, "m"}, f64 = {"pos", BW_F64P, 3, "m"};
    for (int32_t i = 0; i < t->n; i++) {
        struct bw_particles *p = t->field[i].particles;
        if (!p || bw_particles_has(p, &f32)) continue;
        if (bw_particles_declare(p, &f64) != BW_OK)
            return log_fail(t->log, NULL, BW_ERR_MEMORY, "out of memory for particles");
    }
    return BW_OK;
}

/* ---- storage ---- */

/* Backgrounds of fields that hold what another does, at another time. */
static void backgrounds_share(struct field_table *t, const struct stage_list *stages)
{
    for (int32_t i = 0; i < stages->n; i++) {
        const struct run_stage *s = &stages->stage[i];
        for (uint32_t k = 1; k < s->pub.desc->n_ports; k++) {
            if (!(s->pub.desc->ports[k].flags & BW_PORT_AS_FIRST) || !s->bound[k].count || !s->bound[0].count) continue;
            struct run_field *to = &t->field[((intptr_t *)s->bound[k].fields)[0]];
            memcpy(to->background, t->field[((intptr_t *)s->bound[0].fields)[0]].background, sizeof to->background);
        }
    }
}

static enum bw_status fields_create(struct field_table *t, struct stage_list *stages, struct bw_domain *const *domain)
{
    backgrounds_share(t, stages);
    for (int32_t i = 0; i < t->n; i++) {
        struct run_field *f = &t->field[i];
        if (f->kind >= BW_PARTICLES) continue;
        f->field = bw_field_create(domain[f->domain], f->name, f->kind, f->precision, f->background);
        if (!f->field) return log_fail(t->log, NULL, BW_ERR_MEMORY, "out of memory for field \"%s\"", f->name);
        f->field->info.lifetime = f->lifetime;
        f->field->info.advected = f->advected;
        f->field->info.alive = f->alive;
        if (f->unit) f->field->info.unit = f->unit;
        if (f->mean) f->field->finer = fields_find(t, f->name, LEVEL_AMOUNTS)->field;
        f->field->info.still = f->kind == BW_MAC && f->unit && strcmp(f->unit, "m/s") != 0;
    }
    for (int32_t i = 0; i < stages->n; i++) {
        struct run_stage *s = &stages->stage[i];
        for (uint32_t k = 0; k < s->pub.desc->n_ports; k++) {
            struct bw_bound *b = &s->bound[k];
            for (uint32_t q = 0; q < b->count; q++) {
                struct run_field *f = &t->field[((intptr_t *)b->fields)[q]];
                ((struct bw_field **)b->fields)[q] = f->field;
                if (f->particles) b->particles = f->particles;
            }
            if (b->particles) {
                bw_free((void *)b->fields);
                b->fields = NULL;
            }
        }
        s->pub.ports = s->bound;
    }
    return BW_OK;
}

/* ---- names that are like others ---- */

static bool declared(const struct field_table *t, const char *name)
{
    for (int32_t i = 0; i < t->preset->n_fields; i++)
        if (!strcmp(t->preset->field[i].name, name)) return true;
    return false;
}

/* Does a stage ask for it by a port of its own, and not as one of a list? */
static bool asked_for(const struct stage_list *stages, intptr_t field)
{
    for (int32_t i = 0; i < stages->n; i++)
        for (uint32_t k = 0; k < stages->stage[i].pub.desc->n_ports; k++) {
            const struct bw_bound *b = &stages->stage[i].bound[k];
            if (stages->stage[i].pub.desc->ports[k].flags & BW_PORT_LIST) continue;
            for (uint32_t q = 0; q < b->count; q++)
                if (((const intptr_t *)b->fields)[q] == field) return true;
        }
    return false;
}

static bool is_slip(const struct field_table *t, const struct stage_list *stages, int32_t i)
{
    const struct run_field *f = &t->field[i];
    return f->creator >= 0 && !f->typed && !fields_standard(f->name) && !declared(t, f->name) && !asked_for(stages, i);
}

/* Of the standard names and of the preset's own that are no slips themselves. */
static const char *slip_nearest(const struct field_table *t, const struct stage_list *stages, int32_t slip)
{
    const char *own[64];
    uint32_t n = 0;
    for (int32_t i = 0; i < t->n && n < BW_COUNT(own); i++)
        if (t->field[i].domain == t->field[slip].domain && !is_slip(t, stages, i)) own[n++] = t->field[i].name;
    return fields_nearest(t->field[slip].name, own, n);
}

/* An emitter makes any field that it is told to: one that nobody asks for may be a slip of the pen. Before fields are
 * created, bound ones are numbers in the table. */
static void slips_warn(const struct field_table *t, const struct stage_list *stages)
{
    for (int32_t i = 0; i < t->n; i++) {
        const struct run_field *f = &t->field[i];
        if (!is_slip(t, stages, i)) continue;
        const char *near = slip_nearest(t, stages, i);
        const struct run_stage *s = &stages->stage[f->creator];
        char *text = near ? bw_printf("%s:%d:%d: makes \"%s\", a field that no stage asks for; did you mean \"%s\"? If "
                                      "not, name it under `fields`",
                                      s->preset->place.file, (int)s->preset->place.line, (int)s->preset->place.column,
                                      f->name, near)
                          : NULL;
        if (text) log_line(t->log, BW_LOG_WARNING, s->pub.id, text);
        bw_free(text);
    }
}

/* The first stage from `from` on that reads a field, for whom others ask; with `updates` also one that has a port of
 * its own to read and change it. NULL: none. */
static const struct run_stage *reader_from(const struct stage_list *stages, int32_t from, intptr_t field, bool updates)
{
    for (int32_t i = from; i < stages->n; i++)
        for (uint32_t k = 0; k < stages->stage[i].pub.desc->n_ports; k++) {
            const struct bw_bound *b = &stages->stage[i].bound[k];
            const struct bw_port p = port_row(&stages->stage[i], k);
            const bool reads = p.access == BW_READ || p.access == BW_READ_LAST ||
                               (updates && p.access == BW_UPDATE && !(p.flags & BW_PORT_LIST));
            for (uint32_t q = 0; q < b->count && reads; q++)
                if (((const intptr_t *)b->fields)[q] == field) return &stages->stage[i];
        }
    return NULL;
}

static void ask_warn(const struct field_table *t, const struct run_stage *s, const struct run_stage *above,
                     intptr_t field)
{
    const char *name = t->field[field].name;
    const bool extends = above && strcmp(above->preset->place.file, s->preset->place.file) != 0;
    char *text = above
                     ? bw_printf("%s:%d:%d: adds to \"%s\", which no stage below reads: %s %s%s", s->preset->place.file,
                                 (int)s->preset->place.line, (int)s->preset->place.column, name,
                                 extends ? "give it `before:" : "list it before", above->pub.id, extends ? "`" : "")
                     : bw_printf("%s:%d:%d: adds to \"%s\", which no stage reads, as mac.project does",
                                 s->preset->place.file, (int)s->preset->place.line, (int)s->preset->place.column, name);
    if (text) log_line(t->log, BW_LOG_WARNING, s->pub.id, text);
    bw_free(text);
}

static bool port_writes(const struct bw_port *p)
{
    return p->access == BW_WRITE || p->access == BW_UPDATE || p->access == BW_UPDATE_OWN;
}

/* What stages ask of those below. A step's field is cleared before the next one, so a reader above its writer sees
 * nothing. Before fields are created, bound ones are numbers in the table. */
static void asks_check(const struct field_table *t, const struct stage_list *stages)
{
    for (int32_t i = 0; i < stages->n; i++)
        for (uint32_t k = 0; k < stages->stage[i].pub.desc->n_ports; k++) {
            const struct bw_bound *b = &stages->stage[i].bound[k];
            const struct bw_port port = port_row(&stages->stage[i], k);
            const bool given = port.flags & BW_PORT_LIST; // nobody gives amounts to a field for its own use
            for (uint32_t q = 0; q < b->count; q++) {
                const intptr_t field = ((const intptr_t *)b->fields)[q];
                const struct run_stage *above = reader_from(stages, 0, field, given);
                const bool lost = above && port_writes(&port) && t->field[field].lifetime == BW_STEP;
                if ((lost || port.flags & BW_PORT_ASKS) && !reader_from(stages, i + 1, field, given))
                    ask_warn(t, &stages->stage[i], above, field);
            }
        }
}

enum bw_status wire(struct field_table *t, struct stage_list *stages, struct bw_domain *const *domain)
{
    enum bw_status status = BW_OK;
    const bool single = t->preset->n_domains == 1 || t->preset->domain[0].flow > 1;
    for (int32_t i = 0; i < t->preset->n_fields && single; i++) /* else where stages make it */
        if (!fields_enter(t, t->preset->field[i].name, 0)) return BW_ERR_MEMORY;
    if (t->preset->domain[0].flow > 1) levels_place(t, stages);
    for (int32_t i = 0; i < stages->n && status == BW_OK; i++) status = stage_make(t, stages, i);
    if (status == BW_OK) status = lifetimes_of_readers(t, stages);
    if (status == BW_OK && t->preset->domain[0].flow > 1) status = levels_share(t, stages);
    if (status == BW_OK) status = positions_make(t);
    enum bw_status first = status;
    for (int32_t i = 0; i < stages->n && status == BW_OK; i++) { /* report every stage's first mistake */
        enum bw_status one = bind_stage(t, stages, i);
        if (one == BW_ERR_MEMORY) return one;
        if (first == BW_OK) first = one;
    }
    if (first == BW_OK) slips_warn(t, stages);
    if (first == BW_OK) asks_check(t, stages);
    return first == BW_OK ? fields_create(t, stages, domain) : first;
}
