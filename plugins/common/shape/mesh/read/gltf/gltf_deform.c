// SPDX-License-Identifier: Apache-2.0
/* glTF's morph targets and skins, at rest: p' = Σ w_j G_j B_j (p + Σ w_t t), where G_j is where joint j is in the
 * world, B_j the inverse of where it was when the skin was bound, w_j the weights of the point, w_t those of the
 * targets. The node of a skinned mesh does not move it, as the format says. */
#include "gltf.h"

#include <stdlib.h>

void gltf_morph(struct gltf *g, const json_t *node, const json_t *mesh, const json_t *primitive,
                struct gltf_numbers *point)
{
    const json_t *own = json_object_get(node, "weights"), *targets = json_object_get(primitive, "targets"), *target;
    const json_t *weights = own ? own : json_object_get(mesh, "weights");
    size_t i;
    json_array_foreach (targets, i, target) {
        const double weight = json_number_value(json_array_get(weights, i));
        const int64_t accessor = gltf_integer(g, target, "POSITION", -1);
        struct gltf_numbers move;
        if (weight == 0 || accessor < 0) continue;
        if (!gltf_numbers(g, accessor, 3, &move)) return;
        if (move.count != point->count) mesh_build_fail(g->b, "a morph target has not as many points as its mesh");
        for (int64_t k = 0; k < 3 * point->count && !g->b->status; k++) point->value[k] += weight * move.value[k];
        free(move.value);
    }
}

/* Where each joint takes points to, from where they were bound. */
static struct place *joints_place(struct gltf *g, const json_t *skin, size_t *n)
{
    const json_t *joints = json_object_get(skin, "joints");
    const int64_t accessor = gltf_integer(g, skin, "inverseBindMatrices", -1);
    struct gltf_numbers bind = {0};
    *n = json_array_size(joints);
    if (g->b->status || (accessor >= 0 && !gltf_numbers(g, accessor, 16, &bind))) return NULL;
    struct place *out = mesh_build_grow(g->b, NULL, 0, (*n + 1) * sizeof *out);
    for (size_t j = 0; out && j < *n; j++) {
        const int64_t node = gltf_index(joints, j);
        if (node < 0 || node >= (int64_t)g->n_nodes || (accessor >= 0 && (int64_t)j >= bind.count)) {
            mesh_build_fail(g->b, "joint %zu of a skin is not there", j);
            break;
        }
        struct place back = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
        for (int i = 0; i < 12 && accessor >= 0; i++)
            back.m[i % 3][i / 3] = bind.value[16 * j + (size_t)(4 * (i / 3) + i % 3)];
        out[j] = place_join(&g->world[node], &back);
    }
    free(bind.value);
    return out;
}

/* The sum over up to four joints a set; sets go on as long as there are any. */
struct skinning {
    const struct place *joint;
    size_t n;
    double *sum, *weight; ///< of each point: three numbers, and one
};

static void set_add(struct gltf *g, const struct gltf_numbers *point, const struct gltf_numbers *joints,
                    const struct gltf_numbers *weights, struct skinning *s)
{
    if (joints->count != point->count || weights->count != point->count) {
        mesh_build_fail(g->b, "a skinned mesh has not as many joints and weights as points");
        return;
    }
    for (int64_t k = 0; k < 4 * point->count; k++) {
        const double w = weights->value[k], j = joints->value[k];
        double at[3];
        if (w == 0) continue;
        if (!(j >= 0 && j < (double)s->n)) {
            mesh_build_fail(g->b, "a point names joint %g, and there are %zu", j, s->n);
            return;
        }
        place_apply(&s->joint[(size_t)j], point->value + 3 * (k / 4), at);
        for (int a = 0; a < 3; a++) s->sum[3 * (k / 4) + a] += w * at[a];
        s->weight[k / 4] += w;
    }
}

static void sets_add(struct gltf *g, const json_t *attributes, const struct gltf_numbers *point, struct skinning *s)
{
    for (int set = 0; set < 8 && !g->b->status; set++) {
        const char name[2][12] = {{'J', 'O', 'I', 'N', 'T', 'S', '_', (char)('0' + set)},
                                  {'W', 'E', 'I', 'G', 'H', 'T', 'S', '_', (char)('0' + set)}};
        struct gltf_numbers joints = {0}, weights = {0};
        if (!json_object_get(attributes, name[0]) || !json_object_get(attributes, name[1])) return;
        if (gltf_numbers(g, gltf_integer(g, attributes, name[0], -1), 4, &joints) &&
            gltf_numbers(g, gltf_integer(g, attributes, name[1], -1), 4, &weights))
            set_add(g, point, &joints, &weights, s);
        free(joints.value);
        free(weights.value);
    }
}

bool gltf_skin(struct gltf *g, const json_t *node, const json_t *primitive, struct gltf_numbers *point)
{
    const json_t *attributes = json_object_get(primitive, "attributes");
    const int64_t index = gltf_integer(g, node, "skin", -1);
    if (g->b->status || index < 0 || !json_object_get(attributes, "JOINTS_0")) return false;
    const size_t count = (size_t)point->count;
    struct skinning s = {0};
    struct place *joint = joints_place(g, gltf_entry(g, "skins", index), &s.n);
    s.joint = joint;
    s.sum = mesh_build_grow(g->b, NULL, 0, (4 * count + 1) * sizeof *s.sum);
    if (joint && s.sum) {
        for (size_t i = 0; i < 4 * count; i++) s.sum[i] = 0;
        s.weight = s.sum + 3 * count;
        sets_add(g, attributes, point, &s);
        for (size_t i = 0; i < count; i++)
            for (int a = 0; a < 3 && s.weight[i] > 0; a++)
                point->value[3 * i + (size_t)a] = s.sum[3 * i + (size_t)a] / s.weight[i];
    }
    free(joint);
    free(s.sum);
    return true;
}
