// SPDX-License-Identifier: Apache-2.0
/* Cubic gather for advection, compiled once a SIMD level (BW_LEVEL).
 *
 * With L the linear interpolation along an axis and C Lagrange's cubic through the 4 nodes around a point,
 *
 *     C_x L_y L_z + L_x C_y L_z + L_x L_y C_z - 2 L_x L_y L_z:
 *
 * the linear one, and what the cubic adds to it along each axis by itself. That is the first step of Smolyak's sum
 * (Delvos, Schempp, "Boolean methods in interpolation and approximation", 1989): from 32 values as exact as from the 64
 * of the product C_x C_y C_z, whose error is h^4 d^4/dx^4 too; what is left out is h^4 d^4/dx^2 dy^2. With t, s = 1 - t
 * the place between the middle two of an axis and d_0, d_1 the second differences at them, C = L - t s / 6 ((1 + s) d_0
 * + (1 + t) d_1). No wave grows, wherever the point lies and whatever its direction (by a scan of both;
 * test_advection.c): third order over a fixed time at a fixed CFL number, unconditionally stable in the 2-norm
 * (Staniforth, Cote, "Semi-Lagrangian integration schemes for atmospheric models", Mon. Weather Rev. 119, 1991). It
 * overshoots at jumps: it is clamped to the 8 nearest values (Bermejo, Staniforth, Mon. Weather Rev. 120, 1992).
 *
 * With `soften` the cubic's part is so much less where d_0 = -d_1, and less of that where they are less opposite, which
 * damps what cells do not resolve: a cubic adds energy to a flow that advects itself, since it is no conservation law,
 * and it does so there. Eddies of a few cells are left alone.
 *
 * Cells that move by the same number of cells share loads; every other group in the vector costs its own, so vectors
 * are of eight: of sixteen a flow with eddies moves half as many alike again. Each cell's operations and their order
 * are the same everywhere. */
#define VEC_LANES_MOST 8
#include "advect/kernels/advect_kernels.h"
#include "advect/kernels/advect_clamp.h"
#include <stdbool.h>

enum { WIDE = 16 };

/// Axes but `a`, in order.
static const int others[3][2] = {{1, 2}, {0, 2}, {0, 1}};

/// Up to WIDE cells of a row: whole cells moved, as an offset; the places t, s = 1 - t between nodes; t s.
struct cubic {
    int32_t offset[WIDE];
    float t[3][WIDE], s[3][WIDE], ts[3][WIDE];
    bool counts[3]; ///< more than the node at rest, for any cell; not across a plane
};

static inline void cubic_places(struct cubic *q, const struct advect_row *r, int32_t i, int count)
{
    const float stride[3] = {1, (float)r->sy, (float)r->sz};
    float offset[WIDE] = {0};
    for (int a = 0; a < 3; a++) {
        bool moved = false;
        for (int l = 0; l < count; l++) {
            const float d = advect_displacement(r, a, i + l), low = advect_floor(d), t = d - low;
            offset[l] += low * stride[a]; // exact: whole numbers below 2^24
            q->t[a][l] = t;
            q->s[a][l] = 1 - t;
            q->ts[a][l] = t * (1 - t);
            moved |= t != 0;
        }
        q->counts[a] = moved;
    }
    for (int l = 0; l < count; l++) q->offset[l] = (int32_t)offset[l];
}

/* Linear between two, which are one where the axis does not count. */
static inline void cubic_between(const struct cubic *q, int a, int count, const float *low, const float *high,
                                 float *out)
{
    for (int l = 0; l < count; l++) out[l] = q->counts[a] ? q->s[a][l] * low[l] + q->t[a][l] * high[l] : low[l];
}

/* Linear along axes `a` from four, of which the first axis' are side by side. */
static inline void cubic_across(const struct cubic *q, const int a[2], int count, float part[4][WIDE], float *out)
{
    float low[WIDE], high[WIDE];
    cubic_between(q, a[0], count, part[0], part[1], low);
    cubic_between(q, a[0], count, part[2], part[3], high);
    cubic_between(q, a[1], count, low, high, out);
}

