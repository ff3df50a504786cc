// SPDX-License-Identifier: Apache-2.0
/* Who makes which field, who reads it, and whether that can work: first every port that brings a field into being is
 * entered, then all ports are bound and checked (wire_bind.c), before a byte of field storage exists. */
#include "wire.h"
#include "base/alloc.h"
#include <stdlib.h>
#include <string.h>

/* What the standard names mean unless a preset says otherwise. */
static const struct standard {
    const char *name, *unit;
    uint32_t kind, advected;
    double alive; /* a smoke of one in a thousand is invisible; a kelvin of excess moves nothing */
} standard[] = {
    {"density", "1", BW_SCALAR, 1, 1e-3},   {"temperature", "K", BW_SCALAR, 1, 1},
    {"fuel", "1", BW_SCALAR, 1, 1e-3},      {"flame", "1", BW_SCALAR, 1, 0},
    {"soot", "1", BW_SCALAR, 1, 1e-3},      {"oxygen", "1", BW_SCALAR, 1, 0},
    {"products", "1", BW_SCALAR, 1, 0},     {"vel", "m/s", BW_MAC, 1, 0},
    {"pressure", "Pa", BW_SCALAR, 0, 0},    {"solid", "m", BW_SCALAR, 0, 0},
    {"solid_vel", "m/s", BW_MAC, 0, 0},     {"vorticity", "1/s", BW_VECTOR, 0, 0},
    {"divergence", "1/s", BW_SCALAR, 0, 0}, {"force", "m/s^2", BW_MAC, 0, 0},
    {"mass", "kg/m^3", BW_SCALAR, 0, 0},    {"momentum", "kg/(m^2 s)", BW_VECTOR, 0, 0},
};

const char *const wire_kind_word[] = {"scalar", "vector", "mac", "particles"};
const char *const wire_precision_word[] = {"f32", "f64", "i64"};

static const struct standard *standard_find(const char *name)
{
    for (size_t i = 0; i < BW_COUNT(standard); i++)
        if (!strcmp(standard[i].name, name)) return &standard[i];
    return NULL;
}

struct chain_field *chain_find(const struct bw_chain *c, const char *name, int32_t domain)
{
    for (int32_t d = 0; d < c->preset->n_domains; d++) {
        size_t n = strlen(c->preset->domain[d].name);
        if (strncmp(name, c->preset->domain[d].name, n) || name[n] != '.') continue;
        struct chain_field *f = chain_find(c, name + n + 1, d);
        if (f) return f;
    }
    for (int32_t i = 0; i < c->n_fields; i++)
        if (c->field[i].domain == domain && !strcmp(c->field[i].name, name)) return &c->field[i];
    return NULL;
}

struct bw_field *bw_chain_field(const struct bw_chain *c, const char *name)
{
    struct chain_field *f = chain_find(c, name, 0);
    return f ? f->field : NULL;
}

struct bw_particles *bw_chain_particles(const struct bw_chain *c, const char *name)
{
    struct chain_field *f = chain_find(c, name, 0);
    return f ? f->particles : NULL;
}

/* ---- entering fields ---- */

static struct chain_field *field_enter(struct bw_chain *c, const char *name, int32_t domain)
{
    struct chain_field *f = chain_find(c, name, domain);
    if (f) return f;
    struct chain_field *list = bw_realloc(c->field, (size_t)(c->n_fields + 1) * sizeof *list);
    char *copy = bw_strdup(name);
    if (list) c->field = list;
    if (!list || !copy) {
        bw_free(copy);
        chain_fail(c, NULL, BW_ERR_MEMORY, "out of memory for the chain");
        return NULL;
    }
    f = &list[c->n_fields++];
    *f = (struct chain_field){
        .name = copy, .domain = domain, .kind = BW_SCALAR, .creator = -1, .writer = -1, .updater = -1, .speed = -1};
    const struct standard *s = standard_find(name);
    if (s) {
        f->unit = s->unit;
        f->kind = s->kind;
        f->advected = s->advected;
        f->alive = s->alive;
        f->settled = false;
    }
    for (int32_t i = 0; i < c->preset->n_fields; i++) {
        const struct bw_preset_field *p = &c->preset->field[i];
        if (strcmp(p->name, name)) continue;
        if (p->kind >= 0) f->kind = (uint32_t)p->kind, f->settled = true;
        if (p->precision >= 0) f->precision = (uint32_t)p->precision;
        if (p->advect >= 0) f->advected = (uint32_t)p->advect;
        if (p->alive >= 0) f->alive = p->alive;
        if (p->has_background) memcpy(f->background, p->background, sizeof f->background);
    }
    return f;
}

