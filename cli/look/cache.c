// SPDX-License-Identifier: Apache-2.0
/* Looking at a finished cache; cache.h says for what. A bake of ours left its domain in resolved.yaml, sides included;
 * of other files the domain is the box that their flow ever fills. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cache.h"

#include "base/alloc.h"
#include "preset/values/params.h"
#include <picture/view/vdb_view.h>
#include <common/openvdb/bwvdb.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const flows[] = {"vel", "velocity", "v"};

/* The last digits of a file's name become #. */
static char *pattern_of(const char *file)
{
    char *real = realpath(file, NULL), *pattern = real ? bw_strdup(real) : NULL;
    free(real);
    char *slash = pattern ? strrchr(pattern, '/') : NULL, *end = slash ? strrchr(slash, '.') : NULL;
    if (!end) return pattern;
    while (end > slash && (end[-1] < '0' || end[-1] > '9')) end--;
    for (; end > slash + 1 && end[-1] >= '0' && end[-1] <= '9'; end--) end[-1] = '#';
    return pattern;
}

char *cli_cache_pattern(const char *what, struct bw_diag *d)
{
    struct bw_sequence s;
    char why[1024];
    enum bw_status status = bw_sequence_find(&s, what, INT64_MIN, INT64_MAX, why, sizeof why);
    if (status) return bw_diag_error(d, NULL, status, "%s", why), NULL;
    char *pattern = pattern_of(s.path[0]);
    bw_sequence_free(&s);
    if (!pattern) bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory");
    return pattern;
}

static int say(int code, const char *text)
{
    fprintf(stderr, "billow: %s\n", text);
    return code;
}

/* ---- grids ---- */

static int is_flow(const char *name)
{
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++)
        if (!strcmp(name, flows[i])) return 1;
    return 0;
}

static void list_add(char **list, const char *format, const char *name)
{
    char *item = bw_printf(format, name),
         *grown = item && *list ? bw_printf("%s%s%s", *list, **list ? ", " : "", item) : NULL;
    bw_free(item);
    bw_free(*list);
    *list = grown;
}

/* Everything that is carried: numbers and vectors, but not the flow, nor obstacles, which stand where they are. */
static int fields_list(struct cli_cache *c, const struct bwvdb_file *f)
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

static void box_add(struct cli_cache *c, const struct bwvdb_info *g)
{
    if (g->lo[0] > g->hi[0]) return;
    int begun = c->hi[0] >= c->lo[0];
    for (int a = 0; a < 3; a++) {
        if (!begun || g->lo[a] < c->lo[a]) c->lo[a] = g->lo[a];
        if (!begun || g->hi[a] > c->hi[a]) c->hi[a] = g->hi[a];
    }
}

static int file_look(struct cli_cache *c, const char *path, int first)
{
    struct bwvdb_file *f;
    struct bwvdb_error error;
    enum bwvdb_status bad = bwvdb_open(path, &f, &error);
    if (bad) return say(cli_exit_code((enum bw_status)bad), error.text);
    int32_t grid = -1, code = EXIT_CODE_OK;
    for (size_t i = 0; i < sizeof flows / sizeof *flows && grid < 0; i++)
        if ((grid = bwvdb_find(f, flows[i])) >= 0) c->flow = flows[i];
    const struct bwvdb_info *g = grid >= 0 ? bwvdb_grid_info(f, grid) : NULL;
    if (!g || g->comps != 3) {
        code = EXIT_CODE_FAILURE;
        fprintf(stderr, "billow: %s has no grid vel (velocity, v) of vectors; it holds %s\n", path, bwvdb_names(f));
    } else {
        box_add(c, g);
        c->h = g->matrix[0];
        for (int a = 0; a < 3; a++) c->origin[a] = g->matrix[4 * a + 3] - .5 * c->h;
    }
    if (!code && first) {
        uint32_t n;
        const struct bwvdb_meta *meta = bwvdb_file_meta(f, &n);
        for (uint32_t i = 0; i < n; i++)
            if (!strcmp(meta[i].key, "fps")) c->fps = meta[i].number;
        if (!fields_list(c, f)) code = say(7, "out of memory");
        else if (!*c->fields) code = say(EXIT_CODE_FAILURE, "the cache holds a flow and nothing that it carries");
    }
    bwvdb_close(f);
    return code;
}