/* Node e of the four along axes a[0], a[1]; those of an axis that does not count are one. */
static inline ptrdiff_t node_of(const bool counts[3], const int a[2], const ptrdiff_t step[3], int e)
{
    return ((e & 1) && counts[a[0]] ? step[a[0]] : 0) + ((e & 2) && counts[a[1]] ? step[a[1]] : 0);
}

#define ROUGH_LEAST 1e-30f ///< no 0 / 0 where nothing bends

/* 0 where the second differences have one sign, to 1 where they are opposite and less than four times each other. */
static inline float rough_share(float d0, float d1)
{
    const float fraction = -4 * d0 * d1 / (d0 * d0 + d1 * d1 + ROUGH_LEAST);
    return fraction > 0 ? fraction < 1 ? fraction : 1 : 0;
}

/* The values of all cells as if all moved by the same whole cells: node (0,0,0) of cell l is p[l]. */
static inline void cubic_alike(const struct cubic *q, const float *p, const struct advect_row *r, int count, float *out)
{
    const ptrdiff_t step[3] = {1, r->sy, r->sz};
    float low[4][WIDE], high[4][WIDE], part[4][WIDE], inner[3][2][WIDE], bend[WIDE] = {0};
    for (int e = 0; e < 4; e++) {
        const float *f = p + node_of(q->counts, others[0], step, e);
        for (int l = 0; l < count; l++) {
            low[e][l] = f[l];
            high[e][l] = q->counts[0] ? f[l + 1] : f[l];
        }
        cubic_between(q, 0, count, low[e], high[e], part[e]);
    }
    cubic_across(q, others[0], count, low, inner[0][0]);
    cubic_across(q, others[0], count, high, inner[0][1]);
    for (int side = 0; side < 2; side++) {
        cubic_between(q, 2, count, part[side], part[2 + side], inner[1][side]);
        cubic_between(q, 1, count, part[2 * side], part[2 * side + 1], inner[2][side]);
    }
    cubic_between(q, 2, count, inner[2][0], inner[2][1], out);
    for (int a = 0; a < 3; a++) {
        float beyond[2][WIDE];
        if (!q->counts[a]) continue;
        for (int e = 0; e < 4; e++) {
            const float *f = p + node_of(q->counts, others[a], step, e);
            for (int l = 0; l < count; l++) {
                low[e][l] = f[l - step[a]];
                high[e][l] = f[l + 2 * step[a]];
            }
        }
        cubic_across(q, others[a], count, low, beyond[0]);
        cubic_across(q, others[a], count, high, beyond[1]);
        for (int l = 0; l < count; l++) {
            const float d0 = beyond[0][l] - 2 * inner[a][0][l] + inner[a][1][l];
            const float d1 = inner[a][0][l] - 2 * inner[a][1][l] + beyond[1][l];
            const float by = (-1.0f / 6) * q->ts[a][l] * ((1 + q->s[a][l]) * d0 + (1 + q->t[a][l]) * d1);
            bend[l] += by - r->soften * rough_share(d0, d1) * by;
        }
    }
    for (int l = 0; l < count; l++) out[l] += bend[l];
}

