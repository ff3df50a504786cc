// SPDX-License-Identifier: Apache-2.0
#include "forces_kernels.h"
#include <common/simd.h>
#include <math.h>

/* Four times the difference of a centred velocity across two cells: q is the component's low face, `own` leads to the
 * high one, `across` to the next cell. */
static inline float difference(const float *q, ptrdiff_t own, ptrdiff_t across)
{
    return (q[across] + q[across + own]) - (q[-across] + q[own - across]);
}

/* A function of its own: the compiler honours `restrict` of parameters only, and vectorises only with it. */
static void curl(const float *const u[3], const ptrdiff_t step[2], float *restrict w0, float *restrict w1,
                 float *restrict w2, float *restrict size, int32_t n)
{
    const float *u0 = u[0], *u1 = u[1], *u2 = u[2];
    const ptrdiff_t sy = step[0], sz = step[1];
    for (int32_t i = 0; i < n; i++) {
        float a = 0.25f * (difference(u2 + i, sz, sy) - difference(u1 + i, sy, sz));
        float b = 0.25f * (difference(u0 + i, 1, sz) - difference(u2 + i, sz, 1));
        float c = 0.25f * (difference(u1 + i, sy, 1) - difference(u0 + i, 1, sy));
        w0[i] = a;
        w1[i] = b;
        w2[i] = c;
        size[i] = sqrtf(a * a + b * b + c * c);
    }
}

/* Where |w| has no slope, rounding would choose a direction: there N fades to nothing, at slopes below a hundredth of
 * |w| over two cells. The tiny number keeps 0/0 away. */
static void confine(const float *size, const ptrdiff_t step[2], float *restrict w0, float *restrict w1,
                    float *restrict w2, int32_t n)
{
    const ptrdiff_t y = step[0], z = step[1];
    for (int32_t i = 0; i < n; i++) {
        float a = size[i + 1] - size[i - 1], b = size[i + y] - size[i - y], c = size[i + z] - size[i - z];
        float by = 1.0f / (sqrtf(a * a + b * b + c * c) + 0.01f * size[i] + 1e-30f);
        float f0 = by * (b * w2[i] - c * w1[i]), f1 = by * (c * w0[i] - a * w2[i]), f2 = by * (a * w1[i] - b * w0[i]);
        w0[i] = f0;
        w1[i] = f1;
        w2[i] = f2;
    }
}

static void row_curl(const float *const u[3], ptrdiff_t sy, ptrdiff_t sz, const struct curl_row *row)
{
    curl(u, (const ptrdiff_t[2]){sy, sz}, row->w[0], row->w[1], row->w[2], row->size, row->n);
}

static void row_confine(const struct curl_row *row)
{
    confine(row->size, (const ptrdiff_t[2]){row->sy, row->sz}, row->w[0], row->w[1], row->w[2], row->n);
}

const struct forces_kernels SIMD_NAME(forces_kernels) = {row_curl, row_confine};