/* A number, choice or bool parameter of a stage by its key. */
static double param_number(const struct chain_stage *s, const char *key)
{
    for (uint32_t i = 0; i < s->pub.desc->n_params; i++) {
        const struct bw_param r = s->pub.desc->params[i];
        if (strcmp(r.key, key)) continue;
        const char *at = (const char *)s->param_mem[0] + r.offset;
        if (r.type == BW_PARAM_F64) return *(const double *)at;
        if (r.type == BW_PARAM_CHOICE || r.type == BW_PARAM_BOOL) return *(const int32_t *)at;
    }
    return 0;
}

struct bw_port chain_port(const struct chain_stage *s, uint32_t i)
{
    struct bw_port p = s->pub.desc->ports[i];
    if (p.background_from) p.background = param_number(s, p.background_from);
    if (p.precise_from && param_number(s, p.precise_from) != 0) p.precision = BW_F64P;
    return p;
}

char *wire_port_name(const struct chain_stage *s, const struct bw_port *p)
{
    const struct bw_node *b = s->preset->bind ? bw_node_get(s->preset->bind, p->name) : NULL;
    if (b && b->text) return bw_strdup(b->text);
    return p->flags & BW_PORT_PRIVATE ? bw_printf("%s.%s", s->pub.id, p->name) : bw_strdup(p->name);
}

static void names_add(struct wire_names *out, const char *name, int32_t comps)
{
    if (!name || !*name || !strcmp(name, "none") || out->n == 64) return;
    out->name[out->n] = name;
    out->comps[out->n++] = comps;
}

void wire_names_of(const struct chain_stage *s, const char *key, struct wire_names *out)
{
    out->n = 0;
    for (uint32_t i = 0; i < s->pub.desc->n_params; i++) {
        const struct bw_param r = s->pub.desc->params[i];
        if (strcmp(r.key, key)) continue;
        const char *at = (const char *)s->param_mem[0] + r.offset;
        if (r.type == BW_PARAM_FIELD || r.type == BW_PARAM_STRING) names_add(out, *(const char *const *)at, 0);
        if (r.type != BW_PARAM_LIST && r.type != BW_PARAM_AMOUNTS) return;
        const struct bw_list *l = (const struct bw_list *)at;
        for (int64_t k = 0; k < l->count; k++) {
            if (r.type == BW_PARAM_AMOUNTS) {
                const struct bw_amount *a = (const struct bw_amount *)l->items + k;
                names_add(out, a->field, a->comps);
                continue;
            }
            const char *item = (const char *)l->items + (size_t)k * r.sub_size;
            for (uint32_t q = 0; q < r.n_sub; q++) {
                const struct bw_param sub = r.sub[q];
                if (sub.type != BW_PARAM_FIELD && (sub.type != BW_PARAM_STRING || sub.key)) continue;
                names_add(out, *(const char *const *)(item + sub.offset), 0);
                break;
            }
        }
    }
}

static bool creates(const struct bw_port *p)
{
    return !p->domain && p->access != BW_READ && !(p->flags & (BW_PORT_OPTIONAL | BW_PORT_NO_CREATE));
}

const char *wire_creator_name(const struct bw_chain *c, const struct chain_field *f)
{
    return f->creator >= 0 ? c->stage[f->creator].pub.id : "the preset";
}

