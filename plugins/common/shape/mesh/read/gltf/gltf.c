// SPDX-License-Identifier: Apache-2.0
/* glTF 2.0, as .gltf (JSON) and .glb (JSON and a binary chunk): the triangles of all meshes that the scene's nodes
 * show, where nodes, instances, skins and morph targets put them at rest. Materials, cameras and animation are of no
 * use here. What a file requires and is not known here refuses it, as the format says. */
#include "gltf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLES = 4, STRIP = 5, FAN = 6 }; ///< a primitive's mode

/* ---- what the file needs ---- */

/* Extensions that a reader of triangles may pass over or does: how things look, or what is done with them. */
static bool is_known(const char *name)
{
    static const char *const looks[] = {"_materials_", "_texture_", "_lights_", "_environment_", "_technique"};
    static const char *const heads[] = {"KHR_mesh_quantization",
                                        "EXT_mesh_gpu_instancing",
                                        "KHR_node_",
                                        "KHR_animation_pointer",
                                        "KHR_xmp",
                                        "KHR_audio",
                                        "MSFT_packing_",
                                        "EXT_mesh_features",
                                        "EXT_structural_metadata",
                                        "EXT_instance_features"};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        if (strstr(name, looks[i])) return true;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (!strncmp(name, heads[i], strlen(heads[i]))) return true;
    return false;
}

static void required_check(struct gltf *g)
{
    const json_t *list = json_object_get(g->root, "extensionsRequired"), *entry;
    size_t i;
    json_array_foreach (list, i, entry) {
        const char *name = json_string_value(entry);
        if (name && (strstr(name, "draco") || strstr(name, "meshopt")))
            mesh_build_fail(g->b, "its triangles are packed by %.100s: export it without", name);
        else if (name && !is_known(name))
            mesh_build_fail(g->b, "it requires the extension %.100s, which is not known here", name);
    }
}

static void version_check(struct gltf *g)
{
    const json_t *asset = json_object_get(g->root, "asset");
    const char *version = json_string_value(json_object_get(asset, "version"));
    const char *least = json_string_value(json_object_get(asset, "minVersion"));
    const double is = version ? strtod(version, NULL) : json_number_value(json_object_get(asset, "version"));
    if ((is > 0 && is < 2) || json_is_object(json_object_get(g->root, "meshes")))
        mesh_build_fail(g->b, "it is glTF 1.0, which is not read: save it as glTF 2.0");
    else if (is >= 3 || (least && strtod(least, NULL) > 2))
        mesh_build_fail(g->b, "it is glTF %.20s, and up to 2 is read", version ? version : least);
}

/* ---- primitives ---- */

/* What a primitive's triangles are made of. */
struct primitive {
    const json_t *node, *mesh, *entry;
    const struct place *at; ///< places of the node, or of its instances
    int64_t n_at;
    struct gltf_numbers point, index;
    bool indexed;
    int64_t mode;
};

static int64_t corner_of(const struct primitive *p, int64_t i)
{
    if (!p->indexed) return i;
    const double corner = p->index.value[i];
    return corner >= 0 && corner < (double)p->point.count ? (int64_t)corner : -2;
}

static void triangle_add(struct gltf *g, const struct primitive *p, int64_t base, const int64_t at[3])
{
    int64_t corner[3];
    for (int c = 0; c < 3; c++) {
        corner[c] = corner_of(p, at[c]);
        if (corner[c] < 0) {
            mesh_build_leave(g->b, "a face names point %.0f, and there are 0 to %lld", p->index.value[at[c]],
                             (long long)p->point.count - 1);
            return;
        }
    }
    if (p->mode != TRIANGLES && (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])) return;
    for (int c = 0; c < 3; c++) corner[c] += base;
    mesh_build_face(g->b, corner, 3);
}

static void triangles_add(struct gltf *g, const struct primitive *p, int64_t base)
{
    const int64_t n = p->indexed ? p->index.count : p->point.count;
    for (int64_t i = 0; i + 2 < n && !g->b->status; i += p->mode == TRIANGLES ? 3 : 1) {
        const int64_t odd = p->mode == STRIP ? i % 2 : 0;
        triangle_add(g, p, base, (const int64_t[3]){p->mode == FAN ? 0 : i + odd, i + 1 - odd, i + 2});
    }
    if (p->mode == TRIANGLES && n % 3) mesh_build_leave(g->b, "%lld corners do not make triangles", (long long)n);
}

/* The numbers of points and triangles, moved by morph targets and skin; placed once a place. */
static void primitive_place(struct gltf *g, struct primitive *p)
{
    static const struct place here = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    gltf_morph(g, p->node, p->mesh, p->entry, &p->point);
    const bool skinned = !g->b->status && gltf_skin(g, p->node, p->entry, &p->point);
    for (int64_t k = 0; k < (skinned ? 1 : p->n_at) && !g->b->status; k++) {
        const int64_t base = g->b->n_points;
        for (int64_t i = 0; i < p->point.count && !g->b->status; i++) {
            double out[3];
            place_apply(skinned ? &here : &p->at[k], p->point.value + 3 * i, out);
            mesh_build_point(g->b, out);
        }
        triangles_add(g, p, base);
    }
}

