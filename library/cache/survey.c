// SPDX-License-Identifier: Apache-2.0
/* What the files of a cache hold, for those who go on from it. A bake of ours left its domain in resolved.yaml, sides
 * included; of other files the domain is the box that all that goes along ever fills, on the lattice of the finest
 * smoke. What the files say of themselves goes along too: up axis, units, how exact values are, what heat is. */
#include "look.h"

#include "base/text/utf8.h"
#include "preset/tree/node.h"
#include "preset/values/params.h"
#include <common/openvdb/contents/contents.h>
#include <common/openvdb/lattice/lattice.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CARRIED = 12, NAMES = 64, LOOKED = 5 }; ///< fields that retime takes; grids; files looked into to the last voxel

/// A grid that goes along, or is left out.
struct carried {
    char *name;
    int left;
    uint32_t comps;
    double most;   ///< the largest value that was met
    double kelvin; ///< 0: the file says nothing
    double background[3];
};

struct survey {
    const struct cache *cache;
    struct api_call *api;   ///< for what is left out
    struct vdb_facts facts; ///< of the first file
    int begun, half;
    const char *wanted; ///< the flow's name as it was given, or NULL
    char *flow;
    struct carried carried[NAMES];
    int n, goes;             ///< of them; how many go along
    double h, origin[3];     ///< the domain's cells, m
    double box[2][3];        ///< all that goes along, in any frame, m
    int filled;              ///< the flow is somewhere
    int64_t lo[3], cells[3]; ///< the box on the domain's lattice
    struct bw_node *domain;  ///< of the bake's resolved.yaml, or NULL: not a bake of ours
};

static struct bw_diag *diag_of(const struct survey *c) { return &c->api->d; }

/* ---- which grids ---- */

static int32_t flow_find(const struct survey *c, const struct bwvdb_file *f)
{
    if (c->flow) return bwvdb_find(f, c->flow);
    if (!c->wanted) return bwvdb_find_known(f, bw_velocity_names, 3);
    return bwvdb_find_known(f, (const char *const[]){c->wanted, NULL}, 3);
}

static struct carried *carried_find(struct survey *c, const char *name)
{
    for (int i = 0; i < c->n; i++)
        if (!strcmp(c->carried[i].name, name)) return &c->carried[i];
    return NULL;
}

/* Obstacles stand where they are. */
static int is_carried(const struct survey *c, const struct bwvdb_info *g)
{
    return !g->part && (!c->flow || strcmp(g->name, c->flow)) && strncmp(g->name, "solid", 5) != 0;
}

/* Why a grid can't go along; NULL: it can. */
static const char *fault_of(const struct survey *c, const struct bwvdb_info *g)
{
    for (const char *const *flow = bw_velocity_names; *flow; flow++)
        if (g->comps == 3 && !strcmp(g->name, *flow)) return "there is one flow";
    return !g->comps                                ? "it holds no numbers"
           : g->grid_class == BWVDB_CLASS_LEVEL_SET ? "a level set is no amount that a flow carries"
           : c->goes == CARRIED                     ? "twelve go along, not more"
                                                    : NULL;
}

static struct carried *carried_add(struct survey *c, const struct bwvdb_info *g)
{
    const char *fault = fault_of(c, g);
    struct carried *a = &c->carried[c->n];
    if (c->n == NAMES) return NULL;
    *a = (struct carried){.name = bw_strdup(g->name), .comps = g->comps, .left = fault != NULL};
    if (!a->name) return out_of_memory(diag_of(c)), NULL;
    if (a->left) api_warn(c->api, "grid \"%s\" is left out: %s", a->name, fault);
    if (!strcmp(a->name, "temperature")) a->kelvin = bwvdb_grid_number(g, "kelvin", 0);
    c->goes += !a->left;
    c->n++;
    return a;
}

/* ---- where they are ---- */

static void box_add(struct survey *c, const struct vdb_lattice *l)
{
    for (int a = 0; a < 3 && l->n[0]; a++) {
        const double lo = l->origin[a] + l->lo[a] * l->h, hi = lo + l->n[a] * l->h;
        c->box[0][a] = fmin(c->box[0][a], lo);
        c->box[1][a] = fmax(c->box[1][a], hi);
    }
}

/* Of what is carried the finest cells are the domain's. */
static void cells_choose(struct survey *c, const struct vdb_lattice *l)
{
    if (c->h > 0 && l->h > c->h * (1 - 1e-5)) return;
    c->h = l->h;
    memcpy(c->origin, l->origin, sizeof c->origin);
}

