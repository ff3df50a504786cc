// SPDX-License-Identifier: Apache-2.0
/* How the kernels' loops are written: plain C over arrays that do not overlap, with selections instead of branches. */
#ifndef LOOPS_H
#define LOOPS_H

#define INLINE static inline __attribute__((always_inline))
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define ROW _Pragma("omp simd") for (int i = 0; i < n; i++)

#endif
