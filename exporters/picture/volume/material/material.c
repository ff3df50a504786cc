// SPDX-License-Identifier: Apache-2.0
/* Each is a field in space: how much of the mean colour a place has, and a height over the shape, whose slope across
 * the surface turns the normal. Sizes are those of the things: a brick of 24 by 7.1 cm with mortar of 1 cm, rings of
 * half a centimetre, plates of bark of 4 by 16 cm. */
#include "material.h"
#include "grain.h"

#include <math.h>
#include <string.h>

#define STEEP 1.5 ///< no relief is steeper: it would turn from the eye

#define DEEP 0.012 ///< m that red light gets into wax

/// What a place is before light falls on it.
struct spot {
    float tone[3]; ///< of the mean colour, by channel
    float rough;   ///< of the roughness
    double height; ///< m
};

struct place {
    const double *p, *n; ///< n: which way the shape faces, not its relief
    double footprint;
    const float *colour;
};

static float smooth(float from, float to, float x)
{
    const float t = fminf(fmaxf((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

static void tone_set(struct spot *s, float light, float warm)
{
    s->tone[0] = light * (1 + warm), s->tone[1] = light, s->tone[2] = light * (1 - warm);
}

/// Of what is `width` wide how much a pixel that is `footprint` wide still shows.
static float shown(double width, double footprint) { return (float)fmin(fmax(2 * width / footprint - 1, 0), 1); }

static void wood(const struct place *at, struct spot *s)
{
    const double *p = at->p, long_way[3] = {p[0], p[1], 0.08 * p[2]};
    const float bend = bw_grain_waves(long_way, 0.12, 3, 0.5f, at->footprint);
    const double r = hypot(p[0], p[1]) + 0.02 * (double)(bend - 0.5f), ring = r / 0.006 - floor(r / 0.006);
    const float late =
        smooth(0.45f, 0.9f, (float)ring) * (1 - smooth(0.93f, 1, (float)ring)) * shown(0.006, at->footprint);
    const double fibre[3] = {p[0], p[1], 0.03 * p[2]};
    const float grain = bw_grain_waves(fibre, 0.004, 3, 0.7f, at->footprint);
    tone_set(s, (1.12f - 0.42f * late) * (0.7f + 0.6f * grain), 0.06f * (1 - late));
    s->height = 0.0004 * (double)grain - 0.0002 * (double)late;
}

static void bark(const struct place *at, struct spot *s)
{
    if (fabs(at->n[2]) > 0.9) { // sawn off: the wood's rings, and cracks from its middle
        wood(at, s);
        for (int c = 0; c < 3; c++) s->tone[c] *= 1.6f;
        return;
    }
    const double *p = at->p, turn = atan2(p[1], p[0]);
    const double around[3] = {p[0], p[1], 0.25 * p[2]};
    const float bend = bw_grain_waves(around, 0.08, 3, 0.6f, at->footprint);
    const double shifted[3] = {25 * (p[0] + 0.02 * (double)bend), 25 * (p[1] + 0.02 * (double)bend),
                               6 * p[2] + 0.3 * sin(3 * turn) + 2 * (double)bend};
    float which;
    const float wall = bw_grain_cells(shifted, &which), plate = smooth(0.02f, 0.22f, wall);
    const float grain = bw_grain_waves(around, 0.012, 4, 0.7f, at->footprint), seen = shown(0.02, at->footprint);
    tone_set(s, (0.5f + 1.1f * plate) * (0.75f + 0.3f * which) * (0.55f + 0.9f * grain), 0.05f * (grain - 0.5f));
    for (int c = 0; c < 3; c++) s->tone[c] = seen * s->tone[c] + 1 - seen;
    s->height = 0.006 * (double)(plate * seen) + 0.005 * (double)grain;
}

static void stone(const struct place *at, struct spot *s)
{
    const float patch = bw_grain_waves(at->p, 0.6, 4, 0.6f, at->footprint),
                grit = bw_grain_waves(at->p, 0.02, 3, 0.8f, at->footprint);
    const float hollow = bw_grain_waves(at->p, 0.12, 5, 0.6f, at->footprint);
    tone_set(s, (0.55f + 0.9f * patch) * (0.75f + 0.5f * grit), 0.12f * (patch - 0.5f));
    s->height = 0.035 * (double)hollow + 0.003 * (double)grit;
}

/// Along the wall and up it, from the shape's own axes: level faces are laid on edge.
static void wall_place(const struct place *at, double uv[2])
{
    const double *n = at->n;
    const int level = fabs(n[2]) > 0.7, along_x = fabs(n[1]) >= fabs(n[0]);
    uv[0] = level ? at->p[0] : along_x ? at->p[0] : at->p[1];
    uv[1] = level ? at->p[1] : at->p[2];
}

static void brick(const struct place *at, struct spot *s)
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
    const float face = smooth(0, fmaxf(0.003f, (float)at->footprint), (float)edge), seen = shown(0.02, at->footprint);
    const float clay = (0.6f + 0.7f * which) * (0.7f + 0.6f * grit), all = 0.75f + 0.5f * stain;
    tone_set(s, all * clay, 0.1f * (which - 0.4f));
    const float grey =
        1.1f * all * (at->colour[0] + at->colour[1] + at->colour[2]) / 3; // mortar has none of its colour
    for (int c = 0; c < 3; c++) s->tone[c] = face * s->tone[c] + (1 - face) * grey / fmaxf(at->colour[c], 0.01f);
    for (int c = 0; c < 3; c++) s->tone[c] = seen * s->tone[c] + (1 - seen) * 0.95f * all;
    s->height = 0.008 * (double)(face * seen) + 0.005 * (double)grit + 0.003 * (double)which;
}

static void concrete(const struct place *at, struct spot *s)
{
    double uv[2];
    wall_place(at, uv);
    const float cloud = bw_grain_waves(at->p, 2.2, 5, 0.6f, at->footprint),
                grit = bw_grain_waves(at->p, 0.02, 3, 0.8f, at->footprint);
    const double streak[3] = {at->p[0], at->p[1], 0.07 * at->p[2]};
    const float run =
        smooth(0.5f, 0.75f, bw_grain_waves(streak, 0.7, 5, 0.65f, at->footprint)) * (fabs(at->n[2]) < 0.7);
    const double board = fmod(fabs(uv[1]), 1.2), seam = fmin(board, 1.2 - board);
    const float joint =
        (1 - smooth(0.004f, fmaxf(0.012f, (float)at->footprint), (float)seam)) * shown(0.012, at->footprint);
    tone_set(s, (0.68f + 0.64f * cloud) * (0.85f + 0.3f * grit) * (1 - 0.3f * run) * (1 - 0.35f * joint),
             0.05f * (0.5f - cloud));
    s->height = 0.003 * (double)grit - 0.006 * (double)joint + 0.004 * (double)cloud;
}

static void rubber(const struct place *at, struct spot *s)
{
    const float dust = bw_grain_waves(at->p, 0.15, 5, 0.65f, at->footprint),
                grain = bw_grain_waves(at->p, 0.006, 2, 0.7f, at->footprint);
    tone_set(s, (0.6f + 0.9f * smooth(0.4f, 0.7f, dust)) * (0.85f + 0.3f * grain), 0.04f * dust);
    s->rough = 0.85f + 0.3f * dust;
    s->height = 0.0008 * (double)grain + 0.002 * (double)dust;
}

static void metal(const struct place *at, struct spot *s)
{
    const float dent = bw_grain_waves(at->p, 0.25, 3, 0.5f, at->footprint),
                smear = bw_grain_waves(at->p, 0.05, 5, 0.7f, at->footprint);
    tone_set(s, 0.85f + 0.3f * dent, 0.02f);
    s->rough = 0.7f + 0.6f * smear; // never as a mirror's, nor as clay, of which there would be no light
    s->height = 0.004 * (double)dent;
}

static void wax(const struct place *at, struct spot *s)
{
    const double down[3] = {at->p[0], at->p[1], 0.3 * at->p[2]};
    const float run = bw_grain_waves(down, 0.02, 3, 0.5f, at->footprint),
                cloud = bw_grain_waves(at->p, 0.05, 3, 0.5f, at->footprint);
    tone_set(s, 0.9f + 0.2f * cloud, 0.02f);
    s->height = 0.0012 * (double)run;
}

static void (*const spots[])(const struct place *at, struct spot *s) = {
    [BW_MATERIAL_WOOD] = wood,   [BW_MATERIAL_BARK] = bark,         [BW_MATERIAL_STONE] = stone,
    [BW_MATERIAL_BRICK] = brick, [BW_MATERIAL_CONCRETE] = concrete, [BW_MATERIAL_RUBBER] = rubber,
    [BW_MATERIAL_METAL] = metal, [BW_MATERIAL_WAX] = wax,
};

/// Two unit vectors across n.
static void across(const double n[3], double u[3], double w[3])
{
    const int low = fabs(n[1]) < fabs(n[0]), least = fabs(n[2]) < fabs(n[low]) ? 2 : low;
    double length = 0;
    for (int a = 0; a < 3; a++) u[a] = (a == least) - n[least] * n[a], length += u[a] * u[a];
    for (int a = 0; a < 3; a++) u[a] /= sqrt(length);
    for (int a = 0; a < 3; a++) w[a] = n[(a + 1) % 3] * u[(a + 2) % 3] - n[(a + 2) % 3] * u[(a + 1) % 3];
}

/// The normal of the surface with its relief: heights a step aside along the surface.
static void relief(int32_t kind, const struct place *at, double here, double normal[3])
{
    const double e = fmax(0.5 * at->footprint, 2e-4);
    double to[2][3], tilt[2], steep = 0, length = 0;
    across(at->n, to[0], to[1]);
    for (int q = 0; q < 2; q++) {
        double next[3];
        struct spot s = {.height = 0};
        for (int a = 0; a < 3; a++) next[a] = at->p[a] + e * to[q][a];
        spots[kind](&(struct place){next, at->n, at->footprint, at->colour}, &s);
        tilt[q] = (here - s.height) / e, steep += tilt[q] * tilt[q];
    }
    const double most = steep > STEEP * STEEP ? STEEP / sqrt(steep) : 1;
    for (int a = 0; a < 3; a++) {
        normal[a] = at->n[a] + most * (tilt[0] * to[0][a] + tilt[1] * to[1][a]);
        length += normal[a] * normal[a];
    }
    for (int a = 0; a < 3; a++) normal[a] /= sqrt(length);
}

void bw_material_at(const struct bw_material_wish *wish, const double p[3], const double n[3], double footprint,
                    struct bw_finish *out)
{
    *out = (struct bw_finish){.roughness = wish->roughness,
                              .metal = wish->kind == BW_MATERIAL_METAL,
                              .soft = wish->kind == BW_MATERIAL_WAX ? 0.6f : 0,
                              .deep = DEEP * wish->scale};
    memcpy(out->albedo, wish->colour, sizeof out->albedo);
    memcpy(out->normal, n, sizeof out->normal);
    if (wish->kind == BW_MATERIAL_PLAIN || !(wish->scale > 0)) return;
    double own[3];
    for (int a = 0; a < 3; a++) own[a] = p[a] / wish->scale;
    const struct place at = {own, n, fmax(footprint / wish->scale, 1e-9), wish->colour};
    struct spot s = {.tone = {1, 1, 1}, .rough = 1};
    spots[wish->kind](&at, &s);
    relief(wish->kind, &at, s.height, out->normal);
    out->roughness = fminf(wish->roughness * s.rough, wish->kind == BW_MATERIAL_METAL ? 0.9f : 1);
    for (int c = 0; c < 3; c++) out->albedo[c] = fminf(fmaxf(wish->colour[c] * s.tone[c], 0), 1);
}
