// SPDX-License-Identifier: Apache-2.0
/* The sums of far.c and born.c over one piece of what is summed and many targets, compiled once a SIMD level. Vectors
 * in cells, in the solver's axes. */
#ifndef FAR_KERNELS_H
#define FAR_KERNELS_H

#include <stdint.h>

enum { FAR_LANES = 32, FAR_NODES = 256 };

/// Sum of sources b in a cube, and their moments about its middle: b x, then b x x (xx, yy, zz, xy, xz, yz).
struct far_node {
    float m, d[3], q[6];
};

/// The nodes of a newborn tile as an image sees them, and what was summed there.
struct far_nodes {
    float x[3][FAR_NODES], sum[3][FAR_NODES];
    int n;
};

struct far_kernels {
    /// Adds a node's potential, times 4 pi, at targets x + d from its middle; nearer than 2 cells as at 2 cells.
    void (*node3)(const struct far_node *n, const float x[3][FAR_LANES], const float d[3], float *sum);
    /// The same in two dimensions, times 2 pi.
    void (*node2)(const struct far_node *n, const float x[3][FAR_LANES], const float d[3], float *sum);
    /// Adds what a piece of skin with the flow u makes of the nodes, times 4 pi (2D: 2 pi); at: its middle, a: its
    /// normal's axis, out: 1 or -1.
    void (*skin)(struct far_nodes *k, int dim, const float at[3], const float u[3], int a, float out);
};

extern const struct far_kernels far_kernels_baseline, far_kernels_avx2, far_kernels_avx512;
const struct far_kernels *far_kernels_of(uint32_t simd);

#endif