/* The largest value, and the background, of a file that is looked into. */
static void values_look(struct survey *c, struct bwvdb_file *f, int32_t grid, struct carried *a)
{
    struct vdb_contents in;
    struct bwvdb_error error;
    const struct bwvdb_info *g = bwvdb_grid_info(f, grid);
    if (bwvdb_load(f, grid, &error)) {
        bw_diag_error(diag_of(c), NULL, BW_ERR_IO, "%s", error.text);
        return;
    }
    memcpy(a->background, g->background, sizeof a->background);
    if (vdb_contents_find(f, grid, &in, NULL) || !in.active) return;
    a->most = fmax(a->most, fmax(fabs(in.least - a->background[0]), fabs(in.most - a->background[0])));
}

static void grid_look(struct survey *c, struct bwvdb_file *f, int32_t grid, int inside)
{
    const struct bwvdb_info *g = bwvdb_grid_info(f, grid);
    struct carried *a = carried_find(c, g->name);
    struct vdb_lattice l;
    if ((!a && !(a = carried_add(c, g))) || a->left) return;
    vdb_lattice_of(g, &c->facts, 1, &l);
    c->half &= g->half;
    if (g->active) cells_choose(c, &l);
    box_add(c, &l);
    if (inside) values_look(c, f, grid, a);
}

static void flow_look(struct survey *c, struct bwvdb_file *f)
{
    struct vdb_lattice l;
    const int32_t flow = flow_find(c, f);
    const struct bwvdb_info *g = flow >= 0 ? bwvdb_grid_info(f, flow) : NULL;
    if (!g || g->comps != 3) return;
    if (!c->flow && !(c->flow = bw_strdup(g->name))) out_of_memory(diag_of(c));
    vdb_lattice_of(g, &c->facts, 1, &l);
    c->half &= g->half;
    c->filled |= g->active > 0;
    box_add(c, &l);
}

static void file_look(struct survey *c, const char *path, int inside)
{
    struct bwvdb_file *f;
    struct bwvdb_error error;
    enum bwvdb_status bad = bwvdb_open(path, &f, &error);
    if (bad) {
        bw_diag_error(diag_of(c), BW_NAMED(path), (enum bw_status)bad, "%s", error.text);
        return;
    }
    if (!c->begun && bwvdb_count(f)) vdb_facts_read(f, &c->facts), c->begun = 1;
    flow_look(c, f);
    for (int32_t i = 0; !diag_of(c)->status && i < bwvdb_count(f); i++)
        if (is_carried(c, bwvdb_grid_info(f, i))) grid_look(c, f, i, inside);
    bwvdb_close(f);
}

/* ---- the domain ---- */

/* The domain of the bake that made FOLDER/vdb/…, where it is one, of the same voxels, its only one. */
static void domain_look(struct survey *c)
{
    struct bw_diag ignored = {0};
    char *path, *text = cache_record(c->cache, &path, &ignored);
    struct bw_node *root = text ? bw_node_parse(text, path, &ignored) : NULL;
    const struct bw_node *domain = root ? bw_node_get(root, "domain") : NULL;
    const struct bw_node *voxel = domain ? bw_node_get(domain, "voxel") : NULL;
    double h = 0;
    char why[200];
    int same = voxel && voxel->text && !bw_parse_quantity(voxel->text, "m", &h, NULL, why, sizeof why) &&
               fabs(h - c->h) < 1e-5 * c->h;
    if (same) c->domain = bw_node_copy(domain);
    bw_node_free(root);
    bw_diag_free(&ignored);
    bw_free(text);
    bw_free(path);
}

static void domain_make(struct survey *c)
{
    for (int a = 0; a < 3; a++) {
        const double lo = floor((c->box[0][a] - c->origin[a]) / c->h + 1e-3),
                     hi = ceil((c->box[1][a] - c->origin[a]) / c->h - 1e-3);
        if (!(fabs(lo) < 1e9 && fabs(hi) < 1e9)) {
            bw_diag_error(diag_of(c), NULL, BW_ERR_LIMIT,
                          "what the cache holds lies as far as %g m from the origin, beside voxels of %g m",
                          fmax(fabs(c->box[0][a]), fabs(c->box[1][a])), c->h);
            return;
        }
        c->lo[a] = (int64_t)lo, c->cells[a] = (int64_t)(hi - lo);
    }
}

