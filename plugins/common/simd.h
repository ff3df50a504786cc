// SPDX-License-Identifier: Apache-2.0
/* For files that are compiled once a SIMD level (BW_LEVEL, simd_levels of plugins/meson.build): vectors of floats as
 * wide as the level has them, by GCC's and clang's vector extension, and by intrinsics where that has no word for it. A
 * file whose rows are no longer than 8 says so before: #define VEC_LANES_MOST 8. */
#ifndef SIMD_H
#define SIMD_H

#include <billow/host.h>
#include <stdbool.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

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

#define INLINE static inline __attribute__((always_inline))

#if !defined(VEC_LANES_MOST)
#define VEC_LANES_MOST 16
#endif
#if defined(__AVX512F__) && VEC_LANES_MOST >= 16
#define VEC_LANES 16
#elif defined(__AVX2__)
#define VEC_LANES 8
#else
#define VEC_LANES 4
#endif

typedef float vec __attribute__((vector_size(4 * VEC_LANES)));
typedef int32_t vec_int __attribute__((vector_size(4 * VEC_LANES)));
typedef float vec_loose __attribute__((vector_size(4 * VEC_LANES), aligned(4), may_alias)); ///< at any address

/// The same four at every level: a place or a vector and one number more.
typedef float vec4 __attribute__((vector_size(16)));
typedef int32_t vec4_int __attribute__((vector_size(16)));

INLINE vec vec_set(float x) { return x - (vec){0}; }
INLINE vec vec_load(const float *p) { return *(const vec_loose *)p; }
INLINE void vec_store(float *p, vec v) { *(vec_loose *)p = v; }
INLINE vec vec_load_aligned(const float *p) { return *(const vec *)p; }
INLINE void vec_store_aligned(float *p, vec v) { *(vec *)p = v; }
/// By lane: yes ? a : b, where `yes` is what a comparison says.
#if VEC_LANES == 8
INLINE vec vec_pick(vec_int yes, vec a, vec b) { return _mm256_blendv_ps(b, a, (vec)yes); }
/// A bit a lane.
INLINE unsigned vec_bits(vec_int yes) { return (unsigned)_mm256_movemask_ps((vec)yes); }
#else
INLINE vec vec_pick(vec_int yes, vec a, vec b) { return (vec)(((vec_int)a & yes) | ((vec_int)b & ~yes)); }
#endif

#if VEC_LANES == 16
INLINE vec vec_min(vec a, vec b) { return _mm512_min_ps(a, b); }
INLINE vec vec_max(vec a, vec b) { return _mm512_max_ps(a, b); }
INLINE vec vec_floor(vec a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
/// By lane: a > t ? x : y.
INLINE vec vec_above(vec a, vec t, vec x, vec y)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, t, _CMP_GT_OQ), y, x);
}
/// Are all lanes equal?
INLINE bool vec_same(vec a)
{
    return _mm512_cmp_ps_mask(a, _mm512_broadcastss_ps(_mm512_castps512_ps128(a)), _CMP_EQ_OQ) == 0xffff;
}
/// Is any lane above 0?
INLINE bool vec_any(vec a) { return _mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_GT_OQ) != 0; }
#elif VEC_LANES == 8
INLINE vec vec_min(vec a, vec b) { return _mm256_min_ps(a, b); }
INLINE vec vec_max(vec a, vec b) { return _mm256_max_ps(a, b); }
INLINE vec vec_floor(vec a) { return _mm256_floor_ps(a); }
INLINE vec vec_above(vec a, vec t, vec x, vec y) { return _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, t, _CMP_GT_OQ)); }
INLINE bool vec_same(vec a)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(a, _mm256_broadcastss_ps(_mm256_castps256_ps128(a)), _CMP_EQ_OQ)) == 0xff;
}
INLINE bool vec_any(vec a) { return _mm256_movemask_ps(_mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_GT_OQ)) != 0; }
#else
INLINE vec vec_min(vec a, vec b) { return vec_pick(a < b, a, b); }
INLINE vec vec_max(vec a, vec b) { return vec_pick(a > b, a, b); }
INLINE vec vec_above(vec a, vec t, vec x, vec y) { return vec_pick(a > t, x, y); }
INLINE bool vec_any(vec a) { return a[0] > 0 || a[1] > 0 || a[2] > 0 || a[3] > 0; }
#endif

/// Halves of two vectors, lane by lane in turn.
#if VEC_LANES == 16
#define VEC_WEAVE(a, b, h)                                                                                             \
    __builtin_shufflevector(a, b, h, h + 16, h + 1, h + 17, h + 2, h + 18, h + 3, h + 19, h + 4, h + 20, h + 5,        \
                            h + 21, h + 6, h + 22, h + 7, h + 23)
#elif VEC_LANES == 8
#define VEC_WEAVE(a, b, h) __builtin_shufflevector(a, b, h, h + 8, h + 1, h + 9, h + 2, h + 10, h + 3, h + 11)
#else
#define VEC_WEAVE(a, b, h) __builtin_shufflevector(a, b, h, h + 4, h + 1, h + 5)
#endif

/// Lane j of row i becomes lane i of row j: each round turns the bits of (row, lane) by one.
INLINE void vec_transpose(vec row[VEC_LANES])
{
    for (int round = 1; round < VEC_LANES; round *= 2) {
        vec to[VEC_LANES];
        for (int i = 0; i < VEC_LANES / 2; i++) {
            to[2 * i] = VEC_WEAVE(row[i], row[i + VEC_LANES / 2], 0);
            to[2 * i + 1] = VEC_WEAVE(row[i], row[i + VEC_LANES / 2], VEC_LANES / 2);
        }
        for (int i = 0; i < VEC_LANES; i++) row[i] = to[i];
    }
}

#endif
