// SPDX-License-Identifier: Apache-2.0
/* The noise that breaks sources up, at many places at once; compiled once a SIMD level, all give the same bits. */
#ifndef EMIT_NOISE_H
#define EMIT_NOISE_H

#include <billow/host.h>
#include <common/simd_pick.h>
#include <billow/noise.h>

enum { NOISE_PLACES = 64 };

/// Up to NOISE_PLACES places in one box, and what of a covered cell there emits.
struct noise_places {
    int32_t n;
    double x[3][NOISE_PLACES];                       ///< m
    const struct bw_noise_lattice *at[NOISE_PLACES]; ///< octaves at the place's instant; they differ in `g` alone
    float share[NOISE_PLACES];                       ///< out
};

struct emit_kernels {
    /// bw_noise_fill()
    void (*fill)(struct bw_noise_lattice *l, uint64_t seed, double time);
    /// Fractal noise through a steep smoothstep, so that lobes have edges: share = 1 - amount (1 - edge). The octaves'
    /// standard deviation is 0.2 each; the edges at -0.5 and 0.7 deviations leave a little less than half of all.
    void (*share)(struct noise_places *p, int32_t octaves, double amount);
};

extern const struct emit_kernels emit_kernels_baseline, emit_kernels_avx2, emit_kernels_avx512;

static inline const struct emit_kernels *emit_kernels_for(uint32_t simd) { return SIMD_PICK(emit_kernels, simd); }

#endif
