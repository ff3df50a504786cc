// SPDX-License-Identifier: Apache-2.0
/* Cubic gather for advection, compiled once a SIMD level (BW_LEVEL).
 *
 * Lagrange's cubic through the 4 nodes around a point, along each axis in turn: 64 values. Fourth order a step, so
 * third order over a fixed time at a fixed CFL number; unconditionally stable in the 2-norm (Staniforth, Côté,
 * "Semi-Lagrangian integration schemes for atmospheric models", Mon. Weather Rev. 119, 1991). It overshoots at jumps:
 * it is clamped to the 8 nearest values (Bermejo, Staniforth, Mon. Weather Rev. 120, 1992).
 *
 * With `soften` the weights are in part those of linear interpolation, which damps: the cubic alone adds energy to a
 * flow that carries itself (.5 % in Taylor-Green's, 32³, by t = 4 in 128 steps), since it is no conservation law.
 *
 * Cells that move by the same number of cells share loads; every other group in the vector costs its own, so vectors
 * are of eight: of sixteen a flow with eddies moves half as many alike again. Each cell's operations and their order
 * are the same everywhere. */
#define VEC_LANES_MOST 8
#include "advect/kernels/advect_kernels.h"
#include "advect/kernels/advect_span.h"
#include <stdbool.h>

enum { WIDE = 16 };

/// Up to WIDE cells of a row: whole cells moved, as an offset, and what each of the 4 nodes counts along each axis.
struct cubic {
    int32_t offset[WIDE];
    float w[3][4][WIDE];
    bool counts[3][4]; ///< for any cell; at rest, and across a plane, most nodes count for nothing
};

/* Weights of nodes -1, 0, 1, 2 for a point at t between 0 and 1; s = 1 - t makes them mirror images of each other. */
static inline void cubic_weights(struct cubic *q, const struct advect_row *r, int32_t i, int count)
{
    const float stride[3] = {1, (float)r->sy, (float)r->sz};
    float offset[WIDE] = {0};
    for (int a = 0; a < 3; a++) {
        bool moved = false;
        for (int l = 0; l < count; l++) {
            const float way = advect_way(r, a, i + l), low = advect_floor(way), t = way - low, s = 1 - t;
            const float keep = 1 - r->soften;
            offset[l] += low * stride[a]; // exact: whole numbers below 2^24
            q->w[a][0][l] = t * s * (1 + s) * (-1.0f / 6) * keep;
            q->w[a][1][l] = s * (1 + t) * (1 + s) * 0.5f * keep + s * r->soften;
            q->w[a][2][l] = t * (1 + t) * (1 + s) * 0.5f * keep + t * r->soften;
            q->w[a][3][l] = t * s * (1 + t) * (-1.0f / 6) * keep;
            moved |= t != 0;
        }
        for (int m = 0; m < 4; m++) q->counts[a][m] = moved || m == 1;
    }
    for (int l = 0; l < count; l++) q->offset[l] = (int32_t)offset[l];
}

/* Adds up 4 nodes along an axis as (inner pair) + (outer pair), so that a mirrored row gives the same bits. */
static inline void cubic_join(const struct cubic *q, int a, int count, float part[4][WIDE], float *out)
{
    if (!q->counts[a][0]) {
        for (int l = 0; l < count; l++) out[l] = part[1][l];
        return;
    }
    for (int l = 0; l < count; l++) {
        const float inner = q->w[a][1][l] * part[1][l] + q->w[a][2][l] * part[2][l];
        out[l] = inner + (q->w[a][0][l] * part[0][l] + q->w[a][3][l] * part[3][l]);
    }
}

/* The values of all cells as if all moved by the same whole cells: node (0,0,0) of cell l is p[l]. */
static inline void cubic_alike(const struct cubic *q, const float *p, int32_t sy, int32_t sz, int count, float *out)
{
    float row[4][WIDE], plane[4][WIDE];
    for (int z = 0; z < 4; z++) {
        if (!q->counts[2][z]) continue;
        for (int y = 0; y < 4; y++) {
            const float *f = p + (y - 1) * sy + (z - 1) * sz;
            if (!q->counts[1][y]) continue;
            for (int l = 0; l < count; l++) {
                const float inner = q->w[0][1][l] * f[l] + q->w[0][2][l] * f[l + 1];
                row[y][l] = inner + (q->w[0][0][l] * f[l - 1] + q->w[0][3][l] * f[l + 2]);
            }
        }
        cubic_join(q, 1, count, row, plane[z]);
    }
    cubic_join(q, 2, count, plane, out);
}

static inline void cubic_cells(const struct advect_row *r, int32_t i, int count, float *out)
{
    struct cubic q;
    float value[WIDE];
    cubic_weights(&q, r, i, count);
    for (uint32_t left = (1u << count) - 1; left;) {
        const int32_t same = q.offset[__builtin_ctz(left)];
        cubic_alike(&q, r->f + i + same, r->sy, r->sz, count, value);
        for (int l = 0; l < count; l++) {
            if (q.offset[l] != same) continue;
            out[i + l] = value[l];
            left &= ~(1u << l);
        }
    }
}

/* ---- VEC_LANES cells at a time: the same operations in the same order ---- */

#if VEC_LANES > 4
struct vec_cubic {
    vec offset, t[3], w[3][4];
    bool counts[3]; ///< more than the node at rest, for any cell
};

