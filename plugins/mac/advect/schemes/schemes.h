// SPDX-License-Identifier: Apache-2.0
/* Interface of an advection scheme: one row of the table in schemes.c. */
#ifndef ADVECT_SCHEMES_H
#define ADVECT_SCHEMES_H

#include "advect/kernels/advect_kernels.h"
#include "sampler.h"

/// A node, its departure point, and where its trace ahead ends.
struct node_ends {
    const int32_t *at;
    const double *back, *ahead;
};

/// Row functions serve advect_rows.c, node functions advect_nodes.c: the same scheme in single and in double precision.
/// `clamp`: limiter, to the values around the departure point.
struct advect_scheme {
    const char *name;
    bool by_flux;   ///< scalars and vectors in flux form (flux/), the rest as below
    int32_t beyond; ///< stencil: nodes read on each side of a trace's end beyond the two next to it
    /// First sweep: interpolation at the departure points.
    void (*row_first)(const struct advect_kernels *k, const struct advect_row *old, bool clamp, float *out);
    double (*node_first)(struct sampler *old, int c, const double x[3], bool clamp);
    /// Second sweep, the correction, from the first one's result `hat`, whose row has the traces ahead; NULL: one sweep
    /// only.
    void (*row_second)(const struct advect_kernels *k, const struct advect_row *hat, const struct advect_row *old,
                       bool clamp, float *out);
    double (*node_second)(struct sampler *old, struct sampler *hat, int c, const struct node_ends *ends, bool clamp);
};

/// The choices of the preset's `scheme`, and what `billow info` says of them.
extern const char advect_scheme_names[], advect_scheme_doc[];
/// Schemes of the velocity: cubic or quintic interpolation that gains no energy, or linear.
extern const struct advect_scheme advect_velocity_cubic, advect_velocity_linear, advect_velocity_quintic;
/// The row of a choice.
const struct advect_scheme *advect_scheme_at(int32_t choice);

#endif
