// SPDX-License-Identifier: Apache-2.0
/* Where glTF's nodes are. They must be a tree, as the format says: each has one parent. */
#include "gltf.h"

#include <math.h>
#include <string.h>

enum { NODES_DEEP = 4096 };

struct place place_join(const struct place *a, const struct place *b)
{
    struct place out;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            out.m[r][c] =
                a->m[r][0] * b->m[0][c] + a->m[r][1] * b->m[1][c] + a->m[r][2] * b->m[2][c] + (c == 3 ? a->m[r][3] : 0);
    return out;
}

struct place place_make(const double t[3], const double q[4], const double s[3])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double turn[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                               {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                               {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    struct place p;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) p.m[r][c] = turn[r][c] * s[c];
        p.m[r][3] = t[r];
    }
    return p;
}

void place_apply(const struct place *at, const double x[3], double out[3])
{
    for (int r = 0; r < 3; r++) out[r] = at->m[r][0] * x[0] + at->m[r][1] * x[1] + at->m[r][2] * x[2] + at->m[r][3];
}

/* n numbers of a list; false: it is not there. */
static bool numbers_get(struct gltf *g, const json_t *node, const char *key, int n, double *out)
{
    const json_t *list = json_object_get(node, key);
    if (!list) return false;
    bool good = json_array_size(list) == (size_t)n;
    for (int i = 0; i < n && good; i++) {
        const json_t *value = json_array_get(list, (size_t)i);
        good = json_is_number(value);
        out[i] = json_number_value(value);
    }
    if (!good) mesh_build_fail(g->b, "\"%s\" of a node has not %d numbers", key, n);
    return good;
}

/* Translation, rotation and scale, or a matrix column by column. */
static struct place place_of(struct gltf *g, const json_t *node)
{
    double m[16], t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    struct place p;
    if (numbers_get(g, node, "matrix", 16, m)) {
        for (int i = 0; i < 12; i++) p.m[i % 3][i / 3] = m[4 * (i / 3) + i % 3];
        return p;
    }
    numbers_get(g, node, "translation", 3, t);
    numbers_get(g, node, "rotation", 4, q);
    numbers_get(g, node, "scale", 3, s);
    return place_make(t, q, s);
}

static void parents_find(struct gltf *g, const json_t *nodes)
{
    const json_t *node;
    size_t i;
    for (i = 0; i < g->n_nodes; i++) g->parent[i] = -1;
    json_array_foreach (nodes, i, node) {
        const json_t *children = json_object_get(node, "children");
        for (size_t k = 0; k < json_array_size(children); k++) {
            const int64_t child = gltf_index(children, k);
            if (child < 0 || child >= (int64_t)g->n_nodes)
                mesh_build_fail(g->b, "node %zu has a child that is not there", i);
            else if (g->parent[child] >= 0)
                mesh_build_fail(g->b, "node %lld stands in the tree twice", (long long)child);
            else g->parent[child] = (int64_t)i;
        }
    }
}

/* From the node up to its root: what is above it comes in front. */
static void world_find(struct gltf *g, size_t i, const struct place *own)
{
    int deep = 0;
    g->world[i] = own[i];
    for (int64_t up = g->parent[i]; up >= 0 && !g->b->status; up = g->parent[up]) {
        g->world[i] = place_join(&own[up], &g->world[i]);
        if (up == (int64_t)i) mesh_build_fail(g->b, "node %zu stands in the tree twice, below itself", i);
        if (++deep > NODES_DEEP) mesh_build_fail(g->b, "its nodes are more than %d deep", NODES_DEEP);
    }
}

void gltf_nodes(struct gltf *g)
{
    const json_t *nodes = json_object_get(g->root, "nodes"), *node;
    size_t i;
    g->n_nodes = json_array_size(nodes);
    g->parent = mesh_build_grow(g->b, NULL, 0, (g->n_nodes + 1) * sizeof *g->parent);
    g->world = mesh_build_grow(g->b, NULL, 0, (2 * g->n_nodes + 1) * sizeof *g->world);
    if (g->b->status) return;
    struct place *own = g->world + g->n_nodes;
    json_array_foreach (nodes, i, node) own[i] = place_of(g, node);
    parents_find(g, nodes);
    for (i = 0; i < g->n_nodes && !g->b->status; i++) world_find(g, i, own);
}
