// SPDX-License-Identifier: Apache-2.0
/* A box of cells inside another: how deep a place lies in it, seen from the sides that are inside the other. A side on
 * which the two end together is no border between them. Shared by what transfers fields and by what shows them. */
#ifndef NEST_H
#define NEST_H

#include <billow/field.h>

#include <math.h>
#include <string.h>

/// Cells of `inner` from x to the nearest of its sides that lie inside `outer`; < 0 outside of `inner`, HUGE_VAL where
/// no side does. A domain without a box has no sides.
static inline double nest_depth(const struct bw_domain_info *inner, const struct bw_domain_info *outer,
                                const double x[3])
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

/// What is left out of `coarse` at x because `fine` shows it: nothing within a coarse cell of the border, all from
/// `edge` fine cells further in.
static inline double nest_taken(const struct bw_domain_info *coarse, const struct bw_domain_info *fine,
                                const double x[3], double edge)
{
    return nest_weight(nest_depth(fine, coarse, x) - coarse->h / fine->h, edge);
}

/// What is shown of `own` at x beside `other`. The finer one shows what interpolating the coarser one's cells leaves
/// out, so that both, read trilinearly, add up.
static inline double nest_share(const struct bw_domain_info *own, const struct bw_domain_info *other, const double x[3],
                                double edge)
{
    double sum = 0, base[3], f[3];
    if (own->h >= other->h) return 1 - nest_taken(own, other, x, edge);
    for (int a = 0; a < 3; a++) {
        double u = (x[a] - other->origin[a]) / other->h - 0.5;
        base[a] = floor(u);
        f[a] = u - base[a];
    }
    for (int e = 0; e < 8; e++) {
        double w = (e & 1 ? f[0] : 1 - f[0]) * (e & 2 ? f[1] : 1 - f[1]) * (e & 4 ? f[2] : 1 - f[2]), cell[3];
        for (int a = 0; a < 3; a++) cell[a] = other->origin[a] + (base[a] + (e >> a & 1) + 0.5) * other->h;
        if (w > 0) sum += w * nest_taken(other, own, cell, edge);
    }
    return sum;
}

/// The domain called `name` among n, or NULL.
static inline const struct bw_domain_info *nest_find(const struct bw_domain_info *const *domains, uint32_t n,
                                                     const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(domains[i]->name, name)) return domains[i];
    return NULL;
}

#endif
