// SPDX-License-Identifier: Apache-2.0
/* For files that are compiled once a SIMD level (BW_LEVEL, simd_levels of plugins/meson.build). */
#ifndef SIMD_H
#define SIMD_H

#include <billow/host.h>

#if defined(__AVX512F__)
#define SIMD_LEVEL BW_SIMD_AVX512
#elif defined(__AVX2__)
#define SIMD_LEVEL BW_SIMD_AVX2
#else
#define SIMD_LEVEL BW_SIMD_BASELINE
#endif

/// name_baseline, name_avx2, name_avx512.
#define SIMD_NAME(name) SIMD_NAME_(name, BW_LEVEL)
#define SIMD_NAME_(name, level) SIMD_NAME__(name, level)
#define SIMD_NAME__(name, level) name##_##level

#endif
