// SPDX-License-Identifier: Apache-2.0
/* See relax_kernels.h. Both do the same operations in the same order, so both give the same bits. */
#include "relax_kernels.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define INLINE static inline __attribute__((always_inline))

INLINE void plain_row(const struct relax_row *r, int sides)
{
    const double *mask = r->table->mask[r->walls[0]], c = mask[0], *at = r->at;
    double *restrict out = r->out;
    double k[6];
    const double *near[6];
    for (int s = 0; s < sides; s++) {
        k[s] = mask[r->column[s]];
        near[s] = at + r->step[s];
    }
    const int n = r->n;
    _Pragma("omp simd") for (int i = 0; i < n; i++)
    {
        double sum = c * at[i] + k[0] * near[0][i] + k[1] * near[1][i] + k[2] * near[2][i] + k[3] * near[3][i];
        if (sides > 4) sum = sum + k[4] * near[4][i] + k[5] * near[5][i];
        out[i] = sum;
    }
}

INLINE void table_row(const struct relax_row *r, int sides)
{
    const double *at = r->at;
    double *restrict out = r->out;
    for (int i = 0; i < r->n; i++) {
        const double *mask = r->table->mask[r->walls[i]];
        double sum = mask[0] * at[i];
        for (int s = 0; s < sides; s++) sum = sum + mask[r->column[s]] * at[i + r->step[s]];
        out[i] = sum;
    }
}

static void sources_add(const struct relax_row *r)
{
    for (int i = 0; r->source && i < r->n; i++) r->out[i] += r->strength * r->source[i] * r->table->source[r->walls[i]];
}

static void plain(const struct relax_row *r)
{
    if (r->sides == 4)
        plain_row(r, 4);
    else
        plain_row(r, 6);
    sources_add(r);
}

static void table(const struct relax_row *r)
{
    if (r->sides == 4)
        table_row(r, 4);
    else
        table_row(r, 6);
    sources_add(r);
}

const struct relax_kernels JOIN(relax_kernels_, BW_LEVEL) = {plain, table};