/* ---- as JSON ---- */

/* What a preset may be called after the files: where the rule of names says no, an underscore. */
static char *title_of(const char *files, const char *what)
{
    enum { MOST = 100 };
    char *title = bw_strdup(files), *s = title;
    uint32_t code;
    while (s && *s && s - title < MOST) {
        const int n = bw_utf8_next(s, &code);
        if (!n || bw_utf8_is_control(code) || strchr("/\\", *s) || (s == title && *s == '.'))
            memset(s, '_', n ? (size_t)n : 1);
        s += n ? n : 1;
    }
    if (s) *s = '\0';
    char *whole = title ? bw_printf("%s_%s", title, what) : NULL, *quoted = whole ? bw_node_quote(whole) : NULL;
    bw_free(whole);
    bw_free(title);
    return quoted;
}

static void text_add(json_t *out, const char *key, char *text)
{
    if (text) json_object_set_new(out, key, json_string(text));
    bw_free(text);
}

static void list_add(char **list, const char *item)
{
    char *grown = *list ? bw_printf("%s%s%s", *list, **list ? ", " : "", item) : NULL;
    bw_free(*list);
    *list = grown;
}

/* What a preset has to say of a field beside its name; "" for most, whose names are no slips for all that. */
static char *field_text(const struct survey *c, const struct carried *a)
{
    static const char *const kept[] = {"density", "temperature", "fuel", "soot"}; // tiles are, above absolute values
    const double *b = a->background;
    char *text = bw_strdup(a->comps == 3 ? "kind: vector, advect: true" : "");
    char item[120];
    if (b[0] != 0 || b[1] != 0 || b[2] != 0) {
        if (a->comps == 3) snprintf(item, sizeof item, "background: [%.17g, %.17g, %.17g]", b[0], b[1], b[2]);
        else snprintf(item, sizeof item, "background: %.17g", b[0] * (a->kelvin > 0 ? a->kelvin : 1));
        list_add(&text, item);
    }
    for (size_t i = 0; i < sizeof kept / sizeof *kept && !c->facts.ours && a->most > 0; i++) {
        if (strcmp(a->name, kept[i])) continue;
        snprintf(item, sizeof item, "alive: %.6g", 1e-3 * a->most);
        list_add(&text, item);
    }
    return text;
}

/* In YAML: "density", "temperature"; and what is to be said of them: "dye": {kind: vector}. */
static void fields_put(const struct survey *c, json_t *out)
{
    char *fields = bw_strdup(""), *said = bw_strdup("");
    for (int i = 0; i < c->n; i++) {
        if (c->carried[i].left) continue;
        char *name = bw_node_quote(c->carried[i].name), *text = field_text(c, &c->carried[i]);
        const int key = name && !strchr(name, '\\'); // escapes: no key of a map may have what they stand for
        char *entry = name && text && (key || *text) ? bw_printf("%s: {%s}", name, text) : NULL;
        if (name) list_add(&fields, name);
        if (entry) list_add(&said, entry);
        bw_free(entry);
        bw_free(name);
        bw_free(text);
    }
    text_add(out, "fields", fields);
    text_add(out, "vectors", said);
}

/* How exporter vdb is to write, for the files to say what these say. */
static json_t *export_json(const struct survey *c)
{
    double least = 1, kelvin = 0;
    int temperature = 0;
    for (int i = 0; i < c->n; i++) {
        const struct carried *a = &c->carried[i];
        if (a->most > 0) least = fmin(least, a->most);
        if (!strcmp(a->name, "temperature")) temperature = 1, kelvin = a->kelvin;
    }
    json_t *o = json_pack("{s:s, s:f, s:s, s:f}", "up", c->facts.y_up ? "y" : "z", "scale", c->facts.scale, "precision",
                          c->half ? "half" : "float", "threshold", 1e-4 * least);
    if (temperature)
        json_object_set_new(o, "temperature",
                            json_string(!(kelvin > 0)              ? "plain"
                                        : fabs(kelvin - 1000) < .1 ? "blender"
                                        : kelvin == 1              ? "excess"
                                                                   : "normalized"));
    if (kelvin > 0) json_object_set_new(o, "normalized_at", json_real(kelvin));
    return o;
}

