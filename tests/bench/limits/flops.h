// SPDX-License-Identifier: Apache-2.0
/* How fast a core multiplies and adds, compiled once a SIMD level as the kernels are: never both in one operation. */
#ifndef FLOPS_H
#define FLOPS_H

enum { FLOPS_VALUES = 1024, FLOPS_PAIRS = 6 }; ///< values of an array, and operations on each: twice so many

struct flops_kernels {
    void (*single)(float *v, float x, float y);
    void (*twice)(double *v, double x, double y); ///< in double
};

extern const struct flops_kernels flops_kernels_baseline, flops_kernels_avx2, flops_kernels_avx512;

#endif
