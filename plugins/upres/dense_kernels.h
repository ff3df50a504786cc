// SPDX-License-Identifier: Apache-2.0
/* Rows of dense boxes, compiled once a SIMD level; all give the same bits. */
#ifndef UPRES_DENSE_KERNELS_H
#define UPRES_DENSE_KERNELS_H

#include <billow/host.h>
#include <common/simd_pick.h>

struct dense_kernels {
    /// out[i] = Σ_t w[i][t] in[at[i] + t], four taps, n values.
    void (*take)(const float *in, const int32_t *at, float (*w)[4], int32_t n, float *out);
    /// out[i] = Σ_t w[t] in[i + t·stride], four taps, n values.
    void (*mix)(const float *in, ptrdiff_t stride, const float w[4], int32_t n, float *out);
    /// out[i] = Σ_t w[t] in[t][i], five taps, n values.
    void (*blur)(const float *const in[5], const float w[5], int32_t n, float *out);
};

extern const struct dense_kernels dense_kernels_baseline, dense_kernels_avx2, dense_kernels_avx512;

static inline const struct dense_kernels *dense_kernels_for(uint32_t simd) { return SIMD_PICK(dense_kernels, simd); }

#endif
