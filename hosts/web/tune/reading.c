// SPDX-License-Identifier: Apache-2.0
#include "reading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- trees ---- */

/// {"map"}, {"list"}, {"text"} as plain objects, lists and texts.
static json_t *plain_of(const json_t *node)
{
    json_t *map = json_object_get(node, "map"), *list = json_object_get(node, "list"), *item;
    size_t i;
    if (map) {
        json_t *out = json_object();
        json_array_foreach (map, i, item)
            json_object_set_new(out, json_string_value(json_array_get(item, 0)), plain_of(json_array_get(item, 1)));
        return out;
    }
    if (!list) return json_incref(json_object_get(node, "text"));
    json_t *out = json_array();
    json_array_foreach (list, i, item) json_array_append_new(out, plain_of(item));
    return out;
}

static json_t *tree_of(const char *text, const char *name)
{
    char *json = bw_preset_tree(text, name);
    json_t *tree = json ? json_loads(json, 0, NULL) : NULL;
    bw_text_free(json);
    return tree;
}

/// Calls for each text of a tree with its line, until that answers other than 0.
static int texts_each(const json_t *node, int (*fn)(const char *text, int line, void *user), void *user)
{
    json_t *map = json_object_get(node, "map"), *list = map ? map : json_object_get(node, "list"), *item;
    size_t i;
    int stop = 0;
    if (!list) {
        const char *text = json_string_value(json_object_get(node, "text"));
        return text ? fn(text, (int)json_integer_value(json_object_get(node, "line")), user) : 0;
    }
    json_array_foreach (list, i, item)
        if ((stop = texts_each(map ? json_array_get(item, 1) : item, fn, user))) break;
    return stop;
}

static int text_know(const char *text, int line, void *known)
{
    (void)line;
    json_object_set_new(known, text, json_true());
    return 0;
}

void reading_know(const char *text, json_t *known)
{
    json_t *tree = tree_of(text, "preset");
    if (tree) texts_each(tree, text_know, known);
    json_decref(tree);
}

/* ---- files ---- */

/// One that leads out of the preset's folder, and did not stand in the preset before.
struct outside {
    const json_t *known;
    char text[200];
    int line;
};

static int leads_out(const char *text)
{
    if (*text == '/' || *text == '~') return 1;
    for (const char *at = text; (at = strstr(at, "..")); at += 2)
        if ((at == text || at[-1] == '/') && (!at[2] || at[2] == '/')) return 1;
    return 0;
}

static int outside_find(const char *text, int line, void *user)
{
    struct outside *o = user;
    if (!leads_out(text) || json_object_get(o->known, text)) return 0;
    snprintf(o->text, sizeof o->text, "%s", text);
    o->line = line;
    return 1;
}

/* ---- what is said ---- */

static json_t *bad(const char *sentence, const char *text, int line, int column)
{
    return json_pack("{s:b, s:s, s:s, s:i, s:i}", "good", 0, "sentence", sentence, "text", text, "line", line, "column",
                     column);
}

/// The library's last words. A line of another file is none of this text's.
static json_t *bad_last(const char *path)
{
    const struct bw_error *e = bw_error_last();
    const int own = e->file && !strcmp(e->file, path);
    json_t *o = bad(e->sentence, e->text, own ? e->line : 0, own ? e->column : 0);
    return o ? o : bad("the preset cannot be read", "", 0, 0);
}

static json_t *bad_outside(const struct outside *o)
{
    json_t *words = json_sprintf("line %d: \"%s\" leads out of the preset's folder; from the page only files beside it "
                                 "can be named",
                                 o->line, o->text);
    json_t *said = bad(json_string_value(words), json_string_value(words), o->line, 1);
    json_decref(words);
    return said;
}

/* ---- values ---- */

static char *flow_of(const json_t *values)
{
    static const char *const apart[] = {"export", "look", "camera", "name"};
    json_t *flow = json_copy((json_t *)(uintptr_t)values);
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) json_object_del(flow, apart[i]);
    char *text = json_dumps(flow, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(flow);
    return text;
}

static double number_of(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }

static void exports_read(struct reading *g, const json_t *preset)
{
    json_t *e;
    size_t i;
    int n = 0;
    json_array_foreach (json_object_get(preset, "exports"), i, e) {
        const char *makes = json_string_value(json_object_get(e, "makes"));
        if (makes && !strcmp(makes, "cache") && json_is_true(json_object_get(e, "enabled"))) g->caches++;
        else if (n < 63) g->mute[n++] = strdup(json_string_value(json_object_get(e, "id")));
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

static int facts_read(struct reading *g, const char *path)
{
    char *said = bw_bake_describe(g->look);
    json_t *facts = said ? json_loads(said, 0, NULL) : NULL;
    json_t *tree = facts ? tree_of(json_string_value(json_object_get(facts, "resolved")), path) : NULL;
    const json_t *preset = json_object_get(facts, "preset");
    bw_text_free(said);
    if (tree) {
        const double frames = number_of(facts, "last") - number_of(facts, "first") + 1;
        g->values = plain_of(tree);
        g->flow = flow_of(g->values);
        g->work = number_of(facts, "cells") * (number_of(facts, "before") + fmin(frames, number_of(facts, "fps")));
        g->flat = is_flat(preset);
        exports_read(g, preset);
    }
    json_decref(tree);
    json_decref(facts);
    return g->flow != NULL;
}

static json_t *good_make(const struct reader *r, const char *text, json_t *tree, struct reading **out)
{
    struct reading *g = calloc(1, sizeof *g);
    struct bw_bake_options o = {.size = sizeof o, .preset = r->path, .text = text};
    json_t *said;
    if (!g || !(g->text = strdup(text))) said = bad("out of memory", "", 0, 0);
    else if (bw_bake_open(r->session, &o, &g->look) || !facts_read(g, r->path)) said = bad_last(r->path);
    else {
        *out = g;
        return json_pack("{s:b, s:O, s:O}", "good", 1, "tree", tree, "values", g->values);
    }
    reading_free(g);
    return said;
}

json_t *reading_make(const struct reader *r, const char *text, struct reading **out)
{
    struct outside o = {.known = r->known};
    json_t *tree = tree_of(text, r->path), *said;
    *out = NULL;
    if (!tree) said = bad_last(r->path);
    else if (texts_each(tree, outside_find, &o)) said = bad_outside(&o);
    else said = good_make(r, text, tree, out);
    json_decref(tree);
    return said;
}

void reading_free(struct reading *g)
{
    if (!g) return;
    bw_bake_close(g->look);
    json_decref(g->values);
    for (int i = 0; g->mute[i]; i++) free(g->mute[i]);
    free(g->flow);
    free(g->text);
    free(g);
}
