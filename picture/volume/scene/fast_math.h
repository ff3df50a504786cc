// SPDX-License-Identifier: Apache-2.0
/* Arithmetic without library calls, so that loops vectorise. */
#ifndef BW_FAST_MATH_H
#define BW_FAST_MATH_H

#include <stdint.h>
#include <string.h>

/// e^-x for x ≥ 0, relative error below 2e-4.
static inline float bw_exp_neg(float x)
{
    float y = x * 0.125f;
    y = 1 / (1 + y * (1 + y * (0.5f + y * (0.16666667f + y * 0.041666667f))));
    y *= y;
    y *= y;
    return y * y;
}

/// Of x > 0 that is not subnormal, to 3e-7: 2 artanh((m - 1) / (m + 1)) of a mantissa m about 1.
static inline float bw_log(float x)
{
    int32_t bits;
    float m;
    memcpy(&bits, &x, sizeof bits);
    const int32_t power = (bits - 0x3f3504f3) >> 23; // m is from √½ on
    bits -= power * (1 << 23);
    memcpy(&m, &bits, sizeof m);
    const float s = (m - 1) / (m + 1), q = s * s;
    return (float)power * 0.69314718f + 2 * s * (1 + q * (0.33333333f + q * (0.2f + q * 0.14285714f)));
}

/// Without the care for NaN that fminf and fmaxf take.
static inline float bw_least(float a, float b) { return a < b ? a : b; }
static inline float bw_most(float a, float b) { return a > b ? a : b; }

#endif
