// SPDX-License-Identifier: Apache-2.0
/* See flops.h. Few operations on each value, which wait for one another: so enough values are under way to hide
 * that. */
#include "flops.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

static void single(float *v, float x, float y)
{
    for (int i = 0; i < FLOPS_VALUES; i++) {
        float q = v[i];
        _Pragma("GCC unroll 6") for (int k = 0; k < FLOPS_PAIRS; k++) q = q * x + y;
        v[i] = q;
    }
}

static void twice(double *v, double x, double y)
{
    for (int i = 0; i < FLOPS_VALUES; i++) {
        double q = v[i];
        _Pragma("GCC unroll 6") for (int k = 0; k < FLOPS_PAIRS; k++) q = q * x + y;
        v[i] = q;
    }
}

const struct flops_kernels JOIN(flops_kernels_, BW_LEVEL) = {single, twice};
