// SPDX-License-Identifier: Apache-2.0
/* Stages and exporters with their parameters and fields, as JSON: the same rows that the preset reader uses. */
#include "describe.h"

#include <string.h>

/* "number", "list", … */
static const char *param_type(const struct bw_param *p)
{
    static const char *const name[] = {"yes/no", "whole number", "number",  "vector", "colour",
                                       "text",   "path",         "choice",  "field",  "list",
                                       "group",  "one of",       "amounts", "frames", "map"};
    if (p->type == BW_PARAM_STRING && p->flags & BW_PARAM_EXPRESSION) return "expression";
    return p->type < sizeof name / sizeof *name ? name[p->type] : "?";
}

static json_t *choices_json(const char *choices)
{
    json_t *list = json_array();
    for (const char *c = choices ? choices : ""; *c;) {
        size_t n = strcspn(c, "|");
        json_array_append_new(list, json_stringn(c, n));
        c += n + (c[n] == '|');
    }
    return list;
}

static void text_set(json_t *o, const char *key, const char *text)
{
    if (text) json_object_set_new(o, key, json_bytes(text));
}

static void range_set(json_t *o, const struct bw_param *p)
{
    int open = p->flags & BW_PARAM_MIN_OPEN;
    if (p->min != 0 || p->max != 0 || open) {
        json_object_set_new(o, "min", json_real(p->min));
        json_object_set_new(o, "max", json_real(p->max));
        if (open) json_object_set_new(o, "above_min", json_true());
    }
    if (p->soft_min != 0 || p->soft_max != 0)
        json_object_set_new(o, "usual", json_pack("[f, f]", p->soft_min, p->soft_max));
}

const char *param_group(const struct bw_param *p)
{
    if (!(p->flags & BW_PARAM_LOOK)) return NULL;
    return p->n_sub && p->sub[0].key ? p->key : "look";
}

/* `last`: the row before; a table shared with it is not repeated. */
static json_t *param_json(const struct bw_param *p, const struct bw_param *last)
{
    struct bw_param item = p->n_sub ? p->sub[0] : (struct bw_param){0};
    int plain_list = (p->type == BW_PARAM_LIST || p->type == BW_PARAM_MAP) && p->n_sub && !item.key;
    json_t *o = json_object();
    text_set(o, "key", p->type == BW_PARAM_AMOUNTS ? NULL : p->key);
    text_set(o, "type", param_type(p));
    text_set(o, "group", param_group(p));
    text_set(o, "default", p->def);
    range_set(o, p);
    text_set(o, "unit", p->unit && strcmp(p->unit, "1") ? p->unit : NULL);
    if (p->type == BW_PARAM_CHOICE) json_object_set_new(o, "choices", choices_json(p->choices));
    else text_set(o, "or", p->choices);
    if (p->flags & BW_PARAM_REQUIRED) json_object_set_new(o, "required", json_true());
    if (p->flags & BW_PARAM_STATIC) json_object_set_new(o, "static", json_true());
    text_set(o, "doc", p->doc);
    if (plain_list) text_set(o, "items", param_type(&item));
    else if (p->n_sub && p->sub == last->sub) text_set(o, "rows_as", last->key);
    else if (p->n_sub) json_object_set_new(o, "rows", params_json(p->sub, p->n_sub));
    return o;
}

json_t *params_json(const struct bw_param *rows, uint32_t n)
{
    json_t *list = json_array();
    struct bw_param last = {0};
    for (uint32_t i = 0; i < n; i++) {
        json_array_append_new(list, param_json(&rows[i], &last));
        if (rows[i].sub != last.sub) last = rows[i];
    }
    return list;
}

json_t *port_json(const struct bw_port *p)
{
    static const char *const kind[] = {"scalar", "vector", "mac", "particles"};
    static const char *const access[] = {"", "reads", "updates", "writes", "reads and clears"};
    json_t *o = json_object();
    text_set(o, "name", p->name);
    text_set(o, "access", access[p->access <= BW_READ_LAST ? p->access : 0]);
    text_set(o, "kind", p->flags & BW_PORT_LIST ? "fields" : kind[p->kind < 4 ? p->kind : 0]);
    text_set(o, "precision", p->precision == BW_F64P ? "f64" : "f32");
    text_set(o, "unit", p->unit && strcmp(p->unit, "1") ? p->unit : NULL);
    if (p->flags & BW_PORT_OPTIONAL) json_object_set_new(o, "optional", json_true());
    text_set(o, "doc", p->doc);
    return o;
}

static json_t *entry_json(const struct bw_entry *e)
{
    json_t *o = json_object();
    text_set(o, "id", e->id);
    text_set(o, "version", e->stage ? e->stage->version : e->exporter->version);
    text_set(o, "brief", e->stage ? e->stage->brief : e->exporter->brief);
    text_set(o, "path", e->path);
    text_set(o, "shadows", e->shadows);
    return o;
}

json_t *stage_json(const struct bw_entry *e)
{
    json_t *o = entry_json(e), *ports = json_array();
    text_set(o, "references", e->stage->references);
    json_object_set_new(o, "parameters", params_json(e->stage->params, e->stage->n_params));
    for (uint32_t i = 0; i < e->stage->n_ports; i++) json_array_append_new(ports, port_json(&e->stage->ports[i]));
    json_object_set_new(o, "fields", ports);
    return o;
}

json_t *exporter_json(const struct bw_entry *e)
{
    json_t *o = entry_json(e);
    json_object_set_new(o, "parameters", params_json(e->exporter->params, e->exporter->n_params));
    return o;
}
