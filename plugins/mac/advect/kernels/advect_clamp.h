// SPDX-License-Identifier: Apache-2.0
/* Limiter: clamps to the 8 values around a displaced point, VEC_LANES points at a time; for files compiled once a SIMD
 * level. */
#ifndef ADVECT_CLAMP_H
#define ADVECT_CLAMP_H

#include <common/simd.h>

#if VEC_LANES > 4
/// Least and greatest value so far.
struct vec_range {
    vec lo, hi;
};

INLINE struct vec_range vec_range_join(struct vec_range p, struct vec_range q, vec a, float corner)
{
    const vec most = vec_set(1.0f - corner), least = vec_set(corner);
    struct vec_range low = {vec_above(a, most, q.lo, p.lo), vec_above(a, most, q.hi, p.hi)};
    struct vec_range high = {vec_above(least, a, p.lo, q.lo), vec_above(least, a, p.hi, q.hi)};
    return (struct vec_range){vec_min(low.lo, high.lo), vec_max(low.hi, high.hi)};
}

/// Clamps v to the values l and h at low and high x, (y,z) = 00, 10, 01, 11; the point lies at `a` between them. Only
/// corners with a weight of `corner` or more along each axis count.
INLINE vec vec_clamp_to_corners(const vec l[4], const vec h[4], const vec a[3], float corner, vec v)
{
    struct vec_range x[4], y[2];
    for (int e = 0; e < 4; e++)
        x[e] = vec_range_join((struct vec_range){l[e], l[e]}, (struct vec_range){h[e], h[e]}, a[0], corner);
    for (int e = 0; e < 2; e++) y[e] = vec_range_join(x[2 * e], x[2 * e + 1], a[1], corner);
    const struct vec_range all = vec_range_join(y[0], y[1], a[2], corner);
    return vec_min(vec_max(v, all.lo), all.hi);
}
#endif

#endif
