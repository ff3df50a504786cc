// SPDX-License-Identifier: Apache-2.0
/* `billow plugin validate`: stricter checks of a plugin's tables than those of a bake. */
#include "session.h"

#include "preset/values/params.h"
#include "probe/probe.h"
#include <stdio.h>
#include <string.h>

/* ---- one table of parameters ---- */

struct table {
    const char *owner;
    const struct bw_param *rows;
    uint32_t n, size;
    int exclusive; /* groups of a variant lie over each other */
    struct bw_diag *d;
};

static void row_error(const struct table *t, const char *key, const char *what)
{
    bw_diag_error(t->d, NULL, BW_ERR_PLUGIN, "%s.%s: %s", t->owner, key, what);
}

static void row_compare(const struct table *t, const struct bw_param *a, const struct bw_param *b, const char *key)
{
    if (a->key && b->key && !strcmp(a->key, b->key)) row_error(t, key, "this key is there twice");
    if (t->exclusive) return;
    if (a->offset < b->offset + bw_row_bytes(b) && b->offset < a->offset + bw_row_bytes(a)) {
        row_error(t, key, "its member overlaps that of another row");
    }
}

static void table_check(const struct table *t);

static void row_check(const struct table *t, const struct bw_param *p, const char *key)
{
    char why[160];
    double value;
    int has_unit;
    if (p->key && (!p->doc || !*p->doc)) row_error(t, key, "has no doc; say in one sentence what it does");
    if (p->type > BW_PARAM_MAP) row_error(t, key, "has a type that this Billow does not know");
    if ((uint64_t)p->offset + bw_row_bytes(p) > t->size)
        row_error(t, key, "its member lies beyond the parameter struct");
    if (p->unit && bw_parse_quantity("1", p->unit, &value, &has_unit, why, sizeof why) != BW_OK) row_error(t, key, why);
    if (p->min > p->max) row_error(t, key, "its range is upside down");
    if (p->type == BW_PARAM_CHOICE && (!p->choices || !*p->choices)) row_error(t, key, "has no choices");
    const bool word = t->exclusive && p->type == BW_PARAM_GROUP; // a choice of a variant that has no values
    if ((p->type == BW_PARAM_GROUP || p->type == BW_PARAM_VARIANT) && !p->n_sub && !word)
        row_error(t, key, "has no rows of its own");
    if (p->n_sub && p->sub) {
        char owner[160];
        snprintf(owner, sizeof owner, "%s.%s", t->owner, key);
        struct table below = {owner, p->sub, p->n_sub, p->sub_size, p->type == BW_PARAM_VARIANT, t->d};
        table_check(&below);
    }
}

static void table_check(const struct table *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const struct bw_param *p = &t->rows[i];
        char key[64];
        snprintf(key, sizeof key, "%s", p->key ? p->key : "item");
        row_check(t, p, key);
        for (uint32_t k = 0; k < i; k++) row_compare(t, p, &t->rows[k], key);
    }
}

/* The defaults go through the same reader as a preset's values; what must be given has none. */
static void defaults_check(const struct table *t)
{
    struct bw_params_context c = {.owner = t->owner, .fps = 24, .first = 1, .ambient = 293.15};
    for (uint32_t i = 0; i < t->n; i++) {
        if (t->rows[i].flags & BW_PARAM_REQUIRED) return;
    }
    bw_params_free(bw_params_compile(t->rows, t->n, t->size, NULL, &c, t->d));
}

/* ---- a stage, an exporter, a plugin ---- */

static void ports_check(const struct bw_entry *e, struct bw_diag *d)
{
    for (uint32_t i = 0; i < e->stage->n_ports; i++) {
        const struct bw_port *p = &e->stage->ports[i];
        const char *name = p->name ? p->name : "(no name)";
        if (!p->doc || !*p->doc) bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s, field %s: has no doc", e->id, name);
        if (!p->unit && p->kind <= BW_MAC && !(p->flags & BW_PORT_LIST)) {
            bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s, field %s: has no unit (\"1\" when it is a pure number)", e->id,
                          name);
        }
        for (uint32_t k = 0; k < i; k++) {
            const struct bw_port *before = &e->stage->ports[k];
            if (before->name && p->name && !strcmp(before->name, p->name) && before->access == p->access &&
                !before->domain == !p->domain) {
                bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s, field %s: is there twice", e->id, name);
            }
        }
    }
}

