// SPDX-License-Identifier: Apache-2.0
#include "preset_parse.h"

#include "json_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees ---- */

json_t *preset_plain_value(const json_t *node)
{
    json_t *map = json_object_get(node, "map"), *list = json_object_get(node, "list"), *item;
    size_t i;
    if (map) {
        json_t *out = json_object();
        json_array_foreach (map, i, item)
            json_object_set_new(out, json_string_value(json_array_get(item, 0)),
                                preset_plain_value(json_array_get(item, 1)));
        return out;
    }
    if (!list) return json_incref(json_object_get(node, "text"));
    json_t *out = json_array();
    json_array_foreach (list, i, item) json_array_append_new(out, preset_plain_value(item));
    return out;
}

static json_t *tree_parse(const char *text, const char *name) { return json_from_text(bw_preset_tree(text, name)); }

/// Call `fn` for each text of a tree with its line, until it answers other than 0.
static int texts_visit(const json_t *node, int (*fn)(const char *text, int line, void *user), void *user)
{
    json_t *map = json_object_get(node, "map"), *list = map ? map : json_object_get(node, "list"), *item;
    size_t i;
    int stop = 0;
    if (!list) {
        const char *text = json_string_value(json_object_get(node, "text"));
        return text ? fn(text, (int)json_integer_value(json_object_get(node, "line")), user) : 0;
    }
    json_array_foreach (list, i, item)
        if ((stop = texts_visit(map ? json_array_get(item, 1) : item, fn, user))) break;
    return stop;
}

static int text_allow(const char *text, int line, void *allowed)
{
    (void)line;
    json_object_set_new(allowed, text, json_true());
    return 0;
}

void preset_allow_texts(const char *text, json_t *allowed)
{
    json_t *tree = tree_parse(text, "preset");
    if (tree) texts_visit(tree, text_allow, allowed);
    json_decref(tree);
}

/* ---- paths ---- */

/// A path that leaves the preset's folder and was not in the preset when the page was opened.
struct outside_path {
    const json_t *allowed;
    char text[200];
    int line;
};

/// Does a text, taken as a path, lead out of the preset's folder?
static int leaves_folder(const char *text)
{
    if (*text == '/' || *text == '~') return 1;
    for (const char *at = text; (at = strstr(at, "..")); at += 2)
        if ((at == text || at[-1] == '/') && (!at[2] || at[2] == '/')) return 1;
    return 0;
}

static int outside_path_find(const char *text, int line, void *user)
{
    struct outside_path *o = user;
    if (!leaves_folder(text) || json_object_get(o->allowed, text)) return 0;
    snprintf(o->text, sizeof o->text, "%s", text);
    o->line = line;
    return 1;
}

/* ---- errors ---- */

json_t *preset_error_json(const char *sentence, const char *text, int line, int column)
{
    return json_pack("{s:b, s:s, s:s, s:i, s:i}", "good", 0, "sentence", sentence, "text", text, "line", line, "column",
                     column);
}

json_t *preset_last_error_json(const char *path)
{
    const struct bw_error *e = bw_error_last();
    const int own = e->file && !strcmp(e->file, path);
    json_t *o = preset_error_json(e->sentence, e->text, own ? e->line : 0, own ? e->column : 0);
    return o ? o : preset_error_json("the preset cannot be read", "", 0, 0);
}

static json_t *outside_error_json(const struct outside_path *o)
{
    json_t *sentence =
        json_sprintf("line %d: \"%s\" leads out of the preset's folder; from the page only files beside it "
                     "can be named",
                     o->line, o->text);
    json_t *answer = preset_error_json(json_string_value(sentence), json_string_value(sentence), o->line, 1);
    json_decref(sentence);
    return answer;
}

/* ---- values ---- */

json_t *flow_values(const json_t *values)
{
    static const char *const other[] = {"export", "look", "camera", "name"};
    json_t *flow = json_copy((json_t *)(uintptr_t)values);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) json_object_del(flow, other[i]);
    return flow;
}

static char *flow_key(const json_t *values)
{
    json_t *flow = flow_values(values);
    char *text = json_dumps(flow, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(flow);
    return text;
}

static double number_of(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }

/// Count the exporters that write VDB files, and list the others, which a preview mutes.
static void exports_read(struct parsed_preset *p, const json_t *preset)
{
    json_t *e;
    size_t i;
    int n = 0;
    json_array_foreach (json_object_get(preset, "exports"), i, e) {
        const char *makes = json_string_value(json_object_get(e, "makes"));
        if (makes && !strcmp(makes, "cache") && json_is_true(json_object_get(e, "enabled"))) p->caches++;
        else if (n < 63) p->mute[n++] = strdup(json_string_value(json_object_get(e, "id")));
    }
}

static int is_flat(const json_t *preset)
{
    json_t *d, *cells, *c;
    size_t i, a;
    json_array_foreach (json_object_get(preset, "domains"), i, d) {
        cells = json_object_get(d, "cells");
        json_array_foreach (cells, a, c)
            if (json_integer_value(c) == 1) return 1;
    }
    return 0;
}

/// Read values, flow and size from the open bake. 0: it failed.
static int parsed_fill(struct parsed_preset *p, const char *path)
{
    json_t *facts = json_from_text(bw_bake_describe(p->look));
    json_t *tree = facts ? tree_parse(json_string_value(json_object_get(facts, "resolved")), path) : NULL;
    const json_t *preset = json_object_get(facts, "preset");
    if (tree) {
        const double frames = number_of(facts, "last") - number_of(facts, "first") + 1;
        p->values = preset_plain_value(tree);
        p->flow = flow_key(p->values);
        p->cells = number_of(facts, "cells");
        p->work = p->cells * (number_of(facts, "before") + fmin(frames, number_of(facts, "fps")));
        p->flat = is_flat(preset);
        exports_read(p, preset);
    }
    json_decref(tree);
    json_decref(facts);
    return p->flow != NULL;
}

/// Open the bake of a text whose paths are allowed.
static json_t *preset_open(const struct parse_context *c, const char *text, json_t *tree, struct parsed_preset **out)
{
    struct parsed_preset *p = calloc(1, sizeof *p);
    struct bw_bake_options o = {.size = sizeof o, .preset = c->path, .text = text};
    json_t *answer;
    if (!p || !(p->text = strdup(text))) answer = preset_error_json("out of memory", "", 0, 0);
    else if (bw_bake_open(c->session, &o, &p->look) || !parsed_fill(p, c->path))
        answer = preset_last_error_json(c->path);
    else {
        *out = p;
        return json_pack("{s:b, s:O, s:O}", "good", 1, "tree", tree, "values", p->values);
    }
    parsed_preset_free(p);
    return answer;
}

json_t *preset_parse(const struct parse_context *c, const char *text, struct parsed_preset **out)
{
    struct outside_path o = {.allowed = c->allowed};
    json_t *tree = tree_parse(text, c->path), *answer;
    *out = NULL;
    if (!tree) answer = preset_last_error_json(c->path);
    else if (texts_visit(tree, outside_path_find, &o)) answer = outside_error_json(&o);
    else answer = preset_open(c, text, tree, out);
    json_decref(tree);
    return answer;
}

void parsed_preset_free(struct parsed_preset *p)
{
    if (!p) return;
    bw_bake_close(p->look);
    json_decref(p->values);
    for (int i = 0; p->mute[i]; i++) free(p->mute[i]);
    free(p->flow);
    free(p->text);
    free(p);
}
