// SPDX-License-Identifier: Apache-2.0
/* Metal, bare and under paint that has been scratched, chipped and rained on. */
#include "spot.h"

void bw_spot_metal(const struct bw_material_place *at, struct bw_spot *s)
{
    const float dent = bw_grain_waves(at->p, 0.25, 3, 0.5f, at->footprint),
                smear = bw_grain_waves(at->p, 0.05, 5, 0.7f, at->footprint);
    bw_spot_tone(s, 0.85f + 0.3f * dent, 0.02f);
    s->metal = 1;
    s->rough = 0.7f + 0.6f * smear; // never as a mirror's, nor as clay, of which there would be no light
    s->height = 0.004 * (double)dent;
}

/// 0 … 1: how near to the ends of what it is, where paint goes first.
static float near_edge(const struct bw_material_place *at)
{
    const double end = fmin(at->hi[2] - at->p[2], at->p[2] - at->lo[2]);
    return (float)exp(-fmax(end, 0) / 0.04) * bw_spot_shown(0.08, at->footprint);
}

void bw_spot_painted(const struct bw_material_place *at, struct bw_spot *s)
{
    static const float rust[3] = {0.14f, 0.052f, 0.02f}, bright[3] = {0.3f, 0.29f, 0.28f};
    const double *p = at->p, f = at->footprint, down[3] = {p[0], p[1], 0.06 * p[2]}, lean[3] = {p[0], p[1], 6 * p[2]};
    const float fade = bw_grain_waves(p, 0.5, 4, 0.6f, f), dirt = bw_grain_waves(p, 0.12, 5, 0.65f, f),
                run = bw_grain_waves(down, 0.09, 4, 0.65f, f), dent = bw_grain_waves(p, 0.3, 3, 0.45f, f);
    const float chip = bw_spot_smooth(0.63f, 0.66f, dirt + 0.16f * near_edge(at) + 0.12f * (fade - 0.5f));
    const float stain = bw_spot_smooth(0.55f, 0.8f, run) * bw_spot_smooth(0.4f, 0.6f, fade);
    const float scratch = (1 - bw_spot_smooth(0, 0.012f, fabsf(bw_grain_waves(lean, 0.25, 2, 0.5f, f) - 0.5f))) *
                          bw_spot_smooth(0.5f, 0.65f, fade) * bw_spot_shown(0.004, f);
    bw_spot_tone(s, (0.72f + 0.55f * fade) * (0.8f + 0.4f * dirt), 0);
    bw_spot_paint(at, s, rust, 0.5f * stain);
    bw_spot_paint(at, s, bright, 0.6f * scratch);
    const float tone = 0.5f + bw_grain_waves(p, 0.015, 3, 0.7f, f);
    bw_spot_paint(at, s, (float[3]){rust[0] * tone, rust[1] * tone, rust[2] * tone}, chip);
    s->rough = fminf(0.8f + 0.5f * dirt + 1.2f * chip + 0.5f * stain, 2);
    s->height = 0.02 * (double)dent - 0.0008 * (double)chip * (double)bw_spot_shown(0.01, f);
}

void bw_spot_soot(const struct bw_material_place *at, struct bw_spot *s)
{
    const double *p = at->p, up[3] = {p[0], p[1], 0.35 * p[2]};
    const float patch = bw_grain_waves(up, 0.35, 5, 0.62f, at->footprint);
    const float black = bw_spot_smooth(0.2f, 0.8f, at->scorch + 0.8f * (patch - 0.5f));
    for (int c = 0; c < 3; c++) s->tone[c] *= 1 - 0.88f * black;
    s->rough += black * (1.6f - s->rough), s->metal *= 1 - black;
}
