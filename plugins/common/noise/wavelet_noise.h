// SPDX-License-Identifier: Apache-2.0
/* Band-limited vector noise: three independent wavelet noises (Cook & DeRose 2005) on one repeating tile, the
 * components of a vector potential side by side. */
#ifndef WAVELET_NOISE_H
#define WAVELET_NOISE_H

#include "noise_kernels.h"
#include <math.h>

/// A new tile of vectors (the fourth number is unused) for `seed`: WAVELET_ROWS planes of WAVELET_ROWS rows. NULL: out
/// of memory. Lives until uninit.
const vec4 *wavelet_make(struct bw_stage *s, uint64_t seed);

/// Where x, in lattice points, lies in the tile turned by `shift`: as noise_row wants it.
static inline void wavelet_place(double x, int32_t shift, int32_t *whole, float *part)
{
    const double low = floor(x);
    *whole = (int32_t)((int64_t)low & (WAVELET_SIZE - 1)) + shift;
    *part = (float)(x - low);
}

/// Root mean square of |curl| that the tile has on a grid of `step` lattice cells, taken round the edges of each face.
double wavelet_curl_rms(const struct bw_stage *s, const vec4 *tile, double step);

#endif