static json_t *node_json(const struct bw_node *n)
{
    if (n->type == BW_NODE_SCALAR) return json_string(n->text ? n->text : "");
    json_t *all = n->type == BW_NODE_MAP ? json_object() : json_array();
    for (int32_t i = 0; i < n->count; i++) {
        if (n->type == BW_NODE_MAP) json_object_set_new(all, n->child[i]->key, node_json(n->child[i]));
        else json_array_append_new(all, node_json(n->child[i]));
    }
    return all;
}

static json_t *box_json(const struct survey *c)
{
    return json_pack("{s:[I,I,I], s:f, s:[f,f,f], s:{s:s}}", "cells", (json_int_t)c->cells[0], (json_int_t)c->cells[1],
                     (json_int_t)c->cells[2], "voxel", c->h, "origin", c->origin[0] + (double)c->lo[0] * c->h,
                     c->origin[1] + (double)c->lo[1] * c->h, c->origin[2] + (double)c->lo[2] * c->h, "sides", "rest",
                     "open");
}

static void survey_put(const struct survey *c, json_t *out)
{
    if (c->facts.fps > 0) json_object_set_new(out, "fps", json_real(c->facts.fps));
    json_object_set_new(out, "voxel", json_real(c->h));
    text_add(out, "flow", bw_node_quote(c->flow));
    text_add(out, "upres", title_of(c->cache->files.name, "upres"));
    text_add(out, "retime", title_of(c->cache->files.name, "retime"));
    text_add(out, "frames_from", bw_node_quote(c->cache->pattern));
    fields_put(c, out);
    json_object_set_new(out, "export", export_json(c));
    json_object_set_new(out, "first_voxel",
                        json_pack("[I,I,I]", (json_int_t)c->lo[0], (json_int_t)c->lo[1], (json_int_t)c->lo[2]));
    json_object_set_new(out, "last_voxel",
                        json_pack("[I,I,I]", (json_int_t)(c->lo[0] + c->cells[0] - 1),
                                  (json_int_t)(c->lo[1] + c->cells[1] - 1), (json_int_t)(c->lo[2] + c->cells[2] - 1)));
    json_object_set_new(out, "domain", c->domain ? node_json(c->domain) : box_json(c));
}

/* Is there what it takes? */
static void survey_judge(struct survey *c)
{
    struct bw_diag *d = diag_of(c);
    const char *path = c->cache->files.path[0];
    struct bwvdb_file *f = NULL;
    if (!c->flow && bwvdb_open(path, &f, NULL)) f = NULL;
    const char *names = f ? bwvdb_names(f) : "nothing that can be read";
    if (!c->flow && c->wanted)
        bw_diag_error(d, NULL, BW_ERR, "%s has no grid of vectors called \"%s\"; it holds %s", path, c->wanted, names);
    else if (!c->flow)
        bw_diag_error(d, NULL, BW_ERR,
                      "%s has no grid vel (velocity, v) of vectors; it holds %s. --flow NAME says which it is", path,
                      names);
    else if (!c->goes) bw_diag_error(d, NULL, BW_ERR, "the cache holds a flow and nothing that it carries");
    else if (!c->filled) bw_diag_error(d, NULL, BW_ERR, "the cache's flow is empty in every frame");
    else if (!(c->h > 0)) bw_diag_error(d, NULL, BW_ERR, "what the cache's flow carries is empty in every frame");
    bwvdb_close(f);
}

bool cache_survey(const struct cache *cache, const char *flow, json_t *out, struct api_call *api)
{
    struct survey c = {.cache = cache, .api = api, .wanted = flow, .half = 1, .facts.scale = 1};
    const int32_t count = cache->files.count;
    for (int a = 0; a < 3; a++) c.box[0][a] = HUGE_VAL, c.box[1][a] = -HUGE_VAL;
    for (int32_t i = 0; !api->d.status && i < count; i++) {
        int inside = count <= LOOKED;
        for (int k = 0; k < LOOKED; k++) inside |= i == (int64_t)k * (count - 1) / (LOOKED - 1);
        file_look(&c, cache->files.path[i], inside);
    }
    if (!api->d.status) survey_judge(&c);
    if (!api->d.status) domain_look(&c);
    if (!api->d.status) domain_make(&c);
    if (!api->d.status) survey_put(&c, out);
    for (int i = 0; i < c.n; i++) bw_free(c.carried[i].name);
    bw_free(c.flow);
    bw_node_free(c.domain);
    return !api->d.status;
}
