// SPDX-License-Identifier: Apache-2.0
/* See lattice_kernels.h. By vectors of a node's values, a row of three nodes at a time: sums go in the same
 * order at all levels. */
#include "lattice_kernels.h"
#include <common/simd.h>

typedef double two __attribute__((vector_size(16), aligned(8), may_alias));
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

/* Where the three nodes below of a vorton begin in its brick's wide copy, whose coordinates begin a node lower, and its
 * weights. */
INLINE int64_t reach(const struct brick_points *b, int64_t p, double w[3][3])
{
    int64_t at[3];
    for (int a = 0; a < 3; a++) at[a] = spline(b->pos[p][a] * b->per, w[a]) - b->low[a];
    return at[0] + WIDE * (at[1] + (int64_t)WIDE * at[2]);
}

static void scatter(const struct brick_points *b, double (*sums)[2])
{
    for (int64_t o = 0; o < b->count; o++) {
        const int64_t p = b->number[o];
        const two own = {b->deviation[p] * b->volume[p], b->volume[p]};
        double w[3][3], (*to)[2] = sums + reach(b, p, w);
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++) {
                const two part = w[2][k] * w[1][j] * own;
                for (int x = 0; x < 3; x++) *(two *)to[x + WIDE * (j + WIDE * k)] += w[0][x] * part;
            }
    }
}

static void interpolate(const struct brick_points *b, const double (*wide)[4], double *rate)
{
    for (int64_t o = 0; o < b->count; o++) {
        const int64_t p = b->number[o];
        double w[3][3];
        const double(*from)[4] = wide + reach(b, p, w);
        four sum = {0};
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++) {
                const four *row = (const four *)from[WIDE * (j + WIDE * k)];
                sum += w[2][k] * w[1][j] * (w[0][0] * row[0] + w[0][1] * row[1] + w[0][2] * row[2]);
            }
        for (int c = 0; c < 3; c++) rate[3 * p + c] += b->volume[p] * sum[c];
    }
}

const struct lattice_kernels SIMD_NAME(lattice_kernels) = {scatter, interpolate};
