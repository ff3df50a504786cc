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

/// What is lower or thinner than a house: in the street cars, of many colours, pavements and poles; on roofs machines.
static void thing(const struct bw_material_place *at, double high, struct bw_spot *s)
{
    static const float paints[7][3] = {{0.35f, 0.34f, 0.32f},  {0.02f, 0.02f, 0.022f}, {0.16f, 0.165f, 0.17f},
                                       {0.06f, 0.065f, 0.07f}, {0.2f, 0.025f, 0.02f},  {0.025f, 0.05f, 0.11f},
                                       {0.5f, 0.3f, 0.03f}};
    static const float glass[3] = {0.012f, 0.014f, 0.016f};
    const double way[2] = {at->hi[0] - at->lo[0], at->hi[1] - at->lo[1]}, most = fmax(way[0], way[1]),
                 least = fmin(way[0], way[1]), rise = (at->p[2] - at->lo[2]) / high;
    const int flat = fabs(at->n[2]) > 0.8;
    if (at->hi[2] < 0.1 && least < 0.4) { // a mark on the road
        static const float white[3] = {0.42f, 0.41f, 0.38f};
        bw_spot_paint(at, s, white, 0.25f + 0.7f * bw_grain_waves(at->p, 0.5, 4, 0.7f, at->footprint));
        return;
    }
    if (!(at->lo[2] > 0.05 && at->hi[2] < 3.6 && least > 1.2 && most < 13)) { // no car
        front(at, s);
        return;
    }
    const float *paint = paints[(int)(6.999f * lot(at->piece, 8, 0, 0))];
    bw_spot_tone(s, 1, 0);
    bw_spot_paint(at, s, !flat && (rise < 0.18 || (rise > 0.56 && rise < 0.94)) ? glass : paint, 1);
    s->rough = 0.3f;
}

/// How a house is built: single windows, pairs of them, piers with windows between from storey to storey, bands of
/// windows, walls of glass.
enum style { SINGLE, PAIRS, PIERS, BANDS, GLASS };

static enum style style_of(const struct bw_material_place *at, double high)
{
    const float which = lot(at->piece, 6, 0, 0);
    if (high < 24) return which < 0.5f ? SINGLE : which < 0.8f ? PAIRS : PIERS;
    return which < 0.22f ? SINGLE : which < 0.42f ? PAIRS : which < 0.66f ? PIERS : which < 0.84f ? BANDS : GLASS;
}

/// A place of a front: in which bay and storey, and which part of it.
struct front_place {
    enum style style;
    struct bay across, up;
    double half[2], lift; ///< m: of the hole, and how far above the middle of its storey it is
    int inside, shop;
};

/// The pane of a place: which, and from its lower edge to its upper, 0 … 1.
struct pane_place {
    double i, j, v;
    float share;
};

/// A pane: dark glass, more or less of the sky in it, some with a blind, some lit.
static void pane(const struct bw_material_place *at, const struct pane_place *p, struct bw_spot *s)
{
    static const float cloths[3][3] = {{0.34f, 0.32f, 0.28f}, {0.2f, 0.17f, 0.13f}, {0.13f, 0.15f, 0.17f}};
    const float drawn = lot(at->piece, p->i, p->j, 1), lit = lot(at->piece, p->i, p->j, 2),
                sky = lot(at->piece, p->i, p->j, 4), one = bw_spot_shown(0.8, at->footprint), // or many
        clear = 0.17f + one * (sky * sky * sky * (0.35f + 0.65f * (float)p->v) - 0.17f);
    const float *cloth = cloths[(int)(2.999f * lot(at->piece, p->i, p->j, 5))];
    const float glass[3] = {0.014f + 0.05f * clear, 0.017f + 0.065f * clear, 0.021f + 0.085f * clear};
    const float blind = one * p->share *
                        within(p->v - (1 - 0.45 * (double)drawn), 0.45 * (double)drawn, at->footprint) *
                        (drawn > 0.55f);
    bw_spot_paint(at, s, glass, p->share);
    bw_spot_paint(at, s, cloth, 0.8f * blind);
    s->rough += p->share * (1 - blind) * (0.12f - s->rough);
    s->glow = p->share * (lit > 0.62f) * (0.25f + 1.5f * (lit - 0.62f)) * (1 - 0.75f * blind);
}

