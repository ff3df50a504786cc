// SPDX-License-Identifier: Apache-2.0
/* What is built: courses of brick, concrete between boards, and the fronts of houses, whose bays and storeys are as
 * wide and high as suits each house, so that none is cut by its corner. */
#include "spot.h"

/// Along the wall and up it, from the shape's own axes: level faces are laid on edge.
static void wall_place(const struct bw_material_place *at, double uv[2])
{
    const double *n = at->n;
    const int level = fabs(n[2]) > 0.7, along_x = fabs(n[1]) >= fabs(n[0]);
    uv[0] = level ? at->p[0] : along_x ? at->p[0] : at->p[1];
    uv[1] = level ? at->p[1] : at->p[2];
}

void bw_spot_brick(const struct bw_material_place *at, struct bw_spot *s)
{
    double uv[2];
    wall_place(at, uv);
    const double bend = 0.006 * ((double)bw_grain_waves(at->p, 0.15, 3, 0.6f, at->footprint) - 0.5);
    const double row = floor(uv[1] / 0.081), u = (uv[0] + bend) / 0.25 + 0.5 * row, v = (uv[1] + bend) / 0.081;
    const double iu = floor(u), iv = floor(v), du = fmin(u - iu, 1 - u + iu) * 0.25,
                 dv = fmin(v - iv, 1 - v + iv) * 0.081;
    const double edge = fmin(du, dv) - 0.005, id[3] = {iu + 0.5, iv + 0.5, 0.5};
    const float which = bw_grain(id), grit = bw_grain_waves(at->p, 0.03, 4, 0.7f, at->footprint);
    const float stain = bw_grain_waves(at->p, 1.1, 3, 0.6f, at->footprint);
    const float face = bw_spot_smooth(0, fmaxf(0.003f, (float)at->footprint), (float)edge),
                seen = bw_spot_shown(0.02, at->footprint);
    const float clay = (0.6f + 0.7f * which) * (0.7f + 0.6f * grit), all = 0.75f + 0.5f * stain;
    bw_spot_tone(s, all * clay, 0.1f * (which - 0.4f));
    const float grey =
        1.1f * all * (at->colour[0] + at->colour[1] + at->colour[2]) / 3; // mortar has none of its colour
    for (int c = 0; c < 3; c++) s->tone[c] = face * s->tone[c] + (1 - face) * grey / fmaxf(at->colour[c], 0.01f);
    for (int c = 0; c < 3; c++) s->tone[c] = seen * s->tone[c] + (1 - seen) * 0.95f * all;
    s->height = 0.008 * (double)(face * seen) + 0.005 * (double)grit + 0.003 * (double)which;
}

/// 0 … 1: where rain has run down.
static float runs(const struct bw_material_place *at, double apart)
{
    const double streak[3] = {at->p[0], at->p[1], 0.07 * at->p[2]};
    return bw_spot_smooth(0.5f, 0.75f, bw_grain_waves(streak, apart, 5, 0.65f, at->footprint)) * (fabs(at->n[2]) < 0.7);
}

void bw_spot_concrete(const struct bw_material_place *at, struct bw_spot *s)
{
    double uv[2];
    wall_place(at, uv);
    const float cloud = bw_grain_waves(at->p, 2.2, 5, 0.6f, at->footprint),
                grit = bw_grain_waves(at->p, 0.02, 3, 0.8f, at->footprint);
    const float run = runs(at, 0.7);
    const double board = fmod(fabs(uv[1]), 1.2), seam = fmin(board, 1.2 - board);
    const float joint = (1 - bw_spot_smooth(0.004f, fmaxf(0.012f, (float)at->footprint), (float)seam)) *
                        bw_spot_shown(0.012, at->footprint);
    bw_spot_tone(s, (0.68f + 0.64f * cloud) * (0.85f + 0.3f * grit) * (1 - 0.3f * run) * (1 - 0.35f * joint),
                 0.05f * (0.5f - cloud));
    s->height = 0.003 * (double)grit - 0.006 * (double)joint + 0.004 * (double)cloud;
}

/// One of many numbers, 0 … 1, of a house, or of a window of it.
static float lot(uint32_t house, double i, double j, double which)
{
    const double id[3] = {i + 0.5 + 7.3 * (house % 1024), j + 0.5, which * 3 + 0.5 + house / 1024};
    return bw_grain((const double[3]){floor(id[0]), floor(id[1]), floor(id[2])});
}

/// Where a wall is between lo and hi, cut into bays of some `want`, m: which, and from its middle, m.
struct bay {
    double which, off, wide;
};
static struct bay bay_at(double x, double lo, double hi, double want)
{
    const double n = fmax(floor((hi - lo) / want + 0.5), 1), wide = fmax(hi - lo, 1e-6) / n;
    const double which = fmin(fmax(floor((x - lo) / wide), 0), n - 1);
    return (struct bay){which, x - lo - (which + 0.5) * wide, wide};
}

/// 1 within `half` of the middle, faded over a pixel.
static float within(double off, double half, double footprint)
{
    const double soft = fmax(footprint, 0.005);
    return bw_spot_smooth(-0.5f, 0.5f, (float)((half - fabs(off)) / soft));
}

