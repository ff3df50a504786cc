// SPDX-License-Identifier: Apache-2.0
/* Rows of dense boxes; dense_kernels.h says what they do. */
#include "dense_kernels.h"
#include <common/simd.h>

typedef float vec4_loose __attribute__((vector_size(16), aligned(4), may_alias));

/* Four places at a time: each place's four products, turned so that sums go lane by lane. */
static void take(const float *in, const int32_t *at, float (*w)[4], int32_t n, float *out)
{
    int32_t i = 0;
    for (; i + 4 <= n; i += 4) {
        vec4 p[4];
        for (int q = 0; q < 4; q++) p[q] = *(const vec4_loose *)w[i + q] * *(const vec4_loose *)(in + at[i + q]);
        const vec4 a = __builtin_shufflevector(p[0], p[2], 0, 4, 1, 5),
                   b = __builtin_shufflevector(p[0], p[2], 2, 6, 3, 7);
        const vec4 c = __builtin_shufflevector(p[1], p[3], 0, 4, 1, 5),
                   d = __builtin_shufflevector(p[1], p[3], 2, 6, 3, 7);
        *(vec4_loose *)(out + i) =
            __builtin_shufflevector(a, c, 0, 4, 1, 5) + __builtin_shufflevector(a, c, 2, 6, 3, 7) +
            __builtin_shufflevector(b, d, 0, 4, 1, 5) + __builtin_shufflevector(b, d, 2, 6, 3, 7);
    }
    for (; i < n; i++) {
        const float *row = in + at[i];
        out[i] = w[i][0] * row[0] + w[i][1] * row[1] + w[i][2] * row[2] + w[i][3] * row[3];
    }
}

static void mix(const float *in, ptrdiff_t stride, const float w[4], int32_t n, float *restrict out)
{
    const float *a = in, *b = in + stride, *c = b + stride, *d = c + stride;
    const float wa = w[0], wb = w[1], wc = w[2], wd = w[3];
    for (int32_t i = 0; i < n; i++) out[i] = wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
}

static void blur(const float *const in[5], const float w[5], int32_t n, float *restrict out)
{
    const float *a = in[0], *b = in[1], *c = in[2], *d = in[3], *e = in[4];
    const float wa = w[0], wb = w[1], wc = w[2], wd = w[3], we = w[4];
    for (int32_t i = 0; i < n; i++) out[i] = wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i] + we * e[i];
}

extern const struct dense_kernels SIMD_NAME(dense_kernels);
const struct dense_kernels SIMD_NAME(dense_kernels) = {take, mix, blur};