static void primitive_read(struct gltf *g, struct primitive *p)
{
    const json_t *attributes = json_object_get(p->entry, "attributes");
    const int64_t accessor = gltf_integer(g, attributes, "POSITION", -1);
    if (accessor < 0) mesh_build_fail(g->b, "a primitive has no POSITION");
    const json_t *entry =
        json_array_get(json_object_get(g->root, "accessors"), accessor < 0 ? SIZE_MAX : (size_t)accessor);
    if (json_object_get(json_object_get(p->entry, "extensions"), "KHR_draco_mesh_compression") &&
        !json_object_get(entry, "bufferView") && !json_object_get(entry, "sparse")) {
        mesh_build_fail(g->b, "its triangles are packed by KHR_draco_mesh_compression: export it without");
        return;
    }
    p->indexed = json_object_get(p->entry, "indices") != NULL;
    if (gltf_numbers(g, accessor, 3, &p->point) &&
        (!p->indexed || gltf_numbers(g, gltf_integer(g, p->entry, "indices", -1), 1, &p->index)))
        primitive_place(g, p);
    free(p->point.value);
    free(p->index.value);
}

/* One that is wrong is left out: points and triangles are those of before. */
static void primitive_add(struct gltf *g, struct primitive *p)
{
    struct mesh_build *b = g->b;
    const int64_t points = b->n_points, triangles = b->n_triangles;
    p->mode = gltf_integer(g, p->entry, "mode", TRIANGLES);
    if (!b->status && p->mode >= 0 && p->mode < TRIANGLES) b->instead = p->mode ? "lines" : "points";
    if (!b->status && p->mode >= TRIANGLES && p->mode <= FAN) primitive_read(g, p);
    if (b->status != BW_ERR_IO || g->gone) return;
    b->n_points = points, b->n_triangles = triangles;
    mesh_build_leave_part(b);
}

/* ---- nodes ---- */

/* Where EXT_mesh_gpu_instancing puts the mesh of a node: each attribute has a row an instance. NULL: nowhere, or it
 * failed. */
static struct place *instances_find(struct gltf *g, const json_t *instancing, const struct place *at, int64_t *n)
{
    static const char *const names[3] = {"TRANSLATION", "ROTATION", "SCALE"};
    const json_t *attributes = json_object_get(instancing, "attributes");
    struct gltf_numbers part[3] = {{0}};
    struct place *out = NULL;
    *n = -1;
    for (int i = 0; i < 3 && !g->b->status; i++) {
        if (!json_object_get(attributes, names[i])) continue;
        gltf_numbers(g, gltf_integer(g, attributes, names[i], -1), i == 1 ? 4 : 3, &part[i]);
        *n = part[i].count < *n || *n < 0 ? part[i].count : *n;
    }
    if (!g->b->status && *n > 0) out = mesh_build_grow(g->b, NULL, 0, (size_t)*n * sizeof *out);
    for (int64_t k = 0; out && k < *n; k++) {
        const double t[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
        const struct place own =
            place_make(part[0].value ? part[0].value + 3 * k : t, part[1].value ? part[1].value + 4 * k : q,
                       part[2].value ? part[2].value + 3 * k : s);
        out[k] = place_join(at, &own);
    }
    for (int i = 0; i < 3; i++) free(part[i].value);
    return out;
}

static void mesh_add(struct gltf *g, const json_t *node, const json_t *mesh, const struct place *at, int64_t n)
{
    const json_t *primitives = json_object_get(mesh, "primitives"), *entry;
    size_t i;
    json_array_foreach (primitives, i, entry) {
        struct primitive p = {.node = node, .mesh = mesh, .entry = entry, .at = at, .n_at = n};
        if (!g->b->status) primitive_add(g, &p);
    }
}

static void node_add(struct gltf *g, int64_t index)
{
    const json_t *node = gltf_entry(g, "nodes", index);
    const int64_t number = gltf_integer(g, node, "mesh", -1);
    const json_t *instancing = json_object_get(json_object_get(node, "extensions"), "EXT_mesh_gpu_instancing");
    const json_t *mesh = number < 0 || g->b->status ? NULL : gltf_entry(g, "meshes", number);
    if (mesh && !instancing) mesh_add(g, node, mesh, &g->world[index], 1);
    if (mesh && instancing) {
        int64_t n;
        struct place *at = instances_find(g, instancing, &g->world[index], &n);
        if (at) mesh_add(g, node, mesh, at, n);
        free(at);
    }
    if (!g->gone) mesh_build_leave_part(g->b);
}

/* ---- the scene ---- */

/* A file without nodes is a library of meshes: each once. */
static void library_add(struct gltf *g)
{
    static const struct place here = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    const json_t *meshes = json_object_get(g->root, "meshes"), *mesh;
    size_t i;
    json_array_foreach (meshes, i, mesh) mesh_add(g, NULL, mesh, &here, 1);
}

/* The nodes of the scene; of a file without one, those that are nobody's children. */
static void roots_mark(struct gltf *g, char *root)
{
    const json_t *scenes = json_object_get(g->root, "scenes"), *scene = json_object_get(g->root, "scene");
    const bool any = json_array_size(scenes) > 0;
    for (size_t i = 0; i < g->n_nodes; i++) root[i] = !any && g->parent[i] < 0;
    if (!any) return;
    const json_t *list = json_object_get(
        gltf_entry(g, "scenes", json_is_number(scene) ? gltf_integer(g, g->root, "scene", 0) : 0), "nodes");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const int64_t node = gltf_index(list, i);
        if (node >= 0 && node < (int64_t)g->n_nodes) root[node] = 1;
        else mesh_build_fail(g->b, "a scene names a node that is not there");
    }
}