/* The domain of the bake that made FOLDER/vdb/…, where it is one, of the same voxels, its only one. */
static void domain_look(struct cli_cache *c)
{
    char *folder = bw_strdup(c->pattern), *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) *slash = '\0', slash = strrchr(folder, '/');
    char *path = slash ? bw_printf("%.*s/resolved.yaml", (int)(slash - folder), folder) : NULL;
    struct bw_diag ignored = {0};
    struct bw_node *root = path && access(path, R_OK) == 0 ? bw_node_load(path, &ignored) : NULL;
    const struct bw_node *domain = root ? bw_node_get(root, "domain") : NULL;
    const struct bw_node *voxel = domain ? bw_node_get(domain, "voxel") : NULL;
    double h = 0;
    char why[200];
    int same = voxel && voxel->text && !bw_parse_quantity(voxel->text, "m", &h, NULL, why, sizeof why) &&
               fabs(h - c->h) < 1e-5 * c->h;
    if (same) c->domain = bw_node_copy(domain); // written with a scale they differ
    bw_node_free(root);
    bw_diag_free(&ignored);
    bw_free(path);
    bw_free(folder);
}

int cli_cache_look(struct cli_cache *c, const char *what)
{
    struct bw_sequence s;
    char why[1024];
    *c = (struct cli_cache){.hi = {-1, -1, -1}};
    enum bw_status status = bw_sequence_find(&s, what, INT64_MIN, INT64_MAX, why, sizeof why);
    if (status) return say(cli_exit_code(status), why);
    c->name = bw_strdup(s.name);
    c->pattern = pattern_of(s.path[0]);
    c->first = s.frame[0];
    c->last = s.frame[s.count - 1];
    int code = c->name && c->pattern ? EXIT_CODE_OK : say(7, "out of memory");
    if (!code && !strchr(c->pattern, '#'))
        code = say(EXIT_CODE_USAGE, "a sequence of numbered files is wanted, not a single one");
    for (int32_t i = 0; !code && i < s.count; i++) code = file_look(c, s.path[i], i == 0);
    if (!code && c->hi[0] < c->lo[0]) code = say(EXIT_CODE_FAILURE, "the cache's flow is empty in every frame");
    bw_sequence_free(&s);
    if (!code) domain_look(c);
    if (code) cli_cache_free(c);
    return code;
}

void cli_cache_free(struct cli_cache *c)
{
    bw_free(c->name);
    bw_free(c->pattern);
    bw_free(c->fields);
    bw_free(c->vectors);
    bw_node_free(c->domain);
    *c = (struct cli_cache){0};
}

/* ---- the domain on one line ---- */

static void node_print(const struct bw_node *n, FILE *f)
{
    if (n->type == BW_NODE_SCALAR) {
        fprintf(f, "\"%s\"", n->text ? n->text : "");
        return;
    }
    fputc(n->type == BW_NODE_MAP ? '{' : '[', f);
    for (int32_t i = 0; i < n->count; i++) {
        if (i) fputs(", ", f);
        if (n->type == BW_NODE_MAP) fprintf(f, "\"%s\": ", n->child[i]->key);
        node_print(n->child[i], f);
    }
    fputc(n->type == BW_NODE_MAP ? '}' : ']', f);
}

/* Cells `factor` times as many; a box one cell thick stays so. */
static void cells_refine(struct bw_node *cells, int factor)
{
    for (int32_t i = 0; cells && i < cells->count; i++) {
        long n = strtol(cells->child[i]->text, NULL, 10);
        char *text = n > 1 ? bw_printf("%ld", n * factor) : NULL;
        if (!text) continue;
        bw_free(cells->child[i]->text);
        cells->child[i]->text = text;
    }
}

char *cli_cache_domain(const struct cli_cache *c, int factor)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    struct bw_node *domain = c->domain ? bw_node_copy(c->domain) : NULL;
    if (domain) {
        char *voxel = bw_printf("%.9g m", c->h / factor);
        struct bw_node *n = voxel ? bw_node_new(BW_NODE_SCALAR, voxel) : NULL;
        bw_free(voxel);
        if (n) bw_node_put(domain, "voxel", n);
        cells_refine(bw_node_get(domain, "cells"), factor);
        node_print(domain, f);
        bw_node_free(domain);
    } else {
        fprintf(f, "{cells: [%d, %d, %d], voxel: %.9g m, origin: [%.9g, %.9g, %.9g], sides: {rest: open}}",
                (c->hi[0] - c->lo[0] + 1) * factor, (c->hi[1] - c->lo[1] + 1) * factor,
                (c->hi[2] - c->lo[2] + 1) * factor, c->h / factor, c->origin[0] + c->lo[0] * c->h,
                c->origin[1] + c->lo[1] * c->h, c->origin[2] + c->lo[2] * c->h);
    }
    fclose(f);
    char *copy = bw_strdup(text);
    free(text);
    return copy;
}