/* Can a bake with it be resumed? */
static void state_check(const struct bw_entry *e, struct bw_diag *d)
{
    const uint32_t size = e->stage ? e->stage->state_size : e->exporter->state_size;
    const uint32_t flags = e->stage ? e->stage->flags : e->exporter->flags;
    const uint32_t plain = flags & (e->stage ? (uint32_t)BW_STAGE_PLAIN_STATE : (uint32_t)BW_EXPORTER_PLAIN_STATE);
    const uint32_t rebuilt =
        flags & (e->stage ? (uint32_t)BW_STAGE_REBUILT_STATE : (uint32_t)BW_EXPORTER_REBUILT_STATE);
    const bool saves = e->stage ? e->stage->checkpoint != NULL : e->exporter->checkpoint != NULL;
    if (size && !saves && !plain && !rebuilt)
        bw_diag_error(
            d, NULL, BW_ERR_PLUGIN,
            "%s: has state that no checkpoint keeps: bakes with it can't be resumed; give it a `checkpoint`, or "
            "say with a flag that its state is plain or rebuilt",
            e->id);
    if (plain && rebuilt) bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: its state can't be both plain and rebuilt", e->id);
    if (saves && rebuilt)
        bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: saves state that it says is rebuilt: one or the other", e->id);
}

void entry_validate(const struct bw_entry *e, struct bw_diag *d)
{
    const char *brief = e->stage ? e->stage->brief : e->exporter->brief;
    const char *version = e->stage ? e->stage->version : e->exporter->version;
    struct table t = {.owner = e->id, .d = d};
    t.rows = e->stage ? e->stage->params : e->exporter->params;
    t.n = e->stage ? e->stage->n_params : e->exporter->n_params;
    t.size = e->stage ? e->stage->params_size : e->exporter->params_size;
    if (!brief || !*brief)
        bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: has no brief; say in one line what it does", e->id);
    if (!version || !*version) bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: has no version", e->id);
    int before = d->errors;
    table_check(&t);
    if (d->errors == before) defaults_check(&t);
    if (e->stage) ports_check(e, d);
    state_check(e, d);
}

static json_t *entries_json(const struct bw_registry *r)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < r->n_entries; i++) {
        const char *kind = r->entry[i].stage ? "stage" : "exporter";
        json_array_append_new(list, json_pack("{s:s, s:s}", "kind", kind, "id", r->entry[i].id));
    }
    return json_pack("{s:o}", "entries", list);
}

/* Probe it first: it is not loaded here if it crashes or hangs. */
static void probe_check(const char *path, struct bw_diag *d)
{
    struct folders f;
    char *why = NULL;
    if (folders_find(&f, NULL) && !bw_elf_problem(path)) probe_plugins(&path, 1, &why, f.probe);
    if (why) bw_diag_error(d, NULL, BW_ERR_PLUGIN, "%s: %s", path, why);
    bw_free(why);
    folders_free(&f);
}

char *bw_plugin_validate(const char *path)
{
    struct api_call api;
    api_enter(&api);
    if (!path) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_plugin_validate wants a path");
    struct bw_registry *r = path ? bw_registry_open("") : NULL;
    char *here = path && !strchr(path, '/') ? bw_printf("./%s", path) : bw_strdup(path), *text = NULL;
    if (path && (!r || !here)) out_of_memory(&api.d);
    if (!api.d.status) probe_check(here, &api.d);
    if (!api.d.status && bw_registry_load(r, here, &api.d) == BW_OK)
        for (int32_t i = 0; i < r->n_entries; i++) entry_validate(&r->entry[i], &api.d);
    if (!api.d.status) text = json_text(entries_json(r), JSON_INDENT(1), &api.d);
    bw_free(here);
    bw_registry_close(r);
    api_leave(&api);
    return text;
}
