// SPDX-License-Identifier: Apache-2.0
#include "grain.h"

#include <math.h>
#include <stdint.h>

enum { REPEATS = 1 << 30 }; ///< waves

/// 0 … 1 at whole numbers (an integer hash by multiplication and shifts).
static float lattice(int32_t x, int32_t y, int32_t z)
{
    const uint32_t most = REPEATS - 1;
    uint32_t h =
        ((uint32_t)x & most) * 0x8da6b343u + ((uint32_t)y & most) * 0xd8163841u + ((uint32_t)z & most) * 0xcb1ab31fu;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return (float)((h ^ (h >> 15)) >> 8) * (1 / 16777216.0f);
}

static float quintic(float u) { return u * u * u * (u * (6 * u - 15) + 10); }

/// The whole number below, of a place that may be as far away as it likes.
static int32_t whole(double x, float *rest)
{
    const double below = floor(x);
    *rest = (float)(x - below);
    return (int32_t)(below - REPEATS * floor(below / REPEATS));
}

float bw_grain(const double at[3])
{
    float u[3], row[4];
    int32_t i[3];
    for (int a = 0; a < 3; a++) i[a] = whole(at[a], &u[a]), u[a] = quintic(u[a]);
    for (int q = 0; q < 4; q++) {
        const int32_t y = i[1] + (q & 1), z = i[2] + (q >> 1);
        const float low = lattice(i[0], y, z);
        row[q] = low + u[0] * (lattice(i[0] + 1, y, z) - low);
    }
    const float low = row[0] + u[1] * (row[1] - row[0]), high = row[2] + u[1] * (row[3] - row[2]);
    return low + u[2] * (high - low);
}

float bw_grain_waves(const double at[3], double length, int octaves, float keep, double footprint)
{
    float sum = 0, all = 0, share = 1;
    double p[3] = {at[0] + 3.7 * length, at[1] - 1.9 * length, at[2] + 5.3 * length};
    for (int o = 0; o < octaves; o++, length *= 0.5, share *= keep) {
        const float seen = (float)fmin(fmax(length / footprint - 2, 0) / 2, 1);
        const double x = 0.8 * p[0] - 0.6 * p[1], y = 0.6 * p[0] + 0.8 * p[1]; // no cube shows
        p[0] = x, p[1] = 0.8 * y - 0.6 * p[2], p[2] = 0.6 * y + 0.8 * p[2];
        all += share;
        const double wave[3] = {p[0] / length + 17 * o, p[1] / length - 31 * o, p[2] / length + 7 * o};
        if (seen > 0) sum += share * seen * (bw_grain(wave) - 0.5f);
    }
    return 0.5f + sum / all;
}

float bw_grain_cells(const double at[3], float *which)
{
    float rest[3], best[2] = {9, 9}, point[2][3] = {{0}};
    int32_t i[3];
    for (int a = 0; a < 3; a++) i[a] = whole(at[a], &rest[a]);
    *which = 0;
    for (int q = 0; q < 27; q++) {
        const int32_t c[3] = {i[0] + q % 3 - 1, i[1] + q / 3 % 3 - 1, i[2] + q / 9 - 1};
        float d2 = 0, to[3];
        for (int a = 0; a < 3; a++) {
            to[a] =
                (float)(c[a] - i[a]) + 0.1f + 0.8f * lattice(c[0] + 131 * a, c[1] - 57 * a, c[2] + 29 * a) - rest[a];
            d2 += to[a] * to[a];
        }
        const int nearer = d2 < best[0] ? 0 : d2 < best[1] ? 1 : 2;
        if (nearer == 2) continue;
        if (nearer == 0) {
            best[1] = best[0], *which = lattice(c[1] + 7, c[2] - 3, c[0] + 11);
            for (int a = 0; a < 3; a++) point[1][a] = point[0][a];
        }
        best[nearer] = d2;
        for (int a = 0; a < 3; a++) point[nearer][a] = to[a];
    }
    float apart = 1e-12f;
    for (int a = 0; a < 3; a++) apart += (point[1][a] - point[0][a]) * (point[1][a] - point[0][a]);
    return 0.5f * (best[1] - best[0]) / sqrtf(apart);
}
