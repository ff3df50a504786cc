// SPDX-License-Identifier: Apache-2.0
/* Quintic gather for advection, compiled once a SIMD level (BW_LEVEL).
 *
 * By Everett's formula, with t, s = 1 - t the place between the middle two of an axis, d_0, d_1 the second differences
 * at them and q_0, q_1 the fourth, Lagrange's quintic through the 6 nodes around a point is
 *
 *     Q = s f_0 + t f_1 + A_0 d_0 + A_1 d_1 + B_0 q_0 + B_1 q_1,
 *     A_0 = -t s (1 + s) / 6,  A_1 = -t s (1 + t) / 6,  B_0 = A_0 (s^2 - 4) / 20,  B_1 = A_1 (t^2 - 4) / 20,
 *
 * and C = Q without q the cubic. The value is the product C_x C_y C_z and, along each axis by itself, what the quintic
 * adds: from 88 values, with an error of h^6 along the axes and of h^6 d^6/dx^4 dy^2 across them; the product of three
 * quintics takes 216. A wave 6 cells long loses on average a sixth of what the cubic costs it a step.
 *
 * With `soften` all that bends along an axis is so much less where d_0 = -d_1, as in cubic.c and for the same reason.
 *
 * Cells that move by the same number of cells share loads, in groups of GROUP. Each cell's operations and their order
 * are the same everywhere. */
#include "advect/kernels/advect_kernels.h"
#include <common/simd.h>
#include <stdbool.h>

enum { GROUP = 8, INNER = 4, LINE = 6 };

/// Up to GROUP cells of a row.
struct quintic {
    int32_t offset[GROUP];                          ///< whole cells moved, as an offset
    float between[3][2][GROUP];                     ///< s, t along each axis,
    float second[3][2][GROUP], fourth[3][2][GROUP]; ///< A_0, A_1 and B_0, B_1
    float inner[3][INNER][GROUP];                   ///< the cubic's weights of its nodes
    bool counts[3];                                 ///< more than the node at rest, for any cell; not across a plane
};

static inline void quintic_places(struct quintic *q, const ptrdiff_t step[3], float displacement[3][GROUP], int count)
{
    const float stride[3] = {(float)step[0], (float)step[1], (float)step[2]};
    float offset[GROUP] = {0};
    for (int a = 0; a < 3; a++) {
        bool moved = false;
        for (int l = 0; l < count; l++) {
            const float d = displacement[a][l], low = advect_floor(d), t = d - low, s = 1 - t;
            const float a0 = -1.0f / 6 * (t * s) * (1 + s), a1 = -1.0f / 6 * (t * s) * (1 + t);
            offset[l] += low * stride[a]; // exact: whole numbers below 2^24
            q->between[a][0][l] = s;
            q->between[a][1][l] = t;
            q->second[a][0][l] = a0;
            q->second[a][1][l] = a1;
            q->fourth[a][0][l] = a0 * (s * s - 4) * 0.05f;
            q->fourth[a][1][l] = a1 * (t * t - 4) * 0.05f;
            q->inner[a][0][l] = a0;
            q->inner[a][1][l] = s + a1 - 2 * a0;
            q->inner[a][2][l] = t + a0 - 2 * a1;
            q->inner[a][3][l] = a1;
            moved |= t != 0;
        }
        q->counts[a] = moved;
    }
    for (int l = 0; l < count; l++) q->offset[l] = (int32_t)offset[l];
}

/* C_x C_y C_z, where node (0,0,0) of cell l is p[l]. An axis that does not count has one node. */
static inline void cubic_product(const struct quintic *q, const float *p, const ptrdiff_t step[3], int count,
                                 float *out)
{
    const int first[3] = {q->counts[0] ? 0 : 1, q->counts[1] ? 0 : 1, q->counts[2] ? 0 : 1};
    const int end[3] = {q->counts[0] ? INNER : 2, q->counts[1] ? INNER : 2, q->counts[2] ? INNER : 2};
    for (int l = 0; l < count; l++) out[l] = 0;
    for (int z = first[2]; z < end[2]; z++) {
        float plane[GROUP] = {0};
        for (int y = first[1]; y < end[1]; y++) {
            const float *f = p + (y - 1) * step[1] + (z - 1) * step[2];
            float row[GROUP];
            if (q->counts[0])
                for (int l = 0; l < count; l++)
                    row[l] = (q->inner[0][0][l] * f[l - 1] + q->inner[0][1][l] * f[l]) +
                             (q->inner[0][2][l] * f[l + 1] + q->inner[0][3][l] * f[l + 2]);
            else
                for (int l = 0; l < count; l++) row[l] = f[l];
            for (int l = 0; l < count; l++) plane[l] += (q->counts[1] ? q->inner[1][y][l] : 1) * row[l];
        }
        for (int l = 0; l < count; l++) out[l] += (q->counts[2] ? q->inner[2][z][l] : 1) * plane[l];
    }
}

