// SPDX-License-Identifier: Apache-2.0
/* Statistics over a cache's files, for upres and retime: velocity grid, advected grids, domain, and the parameters of
 * exporter vdb that write equal files (up axis, scale, precision, temperature). The domain of a bake by Billow comes
 * from its resolved.yaml; of other files it is the bounding box of all grids on the lattice of the finest one. */
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

enum { ADVECTED_MAX = 12 };              ///< fields that retime takes
enum { GRIDS_MAX = 64, FILES_READ = 5 }; ///< FILES_READ: files whose voxels are read

/// A grid that the flow advects, or that is left out.
struct advected {
    char *name;
    int skipped;
    uint32_t comps;
    double max;    ///< largest absolute deviation from the background
    double kelvin; ///< K above ambient for a stored 1; 0: unknown
    double background[3];
};

struct statistics {
    const struct cache *cache;
    struct api_call *api;   ///< warnings
    struct vdb_facts facts; ///< of the first file
    int has_facts, half;
    const char *flow_wanted; ///< name of the velocity grid as given, or NULL
    char *flow;
    struct advected advected[GRIDS_MAX];
    int n, n_advected;       ///< grids; those that are not skipped
    double h, origin[3];     ///< the domain's cells, m
    double box[2][3];        ///< bounding box of all grids in all frames, m
    int flow_active;         ///< the flow has active voxels in some frame
    int64_t lo[3], cells[3]; ///< the box on the domain's lattice
    struct bw_node *domain;  ///< of the bake's resolved.yaml; NULL: there is none
};

static struct bw_diag *diag_of(const struct statistics *c) { return &c->api->d; }

/* ---- grids ---- */

static int32_t flow_find(const struct statistics *c, const struct bwvdb_file *f)
{
    if (c->flow) return bwvdb_find(f, c->flow);
    if (!c->flow_wanted) return bwvdb_find_known(f, bw_velocity_names, 3);
    return bwvdb_find_known(f, (const char *const[]){c->flow_wanted, NULL}, 3);
}

static struct advected *advected_find(struct statistics *c, const char *name)
{
    for (int i = 0; i < c->n; i++)
        if (!strcmp(c->advected[i].name, name)) return &c->advected[i];
    return NULL;
}

/* All but the flow and obstacles. */
static int is_advected(const struct statistics *c, const struct bwvdb_info *g)
{
    return !g->part && (!c->flow || strcmp(g->name, c->flow)) && strncmp(g->name, "solid", 5) != 0;
}

/* Why a grid can't be advected; NULL: it can. */
static const char *fault_of(const struct statistics *c, const struct bwvdb_info *g)
{
    for (const char *const *flow = bw_velocity_names; *flow; flow++)
        if (g->comps == 3 && !strcmp(g->name, *flow)) return "there is one flow";
    return !g->comps                                ? "it holds no numbers"
           : g->grid_class == BWVDB_CLASS_LEVEL_SET ? "a level set is not advected"
           : c->n_advected == ADVECTED_MAX          ? "at most twelve are advected"
                                                    : NULL;
}

static struct advected *advected_add(struct statistics *c, const struct bwvdb_info *g)
{
    const char *fault = fault_of(c, g);
    struct advected *a = &c->advected[c->n];
    if (c->n == GRIDS_MAX) return NULL;
    *a = (struct advected){.name = bw_strdup(g->name), .comps = g->comps, .skipped = fault != NULL};
    if (!a->name) return out_of_memory(diag_of(c)), NULL;
    if (a->skipped) api_warn(c->api, "grid \"%s\" is left out: %s", a->name, fault);
    if (!strcmp(a->name, "temperature")) a->kelvin = bwvdb_grid_number(g, "kelvin", 0);
    c->n_advected += !a->skipped;
    c->n++;
    return a;
}

/* ---- bounds ---- */

