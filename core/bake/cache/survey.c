// SPDX-License-Identifier: Apache-2.0
/* What the files of a cache hold, for those who go on from it. A bake of ours left its domain in resolved.yaml, sides
 * included; of other files the domain is the box that their flow ever fills. */
#include "cache.h"

#include "base/text/utf8.h"
#include "preset/tree/node.h"
#include "run/output/inside.h"
#include "preset/values/params.h"
#include <common/openvdb/bwvdb.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct survey {
    double fps;             ///< 0: the files do not say
    double h, origin[3];    ///< the flow's voxels: edge, and the low corner of voxel (0,0,0)
    int32_t lo[3], hi[3];   ///< voxels of the flow that are there in any frame
    const char *flow;       ///< the name of the flow's grid
    char *fields, *vectors; ///< of YAML: '"density", "temperature"'; '"dye": {kind: vector}'
    struct bw_node *domain; ///< of the bake's resolved.yaml, or NULL: not a bake of ours
};

static const char *const flows[] = {"vel", "velocity", "v"};

static int is_flow(const char *name)
{
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++)
        if (!strcmp(name, flows[i])) return 1;
    return 0;
}

static void list_add(char **list, const char *format, const char *bare)
{
    char *name = bw_node_quote(bare), *item = name ? bw_printf(format, name) : NULL,
         *grown = item && *list ? bw_printf("%s%s%s", *list, **list ? ", " : "", item) : NULL;
    bw_free(name);
    bw_free(item);
    bw_free(*list);
    *list = grown;
}

/* Everything that is carried: numbers and vectors, but not the flow, nor obstacles, which stand where they are. */
static int fields_list(struct survey *c, const struct bwvdb_file *f)
{
    c->fields = bw_strdup("");
    c->vectors = bw_strdup("");
    for (int32_t i = 0; i < bwvdb_count(f); i++) {
        const struct bwvdb_info *g = bwvdb_grid_info(f, i);
        if (!g->comps || is_flow(g->name) || !strncmp(g->name, "solid", 5) || bwvdb_find(f, g->name) != i) continue;
        list_add(&c->fields, "%s", g->name);
        if (g->comps == 3) list_add(&c->vectors, "%s: {kind: vector, advect: true}", g->name);
    }
    return c->fields && c->vectors;
}

static void box_add(struct survey *c, const struct bwvdb_info *g)
{
    if (g->lo[0] > g->hi[0]) return;
    int begun = c->hi[0] >= c->lo[0];
    for (int a = 0; a < 3; a++) {
        if (!begun || g->lo[a] < c->lo[a]) c->lo[a] = g->lo[a];
        if (!begun || g->hi[a] > c->hi[a]) c->hi[a] = g->hi[a];
    }
}

static enum bw_status file_look(struct survey *c, const char *path, int first, struct bw_diag *d)
{
    struct bwvdb_file *f;
    struct bwvdb_error error;
    enum bwvdb_status bad = bwvdb_open(path, &f, &error);
    if (bad) return bw_diag_error(d, NULL, (enum bw_status)bad, "%s", error.text);
    int32_t grid = -1;
    for (size_t i = 0; i < sizeof flows / sizeof *flows && grid < 0; i++)
        if ((grid = bwvdb_find(f, flows[i])) >= 0) c->flow = flows[i];
    const struct bwvdb_info *g = grid >= 0 ? bwvdb_grid_info(f, grid) : NULL;
    if (!g || g->comps != 3) {
        bw_diag_error(d, NULL, BW_ERR, "%s has no grid vel (velocity, v) of vectors; it holds %s", path,
                      bwvdb_names(f));
    } else {
        box_add(c, g);
        c->h = g->matrix[0];
        for (int a = 0; a < 3; a++) c->origin[a] = g->matrix[4 * a + 3] - .5 * c->h;
    }
    if (!d->status && first) {
        uint32_t n;
        const struct bwvdb_meta *meta = bwvdb_file_meta(f, &n);
        for (uint32_t i = 0; i < n; i++)
            if (!strcmp(meta[i].key, "fps")) c->fps = meta[i].number;
        if (!fields_list(c, f)) out_of_memory(d);
        else if (!*c->fields) bw_diag_error(d, NULL, BW_ERR, "the cache holds a flow and nothing that it carries");
    }
    bwvdb_close(f);
    return d->status;
}

/* The domain of the bake that made FOLDER/vdb/…, where it is one, of the same voxels, its only one. */
static void domain_look(struct survey *c, const char *pattern)
{
    char *folder = bw_strdup(pattern), *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) *slash = '\0', slash = strrchr(folder, '/');
    struct bw_diag ignored = {0};
    if (slash) *slash = '\0';
    char *text = slash ? file_inside_text(folder, "resolved.yaml", &ignored) : NULL;
    struct bw_node *root = text ? bw_node_parse(text, "resolved.yaml", &ignored) : NULL;
    const struct bw_node *domain = root ? bw_node_get(root, "domain") : NULL;
    const struct bw_node *voxel = domain ? bw_node_get(domain, "voxel") : NULL;
    double h = 0;
    char why[200];
    int same = voxel && voxel->text && !bw_parse_quantity(voxel->text, "m", &h, NULL, why, sizeof why) &&
               fabs(h - c->h) < 1e-5 * c->h;
    if (same) c->domain = bw_node_copy(domain); // written with a scale they differ
    bw_node_free(root);
    bw_diag_free(&ignored);
    bw_free(text);
    bw_free(folder);
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
    return json_pack("{s:[i,i,i], s:f, s:[f,f,f], s:{s:s}}", "cells", c->hi[0] - c->lo[0] + 1, c->hi[1] - c->lo[1] + 1,
                     c->hi[2] - c->lo[2] + 1, "voxel", c->h, "origin", c->origin[0] + c->lo[0] * c->h,
                     c->origin[1] + c->lo[1] * c->h, c->origin[2] + c->lo[2] * c->h, "sides", "rest", "open");
}

bool cache_survey(const struct cache *cache, json_t *out, struct bw_diag *d)
{
    struct survey c = {.hi = {-1, -1, -1}};
    for (int32_t i = 0; !d->status && i < cache->files.count; i++) file_look(&c, cache->files.path[i], i == 0, d);
    if (!d->status && c.hi[0] < c.lo[0]) bw_diag_error(d, NULL, BW_ERR, "the cache's flow is empty in every frame");
    if (!d->status) {
        domain_look(&c, cache->pattern);
        if (c.fps > 0) json_object_set_new(out, "fps", json_real(c.fps));
        json_object_set_new(out, "voxel", json_real(c.h));
        text_add(out, "flow", bw_node_quote(c.flow));
        text_add(out, "upres", title_of(cache->files.name, "upres"));
        text_add(out, "retime", title_of(cache->files.name, "retime"));
        text_add(out, "frames_from", bw_node_quote(cache->pattern));
        json_object_set_new(out, "fields", json_string(c.fields));
        json_object_set_new(out, "vectors", json_string(c.vectors));
        json_object_set_new(out, "first_voxel", json_pack("[i,i,i]", c.lo[0], c.lo[1], c.lo[2]));
        json_object_set_new(out, "last_voxel", json_pack("[i,i,i]", c.hi[0], c.hi[1], c.hi[2]));
        json_object_set_new(out, "domain", c.domain ? node_json(c.domain) : box_json(&c));
    }
    bw_free(c.fields);
    bw_free(c.vectors);
    bw_node_free(c.domain);
    return !d->status;
}
