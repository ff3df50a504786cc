// SPDX-License-Identifier: Apache-2.0
/* Floors from noise. What a floor
 * sends back is known from photographs: dry earth a sixth of the light, asphalt a fifteenth, a painted cyclorama half;
 * the studio's own is dark, so that smoke stands out. */
#include "ground.h"
#include "noise.h"
#include <picture/volume/scene/fast_math.h>

#include <math.h>

const float bw_ground_soil[2][3] = {{0.07f, 0.051f, 0.036f}, {0.205f, 0.156f, 0.112f}};

static float step_smooth(float from, float to, float x)
{
    const float t = bw_least(bw_most((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

/// Height of earth and of asphalt over a mean, m.
static double height(enum bw_ground kind, const double at[2], double footprint)
{
    if (kind == BW_GROUND_STREET) return 0.004 * (double)bw_noise_waves(at, 0.03, 3, 0.8f, footprint);
    return 0.045 * (double)bw_noise_waves(at, 0.4, 9, 0.66f, footprint) +
           0.05 * (double)bw_noise_waves(at, 2.3, 2, 0.5f, footprint);
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

/// Soil: dry where it is high, in grains and clods, and by larger patches of dust, gravel and what is trodden.
static void earth_at(const double at[2], double footprint, struct bw_ground_spot *s)
{
    const float *dark = bw_ground_soil[0], *dry = bw_ground_soil[1];
    const float clods = bw_noise_waves(at, 0.35, 8, 0.9f, footprint),
                patch = bw_noise_waves(at, 2.9, 3, 0.6f, footprint), far = bw_noise_waves(at, 19, 3, 0.55f, footprint),
                vast = bw_noise_waves(at, 130, 3, 0.5f, footprint);
    const float soil = step_smooth(0.28f, 0.72f, 0.6f * clods + 0.2f * patch + 0.12f * far + 0.08f * vast);
    const float red = 0.16f * (far - 0.5f) + 0.1f * (patch - 0.5f);
    for (int c = 0; c < 3; c++) s->albedo[c] = (dark[c] + soil * (dry[c] - dark[c])) * (1 + (1 - (float)c) * red);
    slope_find(BW_GROUND_EARTH, at, footprint, s);
}

static void street_at(const double at[2], double footprint, struct bw_ground_spot *s)
{
    const float grain = bw_noise_waves(at, 0.03, 3, 0.9f, footprint),
                patch = bw_noise_waves(at, 1.6, 5, 0.5f, footprint);
    const float thin = (float)fmin(0.01 / footprint, 1); // cracks are this wide
    const float crack = thin * (1 - step_smooth(0, 0.012f, fabsf(bw_noise_waves(at, 2.3, 6, 0.55f, footprint) - 0.5f)));
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
