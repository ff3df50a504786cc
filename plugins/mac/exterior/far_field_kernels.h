// SPDX-License-Identifier: Apache-2.0
/* Kernels of the sums of far_field.c and activation.c: one source and many targets, compiled once a SIMD level. Vectors
 * in cells, in the solver's axes. */
#ifndef FAR_KERNELS_H
#define FAR_KERNELS_H

#include <common/simd_pick.h>
#include <stdint.h>

enum { FAR_LANES = 32, FAR_NODES = 256 };

/// Multipole moments of the sources b in a cube about its middle: sum of b, b x, b x x (xx, yy, zz, xy, xz, yz).
struct far_moments {
    float m, d[3], q[6];
};

/// The nodes of a newly activated tile as an image sees them, and the velocity summed there.
struct far_velocity_nodes {
    float x[3][FAR_NODES], sum[3][FAR_NODES];
    int n;
};

struct far_field_kernels {
    /// Adds the potential of moments, times 4 pi, at targets x + d from their middle; nearer than 2 cells as at 2.
    void (*potential_3d)(const struct far_moments *n, const float x[3][FAR_LANES], const float d[3], float *sum);
    /// The same in two dimensions, times 2 pi.
    void (*potential_2d)(const struct far_moments *n, const float x[3][FAR_LANES], const float d[3], float *sum);
    /// Adds the velocity induced by a piece of boundary with the velocity u, times 4 pi (2D: 2 pi); at: its middle, a:
    /// its normal's axis, out: 1 or -1.
    void (*side_velocity)(struct far_velocity_nodes *k, int dim, const float at[3], const float u[3], int a, float out);
};

extern const struct far_field_kernels far_field_kernels_baseline, far_field_kernels_avx2, far_field_kernels_avx512;
static inline const struct far_field_kernels *far_field_kernels_for(uint32_t simd)
{
    return SIMD_PICK(far_field_kernels, simd);
}

#endif
