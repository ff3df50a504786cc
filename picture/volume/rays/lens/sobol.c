// SPDX-License-Identifier: Apache-2.0
/* Sobol's sequence (direction numbers of Joe and Kuo 2008), in each pixel scrambled in its own way as Owen (1995) has
 * it: digits are turned by what is above them, here by a hash of that (Laine and Karras 2011, as Vegdahl improved it).
 * Pixels shifted by a constant instead (Cranley and Patterson) are off by a third more at the edges of blurred things,
 * and such where lens and pixel take the same order are off by all of it in some. */
#include "sobol.h"

#include <billow/rng.h>

enum { BITS = 16 };

static const uint16_t direction[BW_SOBOL][BITS] = {
    {0x8000, 0x4000, 0x2000, 0x1000, 0x0800, 0x0400, 0x0200, 0x0100, 0x0080, 0x0040, 0x0020, 0x0010, 0x0008, 0x0004,
     0x0002, 0x0001},
    {0x8000, 0xc000, 0xa000, 0xf000, 0x8800, 0xcc00, 0xaa00, 0xff00, 0x8080, 0xc0c0, 0xa0a0, 0xf0f0, 0x8888, 0xcccc,
     0xaaaa, 0xffff},
    {0x8000, 0xc000, 0x6000, 0x9000, 0xe800, 0x5c00, 0x8e00, 0xc500, 0x6880, 0x9cc0, 0xee60, 0x5590, 0x8068, 0xc09c,
     0x60ee, 0x9055},
    {0x8000, 0xc000, 0x2000, 0x5000, 0xf800, 0x7400, 0xa200, 0x9300, 0xd880, 0x2540, 0x59e0, 0xe6d0, 0x7808, 0xb40c,
     0x8202, 0xc305},
    {0x8000, 0x4000, 0x2000, 0xb000, 0xf800, 0xdc00, 0x7a00, 0x9d00, 0x5a80, 0x2fc0, 0xa160, 0xf0b0, 0xda88, 0x6fc4,
     0x8162, 0x40bb},
};

static uint32_t backwards(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}

/// Each bit turned by those above it.
static uint32_t scrambled(uint32_t x, uint32_t seed)
{
    x = backwards(x) + seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return backwards(x);
}

void bw_sobol(uint32_t n, int x, int y, double place[BW_SOBOL])
{
    const uint64_t pixel = (uint64_t)(uint32_t)y << 32 | (uint32_t)x;
    for (int d = 0; d < BW_SOBOL; d++) {
        uint32_t bits = 0;
        for (int i = 0; i < BITS && n >> i; i++)
            if (n >> i & 1) bits ^= (uint32_t)direction[d][i] << BITS;
        place[d] = scrambled(bits, (uint32_t)bw_rng(pixel, (uint64_t)d)) * 0x1p-32;
    }
}
