// SPDX-License-Identifier: Apache-2.0
/* glTF 2.0, as .gltf (JSON) and .glb (JSON and a binary chunk): the triangles of all meshes that the scene's nodes
 * show, where the nodes put them. Materials, skins, morphs, cameras and animation are of no use here. The nodes must be
 * a tree, as the format says: each is walked once, so that a few of them cannot stand for millions. */
#include "gltf.h"

#include <math.h>
#include <string.h>

enum { NODES_DEEP = 256 };
enum { TRIANGLES = 4, STRIP = 5, FAN = 6 }; ///< a primitive's mode

struct place {
    double m[3][4]; ///< world[r] = m[r][0]·x + m[r][1]·y + m[r][2]·z + m[r][3]
};

/* ---- places ---- */

static struct place place_join(const struct place *a, const struct place *b)
{
    struct place out;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            out.m[r][c] =
                a->m[r][0] * b->m[0][c] + a->m[r][1] * b->m[1][c] + a->m[r][2] * b->m[2][c] + (c == 3 ? a->m[r][3] : 0);
    return out;
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

/* Translation, rotation (a quaternion x, y, z, w) and scale, or a matrix column by column. */
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
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double turn[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                               {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                               {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) p.m[r][c] = turn[r][c] * s[c];
        p.m[r][3] = t[r];
    }
    return p;
}

/* ---- meshes ---- */

/* What a primitive's triangles are made of. */
struct primitive {
    int64_t base; ///< its first point
    int64_t points, n;
    bool indexed;
    struct gltf_numbers index;
};

static int64_t corner_get(struct gltf *g, const struct primitive *p, int64_t i)
{
    const int64_t corner = p->indexed ? (int64_t)gltf_number(&p->index, i, 0) : i;
    if (corner < p->points) return p->base + corner;
    mesh_build_fail(g->b, "a face names point %lld, and there are 0 to %lld", (long long)corner,
                    (long long)p->points - 1);
    return 0;
}

static void triangle_add(struct gltf *g, const struct primitive *p, int64_t i, int64_t j, int64_t k)
{
    const int64_t corner[3] = {corner_get(g, p, i), corner_get(g, p, j), corner_get(g, p, k)};
    mesh_build_face(g->b, corner, 3);
}

static void triangles_add(struct gltf *g, const struct primitive *p, int64_t mode)
{
    if (mode == TRIANGLES && p->n % 3) mesh_build_fail(g->b, "%lld corners do not make triangles", (long long)p->n);
    for (int64_t i = 0; i + 2 < p->n && !g->b->status; i += mode == TRIANGLES ? 3 : 1)
        triangle_add(g, p, mode == FAN ? 0 : i, i + 1, i + 2);
}

static void primitive_add(struct gltf *g, const json_t *primitive, const struct place *at)
{
    struct gltf_numbers place;
    struct primitive p = {.base = g->b->out->n_points};
    const int64_t mode = gltf_integer(g, primitive, "mode", TRIANGLES);
    if (g->b->status || mode < TRIANGLES || mode > FAN) return; // points and lines
    if (json_object_get(json_object_get(primitive, "extensions"), "KHR_draco_mesh_compression")) {
        mesh_build_fail(g->b, "its triangles are packed by KHR_draco_mesh_compression: export it without");
        return;
    }
    const int64_t accessor = gltf_integer(g, json_object_get(primitive, "attributes"), "POSITION", -1);
    if (!gltf_numbers(g, accessor, 3, &place)) return;
    p.indexed = json_object_get(primitive, "indices") != NULL;
    if (p.indexed && !gltf_numbers(g, gltf_integer(g, primitive, "indices", -1), 1, &p.index)) return;
    if (p.indexed && p.index.type != 5121 && p.index.type != 5123 && p.index.type != 5125)
        mesh_build_fail(g->b, "indices are of the wrong type");
    p.points = place.count, p.n = p.indexed ? p.index.count : place.count;
    for (int64_t i = 0; i < place.count && !g->b->status; i++) {
        double x[3], out[3];
        for (int a = 0; a < 3; a++) x[a] = gltf_number(&place, i, a);
        for (int r = 0; r < 3; r++) out[r] = at->m[r][0] * x[0] + at->m[r][1] * x[1] + at->m[r][2] * x[2] + at->m[r][3];
        mesh_build_point(g->b, out);
    }
    triangles_add(g, &p, mode);
}

/* ---- nodes ---- */

struct walk {
    struct gltf *g;
    char *seen; ///< a mark for each node
};

static void node_add(struct walk *w, int64_t index, const struct place *parent, int depth)
{
    struct gltf *g = w->g;
    const json_t *node = g->b->status ? NULL : gltf_entry(g, "nodes", index);
    if (!node) return;
    if (depth > NODES_DEEP) mesh_build_fail(g->b, "its nodes are more than %d deep", NODES_DEEP);
    if (w->seen[index]) mesh_build_fail(g->b, "node %lld stands in the tree twice", (long long)index);
    w->seen[index] = 1;
    const struct place own = place_of(g, node), here = place_join(parent, &own);
    const int64_t mesh = gltf_integer(g, node, "mesh", -1);
    const json_t *primitives =
        mesh < 0 || g->b->status ? NULL : json_object_get(gltf_entry(g, "meshes", mesh), "primitives");
    const json_t *entry;
    size_t i;
    json_array_foreach (primitives, i, entry) primitive_add(g, entry, &here);
    const json_t *children = json_object_get(node, "children");
    for (i = 0; i < json_array_size(children) && !g->b->status; i++) {
        const json_t *child = json_array_get(children, i);
        node_add(w, json_is_integer(child) ? (int64_t)json_integer_value(child) : -1, &here, depth + 1);
    }
}

/* The nodes of the scene; of a file without one, those that are nobody's children. */
static void scene_add(struct walk *w)
{
    static const struct place here = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    struct gltf *g = w->g;
    const json_t *scenes = json_object_get(g->root, "scenes"), *nodes = json_object_get(g->root, "nodes"), *entry;
    size_t i, k;
    if (json_array_size(scenes)) {
        const json_t *list = json_object_get(gltf_entry(g, "scenes", gltf_integer(g, g->root, "scene", 0)), "nodes");
        for (i = 0; i < json_array_size(list); i++)
            node_add(w, json_is_integer(json_array_get(list, i)) ? json_integer_value(json_array_get(list, i)) : -1,
                     &here, 0);
        return;
    }
    char *child = w->seen + json_array_size(nodes);
    json_array_foreach (nodes, i, entry) {
        const json_t *children = json_object_get(entry, "children");
        for (k = 0; k < json_array_size(children); k++) {
            const json_int_t at = json_integer_value(json_array_get(children, k));
            if (at >= 0 && at < (json_int_t)json_array_size(nodes)) child[at] = 1;
        }
    }
    for (i = 0; i < json_array_size(nodes); i++)
        if (!child[i]) node_add(w, (int64_t)i, &here, 0);
}

/* ---- the file ---- */

/* A chunk of a .glb: its length, its kind, its bytes. */
static bool chunk_take(struct mesh_build *b, const char **at, const char *end, const char *kind, const char **bytes,
                       size_t *n)
{
    uint32_t length;
    if (end - *at < 8 || memcmp(*at + 4, kind, 4)) return false;
    memcpy(&length, *at, sizeof length);
    if (length > (size_t)(end - *at - 8)) return mesh_build_fail(b, "the file is cut short"), false;
    *bytes = *at + 8, *n = length;
    *at += 8 + length;
    return true;
}

static bool json_read(struct gltf *g, const char *text, size_t n)
{
    const char *json = text, *at = text + 12, *end = text + n;
    size_t n_json = n;
    json_error_t error;
    uint32_t version = 2;
    if (n >= 12 && !memcmp(text, "glTF", 4)) {
        memcpy(&version, text + 4, sizeof version);
        if (version != 2) mesh_build_fail(g->b, "glTF version %u, not 2", version);
        else if (!chunk_take(g->b, &at, end, "JSON", &json, &n_json)) mesh_build_fail(g->b, "it has no JSON chunk");
        else chunk_take(g->b, &at, end, "BIN\0", &g->bin, &g->n_bin);
    }
    if (g->b->status) return false;
    g->root = json_loadb(json, n_json, 0, &error);
    if (!g->root && json == text) g->b->line = error.line;
    if (!g->root) mesh_build_fail(g->b, "column %d: %s", error.column, error.text);
    return g->root != NULL;
}

void mesh_read_gltf(struct mesh_build *b, const char *text, size_t n)
{
    struct bw_stage *s = b->stage;
    struct gltf *g = s->host->alloc(s, sizeof *g);
    struct walk w = {.g = g};
    if (!g) {
        b->status = BW_ERR_MEMORY;
        return;
    }
    g->b = b;
    if (json_read(g, text, n)) {
        w.seen = s->host->alloc(s, 2 * json_array_size(json_object_get(g->root, "nodes")) + 1);
        if (w.seen) scene_add(&w);
        else b->status = BW_ERR_MEMORY;
        s->host->release(s, w.seen);
    }
    gltf_free(g);
    s->host->release(s, g);
}
