// SPDX-License-Identifier: Apache-2.0
/* Three numbers as a vector. Sums run x, y, z, so that a stage's bits do not depend on who wrote them. */
#ifndef VEC3_H
#define VEC3_H

#include <math.h>

static inline double vec3_dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline double vec3_length(const double a[3]) { return sqrt(vec3_dot(a, a)); }

static inline void vec3_sub(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

/// Square of the distance from a to b.
static inline double vec3_distance2(const double a[3], const double b[3])
{
    double d[3];
    vec3_sub(a, b, d);
    return vec3_dot(d, d);
}

/// `out` must be neither a nor b.
static inline void vec3_cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/// Across n, not of unit length: n with the unit vector along which it is shortest.
static inline void vec3_across(const double n[3], double out[3])
{
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(n[i]) < fabs(n[least])) least = i;
    vec3_cross(n, (const double[3]){least == 0, least == 1, least == 2}, out);
}

/// Component i of the local vector v in the world, where axis[k] is the k-th local axis.
static inline double vec3_turned(const double axis[3][3], const double v[3], int i)
{
    return v[0] * axis[0][i] + v[1] * axis[1][i] + v[2] * axis[2][i];
}

#endif
