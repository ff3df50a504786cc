// SPDX-License-Identifier: Apache-2.0
/* Cubic gather for advection, compiled once a SIMD level (BW_LEVEL).
 *
 * Lagrange's cubic through the 4 nodes around a point, along each axis in turn: 64 values. Fourth order a step, so
 * third order over a fixed time at a fixed CFL number; unconditionally stable in the 2-norm (Staniforth, Côté,
 * "Semi-Lagrangian integration schemes for atmospheric models", Mon. Weather Rev. 119, 1991). It overshoots at jumps:
 * the caller clamps it to the 8 nearest values (Bermejo, Staniforth, Mon. Weather Rev. 120, 1992).
 *
 * With `soften` the weights are in part those of linear interpolation, which damps: the cubic alone adds energy to a
 * flow that carries itself (.5 % in Taylor-Green's, 32³, by t = 4 in 128 steps), since it is no conservation law.
 *
 * Cells that move by the same number of cells share loads; every other group in the vector costs as much again. Each
 * cell's operations and their order are the same everywhere. */
#include "advect/kernels/advect_kernels.h"
#include <common/simd.h>
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
    vec offset, w[3][4];
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
        q->w[a][0] = t * s * (one + s) * sixth * keep;
        q->w[a][1] = s * (one + t) * (one + s) * half * keep + s * soften;
        q->w[a][2] = t * (one + t) * (one + s) * half * keep + t * soften;
        q->w[a][3] = t * s * (one + t) * sixth * keep;
        q->counts[a] = vec_any(t);
    }
}

INLINE vec vec_join(const struct vec_cubic *q, int a, const vec part[4])
{
    if (!q->counts[a]) return part[1];
    return (q->w[a][1] * part[1] + q->w[a][2] * part[2]) + (q->w[a][0] * part[0] + q->w[a][3] * part[3]);
}

INLINE vec vec_line(const struct vec_cubic *q, const float *f)
{
    if (!q->counts[0]) return vec_load(f);
    return (q->w[0][1] * vec_load(f) + q->w[0][2] * vec_load(f + 1)) +
           (q->w[0][0] * vec_load(f - 1) + q->w[0][3] * vec_load(f + 2));
}

INLINE vec vec_plane(const struct vec_cubic *q, const float *f, ptrdiff_t sy)
{
    if (!q->counts[1]) return vec_line(q, f);
    const vec row[4] = {vec_line(q, f - sy), vec_line(q, f), vec_line(q, f + sy), vec_line(q, f + 2 * sy)};
    return vec_join(q, 1, row);
}

/* As if all moved by the same whole cells. */
static inline vec vec_alike(const struct vec_cubic *q, const float *f, ptrdiff_t sy, ptrdiff_t sz)
{
    if (!q->counts[2]) return vec_plane(q, f, sy);
    const vec plane[4] = {vec_plane(q, f - sz, sy), vec_plane(q, f, sy), vec_plane(q, f + sz, sy),
                          vec_plane(q, f + 2 * sz, sy)};
    return vec_join(q, 2, plane);
}

static inline vec vec_cells(const struct advect_row *r, int32_t i)
{
    struct vec_cubic q;
    vec_weights(&q, r, i);
    const float *f = r->f + i;
    vec value = vec_alike(&q, f + (ptrdiff_t)q.offset[0], r->sy, r->sz);
    if (vec_same(q.offset)) return value;
    float offset[VEC_LANES];
    unsigned left = 0;
    vec_store(offset, q.offset);
    for (int l = 1; l < VEC_LANES; l++) left |= (unsigned)(offset[l] != offset[0]) << l;
    while (left) {
        const float same = offset[__builtin_ctz(left)];
        const vec v = vec_alike(&q, f + (ptrdiff_t)same, r->sy, r->sz);
        value = vec_pick(q.offset == vec_set(same), v, value);
        for (int l = 1; l < VEC_LANES; l++) left &= ~((unsigned)(offset[l] == same) << l);
    }
    return value;
}
#endif

advect_row_fn SIMD_NAME(advect_cubic);

void SIMD_NAME(advect_cubic)(const struct advect_row *r, float *out)
{
    int32_t i = 0;
#if VEC_LANES > 4
    for (; i < r->n && VEC_LANES <= r->n; i += VEC_LANES) {
        if (i > r->n - VEC_LANES) i = r->n - VEC_LANES;
        vec_store(out + i, vec_cells(r, i));
    }
#endif
    for (; i + WIDE <= r->n; i += WIDE) cubic_cells(r, i, WIDE, out);
    if (i < r->n) cubic_cells(r, i, r->n - i, out);
}
