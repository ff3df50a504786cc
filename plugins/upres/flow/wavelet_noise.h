// SPDX-License-Identifier: Apache-2.0
/* Band-limited vector noise: three independent wavelet noises (Cook & DeRose 2005) on one repeating tile, the
 * components of a vector potential side by side. */
#ifndef WAVELET_NOISE_H
#define WAVELET_NOISE_H

#include <billow/plugin.h>
#include <common/simd.h>

enum { WAVELET_SIZE = 64 }; ///< lattice points along an edge of the tile; a power of two

/// A new tile of vectors (the fourth is unused) for `seed`. NULL: out of memory. Lives until uninit.
const vec4 *wavelet_make(struct bw_stage *s, uint64_t seed);

/// Value at lattice point `at` + f. `f` may be any distance.
static inline vec4 wavelet_at(const vec4 *tile, const int32_t at[3], const float f[3])
{
    int32_t i[3][3];
    float w[3][3];
    for (int a = 0; a < 3; a++) {
        float x = f[a] + .5f;
        int32_t low = (int32_t)x - (x < (float)(int32_t)x);
        float t = x - (float)low;
        w[a][0] = .5f * (1 - t) * (1 - t), w[a][1] = .75f - (t - .5f) * (t - .5f), w[a][2] = .5f * t * t;
        for (int q = 0; q < 3; q++) i[a][q] = (at[a] + low + q - 1) & (WAVELET_SIZE - 1);
    }
    vec4 sum = {0, 0, 0, 0};
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 3; y++) {
            const vec4 *row = tile + WAVELET_SIZE * (i[1][y] + WAVELET_SIZE * i[2][z]);
            sum += (w[1][y] * w[2][z]) * (w[0][0] * row[i[0][0]] + w[0][1] * row[i[0][1]] + w[0][2] * row[i[0][2]]);
        }
    return sum;
}

/// Root mean square of |curl| that the tile has on a grid of `step` lattice cells, taken as flow.c takes it.
double wavelet_curl_rms(const vec4 *tile, double step);

#endif
