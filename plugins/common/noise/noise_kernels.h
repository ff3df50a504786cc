// SPDX-License-Identifier: Apache-2.0
/* Rows of wavelet noise, compiled once a SIMD level; all give the same bits. */
#ifndef NOISE_KERNELS_H
#define NOISE_KERNELS_H

#include <billow/plugin.h>
#include <common/simd_pick.h>
#include <common/simd.h>

/// Lattice points along an edge of the tile, a power of two, and how many its rows and planes have: the first few come
/// again at the end, so that whoever wants three in a row, or reads four, need not turn back.
enum { WAVELET_SIZE = 64, WAVELET_ROW = WAVELET_SIZE + 4, WAVELET_ROWS = WAVELET_SIZE + 2 };

/// n places along x. Place i lies at whole + part + per·offset of the noise's lattice: whole and part along x are a
/// place's own, along y and z the row's.
struct noise_row {
    const float *offset[3], *amount; ///< places whose amount is not above 0 are left out
    const int32_t *whole_x;
    const float *part_x;
    int32_t whole_y, whole_z;
    float part_y, part_z, per;
    int32_t n;
};

struct noise_kernels {
    /// sum[i] += amount · noise
    void (*row)(const vec4 *tile, const struct noise_row *r, vec4 *sum);
    /// The first three numbers of n vectors, an array each.
    void (*split)(const vec4 *from, size_t n, float *const to[3]);
    /// out[i] = gain (a[p] + a[p+q] - a[0] - a[q] - (b[q] + b[p+q] - b[0] - b[p])), each from i on, n values: what the
    /// edges round n faces say.
    void (*curl)(const float *a, const float *b, ptrdiff_t p, ptrdiff_t q, float gain, int32_t n, float *out);
};

extern const struct noise_kernels noise_kernels_baseline, noise_kernels_avx2, noise_kernels_avx512;

static inline const struct noise_kernels *noise_kernels_for(uint32_t simd) { return SIMD_PICK(noise_kernels, simd); }

#endif