static inline void cubic_cells(const struct advect_row *r, int32_t i, int count, float *out)
{
    struct cubic q;
    float value[WIDE];
    cubic_places(&q, r, i, count);
    for (uint32_t left = (1u << count) - 1; left;) {
        const int32_t same = q.offset[__builtin_ctz(left)];
        cubic_alike(&q, r->f + i + same, r, count, value);
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
    vec offset, t[3], s[3];
    bool counts[3];
};

static inline void vec_places(struct vec_cubic *q, const struct advect_row *r, int32_t i)
{
    const float stride[3] = {1, (float)r->sy, (float)r->sz};
    q->offset = vec_set(0);
    for (int a = 0; a < 3; a++) {
        vec d = vec_load(r->d[a] + i);
        if (r->e[a]) d = vec_set(0.5f) * (vec_load(r->e[a] + i) + d);
        const vec low = vec_floor(d);
        q->offset += low * vec_set(stride[a]);
        q->t[a] = d - low;
        q->s[a] = vec_set(1) - q->t[a];
        q->counts[a] = vec_any(q->t[a]);
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
    float offsets[VEC_LANES];
    vec_store(offsets, offset);
    g->n = 0;
    for (unsigned left = (1u << VEC_LANES) - 1; left; left &= ~vec_bits(g->in[g->n++])) {
        const float same = offsets[__builtin_ctz(left)];
        g->in[g->n] = offset == vec_set(same);
        g->f[g->n] = f + (ptrdiff_t)same;
    }
}

/* A node's values in all lanes: loads are all that lanes that move otherwise cost more. */
INLINE vec vec_node(const struct alike *g, int n, ptrdiff_t at)
{
    vec v = vec_load(g->f[0] + at);
    for (int k = 1; k < n; k++) v = vec_pick(g->in[k], vec_load(g->f[k] + at), v);
    return v;
}

INLINE vec vec_between(const struct vec_cubic *q, int a, bool all, vec low, vec high)
{
    return all || q->counts[a] ? q->s[a] * low + q->t[a] * high : low;
}

INLINE vec vec_across(const struct vec_cubic *q, const int a[2], bool all, const vec part[4])
{
    return vec_between(q, a[1], all, vec_between(q, a[0], all, part[0], part[1]),
                       vec_between(q, a[0], all, part[2], part[3]));
}

/* `n`: groups; `all`: every axis counts. Both are known where it is called from. */
INLINE vec vec_nodes(const struct vec_cubic *q, const struct alike *g, int n, bool all, const struct advect_row *r,
                     bool clamp)
{
    const ptrdiff_t step[3] = {1, r->sy, r->sz};
    const bool counts[3] = {all || q->counts[0], all || q->counts[1], all || q->counts[2]};
    const vec one = vec_set(1);
    vec low[4], high[4], part[4], inner[3][2], bend = vec_set(0);
    for (int e = 0; e < 4; e++) {
        const ptrdiff_t at = node_of(counts, others[0], step, e);
        low[e] = vec_node(g, n, at);
        high[e] = counts[0] ? vec_node(g, n, at + 1) : low[e];
        part[e] = vec_between(q, 0, all, low[e], high[e]);
    }
    inner[0][0] = vec_across(q, others[0], all, low);
    inner[0][1] = vec_across(q, others[0], all, high);
    for (int side = 0; side < 2; side++) {
        inner[1][side] = vec_between(q, 2, all, part[side], part[2 + side]);
        inner[2][side] = vec_between(q, 1, all, part[2 * side], part[2 * side + 1]);
    }
    const vec sum = vec_between(q, 2, all, inner[2][0], inner[2][1]);
    for (int a = 0; a < 3; a++) {
        vec below[4], above[4];
        if (!counts[a]) continue;
        for (int e = 0; e < 4; e++) {
            const ptrdiff_t at = node_of(counts, others[a], step, e);
            below[e] = vec_node(g, n, at - step[a]);
            above[e] = vec_node(g, n, at + 2 * step[a]);
        }
        const vec two = vec_set(2), from = vec_across(q, others[a], all, below),
                  to = vec_across(q, others[a], all, above), ts = q->t[a] * q->s[a];
        const vec d0 = from - two * inner[a][0] + inner[a][1], d1 = inner[a][0] - two * inner[a][1] + to;
        const vec by = vec_set(-1.0f / 6) * ts * ((one + q->s[a]) * d0 + (one + q->t[a]) * d1);
        const vec fraction = vec_set(-4) * d0 * d1 / (d0 * d0 + d1 * d1 + vec_set(ROUGH_LEAST));
        bend += by - vec_set(r->soften) * vec_min(vec_max(fraction, vec_set(0)), one) * by;
    }
    const vec value = sum + bend;
    return clamp ? vec_clamp_to_corners(low, high, q->t, ADVECT_CORNER_LEAST, value) : value;
}

static inline vec vec_cells(const struct advect_row *r, int32_t i, bool clamp)
{
    struct vec_cubic q;
    struct alike g;
    vec_places(&q, r, i);
    alike_find(&g, q.offset, r->f + i);
    if (!(q.counts[0] && q.counts[1] && q.counts[2])) return vec_nodes(&q, &g, g.n, false, r, clamp);
    if (g.n == 1) return vec_nodes(&q, &g, 1, true, r, clamp);
    if (g.n == 2) return vec_nodes(&q, &g, 2, true, r, clamp);
    if (g.n == 3) return vec_nodes(&q, &g, 3, true, r, clamp);
    return vec_nodes(&q, &g, g.n, true, r, clamp);
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