/* Node m along axis a, linear across. */
static inline void line_node(const struct quintic *q, const float *p, const ptrdiff_t step[3], int a, int m, int count,
                             float *out)
{
    const int b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2;
    const ptrdiff_t over[2] = {q->counts[b] ? step[b] : 0, q->counts[c] ? step[c] : 0};
    const float *f = p + m * step[a];
    for (int l = 0; l < count; l++) {
        const float low = q->between[b][0][l] * f[l] + q->between[b][1][l] * f[l + over[0]];
        const float high = q->between[b][0][l] * f[l + over[1]] + q->between[b][1][l] * f[l + over[0] + over[1]];
        out[l] = q->between[c][0][l] * low + q->between[c][1][l] * high;
    }
}

#define ROUGH_LEAST 1e-30f ///< no 0 / 0 where nothing bends

/* Adds what the quintic has more than the cubic along axis a, less what is softened. */
static inline void line_add(const struct quintic *q, const float *p, const ptrdiff_t step[3], int a, int count,
                            float soften, float *out)
{
    float g[LINE][GROUP];
    for (int m = 0; m < LINE; m++) line_node(q, p, step, a, m - 2, count, g[m]);
    for (int l = 0; l < count; l++) {
        const float below = (g[0][l] + g[2][l]) - 2 * g[1][l], d0 = (g[1][l] + g[3][l]) - 2 * g[2][l];
        const float d1 = (g[2][l] + g[4][l]) - 2 * g[3][l], above = (g[3][l] + g[5][l]) - 2 * g[4][l];
        const float more = q->fourth[a][0][l] * ((below + d1) - 2 * d0) + q->fourth[a][1][l] * ((d0 + above) - 2 * d1);
        const float bend = q->second[a][0][l] * d0 + q->second[a][1][l] * d1 + more;
        float rough = -4 * d0 * d1 / (d0 * d0 + d1 * d1 + ROUGH_LEAST);
        rough = rough > 0 ? rough : 0;
        rough = rough < 1 ? rough : 1;
        out[l] += more - soften * rough * bend;
    }
}

/* out[l] = f at cell l, displaced. */
static inline void quintic_cells(const float *f, const ptrdiff_t step[3], float displacement[3][GROUP], int count,
                                 float soften, float *out)
{
    struct quintic q;
    float value[GROUP];
    quintic_places(&q, step, displacement, count);
    for (uint32_t left = (1u << count) - 1; left;) {
        const int32_t same = q.offset[__builtin_ctz(left)];
        cubic_product(&q, f + same, step, count, value);
        for (int a = 0; a < 3; a++)
            if (q.counts[a]) line_add(&q, f + same, step, a, count, soften, value);
        for (int l = 0; l < count; l++) {
            if (q.offset[l] != same) continue;
            out[l] = value[l];
            left &= ~(1u << l);
        }
    }
}

static inline void row_cells(const struct advect_row *r, int32_t i, int count, float *out)
{
    const ptrdiff_t step[3] = {1, r->sy, r->sz};
    float d[3][GROUP];
    for (int a = 0; a < 3; a++)
        for (int l = 0; l < count; l++) d[a][l] = advect_displacement(r, a, i + l);
    quintic_cells(r->f + i, step, d, count, r->soften, out + i);
}

advect_cubic_fn SIMD_NAME(advect_quintic);

/* Rows of GROUP cells and more end with a group that overlaps the one before. */
bool SIMD_NAME(advect_quintic)(const struct advect_row *r, bool clamp, float *out)
{
    (void)clamp; // by the caller
    if (r->n < GROUP) row_cells(r, 0, r->n, out);
    for (int32_t i = 0; i < r->n && GROUP <= r->n; i += GROUP)
        row_cells(r, i > r->n - GROUP ? r->n - GROUP : i, GROUP, out);
    return false;
}
