// SPDX-License-Identifier: Apache-2.0
#include "noise.h"

#include <math.h>

uint32_t bw_noise_hash(int32_t x, int32_t y, uint32_t seed)
{
    uint32_t h = ((uint32_t)x * 0x8da6b343u + (uint32_t)y * 0xd8163841u) ^ seed;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return h ^ (h >> 15);
}

float bw_noise_draw(uint32_t *seed)
{
    *seed = *seed * 747796405u + 2891336453u;
    const uint32_t word = ((*seed >> ((*seed >> 28) + 4)) ^ *seed) * 277803737u;
    return (float)((word ^ (word >> 22)) >> 8) * (1 / 16777216.0f);
}

static float lattice(int32_t x, int32_t y)
{
    return (float)(bw_noise_hash(x & (BW_NOISE_REPEATS - 1), y & (BW_NOISE_REPEATS - 1), 0) >> 8) * (1 / 16777216.0f);
}

float bw_noise(double x, double y)
{
    x -= BW_NOISE_REPEATS * floor(x / BW_NOISE_REPEATS), y -= BW_NOISE_REPEATS * floor(y / BW_NOISE_REPEATS);
    const double fx = floor(x), fy = floor(y);
    const float u = (float)(x - fx), v = (float)(y - fy);
    const float a = u * u * u * (u * (6 * u - 15) + 10), b = v * v * v * (v * (6 * v - 15) + 10);
    const int32_t i = (int32_t)fx, j = (int32_t)fy;
    const float low = lattice(i, j) + a * (lattice(i + 1, j) - lattice(i, j));
    return low + b * (lattice(i, j + 1) + a * (lattice(i + 1, j + 1) - lattice(i, j + 1)) - low);
}

float bw_noise_waves(const double at[2], double length, int octaves, float keep, double footprint)
{
    float sum = 0, all = 0, share = 1;
    double x = at[0] + 3.7 * length, y = at[1] - 1.9 * length;
    for (int o = 0; o < octaves; o++, length *= 0.5, share *= keep) {
        const float seen = (float)fmin(fmax(length / footprint - 2, 0) / 2, 1);
        const double turned = 0.8 * x - 0.6 * y;
        y = 0.6 * x + 0.8 * y, x = turned;
        all += share;
        if (seen > 0) sum += share * seen * (bw_noise(x / length + 17 * o, y / length - 31 * o) - 0.5f);
    }
    return 0.5f + sum / all;
}
