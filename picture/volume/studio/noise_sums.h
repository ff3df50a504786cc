// SPDX-License-Identifier: Apache-2.0
/* Waves as bw_noise_waves has them, at many places side by side. Compiled once a SIMD level: the same bits by each. */
#ifndef BW_NOISE_SUMS_H
#define BW_NOISE_SUMS_H

#include <stdint.h>

enum { BW_NOISE_MANY = 256, BW_NOISE_ROUND = 16 }; ///< places at most; their number is a multiple of that

/// What bw_noise_waves takes.
struct bw_noise_wave {
    double length;
    int octaves;
    float keep;
};
/// n places.
struct bw_noise_places {
    int n;
    double x[BW_NOISE_MANY], y[BW_NOISE_MANY];
};
/// Values there, mean ½; and their derivatives by x and y, 1/m, unless NULL.
typedef void (*bw_noise_fn)(const struct bw_noise_wave *w, const struct bw_noise_places *at, double footprint,
                            float *value, float *const slope[2]);
void bw_noise_sums_baseline(const struct bw_noise_wave *w, const struct bw_noise_places *at, double footprint,
                            float *value, float *const slope[2]);
void bw_noise_sums_avx2(const struct bw_noise_wave *w, const struct bw_noise_places *at, double footprint, float *value,
                        float *const slope[2]);
void bw_noise_sums_avx512(const struct bw_noise_wave *w, const struct bw_noise_places *at, double footprint,
                          float *value, float *const slope[2]);

#endif
