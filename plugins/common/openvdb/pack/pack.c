// SPDX-License-Identifier: Apache-2.0
#include "pack.h"

vdb_pack_fn vdb_pack_for(uint32_t simd)
{
#if defined(__x86_64__)
    if (simd && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c")) return vdb_pack_avx2;
#endif
    (void)simd;
    return vdb_pack_baseline;
}
