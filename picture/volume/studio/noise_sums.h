// SPDX-License-Identifier: Apache-2.0
/* Sums of waves as bw_noise_waves has them, several at one place, all octaves side by side. Compiled once a SIMD level:
 * the same bits by each. */
#ifndef BW_NOISE_SUMS_H
#define BW_NOISE_SUMS_H

#include <stdint.h>

enum { BW_NOISE_OCTAVES = 32 }; ///< of all sums, at most

/// What bw_noise_waves takes.
struct bw_noise_wave {
    double length;
    int octaves;
    float keep;
};
struct bw_noise_sum {
    float value;    ///< mean ½
    float slope[2]; ///< its derivatives, 1/m
};
typedef void (*bw_noise_fn)(const struct bw_noise_wave *w, int n, const double at[2], double footprint,
                            struct bw_noise_sum *sum);
void bw_noise_sums_baseline(const struct bw_noise_wave *w, int n, const double at[2], double footprint,
                            struct bw_noise_sum *sum);
void bw_noise_sums_avx2(const struct bw_noise_wave *w, int n, const double at[2], double footprint,
                        struct bw_noise_sum *sum);
void bw_noise_sums_avx512(const struct bw_noise_wave *w, int n, const double at[2], double footprint,
                          struct bw_noise_sum *sum);

#endif