static bool is_hidden(const json_t *node)
{
    const json_t *visibility = json_object_get(json_object_get(node, "extensions"), "KHR_node_visibility");
    return json_is_false(json_object_get(visibility, "visible"));
}

/* Below one of the scene's nodes, with nothing hidden on the way. */
static bool is_shown(const struct gltf *g, const char *root, int64_t node)
{
    for (; node >= 0; node = g->parent[node]) {
        if (is_hidden(json_array_get(json_object_get(g->root, "nodes"), (size_t)node))) return false;
        if (root[node]) return true;
    }
    return false;
}

static void scene_add(struct gltf *g)
{
    char *root = mesh_build_grow(g->b, NULL, 0, g->n_nodes);
    if (!root) return;
    roots_mark(g, root);
    for (int64_t i = 0; i < (int64_t)g->n_nodes && !g->b->status; i++)
        if (is_shown(g, root, i)) node_add(g, i);
    free(root);
}

static void motion_tell(struct gltf *g)
{
    const size_t n = json_array_size(json_object_get(g->root, "animations"));
    if (n)
        mesh_build_note(g->b, "its animation%s %s left out: it stands as at rest", n > 1 ? "s" : "",
                        n > 1 ? "are" : "is");
}

static void all_add(struct gltf *g)
{
    version_check(g);
    required_check(g);
    gltf_nodes(g);
    if (g->b->status) return;
    if (g->n_nodes) scene_add(g);
    else library_add(g);
    motion_tell(g);
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

static void container_read(struct gltf *g, const char *text, size_t n, const char **json, size_t *n_json)
{
    const char *at = text + 12, *end = text + n;
    uint32_t version;
    memcpy(&version, text + 4, sizeof version);
    if (version == 1) mesh_build_fail(g->b, "it is glTF 1.0, which is not read: save it as glTF 2.0");
    else if (version != 2) mesh_build_fail(g->b, "it is glTF %u, and up to 2 is read", version);
    else if (!chunk_take(g->b, &at, end, "JSON", json, n_json)) mesh_build_fail(g->b, "it has no JSON chunk");
    else chunk_take(g->b, &at, end, "BIN\0", &g->bin, &g->n_bin);
    while (*n_json && !(*json)[*n_json - 1]) --*n_json; // some fill up with zeros
}

/* Names that are no UTF-8 spoil no triangle: on a second try each such byte is a question mark. */
static json_t *json_try(struct mesh_build *b, const char *json, size_t n, json_error_t *error)
{
    json_t *root = json_loadb(json, n, JSON_ALLOW_NUL, error);
    if (root || json_error_code(error) != json_error_invalid_utf8) return root;
    char *plain = mesh_build_grow(b, NULL, 0, n + 1);
    for (size_t i = 0; plain && i < n; i++) plain[i] = json[i] & (char)0x80 ? '?' : json[i];
    if (plain) root = json_loadb(plain, n, JSON_ALLOW_NUL, error);
    free(plain);
    return root;
}

static bool json_read(struct gltf *g, const char *text, size_t n)
{
    const char *json = text;
    size_t n_json = n;
    json_error_t error = {0};
    if (n >= 12 && !memcmp(text, "glTF", 4)) container_read(g, text, n, &json, &n_json);
    if (g->b->status) return false;
    g->root = json_try(g->b, json, n_json, &error);
    if (!g->root && json == text) g->b->line = error.line;
    if (!g->root) mesh_build_fail(g->b, "column %d: %s", error.column, error.text);
    g->b->line = 0;
    return g->root != NULL;
}

void mesh_read_gltf(struct mesh_build *b, const char *text, size_t n)
{
    struct gltf g = {.b = b};
    if (json_read(&g, text, n)) all_add(&g);
    gltf_free(&g);
}
