// SPDX-License-Identifier: Apache-2.0
#include "fields.h"
#include "base/alloc.h"
#include <billow/param.h>
#include <string.h>

/* What the standard names mean unless a preset says otherwise. */
static const struct standard {
    const char *name, *unit;
    uint32_t kind, advected;
    double alive; /* a smoke of one in a thousand is invisible; a kelvin of excess moves nothing */
} standard[] = {
    {"density", "1", BW_SCALAR, 1, 1e-3},
    {"temperature", "K", BW_SCALAR, 1, 1},
    {"fuel", "1", BW_SCALAR, 1, 1e-3},
    {"flame", "1", BW_SCALAR, 1, 0},
    {"soot", "1", BW_SCALAR, 1, 1e-3},
    {"oxygen", "1", BW_SCALAR, 1, 0},
    {"products", "1", BW_SCALAR, 1, 0},
    {"age", "s", BW_SCALAR, 0, 0},
    {"vel", "m/s", BW_MAC, 1, 0},
    {"pressure", "Pa", BW_SCALAR, 0, 0},
    {"solid", "m", BW_SCALAR, 0, 0},
    {"solid_vel", "m/s", BW_MAC, 0, 0},
    {"vorticity", "1/s", BW_VECTOR, 0, 0},
    {"divergence", "1/s", BW_SCALAR, 0, 0},
    {"force", "m/s^2", BW_MAC, 0, 0},
    {"mass", "kg/m^3", BW_SCALAR, 0, 0},
    {"momentum", "kg/(m^2 s)", BW_VECTOR, 0, 0},
};

static const struct standard *standard_find(const char *name)
{
    for (size_t i = 0; i < BW_COUNT(standard); i++)
        if (!strcmp(standard[i].name, name)) return &standard[i];
    return NULL;
}

const char *fields_nearest(const char *name, const char *const *own, uint32_t n)
{
    const char *words[2], *all[BW_COUNT(standard)];
    for (size_t i = 0; i < BW_COUNT(standard); i++) all[i] = standard[i].name;
    words[0] = bw_did_you_mean(name, own, n);
    words[1] = bw_did_you_mean(name, all, BW_COUNT(standard));
    return bw_did_you_mean(name, words, BW_COUNT(words));
}

bool fields_standard(const char *name) { return standard_find(name) != NULL; }

uint32_t fields_kind(const struct field_table *t, const char *name)
{
    const struct standard *s = standard_find(name);
    for (int32_t i = 0; i < t->preset->n_fields; i++)
        if (!strcmp(t->preset->field[i].name, name) && t->preset->field[i].kind >= 0)
            return (uint32_t)t->preset->field[i].kind;
    return s ? s->kind : BW_SCALAR;
}

struct run_field *fields_find(const struct field_table *t, const char *name, int32_t domain)
{
    for (int32_t d = 0; d < t->preset->n_domains; d++) {
        size_t n = strlen(t->preset->domain[d].name);
        if (strncmp(name, t->preset->domain[d].name, n) || name[n] != '.') continue;
        struct run_field *f = fields_find(t, name + n + 1, d);
        if (f) return f;
    }
    for (int32_t i = 0; i < t->n; i++)
        if (t->field[i].domain == domain && !strcmp(t->field[i].name, name)) return &t->field[i];
    return NULL;
}

struct run_field *fields_enter(struct field_table *t, const char *name, int32_t domain)
{
    struct run_field *f = fields_find(t, name, domain);
    if (f) return f;
    struct run_field *list = bw_realloc(t->field, (size_t)(t->n + 1) * sizeof *list);
    char *copy = bw_strdup(name);
    if (list) t->field = list;
    if (!list || !copy) {
        bw_free(copy);
        log_fail(t->log, NULL, BW_ERR_MEMORY, "out of memory for the chain");
        return NULL;
    }
    f = &list[t->n++];
    *f = (struct run_field){
        .name = copy, .domain = domain, .kind = BW_SCALAR, .creator = -1, .writer = -1, .updater = -1, .speed = -1};
    const struct standard *s = standard_find(name);
    if (s) {
        f->unit = s->unit;
        f->kind = s->kind;
        f->advected = s->advected;
        f->alive = s->alive;
        f->settled = false;
    }
    for (int32_t i = 0; i < t->preset->n_fields; i++) {
        const struct bw_preset_field *p = &t->preset->field[i];
        if (strcmp(p->name, name)) continue;
        if (p->kind >= 0) f->kind = (uint32_t)p->kind, f->settled = true;
        if (p->precision >= 0) f->precision = (uint32_t)p->precision;
        if (p->advect >= 0) f->advected = (uint32_t)p->advect;
        if (p->alive >= 0) f->alive = p->alive;
        if (p->has_background) memcpy(f->background, p->background, sizeof f->background);
    }
    return f;
}

void fields_free(struct field_table *t)
{
    for (int32_t i = 0; i < t->n; i++) {
        bw_particles_destroy(t->field[i].particles);
        bw_free(t->field[i].name);
    }
    bw_free(t->field);
}
