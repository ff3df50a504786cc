// SPDX-License-Identifier: Apache-2.0
/* Floors from noise. What a floor
 * sends back is known from photographs: dry earth a sixth of the light, asphalt a fifteenth, a painted cyclorama half;
 * the studio's own is dark, so that smoke stands out. */
#include "ground.h"
#include <billow/host.h>
#include <picture/volume/scene/fast_math.h>

#include <math.h>

const float bw_ground_soil[2][3] = {{0.07f, 0.051f, 0.036f}, {0.205f, 0.156f, 0.112f}};

static float step_smooth(float from, float to, float x)
{
    const float t = bw_least(bw_most((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

/// Tilts of a surface of the height of these sums, each as high as that, m.
static void tilt_find(const struct bw_noise_sum *sum, const float *high, int n, struct bw_ground_spot *s)
{
    for (int i = 0; i < n; i++)
        for (int a = 0; a < 2; a++) s->tilt[a] -= high[i] * sum[i].slope[a];
}

/// Soil: dry where it is high, in grains and clods, and by larger patches of dust, gravel and what is trodden.
static void earth_at(bw_noise_fn sums, const double at[2], double footprint, struct bw_ground_spot *s)
{
    const float *dark = bw_ground_soil[0], *dry = bw_ground_soil[1];
    enum { CLODS, PATCH, FAR, VAST, HEIGHT, ALL = HEIGHT + 2 };
    static const struct bw_noise_wave wave[ALL] = {
        [CLODS] = {0.35, 8, 0.9f}, [PATCH] = {2.9, 3, 0.6f},   [FAR] = {19, 3, 0.55f},
        [VAST] = {130, 3, 0.5f},   [HEIGHT] = {0.4, 9, 0.66f}, {2.3, 2, 0.5f}};
    static const float high[2] = {0.045f, 0.05f};
    struct bw_noise_sum sum[ALL];
    sums(wave, ALL, at, footprint, sum);
    const float patch = sum[PATCH].value, far = sum[FAR].value;
    const float soil =
        step_smooth(0.28f, 0.72f, 0.6f * sum[CLODS].value + 0.2f * patch + 0.12f * far + 0.08f * sum[VAST].value);
    const float red = 0.16f * (far - 0.5f) + 0.1f * (patch - 0.5f);
    for (int c = 0; c < 3; c++) s->albedo[c] = (dark[c] + soil * (dry[c] - dark[c])) * (1 + (1 - (float)c) * red);
    tilt_find(sum + HEIGHT, high, 2, s);
}

static void street_at(bw_noise_fn sums, const double at[2], double footprint, struct bw_ground_spot *s)
{
    enum { GRAIN, PATCH, CRACKS, HEIGHT, ALL };
    static const struct bw_noise_wave wave[ALL] = {
        [GRAIN] = {0.03, 3, 0.9f}, [PATCH] = {1.6, 5, 0.5f}, [CRACKS] = {2.3, 6, 0.55f}, [HEIGHT] = {0.03, 3, 0.8f}};
    static const float high = 0.004f;
    struct bw_noise_sum sum[ALL];
    sums(wave, ALL, at, footprint, sum);
    const float thin = (float)fmin(0.01 / footprint, 1); // cracks are this wide
    const float crack = thin * (1 - step_smooth(0, 0.012f, fabsf(sum[CRACKS].value - 0.5f)));
    s->wet = step_smooth(0.5f, 0.58f, sum[PATCH].value);
    for (int c = 0; c < 3; c++)
        s->albedo[c] = (0.03f + 0.07f * sum[GRAIN].value) * (1 - 0.6f * crack) * (1 - 0.55f * s->wet);
    tilt_find(sum + HEIGHT, &high, 1, s);
    for (int a = 0; a < 2; a++) s->tilt[a] *= 1 - 0.95f * s->wet; // puddles are flat
}

void bw_ground_at(bw_noise_fn sums, enum bw_ground kind, const double at[2], double footprint, struct bw_ground_spot *s)
{
    const float even = kind == BW_GROUND_CYCLORAMA ? BW_CYCLORAMA : BW_FLOOR;
    *s = (struct bw_ground_spot){{even, even, even}, {0, 0}, 0};
    if (kind == BW_GROUND_EARTH) earth_at(sums, at, footprint, s);
    if (kind == BW_GROUND_STREET) street_at(sums, at, footprint, s);
}

bw_noise_fn bw_noise_sums(uint32_t level)
{
    return level >= BW_SIMD_AVX512 ? bw_noise_sums_avx512
           : level >= BW_SIMD_AVX2 ? bw_noise_sums_avx2
                                   : bw_noise_sums_baseline;
}
