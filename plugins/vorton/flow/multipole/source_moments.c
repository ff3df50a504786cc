// SPDX-License-Identifier: Apache-2.0
/* Upward pass of the fast multipole method. The vortons, scaled, in their tree's order, with the size of the cores in
 * every node; and the multipole moments of the nodes: P2M in leaves, then M2M to their parents. */
#include "multipole.h"
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- sources ---- */

static enum bw_status arrays_place(struct bw_stage *s, struct multipole *f, int64_t n)
{
    size_t pad = ((size_t)n + 32) & ~(size_t)15;
    float *m = buffer_need(s, &f->memory[0], 5 * pad * sizeof *m);
    if (!m) return BW_ERR_MEMORY;
    for (int a = 0; a < 3; a++) {
        f->sorted.pos[a] = f->source.pos[a];
        f->sorted.strength[a] = m + (size_t)a * pad;
    }
    f->sorted.per2 = m + 3 * pad;
    f->sorted.per3 = m + 4 * pad;
    return BW_OK;
}

static double strength_largest(const struct vortons *v)
{
    double most = 0;
    for (int64_t i = 0; i < v->count; i++)
        for (int a = 0; a < 3; a++) most = fmax(most, fabs(v->strength[i][a]));
    return most;
}

/// Geometric mean of σ, m. Ten of it make the unit: expansions of order 8 between vortons then stay within single
/// precision from 0.01 σ to 10⁵ σ, wherever one may have been flung.
static double radius_typical(const struct vortons *v)
{
    double sum = 0;
    for (int64_t i = 0; i < v->count; i++) sum += log(v->radius[i]);
    return exp(sum / (double)v->count);
}

static void sources_copy(struct multipole *f, const struct vortons *v)
{
    double most = strength_largest(v);
    f->strength_scale = most > 0 ? 1 / most : 1;
    for (int64_t i = 0; i < v->count; i++) {
        int64_t from = f->source.from[i];
        double per = 1 / (v->radius[from] * f->source.scale);
        for (int a = 0; a < 3; a++)
            f->sorted.strength[a][i] = (float)(v->strength[from][a] * f->strength_scale / (4 * PI));
        f->sorted.per2[i] = (float)(per * per);
        f->sorted.per3[i] = (float)(per * per * per);
    }
}

void node_cores_sum(const struct tree *t, const float *per2, const struct node_cores *out)
{
    for (int32_t i = t->nodes - 1; i >= 0; i--) { // children come after their parents
        const struct tree_node *n = &t->node[i];
        double sum = 0, most = 0;
        for (int64_t p = n->first; tree_is_leaf(n) && p < n->first + n->count; p++) {
            double s2 = 1 / (double)per2[p];
            sum += s2;
            most = fmax(most, sqrt(s2));
        }
        for (int32_t c = n->child; c < n->child + n->children; c++) {
            sum += (double)out->spread[c] * (double)t->node[c].count;
            most = fmax(most, (double)out->reach[c]);
        }
        out->spread[i] = (float)(sum / (double)n->count);
        out->reach[i] = (float)most;
    }
}

enum bw_status multipole_sources(struct bw_stage *s, struct multipole *f, const struct vortons *v,
                                 enum pair_kernel kernel)
{
    static const struct pair_table *const levels[] = {&pairs_baseline, &pairs_avx2, &pairs_avx512};
    f->pairs = levels[s->host->simd <= BW_SIMD_AVX512 ? s->host->simd : BW_SIMD_BASELINE];
    f->kernel = kernel;
    f->order = 0;
    f->source.count = 0;
    if (!v->count) return BW_OK;
    enum bw_status st = tree_build(s, &f->source, v->count, v->pos, 0, NULL, 10 * radius_typical(v));
    if (!st) st = arrays_place(s, f, v->count);
    float *cores = st ? NULL : buffer_need(s, &f->memory[1], 2 * (size_t)f->source.nodes * sizeof *cores);
    if (!cores) return BW_ERR_MEMORY;
    f->cores = (struct node_cores){cores, cores + f->source.nodes};
    sources_copy(f, v);
    node_cores_sum(&f->source, f->sorted.per2, &f->cores);
    return BW_OK;
}

/* ---- moments ---- */

static void leaf_moments(int64_t at, uint32_t worker, void *user)
{
    struct multipole *f = user;
    const struct tree_node *n = &f->source.node[at];
    const struct expansion_table *t = &f->table[f->order];
    (void)worker;
    float *m = f->moment + (size_t)at * 3 * (size_t)t->terms;
    memset(m, 0, 3 * (size_t)t->terms * sizeof *m);
    for (int64_t p = n->first; tree_is_leaf(n) && p < n->first + n->count; p++) {
        const float y[3] = {-f->sorted.pos[0][p], -f->sorted.pos[1][p], -f->sorted.pos[2][p]};
        const float a[3] = {f->sorted.strength[0][p], f->sorted.strength[1][p], f->sorted.strength[2][p]};
        expansion_p2m(t, y, a, m);
    }
}

enum bw_status multipole_moments(struct bw_stage *s, struct multipole *f, int32_t order)
{
    struct expansion_table *t = &f->table[order];
    enum bw_status st = t->terms ? BW_OK : expansion_make(s, t, order);
    if (st || f->order == order) return st;
    size_t size = 3 * (size_t)t->terms;
    f->moment = buffer_need(s, &f->memory[2], (size_t)f->source.nodes * size * sizeof(float));
    if (!f->moment) return BW_ERR_MEMORY;
    f->order = order;
    s->host->parallel_for(s, f->source.nodes, leaf_moments, f);
    for (int32_t i = f->source.nodes - 1; i > 0; i--) {
        const struct tree_node *n = &f->source.node[i], *up = &f->source.node[n->parent];
        const float step[3] = {(float)(up->centre[0] - n->centre[0]), (float)(up->centre[1] - n->centre[1]),
                               (float)(up->centre[2] - n->centre[2])};
        expansion_m2m(t, f->moment + (size_t)i * size, step, f->moment + (size_t)n->parent * size);
    }
    return BW_OK;
}
