// SPDX-License-Identifier: Apache-2.0
/* A JSON Schema of presets, made from the tables of all plugins that are found. With
 *     # yaml-language-server: $schema=billow.schema.json
 * as a preset's first line, an editor completes and checks it. */
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static json_t *type_of(const char *type) { return json_pack("{s:s}", "type", type); }

static json_t *reference(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "#/definitions/%s", name);
    return json_pack("{s:s}", "$ref", path);
}

/* ---- parameters ---- */

static json_t *table_schema(const struct bw_param *rows, uint32_t n);

static json_t *number_schema(const struct bw_param *p)
{
    json_t *number = type_of(p->type == BW_PARAM_INT ? "integer" : "number");
    int above = p->flags & BW_PARAM_MIN_OPEN;
    if ((p->min != 0 || p->max != 0 || above) && fabs(p->min) < 1e15)
        json_object_set_new(number, above ? "exclusiveMinimum" : "minimum", json_real(p->min));
    if (p->max > p->min && fabs(p->max) < 1e15) json_object_set_new(number, "maximum", json_real(p->max));
    return json_pack("{s:[o, o, o]}", "anyOf", number, reference("text"), reference("keyframes"));
}

static json_t *choice_schema(const char *choices)
{
    json_t *list = json_array();
    for (const char *c = choices ? choices : ""; *c;) {
        size_t n = strcspn(c, "|");
        json_array_append_new(list, json_stringn(c, n));
        c += n + (c[n] == '|');
    }
    return json_pack("{s:o}", "enum", list);
}

static json_t *param_schema(const struct bw_param *p);

/* A list or a map of plain items or of tables; one plain item may stand for a list of it. */
static json_t *items_schema(const struct bw_param *p)
{
    struct bw_param first = p->n_sub ? p->sub[0] : (struct bw_param){0};
    int plain = p->n_sub && !first.key, map = p->type == BW_PARAM_MAP;
    json_t *item = !p->n_sub ? json_object() : plain ? param_schema(&first) : table_schema(p->sub, p->n_sub);
    json_t *all =
        json_pack("{s:s, s:O}", "type", map ? "object" : "array", map ? "additionalProperties" : "items", item);
    if (p->max >= p->min && p->max > 0) {
        json_object_set_new(all, map ? "minProperties" : "minItems", json_integer((json_int_t)p->min));
        json_object_set_new(all, map ? "maxProperties" : "maxItems", json_integer((json_int_t)p->max));
    }
    json_t *schema = plain && !map ? json_pack("{s:[O, O]}", "anyOf", all, item) : json_incref(all);
    json_decref(all);
    json_decref(item);
    return schema;
}

/* A variant: a map with one key, or a key alone. */
static json_t *variant_schema(const struct bw_param *p)
{
    json_t *words = json_array(), *map = table_schema(p->sub, p->n_sub);
    for (uint32_t i = 0; i < p->n_sub; i++) json_array_append_new(words, json_string(p->sub[i].key));
    json_object_set_new(map, "maxProperties", json_integer(1));
    json_object_del(map, "required"); /* one of them is given, not all */
    return json_pack("{s:[{s:o}, o]}", "anyOf", "enum", words, map);
}

static json_t *typed_schema(const struct bw_param *p)
{
    switch (p->type) {
    case BW_PARAM_BOOL: return json_pack("{s:[b, b, s, s, s, s]}", "enum", 1, 0, "yes", "no", "on", "off");
    case BW_PARAM_INT:
    case BW_PARAM_F64: return number_schema(p);
    case BW_PARAM_VEC3:
    case BW_PARAM_COLOUR: return reference("vector");
    case BW_PARAM_CHOICE: return choice_schema(p->choices);
    case BW_PARAM_LIST:
    case BW_PARAM_MAP: return items_schema(p);
    case BW_PARAM_GROUP: return table_schema(p->sub, p->n_sub);
    case BW_PARAM_VARIANT: return variant_schema(p);
    default: return json_pack("{s:[s, s]}", "type", "string", "number");
    }
}

/* The row's own type, and what else may stand in its place. */
static json_t *param_schema(const struct bw_param *p)
{
    json_t *schema = typed_schema(p);
    if (p->flags & BW_PARAM_SHORT) schema = json_pack("{s:[o, {s:s}]}", "anyOf", schema, "type", "string");
    if (p->choices && p->type != BW_PARAM_CHOICE)
        schema = json_pack("{s:[o, o]}", "anyOf", choice_schema(p->choices), schema);
    return schema;
}

/* A tooltip for editors: description, default, unit, usual range. */
static json_t *description(const struct bw_param *p)
{
    char usual[64] = "";
    if (p->soft_min != 0 || p->soft_max != 0)
        snprintf(usual, sizeof usual, "; usually %g to %g", p->soft_min, p->soft_max);
    char *text = bw_printf("%s%s%s%s%s%s", p->doc ? p->doc : "", p->def ? " Default: " : "", p->def ? p->def : "",
                           p->unit && strcmp(p->unit, "1") ? "; unit: " : "",
                           p->unit && strcmp(p->unit, "1") ? p->unit : "", usual);
    json_t *string = json_string(text ? text : "");
    bw_free(text);
    return string;
}