static inline void vec_weights(struct vec_cubic *q, const struct advect_row *r, int32_t i)
{
    const float stride[3] = {1, (float)r->sy, (float)r->sz};
    const vec one = vec_set(1), half = vec_set(0.5f), sixth = vec_set(-1.0f / 6), soften = vec_set(r->soften),
              keep = vec_set(1 - r->soften);
    q->offset = vec_set(0);
    for (int a = 0; a < 3; a++) {
        vec way = vec_load(r->d[a] + i);
        if (r->e[a]) way = half * (vec_load(r->e[a] + i) + way);
        const vec low = vec_floor(way), t = way - low, s = one - t;
        q->offset += low * vec_set(stride[a]);
        q->t[a] = t;
        q->w[a][0] = t * s * (one + s) * sixth * keep;
        q->w[a][1] = s * (one + t) * (one + s) * half * keep + s * soften;
        q->w[a][2] = t * (one + t) * (one + s) * half * keep + t * soften;
        q->w[a][3] = t * s * (one + t) * sixth * keep;
        q->counts[a] = vec_any(t);
    }
}

/// Lanes that move by the same whole cells, and where node (0,0,0) of lane 0 would be did all move so.
struct alike {
    const float *f[VEC_LANES];
    vec_int in[VEC_LANES];
    int n;
};

static inline void alike_find(struct alike *g, vec offset, const float *f)
{
    float way[VEC_LANES];
    vec_store(way, offset);
    g->n = 0;
    for (unsigned left = (1u << VEC_LANES) - 1; left; left &= ~vec_bits(g->in[g->n++])) {
        const float same = way[__builtin_ctz(left)];
        g->in[g->n] = offset == vec_set(same);
        g->f[g->n] = f + (ptrdiff_t)same;
    }
}

INLINE vec vec_join(const vec w[4], const vec part[4])
{
    return (w[1] * part[1] + w[2] * part[2]) + (w[0] * part[0] + w[3] * part[3]);
}

/* Node by node the values of all lanes: their loads are all that lanes that move otherwise cost more. `n`: groups;
 * `all`: the nodes count along every axis. Both are known where it is called from. */
INLINE vec vec_nodes(const struct vec_cubic *q, const struct alike *g, int n, bool all, const ptrdiff_t step[2],
                     bool clamp)
{
    vec plane[4], low[4], high[4];
    const int from[3] = {all || q->counts[0] ? 0 : 1, all || q->counts[1] ? 0 : 1, all || q->counts[2] ? 0 : 1};
    for (int z = from[2]; z < (from[2] ? 2 : 4); z++) {
        vec row[4];
        for (int y = from[1]; y < (from[1] ? 2 : 4); y++) {
            const ptrdiff_t at = (y - 1) * step[0] + (z - 1) * step[1] - 1;
            vec node[4];
            for (int x = from[0]; x < (from[0] ? 2 : 4); x++) {
                node[x] = vec_load(g->f[0] + at + x);
                for (int k = 1; k < n; k++) node[x] = vec_pick(g->in[k], vec_load(g->f[k] + at + x), node[x]);
            }
            row[y] = from[0] ? node[1] : vec_join(q->w[0], node);
            if (y == 0 || y == 3 || z == 0 || z == 3) continue; // not one of the 8 around
            low[(y - 1) + 2 * (z - 1)] = node[1];
            high[(y - 1) + 2 * (z - 1)] = node[from[0] ? 1 : 2];
        }
        plane[z] = from[1] ? row[1] : vec_join(q->w[1], row);
    }
    const vec value = from[2] ? plane[1] : vec_join(q->w[2], plane);
    if (!clamp) return value;
    for (int e = 1; e < 4 && !all; e++) { // what is not beside counts for nothing
        const int is = (from[1] ? 0 : e & 1) + (from[2] ? 0 : e & 2);
        low[e] = low[is];
        high[e] = high[is];
    }
    return vec_bound(low, high, q->t, ADVECT_CORNER_LEAST, value);
}

static inline vec vec_cells(const struct advect_row *r, int32_t i, bool clamp)
{
    const ptrdiff_t step[2] = {r->sy, r->sz};
    struct vec_cubic q;
    struct alike g;
    vec_weights(&q, r, i);
    alike_find(&g, q.offset, r->f + i);
    if (!(q.counts[0] && q.counts[1] && q.counts[2])) return vec_nodes(&q, &g, g.n, false, step, clamp);
    if (g.n == 1) return vec_nodes(&q, &g, 1, true, step, clamp);
    if (g.n == 2) return vec_nodes(&q, &g, 2, true, step, clamp);
    if (g.n == 3) return vec_nodes(&q, &g, 3, true, step, clamp);
    return vec_nodes(&q, &g, g.n, true, step, clamp);
}
#endif

advect_cubic_fn SIMD_NAME(advect_cubic);

bool SIMD_NAME(advect_cubic)(const struct advect_row *r, bool clamp, float *out)
{
    int32_t i = 0;
#if VEC_LANES > 4
    for (; i < r->n && VEC_LANES <= r->n; i += VEC_LANES) {
        if (i > r->n - VEC_LANES) i = r->n - VEC_LANES;
        vec_store(out + i, vec_cells(r, i, clamp));
    }
    if (i >= r->n) return clamp;
#else
    (void)clamp;
#endif
    for (; i + WIDE <= r->n; i += WIDE) cubic_cells(r, i, WIDE, out);
    if (i < r->n) cubic_cells(r, i, r->n - i, out);
    return false;
}
