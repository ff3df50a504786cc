// SPDX-License-Identifier: Apache-2.0
/* Values at whole numbers, a quintic between them. */
#ifndef BW_NOISE_H
#define BW_NOISE_H

#include <stdint.h>

enum { BW_NOISE_REPEATS = 1 << 20 }; ///< waves

/// Of a place of whole numbers (an integer hash by multiplication and shifts).
uint32_t bw_noise_hash(int32_t x, int32_t y, uint32_t seed);
/// The next of many numbers, 0 … 1 (PCG's permutation of a linear congruence, O'Neill 2014).
float bw_noise_draw(uint32_t *seed);
/// 0 … 1, mean ½.
float bw_noise(double x, double y);
/// Mean ½; waves from `length` down to twice the footprint, each of half the length as strong as `keep` of the last,
/// and turned by 37 degrees, so that no square shows.
float bw_noise_waves(const double at[2], double length, int octaves, float keep, double footprint);

#endif