static void rows_add(json_t *properties, json_t *required, const struct bw_param *rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct bw_param *p = &rows[i];
        if (p->type == BW_PARAM_AMOUNTS || !p->key) continue;
        json_t *one = param_schema(p);
        json_object_set_new(one, "description", description(p));
        json_object_set_new(properties, p->key, one);
        if (p->flags & BW_PARAM_REQUIRED && required) json_array_append_new(required, json_string(p->key));
    }
}

static json_t *table_schema(const struct bw_param *rows, uint32_t n)
{
    json_t *properties = json_object(), *required = json_array();
    int open = 0;
    for (uint32_t i = 0; i < n; i++) open |= rows[i].type == BW_PARAM_AMOUNTS;
    rows_add(properties, required, rows, n);
    json_t *o = json_pack("{s:[s, s], s:o, s:b}", "type", "object", "null", "properties", properties,
                          "additionalProperties", open);
    if (json_array_size(required)) json_object_set(o, "required", required);
    json_decref(required);
    return o;
}

/* ---- the whole preset ---- */

static json_t *entries_schema(const struct bw_registry *r, int stages)
{
    const struct bw_param *common = stages ? bw_stage_rows : bw_export_rows;
    uint32_t n_common = stages ? bw_stage_n_rows : bw_export_n_rows;
    json_t *properties = json_object();
    for (int32_t i = 0; i < r->n_entries; i++) {
        const struct bw_entry *e = &r->entry[i];
        if (stages ? !e->stage : !e->exporter) continue;
        const char *brief = e->stage ? e->stage->brief : e->exporter->brief;
        json_t *one = e->stage ? table_schema(e->stage->params, e->stage->n_params)
                               : table_schema(e->exporter->params, e->exporter->n_params);
        rows_add(json_object_get(one, "properties"), NULL, common, n_common);
        json_object_set_new(one, "description", json_string(brief ? brief : ""));
        json_object_set_new(properties, e->id, one);
    }
    json_t *words = json_array();
    const char *key;
    json_t *one;
    json_object_foreach (properties, key, one) json_array_append_new(words, json_string(key));
    return json_pack("{s:[s, s], s:{s:[{s:o}, {s:s, s:o, s:b, s:i}]}}", "type", "array", "null", "items", "anyOf",
                     "enum", words, "type", "object", "properties", properties, "additionalProperties", 0,
                     "maxProperties", 1);
}

static json_t *definitions(void)
{
    return json_pack("{s:{s:s}, s:{s:s, s:[s]}, s:{s:[{s:s}, {s:s}, {s:s}, {s:s, s:[s]}, {s:s, s:[s]}]}}", "text",
                     "type", "string", "keyframes", "type", "object", "required", "keys", "vector", "anyOf", "type",
                     "number", "type", "string", "type", "array", "type", "object", "required", "keys", "type",
                     "object", "required", "curve");
}

/* `look:` and `camera:` take what exporters of pictures take. */
static void look_and_camera_add(json_t *properties, const struct bw_registry *r)
{
    json_t *look = json_object(), *camera = NULL;
    for (int32_t i = 0; i < r->n_entries; i++) {
        const struct bw_exporter_desc *x = r->entry[i].exporter;
        if (!x || !bw_exporter_pictures(x)) continue;
        const struct bw_param *row = bw_preset_camera_row(x->params, x->n_params);
        rows_add(look, NULL, x->params, x->n_params);
        if (!camera && row) camera = table_schema(row->sub, row->n_sub);
    }
    json_object_del(look, "camera");
    if (camera) json_object_set_new(properties, "camera", camera);
    json_object_set_new(
        properties, "look",
        json_pack("{s:[s, s], s:o, s:b}", "type", "object", "null", "properties", look, "additionalProperties", 0));
}

static json_t *preset_schema(const struct bw_registry *r)
{
    json_t *schema = table_schema(bw_preset_rows, bw_preset_n_rows);
    json_t *properties = json_object_get(schema, "properties");
    look_and_camera_add(properties, r);
    json_object_set_new(properties, "stages", entries_schema(r, 1));
    json_object_set_new(properties, "export", entries_schema(r, 0));
    json_object_set_new(schema, "$schema", json_string("http://json-schema.org/draft-07/schema#"));
    json_object_set_new(schema, "title", json_string("Billow preset"));
    json_object_set_new(schema, "definitions", definitions());
    return schema;
}

char *bw_session_schema(struct bw_session *session)
{
    struct api_call api;
    api_enter(&api);
    struct session *s = session_acquire(session, &api.d);
    char *text = s ? json_text(preset_schema(s->registry), JSON_INDENT(1) | JSON_REAL_PRECISION(9), &api.d) : NULL;
    if (s) object_unref(&s->o);
    api_leave(&api);
    return text;
}