/* A port that makes a field: settle what the field is, or find that another stage sees it differently. */
static enum bw_status field_make(struct bw_chain *c, int32_t index, const struct bw_port *p, const char *name,
                                 int32_t comps)
{
    struct chain_stage *s = &c->stage[index];
    struct chain_field *f = field_enter(c, name, s->domain);
    if (!f) return BW_ERR_MEMORY;
    bool list = p->flags & BW_PORT_LIST;
    uint32_t kind = p->kind;
    if (list && (standard_find(name) || f->settled)) kind = f->kind;
    else if (list && comps == 3) kind = BW_VECTOR;
    const struct bw_place *at = &s->preset->place;
    if (!f->settled) {
        f->kind = kind;
        f->settled = true;
    } else if (!list && f->kind != kind) {
        return chain_fail(c, at, BW_ERR_PRESET, "%s makes %s \"%s\", but %s made it a %s", s->pub.id,
                          wire_kind_word[kind], name, wire_creator_name(c, f), wire_kind_word[f->kind]);
    }
    if (f->creator < 0) f->creator = index;
    if (!list && !f->typed) { /* what an emitter or `set` names becomes what the solver after it makes of it */
        f->typed = true;
        f->lifetime = p->lifetime;
        f->precision = p->precision;
        if (p->unit && !standard_find(name)) f->unit = p->unit;
        if (p->background != 0) f->background[0] = f->background[1] = f->background[2] = p->background;
        if (p->alive > 0 && !standard_find(name)) f->alive = p->alive;
        bool said = false;
        for (int32_t i = 0; i < c->preset->n_fields; i++)
            said |= !strcmp(c->preset->field[i].name, name) && c->preset->field[i].advect >= 0;
        if ((p->flags & BW_PORT_ADVECTED) && !said && !standard_find(name)) f->advected = 1;
    }
    if (p->access == BW_WRITE) {
        if (f->writer >= 0 && f->writer != index)
            return chain_fail(c, at, BW_ERR_PRESET,
                              "%s and %s both write \"%s\": only one stage may be its sole producer", s->pub.id,
                              c->stage[f->writer].pub.id, name);
        if (f->updater >= 0)
            return chain_fail(c, at, BW_ERR_PRESET,
                              "%s writes \"%s\" from scratch, which would discard what %s did before", s->pub.id, name,
                              c->stage[f->updater].pub.id);
        f->writer = index;
    } else if (f->updater < 0) {
        f->updater = index;
    }
    if (p->kind != BW_PARTICLES || list) return BW_OK;
    if (!f->particles && !(f->particles = bw_particles_create(name)))
        return chain_fail(c, at, BW_ERR_MEMORY, "out of memory");
    for (uint32_t a = 0; a < p->n_attributes; a++) {
        enum bw_status st = bw_particles_declare(f->particles, &p->attributes[a]);
        if (st == BW_ERR_MEMORY) return chain_fail(c, at, st, "out of memory for particles \"%s\"", name);
        if (st == BW_ERR_LIMIT)
            return chain_fail(c, at, BW_ERR_PRESET, "particles \"%s\" have too many attributes", name);
        if (st != BW_OK)
            return chain_fail(
                c, at, BW_ERR_PRESET,
                "%s wants attribute \"%s\" of particles \"%s\" as %u × %s; another stage made it differently",
                s->pub.id, p->attributes[a].name, name, p->attributes[a].comps,
                wire_precision_word[p->attributes[a].precision % 3]);
    }
    return BW_OK;
}

static enum bw_status stage_make(struct bw_chain *c, int32_t index)
{
    struct chain_stage *s = &c->stage[index];
    for (uint32_t i = 0; i < s->pub.desc->n_ports; i++) {
        struct bw_port p = chain_port(s, i);
        if (!creates(&p)) continue;
        if (p.flags & BW_PORT_LIST) {
            struct wire_names names = {.n = 0};
            if (p.from) wire_names_of(s, p.from, &names);
            for (uint32_t k = 0; k < names.n; k++) {
                enum bw_status st = field_make(c, index, &p, names.name[k], names.comps[k]);
                if (st != BW_OK) return st;
            }
            continue;
        }
        char *name = wire_port_name(s, &p);
        enum bw_status st = name ? field_make(c, index, &p, name, 0) : BW_ERR_MEMORY;
        bw_free(name);
        if (st != BW_OK) return st;
    }
    return BW_OK;
}