static void roof(const struct bw_material_place *at, struct bw_spot *s)
{
    const float cloud = bw_grain_waves(at->p, 3, 5, 0.6f, at->footprint),
                grit = bw_grain_waves(at->p, 0.1, 3, 0.8f, at->footprint);
    static const float felt[3] = {0.075f, 0.073f, 0.07f};
    bw_spot_tone(s, 1, 0);
    bw_spot_paint(at, s, felt, 0.8f);
    for (int c = 0; c < 3; c++) s->tone[c] *= (0.5f + cloud) * (0.75f + 0.5f * grit);
    s->height = 0.004 * (double)grit;
}

/// Plaster or brick of this house, with what rain and years did to it.
static void front(const struct bw_material_place *at, struct bw_spot *s)
{
    static const float walls[6][3] = {
        {1, 1, 1},          {1.15f, 0.8f, 0.68f}, {0.74f, 0.76f, 0.8f}, {1.25f, 1.2f, 1.08f}, {0.72f, 0.6f, 0.54f},
        {0.95f, 0.9f, 0.8f}};
    const float *own = walls[(int)(5.999f * lot(at->piece, 0, 0, 0))];
    const float cloud = bw_grain_waves(at->p, 5, 6, 0.62f, at->footprint),
                grit = bw_grain_waves(at->p, 0.2, 4, 0.8f, at->footprint), run = runs(at, 1.6);
    const float all =
        (0.7f + 0.55f * lot(at->piece, 1, 0, 0)) * (0.6f + 0.8f * cloud) * (0.85f + 0.3f * grit) * (1 - 0.3f * run);
    const float foot = bw_spot_smooth(0, 3.5f, (float)(at->p[2] - at->lo[2])); // dirt splashes up
    for (int c = 0; c < 3; c++) s->tone[c] = all * own[c] * (0.7f + 0.3f * foot);
    s->height = 0.01 * (double)grit;
}

/// A pane: dark glass, some with a blind, some lit.
static void pane(const struct bw_material_place *at, const struct bay *across, const struct bay *up, double v,
                 float share, struct bw_spot *s)
{
    static const float glass[3] = {0.016f, 0.019f, 0.022f}, cloth[3] = {0.3f, 0.28f, 0.24f};
    const float drawn = lot(at->piece, across->which, up->which, 1), lit = lot(at->piece, across->which, up->which, 2);
    const float blind =
        share * within(v - (1 - 0.45 * (double)drawn), 0.45 * (double)drawn, at->footprint) * (drawn > 0.45f);
    bw_spot_paint(at, s, glass, share);
    bw_spot_paint(at, s, cloth, 0.8f * blind);
    s->rough += share * (1 - blind) * (0.12f - s->rough);
    s->glow = share * (lit > 0.62f) * (0.25f + 1.5f * (lit - 0.62f)) * (1 - 0.75f * blind);
}

void bw_spot_facade(const struct bw_material_place *at, struct bw_spot *s)
{
    double uv[2];
    const int x_way = fabs(at->n[1]) >= fabs(at->n[0]), w = x_way ? 0 : 1;
    s->glow = 0;
    if (fabs(at->n[2]) > 0.7) {
        roof(at, s);
        return;
    }
    front(at, s);
    const double high = at->hi[2] - at->lo[2], wide = at->hi[w] - at->lo[w];
    if (high < 4 || wide < 3) return; // no house
    wall_place(at, uv);
    const double want[2] = {2.3 + 1.4 * (double)lot(at->piece, 2, 0, 0), 3.1 + 0.7 * (double)lot(at->piece, 3, 0, 0)};
    const double corner = fmin(0.7, 0.1 * wide), top = at->hi[2] - 1.3;
    const struct bay across = bay_at(uv[0], at->lo[w] + corner, at->hi[w] - corner, want[0]),
                     up = bay_at(uv[1], at->lo[2], top, want[1]);
    const int shop = up.which < 0.5 && at->lo[2] < 0.5;
    const double half[2] = {shop ? 0.42 * across.wide : (0.21 + 0.14 * (double)lot(at->piece, 4, 0, 0)) * across.wide,
                            (0.25 + 0.06 * (double)lot(at->piece, 5, 0, 0)) * up.wide};
    const double f = at->footprint, lift = 0.04 * up.wide, seen = (double)bw_spot_shown(0.8, f);
    const int inside = uv[1] < top && fabs(across.off) < 0.5 * across.wide;
    const float hole = inside * within(across.off, half[0], f) * within(up.off - lift, half[1], f);
    const float glass = inside * within(across.off, half[0] - 0.08, f) * within(up.off - lift, half[1] - 0.08, f) *
                        (1 - within(across.off, 0.035, f) * bw_spot_shown(0.07, f));
    const float sill = inside * within(across.off, half[0] + 0.12, f) * within(up.off - lift + half[1] + 0.09, 0.09, f);
    const float ledge = within(up.off + 0.5 * up.wide - 0.12, 0.12, f) * (up.which > 0.5),
                shade = // of the reveal
                hole * (1 - bw_spot_smooth(0, 0.35f, (float)(half[1] - (up.off - lift))));
    for (int c = 0; c < 3; c++) s->tone[c] *= 1 + 0.2f * fmaxf(sill, ledge) * (float)seen;
    for (int c = 0; c < 3; c++) s->tone[c] += hole * (0.55f - s->tone[c]);
    pane(at, &across, &up, (up.off - lift + half[1]) / (2 * half[1]), glass, s);
    for (int c = 0; c < 3; c++) s->tone[c] *= 1 - 0.6f * shade;
    s->height += seen * (0.06 * (double)fmaxf(sill, ledge) - 0.1 * (double)hole);
}
