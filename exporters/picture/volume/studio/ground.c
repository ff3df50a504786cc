// SPDX-License-Identifier: Apache-2.0
/* Floors from noise: values at whole numbers, a quintic between them, octaves of half the length each. What a floor
 * sends back is known from photographs: dry earth a sixth of the light, asphalt a fifteenth, a painted cyclorama half;
 * the studio's own is dark, so that smoke stands out. */
#include "ground.h"
#include <picture/volume/scene/quick.h>

#include <math.h>

enum { REPEATS = 1 << 20 }; ///< waves

/// 0 … 1 at a place of whole numbers (an integer hash by multiplication and shifts).
static float lattice(int32_t x, int32_t y)
{
    uint32_t h = (uint32_t)(x & (REPEATS - 1)) * 0x8da6b343u + (uint32_t)(y & (REPEATS - 1)) * 0xd8163841u;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return (float)((h ^ (h >> 15)) >> 8) * (1 / 16777216.0f);
}

static float noise(double x, double y)
{
    x -= REPEATS * floor(x / REPEATS), y -= REPEATS * floor(y / REPEATS);
    const double fx = floor(x), fy = floor(y);
    const float u = (float)(x - fx), v = (float)(y - fy);
    const float a = u * u * u * (u * (6 * u - 15) + 10), b = v * v * v * (v * (6 * v - 15) + 10);
    const int32_t i = (int32_t)fx, j = (int32_t)fy;
    const float low = lattice(i, j) + a * (lattice(i + 1, j) - lattice(i, j));
    return low + b * (lattice(i, j + 1) + a * (lattice(i + 1, j + 1) - lattice(i, j + 1)) - low);
}

/// Mean ½; waves from `length` down to twice the footprint, each of half the length as strong as `keep` of the last,
/// and turned by 37 degrees, so that no square shows.
static float waves(const double at[2], double length, int octaves, float keep, double footprint)
{
    float sum = 0, all = 0, share = 1;
    double x = at[0] + 3.7 * length, y = at[1] - 1.9 * length;
    for (int o = 0; o < octaves; o++, length *= 0.5, share *= keep) {
        const float seen = (float)fmin(fmax(length / footprint - 2, 0) / 2, 1);
        const double turned = 0.8 * x - 0.6 * y;
        y = 0.6 * x + 0.8 * y, x = turned;
        all += share;
        if (seen > 0) sum += share * seen * (noise(x / length + 17 * o, y / length - 31 * o) - 0.5f);
    }
    return 0.5f + sum / all;
}

static float step_smooth(float from, float to, float x)
{
    const float t = bw_least(bw_most((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

/// A stone as a pixel sees it: how much it covers, how high it is in its middle's height, and which of many it is.
struct stone {
    float cover, top, which;
};

/// Round stones, at most one a square of `length`, in a third of them; their edges are a pixel wide.
static struct stone stone_at(const double at[2], double length, double footprint)
{
    const double x = at[0] / length, y = at[1] / length, edge = footprint / length;
    const float seen = (float)fmin(fmax(1 / edge - 3, 0) / 3, 1);
    struct stone s = {0};
    for (int q = 0; q < 9 && seen > 0; q++) {
        const double fx = floor(x) + q % 3 - 1, fy = floor(y) + q / 3 - 1;
        const float a = noise(fx, fy), b = noise(fx + 91, fy), c = noise(fx, fy + 57);
        const double r = 0.15 + 0.3 * (double)c, dx = x - fx - 0.3 - 0.4 * (double)b,
                     dy = y - fy - 0.3 - 0.4 * (double)c;
        const double left = 1 - (dx * dx + 1.5 * dy * dy) / (r * r), cover = fmin(0.5 * left * r / edge, 1);
        if (a > 0.33f || cover <= (double)s.cover) continue;
        s = (struct stone){(float)cover, sqrtf((float)left), a * 3};
    }
    s.cover *= seen;
    s.top *= s.cover;
    return s;
}

/// Height of earth and of asphalt over a mean, m.
static double height(enum bw_ground kind, const double at[2], double footprint)
{
    if (kind == BW_GROUND_STREET) return 0.004 * (double)waves(at, 0.03, 3, 0.8f, footprint);
    return 0.07 * (double)waves(at, 0.6, 7, 0.55f, footprint) + 0.01 * (double)stone_at(at, 0.07, footprint).top +
           0.004 * (double)stone_at(at, 0.025, footprint).top;
}

static void slope_find(enum bw_ground kind, const double at[2], double footprint, struct bw_ground_spot *s)
{
    const double e = fmax(0.5 * footprint, 0.002), here = height(kind, at, footprint);
    for (int a = 0; a < 2; a++) {
        double next[2] = {at[0], at[1]};
        next[a] += e;
        s->tilt[a] = (float)((here - height(kind, next, footprint)) / e);
    }
}

static void earth_at(const double at[2], double footprint, struct bw_ground_spot *s)
{
    static const float dark[3] = {0.07f, 0.05f, 0.034f}, dry[3] = {0.21f, 0.155f, 0.105f};
    const float soil = step_smooth(0.3f, 0.7f, waves(at, 0.9, 8, 0.75f, footprint));
    const struct stone large = stone_at(at, 0.07, footprint), small = stone_at(at, 0.025, footprint);
    const struct stone *stone = small.cover > large.cover ? &small : &large;
    for (int c = 0; c < 3; c++) {
        const float earth = dark[c] + soil * (dry[c] - dark[c]),
                    grey = (0.1f + 0.16f * stone->which) * (1 - 0.06f * (float)c);
        s->albedo[c] = earth + stone->cover * (grey - earth);
    }
    slope_find(BW_GROUND_EARTH, at, footprint, s);
}

static void street_at(const double at[2], double footprint, struct bw_ground_spot *s)
{
    const float grain = waves(at, 0.03, 3, 0.9f, footprint), patch = waves(at, 1.6, 5, 0.5f, footprint);
    const float thin = (float)fmin(0.01 / footprint, 1); // cracks are this wide
    const float crack = thin * (1 - step_smooth(0, 0.012f, fabsf(waves(at, 2.3, 6, 0.55f, footprint) - 0.5f)));
    s->wet = step_smooth(0.5f, 0.58f, patch);
    for (int c = 0; c < 3; c++) s->albedo[c] = (0.03f + 0.07f * grain) * (1 - 0.6f * crack) * (1 - 0.55f * s->wet);
    slope_find(BW_GROUND_STREET, at, footprint, s);
    for (int a = 0; a < 2; a++) s->tilt[a] *= 1 - 0.95f * s->wet; // puddles are flat
}

void bw_ground_at(enum bw_ground kind, const double at[2], double footprint, struct bw_ground_spot *s)
{
    const float even = kind == BW_GROUND_CYCLORAMA ? BW_CYCLORAMA : BW_FLOOR;
    *s = (struct bw_ground_spot){{even, even, even}, {0, 0}, 0};
    if (kind == BW_GROUND_EARTH) earth_at(at, footprint, s);
    if (kind == BW_GROUND_STREET) street_at(at, footprint, s);
}
