// SPDX-License-Identifier: Apache-2.0
#include "pack.h"
#if defined(__x86_64__)
#include <cpuid.h>

/* clang has no word for it in __builtin_cpu_supports; whether the system keeps the registers is known with AVX2. */
static int has_f16c(void)
{
    unsigned a, b, c = 0, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

vdb_pack_fn vdb_pack_for(uint32_t simd)
{
#if defined(__x86_64__)
    if (simd && __builtin_cpu_supports("avx2") && has_f16c()) return vdb_pack_avx2;
#endif
    (void)simd;
    return vdb_pack_baseline;
}
