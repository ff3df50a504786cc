// SPDX-License-Identifier: Apache-2.0
/* One of what is compiled once a SIMD level. */
#ifndef SIMD_PICK_H
#define SIMD_PICK_H

#include <billow/host.h>

/// &name_avx512, &name_avx2 or &name_baseline, by enum bw_simd.
#define SIMD_PICK(name, simd)                                                                                          \
    ((simd) == BW_SIMD_AVX512 ? &name##_avx512 : (simd) == BW_SIMD_AVX2 ? &name##_avx2 : &name##_baseline)

#endif
