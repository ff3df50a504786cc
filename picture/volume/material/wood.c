// SPDX-License-Identifier: Apache-2.0
/* Wood, as it grew, as it was sawn, and as fire leaves it. Bark is furrows: lines where a noise that is stretched along
 * the log crosses its mean, wide and narrow ones, so that they run into one another and end as they like; what is
 * between them is broken across. */
#include "spot.h"

void bw_spot_wood(const struct bw_material_place *at, struct bw_spot *s)
{
    // Trunks are not round, and years are not alike: rings wander along a board, wide and narrow, dark and pale.
    const double *p = at->p, f = at->footprint, slow[3] = {p[0], p[1], 0.3 * p[2]};
    const float bend = bw_grain_waves((const double[3]){p[0], p[1], 0.3 * p[2]}, 0.05, 3, 0.5f, f);
    const float sweep = bw_grain_waves((const double[3]){p[0], p[1], 0.6 * p[2]}, 0.12, 2, 0.4f, f);
    const double off = 0.07 * (double)(sweep - 0.5f) + 0.008 * (double)(bend - 0.5f);
    const double r = hypot(p[0], p[1]) + off, age = r / 0.006;
    const double years = age + 2.5 * (double)(bw_grain((const double[3]){0.23 * age, 7.3, 0}) - 0.5f);
    const double year = floor(years), ring = years - year;
    const float dark = 0.12f + 0.5f * bw_grain((const double[3]){0.7 * year, 3.1, 0.5});
    const float late = bw_spot_smooth(0.35f, 0.9f, (float)ring) * (1 - bw_spot_smooth(0.93f, 1, (float)ring)) *
                       bw_spot_shown(0.006, f);
    const double fibre[3] = {p[0], p[1], 0.03 * p[2]};
    const float grain = bw_grain_waves(fibre, 0.004, 3, 0.7f, f), patch = bw_grain_waves(slow, 0.08, 3, 0.6f, f);
    bw_spot_tone(s, (1.12f - dark * late) * (0.7f + 0.6f * grain) * (0.75f + 0.5f * patch), 0.06f * (1 - late));
    s->height = 0.0004 * (double)grain - 0.0002 * (double)late;
}

/// Sawn off: rings, cracks from the middle, and the bark's dark rim.
static void cut_face(const struct bw_material_place *at, struct bw_spot *s)
{
    const double *p = at->p, turn = atan2(p[1], p[0]), r = hypot(p[0], p[1]);
    const double all = 0.25 * (at->hi[0] - at->lo[0] + at->hi[1] - at->lo[1]);
    const double star[3] = {cos(turn), sin(turn), 3 * r / fmax(all, 1e-6) + 5 * (p[2] > 0)};
    bw_spot_wood(at, s);
    const float split = fabsf(bw_grain_waves(star, 0.5, 2, 0.6f, 1e-6) - 0.5f), wide = (float)(0.0015 / fmax(r, 0.004));
    const float crack = (1 - bw_spot_smooth(0, wide, split)) * bw_spot_shown(0.0015, at->footprint);
    const float rim = bw_spot_smooth(0.84f, 0.93f, (float)(r / fmax(all, 1e-6)));
    for (int c = 0; c < 3; c++) s->tone[c] *= 1.7f * (1 - 0.65f * crack) * (1 - 0.7f * rim);
    s->height -= 0.002 * (double)crack;
}

/// 0 … 1 across furrows that are some `apart`, m, at a place stretched along the log; 0: the bottom of one. Unseen: ½.
static float ridge(const double q[3], double apart, double footprint)
{
    const float off = fabsf(bw_grain_waves(q, apart, 2, 0.45f, footprint) - 0.5f),
                seen = bw_spot_shown(0.4 * apart, footprint);
    return 0.5f + seen * (bw_spot_smooth(0, 0.2f, off) - 0.5f);
}