/* Particles always have a position, whether or not a stage thought of saying so. */
static enum bw_status positions_make(struct bw_chain *c)
{
    const struct bw_attribute f32 = {"pos", BW_F32, 3, "m"}, f64 = {"pos", BW_F64P, 3, "m"};
    for (int32_t i = 0; i < c->n_fields; i++) {
        struct bw_particles *p = c->field[i].particles;
        if (!p || bw_particles_has(p, &f32)) continue;
        if (bw_particles_declare(p, &f64) != BW_OK)
            return chain_fail(c, NULL, BW_ERR_MEMORY, "out of memory for particles");
    }
    return BW_OK;
}

/* ---- storage ---- */

static enum bw_status fields_create(struct bw_chain *c)
{
    for (int32_t i = 0; i < c->n_fields; i++) {
        struct chain_field *f = &c->field[i];
        if (f->kind >= BW_PARTICLES) continue;
        f->field = bw_field_create(c->domain[f->domain], f->name, f->kind, f->precision, f->background);
        if (!f->field) return chain_fail(c, NULL, BW_ERR_MEMORY, "out of memory for field \"%s\"", f->name);
        f->field->info.lifetime = f->lifetime;
        f->field->info.advected = f->advected;
        f->field->info.alive = f->alive;
        if (f->unit) f->field->info.unit = f->unit;
    }
    for (int32_t i = 0; i < c->n_stages; i++) {
        struct chain_stage *s = &c->stage[i];
        for (uint32_t k = 0; k < s->pub.desc->n_ports; k++) {
            struct bw_bound *b = &s->bound[k];
            for (uint32_t q = 0; q < b->count; q++) {
                struct chain_field *f = &c->field[((intptr_t *)b->fields)[q]];
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

enum bw_status chain_wire(struct bw_chain *c)
{
    enum bw_status st = BW_OK;
    for (int32_t i = 0; i < c->preset->n_fields && c->preset->n_domains == 1; i++) /* else where stages make it */
        if (!field_enter(c, c->preset->field[i].name, 0)) return BW_ERR_MEMORY;
    for (int32_t i = 0; i < c->n_stages && st == BW_OK; i++) st = stage_make(c, i);
    if (st == BW_OK) st = positions_make(c);
    enum bw_status first = st;
    for (int32_t i = 0; i < c->n_stages && st == BW_OK; i++) { /* report every stage's first mistake */
        enum bw_status one = wire_stage_bind(c, i);
        if (one == BW_ERR_MEMORY) return one;
        if (first == BW_OK) first = one;
    }
    return first == BW_OK ? fields_create(c) : first;
}

/* ---- words about it ---- */

static void describe_field(const struct bw_chain *c, FILE *f, const struct bw_field *field)
{
    int several = c->preset->n_domains > 1;
    fprintf(f, " %s:%s%s%s", wire_kind_word[field->info.kind], several ? field->info.domain->name : "",
            several ? "." : "", field->name);
}

char *bw_chain_describe(const struct bw_chain *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    for (int32_t i = 0; i < c->n_stages; i++) {
        const struct chain_stage *s = &c->stage[i];
        int named = strcmp(s->pub.id, s->pub.desc->id) != 0, several = c->preset->n_domains > 1;
        fprintf(f, "%2d. %s%s%s%s%s%s\n", i + 1, s->pub.id, named ? " (" : "", named ? s->pub.desc->id : "",
                named ? ")" : "", several ? " in " : "", several ? s->pub.grid->name : "");
        for (uint32_t k = 0; k < s->pub.desc->n_ports; k++) {
            struct bw_port p = chain_port(s, k);
            fprintf(f, "      %-6s %-12s",
                    p.access == BW_READ     ? "reads"
                    : p.access == BW_UPDATE ? "updates"
                                            : "writes",
                    p.name);
            for (uint32_t q = 0; q < s->bound[k].count && s->bound[k].fields; q++)
                describe_field(c, f, s->bound[k].fields[q]);
            fputs(s->bound[k].count ? "\n" : " (none)\n", f);
        }
    }
    fclose(f);
    char *copy = bw_strdup(text);
    free(text);
    return copy;
}
