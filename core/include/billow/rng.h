// SPDX-License-Identifier: Apache-2.0
/* Counter-based random numbers: a pure function of (seed, counter), so the same on any thread in any order.
 * Two rounds of the splitmix64 finaliser (Steele, Lea, Flood 2014) over the mixed pair. */
#ifndef BILLOW_RNG_H
#define BILLOW_RNG_H

#include <stdint.h>

static inline uint64_t bw_mix64(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/// 64 random bits for a seed and a counter.
static inline uint64_t bw_rng(uint64_t seed, uint64_t counter)
{
    return bw_mix64(bw_mix64(seed + 0x9e3779b97f4a7c15ull * (counter + 1)) ^ seed);
}

/// Uniform in [0, 1).
static inline double bw_rng_unit(uint64_t seed, uint64_t counter)
{
    return (double)(bw_rng(seed, counter) >> 11) * (1.0 / 9007199254740992.0);
}
#endif
