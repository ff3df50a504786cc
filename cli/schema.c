// SPDX-License-Identifier: Apache-2.0
/* `billow schema`: a JSON Schema of presets, made from the tables of all plugins that are found. With
 *     # yaml-language-server: $schema=billow.schema.json
 * as a preset's first line, an editor completes and checks it. */
#include "cli.h"

#include "base/alloc.h"
#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static const struct cli_option options[] = {CLI_PATH_OPTIONS};

const struct cli_command command_schema = {
    .name = "schema",
    .synopsis = "[options]",
    .brief = "Print a JSON Schema of presets, for editors.",
    .details = "  billow schema > billow.schema.json\n"
               "and as the first line of a preset: # yaml-language-server: $schema=billow.schema.json\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = cmd_schema,
};

static json_t *type_of(const char *type) { return json_pack("{s:s}", "type", type); }

static json_t *reference(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "#/definitions/%s", name);
    return json_pack("{s:s}", "$ref", path);
}

/* ---- parameters ---- */

static json_t *table_schema(const struct bw_param *rows, uint32_t n, uint32_t stride, const char *const *common);

static json_t *number_schema(const struct bw_param *p)
{
    json_t *number = type_of(p->type == BW_PARAM_INT ? "integer" : "number");
    if (p->min != 0 || p->max != 0) {
        if (fabs(p->min) < 1e15) {
            json_object_set_new(number, p->flags & BW_PARAM_MIN_OPEN ? "exclusiveMinimum" : "minimum",
                                json_real(p->min));
        }
        if (fabs(p->max) < 1e15) json_object_set_new(number, "maximum", json_real(p->max));
    }
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

static json_t *list_schema(const struct bw_param *p, uint32_t stride)
{
    struct bw_param first = p->n_sub ? cli_param(p->sub, 0, stride) : (struct bw_param){0};
    json_t *item = !p->n_sub ? json_object() : first.key ? table_schema(p->sub, p->n_sub, stride, NULL) : json_object();
    return json_pack("{s:s, s:o}", "type", "array", "items", item);
}

static json_t *param_schema(const struct bw_param *p, uint32_t stride)
{
    switch (p->type) {
    case BW_PARAM_BOOL: return type_of("boolean");
    case BW_PARAM_INT:
    case BW_PARAM_F64: return number_schema(p);
    case BW_PARAM_VEC3:
    case BW_PARAM_COLOUR: return reference("vector");
    case BW_PARAM_CHOICE: return choice_schema(p->choices);
    case BW_PARAM_LIST: return list_schema(p, stride);
    case BW_PARAM_GROUP:
    case BW_PARAM_VARIANT: {
        json_t *o = table_schema(p->sub, p->n_sub, stride, NULL);
        if (p->type == BW_PARAM_VARIANT) json_object_set_new(o, "maxProperties", json_integer(1));
        return o;
    }
    default: return json_pack("{s:[s, s]}", "type", "string", "number");
    }
}

/* A description as an editor shows it: the sentence, the default, the unit, the usual range. */
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

static json_t *table_schema(const struct bw_param *rows, uint32_t n, uint32_t stride, const char *const *common)
{
    json_t *properties = json_object(), *required = json_array();
    int open = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct bw_param p = cli_param(rows, i, stride);
        if (p.type == BW_PARAM_AMOUNTS) open = 1;
        if (p.type == BW_PARAM_AMOUNTS || !p.key) continue;
        json_t *one = param_schema(&p, stride);
        json_object_set_new(one, "description", description(&p));
        json_object_set_new(properties, p.key, one);
        if (p.flags & BW_PARAM_REQUIRED) json_array_append_new(required, json_string(p.key));
    }
    for (; common && *common; common++) json_object_set_new(properties, *common, json_object());
    json_t *o = json_pack("{s:[s, s], s:o, s:b}", "type", "object", "null", "properties", properties,
                          "additionalProperties", open);
    if (json_array_size(required)) json_object_set(o, "required", required);
    json_decref(required);
    return o;
}

/* ---- the whole preset ---- */

static json_t *entries_schema(const struct bw_registry *r, int stages)
{
    static const char *const common[] = {"id", "enabled", "frames", "domain", "bind", "before", "after", NULL};
    json_t *properties = json_object();
    for (int32_t i = 0; i < r->n_entries; i++) {
        const struct bw_entry *e = &r->entry[i];
        if (!e->stage != !stages) continue;
        const char *brief = e->stage ? e->stage->brief : e->exporter->brief;
        json_t *one = e->stage ? table_schema(e->stage->params, e->stage->n_params, e->param_stride, common)
                               : table_schema(e->exporter->params, e->exporter->n_params, e->param_stride, common);
        json_object_set_new(one, "description", json_string(brief ? brief : ""));
        json_object_set_new(properties, e->id, one);
    }
    return json_pack("{s:s, s:{s:s, s:o, s:b, s:i}}", "type", "array", "items", "type", "object", "properties",
                     properties, "additionalProperties", 0, "maxProperties", 1);
}

static json_t *definitions(void)
{
    return json_pack("{s:{s:s}, s:{s:s, s:[s]}, s:{s:[{s:s}, {s:s}, {s:s}, {s:s, s:[s]}]}}", "text", "type", "string",
                     "keyframes", "type", "object", "required", "keys", "vector", "anyOf", "type", "number", "type",
                     "string", "type", "array", "type", "object", "required", "keys");
}

static json_t *preset_schema(const struct bw_registry *r)
{
    json_t *properties = json_pack("{s:{s:i}, s:{s:s}, s:o, s:o}", "billow", "const", 1, "name", "type", "string",
                                   "stages", entries_schema(r, 1), "export", entries_schema(r, 0));
    static const char *const rest[] = {"extends", "domain", "domains", "time", "limits", "fields", "ambient"};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) json_object_set_new(properties, rest[i], json_object());
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "$schema", "http://json-schema.org/draft-07/schema#", "title",
                     "Billow preset", "type", "object", "definitions", definitions(), "properties", properties);
}

int cmd_schema(int argc, char **argv)
{
    const char *plugin_path = NULL;
    int code;
    while ((code = cli_option_next(&command_schema, argc, argv)) != CLI_END) {
        if (code < 0) return code == CLI_HELP ? EXIT_CODE_OK : EXIT_CODE_USAGE;
        if (code == 'P') plugin_path = optarg;
    }
    struct bw_registry *r = cli_registry_open(plugin_path);
    if (!r) return 7;
    json_t *schema = preset_schema(r);
    json_dumpf(schema, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    fputc('\n', stdout);
    json_decref(schema);
    bw_registry_close(r);
    return EXIT_CODE_OK;
}
