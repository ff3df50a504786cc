// SPDX-License-Identifier: Apache-2.0
/* What a scheme of mac.advect is: all that differs between them, as one row of the table in schemes.c. */
#ifndef ADVECT_SCHEMES_H
#define ADVECT_SCHEMES_H

#include "advect/kernels/advect_kernels.h"
#include "reach.h"

/// A node, and where its traces end, back and ahead.
struct node_ends {
    const int32_t *at;
    const double *back, *ahead;
};

/// Rows are those of the fast way, nodes those of the plain one: both do the same, in single or in double precision.
/// `clamp`: within the values around the trace's end.
struct advect_scheme {
    const char *name;
    bool by_flux;   ///< scalars and vectors go by fluxes (flux/), the rest as below
    int32_t beyond; ///< nodes that are read on each side of a trace's end beyond the two beside it
    /// First sweep: what was where the traces back end.
    void (*row_first)(const struct advect_kernels *k, const struct advect_row *old, bool clamp, float *out);
    double (*node_first)(struct reach *old, int c, const double x[3], bool clamp);
    /// Second sweep, from the first one's result `hat`, whose row has the traces ahead; NULL: one sweep is all.
    void (*row_second)(const struct advect_kernels *k, const struct advect_row *hat, const struct advect_row *old,
                       bool clamp, float *out);
    double (*node_second)(struct reach *old, struct reach *hat, int c, const struct node_ends *ends, bool clamp);
};

/// The choices of the preset's `scheme`, and what `billow info` says of them.
extern const char advect_scheme_names[], advect_scheme_doc[];
/// How the velocity goes: by cubic interpolation that takes energy from it, or by linear.
extern const struct advect_scheme advect_velocity_cubic, advect_velocity_linear;
/// The row of a choice.
const struct advect_scheme *advect_scheme_at(int32_t choice);

#endif
