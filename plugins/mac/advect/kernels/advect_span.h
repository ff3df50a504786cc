// SPDX-License-Identifier: Apache-2.0
/* Bounds of the 8 values around a displaced point, VEC_LANES points at a time: for files compiled once a SIMD level. */
#ifndef ADVECT_SPAN_H
#define ADVECT_SPAN_H

#include <common/simd.h>

#if VEC_LANES > 4
/// Least and greatest value so far.
struct vec_span {
    vec lo, hi;
};

/// How much the other end of an axis stands for the low and for the high one.
struct vec_fade {
    vec low, high;
};

INLINE struct vec_fade vec_fade(vec a, float steep)
{
    const vec one = vec_set(1), none = vec_set(0), s = vec_set(steep);
    return (struct vec_fade){vec_max(one - (one - a) * s, none), vec_max(one - a * s, none)};
}

INLINE struct vec_span vec_span_join(struct vec_span p, struct vec_span q, const struct vec_fade *f)
{
    return (struct vec_span){vec_min(p.lo + f->low * (q.lo - p.lo), q.lo + f->high * (p.lo - q.lo)),
                             vec_max(p.hi + f->low * (q.hi - p.hi), q.hi + f->high * (p.hi - q.hi))};
}

/// Brings v to within the values l and h at low and high x, (y,z) = 00, 10, 01, 11; the point lies at `a` between them.
/// Corners count in whole that weigh 1 / steep or more along each axis.
INLINE vec vec_bound(const vec l[4], const vec h[4], const vec a[3], float steep, vec v)
{
    const struct vec_fade f[3] = {vec_fade(a[0], steep), vec_fade(a[1], steep), vec_fade(a[2], steep)};
    struct vec_span x[4], y[2];
    for (int e = 0; e < 4; e++)
        x[e] = vec_span_join((struct vec_span){l[e], l[e]}, (struct vec_span){h[e], h[e]}, &f[0]);
    for (int e = 0; e < 2; e++) y[e] = vec_span_join(x[2 * e], x[2 * e + 1], &f[1]);
    const struct vec_span all = vec_span_join(y[0], y[1], &f[2]);
    return vec_min(vec_max(v, all.lo), all.hi);
}
#endif

#endif
