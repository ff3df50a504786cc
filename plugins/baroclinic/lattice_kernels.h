// SPDX-License-Identifier: Apache-2.0
/* Scatter from a brick's vortons to nodes (P2G) and interpolation from nodes to vortons (G2P), once a SIMD level. */
#ifndef LATTICE_KERNELS_H
#define LATTICE_KERNELS_H

#include <billow/plugin.h>

/// A brick's edge, and that of its copy with a node more on each side.
enum { EDGE = 8, WIDE = EDGE + 2, WIDE_NODES = WIDE * WIDE * WIDE };

/// A brick's vortons, by their numbers; low: its first node.
struct brick_points {
    const int64_t *number;
    int64_t count, low[3];
    const bw_vec3 *pos;
    const double *volume, *deviation;
    double per; ///< 1 over the nodes' distance
};

struct lattice_kernels {
    /// Scatter: adds mass and volume of the vortons to the nodes of a wide copy.
    void (*scatter)(const struct brick_points *b, double (*sums)[2]);
    /// rate[3 p …] += volume of p times the wide copy's values where it is; the fourth is not read.
    void (*interpolate)(const struct brick_points *b, const double (*wide)[4], double *rate);
};

extern const struct lattice_kernels lattice_kernels_baseline, lattice_kernels_avx2;

/// The middle node of the three that x (in spacings) reaches, and their weights. No floor(), which is a call where the
/// processor's own is not to be had.
static inline int64_t spline(double x, double w[3])
{
    const int64_t whole = (int64_t)(x + 0.5), node = whole - ((double)whole > x + 0.5);
    const double f = x - (double)node;
    w[0] = 0.5 * (0.5 - f) * (0.5 - f);
    w[1] = 0.75 - f * f;
    w[2] = 0.5 * (0.5 + f) * (0.5 + f);
    return node;
}

#endif
