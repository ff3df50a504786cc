// SPDX-License-Identifier: Apache-2.0
/* See relax_kernels.h. With and without the table the same operations in the same order, so the same bits. */
#include "relax_kernels.h"
#include <common/simd.h>
#include <string.h>

/* k: what the cell counts for, then its neighbours. */
static void flat(int n, const double *restrict k, const double *restrict at, const double *restrict west,
                 const double *restrict east, const double *restrict south, const double *restrict north,
                 double *restrict out)
{
    const double k0 = k[0], k1 = k[1], k2 = k[2], k3 = k[3], k4 = k[4];
    for (int i = 0; i < n; i++) out[i] = k0 * at[i] + k1 * west[i] + k2 * east[i] + k3 * south[i] + k4 * north[i];
}

static void deep(int n, const double *restrict k, const double *restrict at, const double *restrict west,
                 const double *restrict east, const double *restrict south, const double *restrict north,
                 const double *restrict below, const double *restrict above, double *restrict out)
{
    const double k0 = k[0], k1 = k[1], k2 = k[2], k3 = k[3], k4 = k[4], k5 = k[5], k6 = k[6];
    for (int i = 0; i < n; i++)
        out[i] =
            k0 * at[i] + k1 * west[i] + k2 * east[i] + k3 * south[i] + k4 * north[i] + k5 * below[i] + k6 * above[i];
}

/* Cells from `i` on that all have its walls. */
static void plain(const struct relax_row *r, int i, int n)
{
    const double *mask = r->table->mask[r->walls[i]], *const *q = r->near;
    if (r->walls[i] == TABLE_ROWS - 1) {
        memcpy(r->out + i, r->at + i, (size_t)n * sizeof *r->out);
        return;
    }
    double k[7] = {mask[0]};
    for (int s = 0; s < r->sides; s++) k[1 + s] = mask[r->column[s]];
    if (r->sides == 4) flat(n, k, r->at + i, q[0] + i, q[1] + i, q[2] + i, q[3] + i, r->out + i);
    else deep(n, k, r->at + i, q[0] + i, q[1] + i, q[2] + i, q[3] + i, q[4] + i, q[5] + i, r->out + i);
}

static void table(const struct relax_row *r, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        if (r->walls[i] == TABLE_ROWS - 1) { // the mask 1, 0, 0, …
            r->out[i] = r->at[i];
            continue;
        }
        const double *mask = r->table->mask[r->walls[i]];
        double sum = mask[0] * r->at[i];
        for (int s = 0; s < r->sides; s++) sum = sum + mask[r->column[s]] * r->near[s][i];
        r->out[i] = sum;
    }
}

/* The cells about the middles first, and in passing those between one row's and the next, which are made anew. */
static void row(const struct relax_row *r)
{
    const struct row_kind *last = &r->kind[r->rows - 1];
    const int first = r->kind->begin > r->skip ? r->kind->begin - r->skip : 0, after = last->end - r->skip,
              tail = (r->rows - 1) * r->stride + (after < r->n ? after : r->n);
    plain(r, first, tail - first);
    for (int j = 0; j < r->rows; j++) {
        const int at = j * r->stride, begin = r->kind[j].begin - r->skip, end = r->kind[j].end - r->skip;
        table(r, at, at + begin);
        table(r, at + end, at + r->n);
    }
    for (int i = 0; r->source && i < r->n; i++) r->out[i] += r->strength * r->source[i] * r->table->source[r->walls[i]];
}

const struct relax_kernels SIMD_NAME(relax_kernels) = {row};