/// Bays, storeys and holes as wide and high as suits the house.
static struct front_place front_place_at(const struct bw_material_place *at, const double uv[2], int along)
{
    const double high = at->hi[2] - at->lo[2], wide = at->hi[along] - at->lo[along];
    struct front_place p = {.style = style_of(at, high)};
    const double grow = p.style == BANDS || p.style == GLASS ? 0.6 : p.style == PAIRS ? 1.25 : 1;
    const double want[2] = {grow * (2.3 + 1.4 * (double)lot(at->piece, 2, 0, 0)),
                            3.1 + 0.7 * (double)lot(at->piece, 3, 0, 0)};
    const double corner = fmin(0.7, 0.1 * wide), top = at->hi[2] - 1.3;
    p.across = bay_at(uv[0], at->lo[along] + corner, at->hi[along] - corner, want[0]);
    p.up = bay_at(uv[1], at->lo[2], top, want[1]);
    p.shop = p.up.which < 0.5 && at->lo[2] < 0.5;
    p.inside = uv[1] < top && fabs(p.across.off) < 0.5 * p.across.wide;
    p.half[0] = (0.21 + 0.14 * (double)lot(at->piece, 4, 0, 0)) * p.across.wide;
    p.half[1] = (0.25 + 0.06 * (double)lot(at->piece, 5, 0, 0)) * p.up.wide;
    p.lift = 0.04 * p.up.wide;
    if (p.style == PAIRS) p.half[0] = 0.4 * p.across.wide;
    if (p.style == PIERS) p.half[0] = 0.33 * p.across.wide;
    if (p.style == BANDS) p.half[0] = 0.485 * p.across.wide;
    if (p.style == GLASS) p.half[0] = 0.475 * p.across.wide, p.half[1] = 0.46 * p.up.wide, p.lift = 0;
    if (p.shop) p.half[0] = 0.44 * p.across.wide;
    return p;
}

/// Piers go from the street to the top, and what is between windows lies back and is darker; bases are of hewn stone.
static void front_dress(const struct bw_material_place *at, const struct front_place *p, float hole, double seen,
                        struct bw_spot *s)
{
    const double f = at->footprint;
    const float sill = p->inside * within(p->across.off, p->half[0] + 0.12, f) *
                       within(p->up.off - p->lift + p->half[1] + 0.09, 0.09, f);
    const float every = 1 + floorf(4 * lot(at->piece, 7, 0, 0)); // storeys from ledge to ledge
    const int storey = (int)p->up.which % (int)every == 0;
    const float ledge = within(p->up.off + 0.5 * p->up.wide - 0.14, 0.14, f) * (p->up.which > 0.5) * storey;
    const float back =
        p->style == PIERS && p->up.which > 0.5 ? p->inside * within(p->across.off, p->half[0], f) * (1 - hole) : 0;
    const float base = (p->up.which < 1.5) * (at->lo[2] < 0.5) * bw_spot_shown(6, f);
    for (int c = 0; c < 3; c++)
        s->tone[c] *= (1 + 0.22f * fmaxf(sill, ledge) * (float)seen) * (1 - 0.45f * back * (float)seen);
    for (int c = 0; c < 3; c++) s->tone[c] *= 1 - base * (0.25f - 0.08f * (float)c);
    s->height += seen * (0.06 * (double)fmaxf(sill, ledge) - 0.1 * (double)hole - 0.06 * (double)back);
}

void bw_spot_facade(const struct bw_material_place *at, struct bw_spot *s)
{
    double uv[2];
    const int x_way = fabs(at->n[1]) >= fabs(at->n[0]), w = x_way ? 0 : 1;
    const double high = at->hi[2] - at->lo[2], wide = at->hi[w] - at->lo[w], f = at->footprint;
    s->glow = 0;
    if (high < 4 || wide < 3) { // no house
        thing(at, high, s);
        return;
    }
    if (fabs(at->n[2]) > 0.7) {
        roof(at, s);
        return;
    }
    front(at, s);
    wall_place(at, uv);
    const struct front_place p = front_place_at(at, uv, w);
    const double seen = (double)bw_spot_shown(0.8, f), split = p.style == PAIRS && !p.shop ? 0.14 * p.across.wide : 0;
    const float frame = p.style == GLASS ? 0.04f : 0.08f, y = (float)(p.up.off - p.lift);
    const float house = (float)p.inside * bw_spot_shown(fmin(high, wide), f); // one that a pixel does not hide
    const float hole = house * within(p.across.off, p.half[0], f) * within((double)y, p.half[1], f) *
                       (split > 0 ? 1 - within(p.across.off, split, f) : 1);
    const float glass = house * within(p.across.off, p.half[0] - (double)frame, f) *
                        within((double)y, p.half[1] - (double)frame, f) *
                        (split > 0 ? 1 - within(p.across.off, split + (double)frame, f)
                                   : 1 - (p.style != GLASS) * within(p.across.off, 0.035, f) * bw_spot_shown(0.07, f));
    const float shade = hole * (float)seen * (1 - bw_spot_smooth(0, 0.35f, (float)p.half[1] - y)); // of the reveal
    front_dress(at, &p, hole, seen, s);
    for (int c = 0; c < 3; c++) s->tone[c] += hole * ((p.style == GLASS ? 0.3f : 0.5f) - s->tone[c]);
    const double side = split > 0 ? 0.5 * (p.across.off > 0) : 0;
    pane(
        at,
        &(struct pane_place){2 * (p.across.which + side), p.up.which, ((double)y + p.half[1]) / (2 * p.half[1]), glass},
        s);
    for (int c = 0; c < 3; c++) s->tone[c] *= 1 - 0.6f * shade;
}