void bw_spot_bark(const struct bw_material_place *at, struct bw_spot *s)
{
    static const float lichen[3] = {0.16f, 0.165f, 0.13f}, bare[3] = {0.22f, 0.145f, 0.085f};
    if (fabs(at->n[2]) > 0.85) {
        cut_face(at, s);
        return;
    }
    const double *p = at->p, slow[3] = {p[0], p[1], 0.3 * p[2]}, f = at->footprint;
    const double bend = (double)bw_grain_waves(slow, 0.06, 4, 0.6f, f) - 0.5;
    const double q[3] = {p[0] + 0.03 * bend, p[1] - 0.03 * bend, 0.16 * p[2] + 0.03 * bend};
    const double over[3] = {p[0] + 0.05 * bend, p[1] + 0.05 * bend, 0.75 * p[2]};
    const float deep = ridge(q, 0.03, f), fine = ridge(q, 0.012, f), broken = ridge(over, 0.045, f);
    const float grain = bw_grain_waves(slow, 0.014, 5, 0.85f, f), patch = bw_grain_waves(p, 0.3, 3, 0.55f, f);
    const float plate = deep * (0.45f + 0.55f * fine) * (0.45f + 0.55f * bw_spot_smooth(0, 0.6f, broken));
    bw_spot_tone(s, (0.2f + 2.1f * plate) * (0.25f + 1.5f * grain) * (0.6f + 0.8f * patch), 0.16f * (0.5f - plate));
    const float grown = bw_spot_smooth(0.6f, 0.78f, bw_grain_waves(slow, 0.16, 5, 0.8f, f)) * plate;
    bw_spot_paint(at, s, lichen, 0.4f * grown);
    const float edge = bw_grain_waves(slow, 0.22, 6, 0.6f, f),
                off = bw_spot_smooth(0.77f, 0.785f, edge) * bw_spot_shown(0.05, f);
    if (off > 0) { // it came off here
        const double fibre[3] = {p[0], p[1], 0.03 * p[2]};
        const float tone =
            0.35f + bw_grain_waves(fibre, 0.012, 4, 0.8f, f) * (0.6f + 0.5f * bw_spot_smooth(0.7f, 0.78f, edge));
        bw_spot_paint(at, s, (float[3]){bare[0] * tone, bare[1] * tone, bare[2] * tone}, 0.8f * off);
    }
    s->height = (1 - (double)off) * (0.007 * (double)deep + 0.003 * (double)(fine * broken) + 0.006 * (double)grain);
}

void bw_spot_char(const struct bw_material_place *at, struct bw_spot *s)
{
    static const float coal[3] = {0.014f, 0.0125f, 0.0115f}, ash[3] = {0.2f, 0.19f, 0.18f};
    const double *p = at->p, f = at->footprint;
    const float patch = bw_grain_waves(p, 0.09, 4, 0.6f, f), dust = bw_grain_waves(p, 0.025, 4, 0.75f, f);
    const float burnt = bw_spot_smooth(0.3f, 0.6f, at->scorch + 0.9f * (patch - 0.5f));
    if (!(burnt > 0)) return;
    const double bend = 0.9 * (double)dust, q[3] = {44 * p[0] + bend, 44 * p[1] - bend, 20 * p[2] + bend};
    float which;
    const float wall = bw_grain_cells(q, &which), seen = bw_spot_shown(0.008, f); // char shrinks into blocks of 3 cm
    const float crack = seen * (1 - bw_spot_smooth(0, 0.1f + 0.1f * dust, wall));
    const float grey = burnt * bw_spot_smooth(0.56f, 0.75f, 0.6f * dust + 0.4f * patch) * (0.4f + 0.6f * which);
    for (int c = 0; c < 3; c++) s->tone[c] *= 1 - 0.9f * burnt;
    bw_spot_paint(at, s, (float[3]){coal[0] * (0.5f + dust), coal[1] * (0.5f + dust), coal[2] * (0.5f + dust)},
                  0.8f * burnt);
    bw_spot_paint(at, s, ash, 0.45f * grey);
    s->rough = fmaxf(s->rough, 1.5f * burnt);
    s->height += (double)burnt * (0.003 * (double)dust - 0.004 * (double)crack);
    const float hot = bw_spot_smooth(0.35f, 0.9f, at->scorch) * bw_spot_smooth(0.5f, 0.7f, patch);
    s->ember = burnt * hot * (crack * (0.1f + 1.2f * which * which) + 0.12f * dust);
}