static void box_add(struct statistics *c, const struct vdb_lattice *l)
{
    for (int a = 0; a < 3 && l->n[0]; a++) {
        const double lo = l->origin[a] + l->lo[a] * l->h, hi = lo + l->n[a] * l->h;
        c->box[0][a] = fmin(c->box[0][a], lo);
        c->box[1][a] = fmax(c->box[1][a], hi);
    }
}

/* The domain has the cells of the finest advected grid. */
static void cells_choose(struct statistics *c, const struct vdb_lattice *l)
{
    if (c->h > 0 && l->h > c->h * (1 - 1e-5)) return;
    c->h = l->h;
    memcpy(c->origin, l->origin, sizeof c->origin);
}

/* Largest value and background, from the voxels. */
static void values_collect(struct statistics *c, struct bwvdb_file *f, int32_t grid, struct advected *a)
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
    a->max = fmax(a->max, fmax(fabs(in.least - a->background[0]), fabs(in.most - a->background[0])));
}

static void grid_collect(struct statistics *c, struct bwvdb_file *f, int32_t grid, int inside)
{
    const struct bwvdb_info *g = bwvdb_grid_info(f, grid);
    struct advected *a = advected_find(c, g->name);
    struct vdb_lattice l;
    if ((!a && !(a = advected_add(c, g))) || a->skipped) return;
    vdb_lattice_of(g, &c->facts, 1, &l);
    c->half &= g->half;
    if (g->active) cells_choose(c, &l);
    box_add(c, &l);
    if (inside) values_collect(c, f, grid, a);
}

static void flow_collect(struct statistics *c, struct bwvdb_file *f)
{
    struct vdb_lattice l;
    const int32_t flow = flow_find(c, f);
    const struct bwvdb_info *g = flow >= 0 ? bwvdb_grid_info(f, flow) : NULL;
    if (!g || g->comps != 3) return;
    if (!c->flow && !(c->flow = bw_strdup(g->name))) out_of_memory(diag_of(c));
    vdb_lattice_of(g, &c->facts, 1, &l);
    c->half &= g->half;
    c->flow_active |= g->active > 0;
    box_add(c, &l);
}

static void file_collect(struct statistics *c, const char *path, int inside)
{
    struct bwvdb_file *f;
    struct bwvdb_error error;
    enum bwvdb_status bad = bwvdb_open(path, &f, &error);
    if (bad) {
        bw_diag_error(diag_of(c), BW_NAMED(path), (enum bw_status)bad, "%s", error.text);
        return;
    }
    if (!c->has_facts && bwvdb_count(f)) vdb_facts_read(f, &c->facts), c->has_facts = 1;
    flow_collect(c, f);
    for (int32_t i = 0; !diag_of(c)->status && i < bwvdb_count(f); i++)
        if (is_advected(c, bwvdb_grid_info(f, i))) grid_collect(c, f, i, inside);
    bwvdb_close(f);
}

/* ---- the domain ---- */

/* The domain of the bake's resolved.yaml, if there is a single one with equal voxels. */
static void domain_from_preset(struct statistics *c)
{
    struct bw_diag ignored = {0};
    char *path, *text = cache_resolved_text(c->cache, &path, &ignored);
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

static void domain_from_bounds(struct statistics *c)
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

/* A preset's name from the files'; characters that it may not have become underscores. */
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

/* A field's entry in a preset, without its name; "" for most. */
static char *field_text(const struct statistics *c, const struct advected *a)
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
    for (size_t i = 0; i < sizeof kept / sizeof *kept && !c->facts.ours && a->max > 0; i++) {
        if (strcmp(a->name, kept[i])) continue;
        snprintf(item, sizeof item, "alive: %.6g", 1e-3 * a->max);
        list_add(&text, item);
    }
    return text;
}

