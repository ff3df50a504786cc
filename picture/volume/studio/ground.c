// SPDX-License-Identifier: Apache-2.0
/* Floors from noise. What a floor
 * sends back is known from photographs: dry earth a sixth of the light, asphalt a fifteenth, a painted cyclorama half;
 * the studio's own is dark, so that smoke stands out. */
#include "ground.h"
#include "noise.h"
#include <billow/host.h>
#include <picture/volume/scene/fast_math.h>

#include <math.h>
#include <string.h>

const float bw_ground_soil[2][3] = {{0.07f, 0.051f, 0.036f}, {0.205f, 0.156f, 0.112f}};

static float step_smooth(float from, float to, float x)
{
    const float t = bw_least(bw_most((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

enum { MANY = BW_NOISE_MANY };

/// What the places of a wave are.
struct waves {
    float value[MANY];
};

/// Tilts of a surface of waves so high, m.
static void tilt_add(bw_noise_fn sums, const struct bw_noise_wave *w, float high, const struct bw_noise_places *at,
                     double footprint, struct bw_ground_share *s)
{
    float value[MANY], slope[2][MANY];
    sums(w, at, footprint, value, (float *[2]){slope[0], slope[1]});
    for (int i = 0; i < at->n; i++)
        for (int a = 0; a < 2; a++) s[i].tilt[a] -= high * slope[a][i];
}

/// Soil: dry where it is high, in grains and clods, and by larger patches of dust, gravel and what is trodden.
static void earth_at(bw_noise_fn sums, const struct bw_noise_places *at, double footprint, struct bw_ground_share *s)
{
    enum { CLODS, PATCH, FAR, VAST, ALL };
    static const struct bw_noise_wave wave[ALL] = {
        [CLODS] = {0.35, 8, 0.9f}, [PATCH] = {2.9, 3, 0.6f}, [FAR] = {19, 3, 0.55f}, [VAST] = {130, 3, 0.5f}};
    static const struct bw_noise_wave height[2] = {{0.4, 9, 0.66f}, {2.3, 2, 0.5f}};
    struct waves is[ALL];
    for (int w = 0; w < ALL; w++) sums(&wave[w], at, footprint, is[w].value, NULL);
    for (int i = 0; i < at->n; i++) {
        const float patch = is[PATCH].value[i], far = is[FAR].value[i];
        s[i].main = step_smooth(0.28f, 0.72f,
                                0.6f * is[CLODS].value[i] + 0.2f * patch + 0.12f * far + 0.08f * is[VAST].value[i]);
        s[i].other = 0.16f * (far - 0.5f) + 0.1f * (patch - 0.5f);
    }
    tilt_add(sums, &height[0], 0.045f, at, footprint, s);
    tilt_add(sums, &height[1], 0.05f, at, footprint, s);
}

static void street_at(bw_noise_fn sums, const struct bw_noise_places *at, double footprint, struct bw_ground_share *s)
{
    enum { GRAIN, PATCH, CRACKS, ALL };
    static const struct bw_noise_wave wave[ALL] = {
        [GRAIN] = {0.03, 3, 0.9f}, [PATCH] = {1.6, 5, 0.5f}, [CRACKS] = {2.3, 6, 0.55f}};
    static const struct bw_noise_wave height = {0.03, 3, 0.8f};
    const float thin = (float)fmin(0.01 / footprint, 1); // cracks are this wide
    struct waves is[ALL];
    for (int w = 0; w < ALL; w++) sums(&wave[w], at, footprint, is[w].value, NULL);
    tilt_add(sums, &height, 0.004f, at, footprint, s);
    for (int i = 0; i < at->n; i++) {
        const float crack = thin * (1 - step_smooth(0, 0.012f, fabsf(is[CRACKS].value[i] - 0.5f)));
        const float wet = step_smooth(0.5f, 0.58f, is[PATCH].value[i]);
        s[i].main = (0.03f + 0.07f * is[GRAIN].value[i]) * (1 - 0.6f * crack) * (1 - 0.55f * wet);
        s[i].other = wet;
        for (int a = 0; a < 2; a++) s[i].tilt[a] *= 1 - 0.95f * wet; // puddles are flat
    }
}

void bw_ground_at(bw_noise_fn sums, enum bw_ground kind, const struct bw_noise_places *at, double footprint,
                  struct bw_ground_share *s)
{
    for (int i = 0; i < at->n; i++) s[i] = (struct bw_ground_share){0, 0, {0, 0}};
    if (kind == BW_GROUND_EARTH) earth_at(sums, at, footprint, s);
    if (kind == BW_GROUND_STREET) street_at(sums, at, footprint, s);
}

void bw_ground_look(enum bw_ground kind, const struct bw_ground_share *share, struct bw_ground_spot *s)
{
    const float *dark = bw_ground_soil[0], *dry = bw_ground_soil[1],
                even = kind == BW_GROUND_STREET      ? share->main
                       : kind == BW_GROUND_CYCLORAMA ? BW_CYCLORAMA
                                                     : BW_FLOOR;
    *s = (struct bw_ground_spot){{even, even, even}, {share->tilt[0], share->tilt[1]}, 0};
    if (kind == BW_GROUND_STREET) s->wet = share->other;
    for (int c = 0; c < 3 && kind == BW_GROUND_EARTH; c++)
        s->albedo[c] = bw_most(dark[c] + share->main * (dry[c] - dark[c]), 0) * (1 + (1 - (float)c) * share->other);
}

/// Soot and ash, in rays from the middle as a blast throws them: what is left of the light, of an albedo of green.
static void scorch_floor(const struct bw_scorch *k, enum bw_ground kind, const double p[2], double footprint,
                         struct bw_ground_share *share)
{
    if (!(k->radius > 0)) return;
    const double x = p[0] - k->at[0], y = p[1] - k->at[1], r = hypot(x, y) + 1e-9, middle[3] = {p[0], p[1], k->at[2]};
    const float near = bw_scorch_at(k, middle, NULL);
    if (!(near > 0)) return;
    const double ray[2] = {3.5 * x / r + 0.15 * r / k->radius, 3.5 * y / r};
    const float torn = 0.55f * (bw_noise_waves(ray, 1, 4, 0.65f, 1e-6) - 0.5f) +
                       0.5f * (bw_noise_waves(p, 0.35 * k->radius, 5, 0.6f, footprint) - 0.5f);
    const float t = bw_least(bw_most(near + bw_least(3 * near, 1) * torn, 0), 1),
                left = 1 - 0.85f * t * t * (3 - 2 * t);
    const float dark =
        kind == BW_GROUND_EARTH ? bw_ground_soil[0][1] / (bw_ground_soil[1][1] - bw_ground_soil[0][1]) : 0;
    share->main = left * (share->main + dark) - dark;
}

enum { MAIN, OTHER, TILT, LANES = TILT + 2 };
static const float least[LANES] = {-0.5f, -1, -16, -16}, most[LANES] = {1, 1, 16, 16}; ///< as they are kept
#define GRAINY 0.5 ///< texels: finer parts of soil are left out, but not what is lost between texels

static void texels_make(const struct bw_texture_plan *plan, const double at[2], double texel, int side, float *out)
{
    const struct bw_scorch scorch = {{plan->number[0], plan->number[1], plan->number[2]}, plan->number[3], {0}};
    const enum bw_ground kind = (enum bw_ground)plan->kind;
    const int n = side * side;
    struct bw_ground_share share[MANY];
    struct bw_noise_places places = {.n = (n + BW_NOISE_ROUND - 1) / BW_NOISE_ROUND * BW_NOISE_ROUND};
    for (int q = 0; q < places.n; q++) places.x[q] = at[0] + q % side * texel, places.y[q] = at[1] + q / side * texel;
    bw_ground_at(bw_noise_sums((uint32_t)plan->simd), kind, &places, GRAINY * texel, share);
    for (int q = 0; q < n; q++) {
        scorch_floor(&scorch, kind, (const double[2]){places.x[q], places.y[q]}, texel, &share[q]);
        const float lane[LANES] = {share[q].main, share[q].other, share[q].tilt[0], share[q].tilt[1]};
        for (int l = 0; l < LANES; l++) out[l * n + q] = (lane[l] - least[l]) / (most[l] - least[l]);
    }
}

void bw_ground_plan(enum bw_ground kind, const struct bw_scorch *scorch, uint32_t simd, struct bw_texture_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    if (kind != BW_GROUND_EARTH && kind != BW_GROUND_STREET) return;
    plan->make = texels_make, plan->lanes = LANES, plan->kind = kind, plan->simd = simd;
    if (!(scorch->radius > 0)) return;
    memcpy(plan->number, scorch->at, sizeof scorch->at);
    plan->number[3] = scorch->radius;
}

void bw_ground_mean(struct bw_texture *t, const struct bw_texture_plan *plan, const double at[2], const double step[2],
                    int n, double wide, struct bw_ground_share *s)
{
    float lanes[LANES];
    bw_texture_mean(t, plan, at, step, n, wide, lanes);
    for (int l = 0; l < LANES; l++) lanes[l] = least[l] + lanes[l] * (most[l] - least[l]);
    *s = (struct bw_ground_share){lanes[MAIN], lanes[OTHER], {lanes[TILT], lanes[TILT + 1]}};
}

bw_noise_fn bw_noise_sums(uint32_t level)
{
    return level >= BW_SIMD_AVX512 ? bw_noise_sums_avx512
           : level >= BW_SIMD_AVX2 ? bw_noise_sums_avx2
                                   : bw_noise_sums_baseline;
}
