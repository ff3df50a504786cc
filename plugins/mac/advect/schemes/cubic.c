// SPDX-License-Identifier: Apache-2.0
/* Cubic gather for advection, compiled once a SIMD level (BW_LEVEL).
 *
 * Lagrange's cubic through the 4 nodes around a point, along each axis in turn: 64 values. Fourth order a step, so
 * third order over a fixed time at a fixed CFL number; unconditionally stable in the 2-norm (Staniforth, Côté,
 * "Semi-Lagrangian integration schemes for atmospheric models", Mon. Weather Rev. 119, 1991). It overshoots at jumps:
 * the caller clamps it to the 8 nearest values (Bermejo, Staniforth, Mon. Weather Rev. 120, 1992).
 *
 * Plain C: cells that move by the same number of cells share loads, which compilers turn into vector loads; every other
 * group in the vector costs as much again. Each cell's operations and their order are the same everywhere. */
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
            offset[l] += low * stride[a]; // exact: whole numbers below 2^24
            q->w[a][0][l] = t * s * (1 + s) * (-1.0f / 6);
            q->w[a][1][l] = s * (1 + t) * (1 + s) * 0.5f;
            q->w[a][2][l] = t * (1 + t) * (1 + s) * 0.5f;
            q->w[a][3][l] = t * s * (1 + t) * (-1.0f / 6);
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

advect_row_fn SIMD_NAME(advect_cubic);

void SIMD_NAME(advect_cubic)(const struct advect_row *r, float *out)
{
    int32_t i = 0;
    for (; i + WIDE <= r->n; i += WIDE) cubic_cells(r, i, WIDE, out);
    if (i < r->n) cubic_cells(r, i, r->n - i, out);
}
