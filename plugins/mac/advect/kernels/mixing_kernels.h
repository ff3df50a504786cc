// SPDX-License-Identifier: Apache-2.0
/* Row kernels of mixing.c, compiled once a SIMD level; all give the same bits. */
#ifndef MIXING_KERNELS_H
#define MIXING_KERNELS_H

#include <billow/host.h>
#include <common/simd_pick.h>

/// A row of faces, by the cells above them: `back` and `flow_back` lead to those below.
struct mixing_faces {
    const float *smoke, *weighed; ///< density; that times the age
    const float *flow[3];         ///< low faces; flow_step[c] leads to the high one
    ptrdiff_t back, flow_back, flow_step[3];
    int32_t n;
    float number; ///< the diffusion number of old smoke where the flow changes by 1 m/s from cell to cell
    float young;  ///< s: of smoke of this age it is half of that
};

struct mixing_kernels {
    /// Sets the share of the difference that is exchanged through each face.
    void (*faces)(const struct mixing_faces *f, float *out);
    /// to += what comes through the low faces and the high ones, `next` on, by their shares.
    void (*exchange)(const float *q, ptrdiff_t step, const float *share, ptrdiff_t next, int32_t n, float *to);
};

extern const struct mixing_kernels mixing_kernels_baseline, mixing_kernels_avx2, mixing_kernels_avx512;

static inline const struct mixing_kernels *mixing_kernels_for(uint32_t simd) { return SIMD_PICK(mixing_kernels, simd); }

#endif