/* In YAML: their names, "density", "temperature", and entries, "dye": {kind: vector}. */
static void fields_put(const struct statistics *c, json_t *out)
{
    char *fields = bw_strdup(""), *entries = bw_strdup("");
    for (int i = 0; i < c->n; i++) {
        if (c->advected[i].skipped) continue;
        char *name = bw_node_quote(c->advected[i].name), *text = field_text(c, &c->advected[i]);
        const int key = name && !strchr(name, '\\'); // escaped characters are not allowed in a map's key
        char *entry = name && text && (key || *text) ? bw_printf("%s: {%s}", name, text) : NULL;
        if (name) list_add(&fields, name);
        if (entry) list_add(&entries, entry);
        bw_free(entry);
        bw_free(name);
        bw_free(text);
    }
    text_add(out, "fields", fields);
    text_add(out, "vectors", entries);
}

/* Parameters of exporter vdb for files with equal metadata. */
static json_t *export_json(const struct statistics *c)
{
    double least = 1, kelvin = 0;
    int temperature = 0;
    for (int i = 0; i < c->n; i++) {
        const struct advected *a = &c->advected[i];
        if (a->max > 0) least = fmin(least, a->max);
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

static json_t *box_json(const struct statistics *c)
{
    return json_pack("{s:[I,I,I], s:f, s:[f,f,f], s:{s:s}}", "cells", (json_int_t)c->cells[0], (json_int_t)c->cells[1],
                     (json_int_t)c->cells[2], "voxel", c->h, "origin", c->origin[0] + (double)c->lo[0] * c->h,
                     c->origin[1] + (double)c->lo[1] * c->h, c->origin[2] + (double)c->lo[2] * c->h, "sides", "rest",
                     "open");
}

static void statistics_put(const struct statistics *c, json_t *out)
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

/* Are a flow and an advected grid there, and not empty? */
static void statistics_check(struct statistics *c)
{
    struct bw_diag *d = diag_of(c);
    const char *path = c->cache->files.path[0];
    struct bwvdb_file *f = NULL;
    if (!c->flow && bwvdb_open(path, &f, NULL)) f = NULL;
    const char *names = f ? bwvdb_names(f) : "nothing that can be read";
    if (!c->flow && c->flow_wanted)
        bw_diag_error(d, NULL, BW_ERR, "%s has no grid of vectors called \"%s\"; it holds %s", path, c->flow_wanted,
                      names);
    else if (!c->flow)
        bw_diag_error(d, NULL, BW_ERR,
                      "%s has no grid vel (velocity, v) of vectors; it holds %s. --flow NAME says which it is", path,
                      names);
    else if (!c->n_advected) bw_diag_error(d, NULL, BW_ERR, "the cache holds a flow, and nothing to advect");
    else if (!c->flow_active) bw_diag_error(d, NULL, BW_ERR, "the cache's flow is empty in every frame");
    else if (!(c->h > 0)) bw_diag_error(d, NULL, BW_ERR, "all advected grids of the cache are empty in every frame");
    bwvdb_close(f);
}

bool cache_statistics(const struct cache *cache, const char *flow, json_t *out, struct api_call *api)
{
    struct statistics c = {.cache = cache, .api = api, .flow_wanted = flow, .half = 1, .facts.scale = 1};
    const int32_t count = cache->files.count;
    for (int a = 0; a < 3; a++) c.box[0][a] = HUGE_VAL, c.box[1][a] = -HUGE_VAL;
    for (int32_t i = 0; !api->d.status && i < count; i++) {
        int inside = count <= FILES_READ;
        for (int k = 0; k < FILES_READ; k++) inside |= i == (int64_t)k * (count - 1) / (FILES_READ - 1);
        file_collect(&c, cache->files.path[i], inside);
    }
    if (!api->d.status) statistics_check(&c);
    if (!api->d.status) domain_from_preset(&c);
    if (!api->d.status) domain_from_bounds(&c);
    if (!api->d.status) statistics_put(&c, out);
    for (int i = 0; i < c.n; i++) bw_free(c.advected[i].name);
    bw_free(c.flow);
    bw_node_free(c.domain);
    return !api->d.status;
}
