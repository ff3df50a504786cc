// SPDX-License-Identifier: Apache-2.0
/* A box of cells inside another: how deep a place lies in it, seen from the sides that are inside the other. A side on
 * which the two end together is no border between them. Shared by what transfers fields and by what shows them. */
#ifndef NEST_H
#define NEST_H

#include <billow/field.h>

#include <math.h>

/// Cells of `inner` from x to the nearest of its sides that lie inside `outer`; < 0 outside of `inner`, HUGE_VAL where
/// no side does. A domain without a box has no sides.
static inline double nest_depth(const struct bw_domain_info *inner, const struct bw_domain_info *outer, const double x[3])
{
    double depth = HUGE_VAL;
    for (int a = 0; a < 3 && inner->n[0] > 0; a++) {
        double lo = inner->origin[a], hi = lo + inner->n[a] * inner->h;
        double from = outer->origin[a], to = from + outer->n[a] * outer->h, near = 0.5 * outer->h;
        int boxless = outer->n[0] <= 0;
        if (a == inner->thin || a == outer->thin) continue;
        if (boxless || lo > from + near) depth = fmin(depth, (x[a] - lo) / inner->h);
        if (boxless || hi < to - near) depth = fmin(depth, (hi - x[a]) / inner->h);
    }
    return depth;
}

/// 0 at the border and outside, 1 from `edge` cells on; edge 0: a step.
static inline double nest_weight(double depth, double edge)
{
    if (depth <= 0) return 0;
    return depth < edge ? depth / edge : 1;
}

#endif
