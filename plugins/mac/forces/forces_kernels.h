// SPDX-License-Identifier: Apache-2.0
/* Row kernels of mac.forces' vorticity confinement, compiled once a SIMD level; all give the same bits. */
#ifndef FORCES_KERNELS_H
#define FORCES_KERNELS_H

#include <billow/host.h>
#include <common/simd_pick.h>

/// n cells of the curl along x, in arrays with strides sy and sz; the arrays do not overlap.
struct curl_row {
    float *w[3]; ///< h curl u, m/s
    float *size; ///< of that
    ptrdiff_t sy, sz;
    int32_t n;
};

struct forces_kernels {
    /// Sets w and size of a row from the low faces of its cells; u's strides are sy and sz. Reads a cell on each side.
    void (*curl)(const float *const u[3], ptrdiff_t sy, ptrdiff_t sz, const struct curl_row *row);
    /// w becomes N x w; reads the size of the cells around.
    void (*confine)(const struct curl_row *row);
};

extern const struct forces_kernels forces_kernels_baseline, forces_kernels_avx2, forces_kernels_avx512;

static inline const struct forces_kernels *forces_kernels_for(uint32_t simd) { return SIMD_PICK(forces_kernels, simd); }

#endif
