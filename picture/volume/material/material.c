// SPDX-License-Identifier: Apache-2.0
/* Each is a field in space: how much of the mean colour a place has, and a height over the shape, whose slope across
 * the surface turns the normal. Sizes are those of the things: a brick of 24 by 7.1 cm with mortar of 1 cm, rings of
 * half a centimetre, furrows of bark 3 cm apart, windows of houses 3 m. Fire comes last: coal, ash and embers on what
 * burns, soot on what does not. */
#include "material.h"
#include "spot.h"

#include <math.h>
#include <string.h>

#define STEEP 1.5 ///< no relief is steeper: it would turn from the eye

#define DEEP 0.012 ///< m that red light gets into wax
#define POOL 0.8f  ///< of its roughness, that molten wax has not

static void stone(const struct bw_material_place *at, struct bw_spot *s)
{
    const float patch = bw_grain_waves(at->p, 0.6, 4, 0.6f, at->footprint),
                grit = bw_grain_waves(at->p, 0.02, 3, 0.8f, at->footprint);
    const float hollow = bw_grain_waves(at->p, 0.12, 5, 0.6f, at->footprint);
    bw_spot_tone(s, (0.55f + 0.9f * patch) * (0.75f + 0.5f * grit), 0.12f * (patch - 0.5f));
    s->height = 0.035 * (double)hollow + 0.003 * (double)grit;
}

static void rubber(const struct bw_material_place *at, struct bw_spot *s)
{
    const float dust = bw_grain_waves(at->p, 0.15, 5, 0.65f, at->footprint),
                grain = bw_grain_waves(at->p, 0.006, 2, 0.7f, at->footprint);
    bw_spot_tone(s, (0.6f + 0.9f * bw_spot_smooth(0.4f, 0.7f, dust)) * (0.85f + 0.3f * grain), 0.04f * dust);
    s->rough = 0.85f + 0.3f * dust;
    s->height = 0.0008 * (double)grain + 0.002 * (double)dust;
}

static void wax(const struct bw_material_place *at, struct bw_spot *s)
{
    static const float clear[3] = {0.3f, 0.42f, 0.6f};
    const double down[3] = {at->p[0], at->p[1], 0.3 * at->p[2]};
    const float run = bw_grain_waves(down, 0.02, 3, 0.5f, at->footprint),
                cloud = bw_grain_waves(at->p, 0.05, 3, 0.5f, at->footprint);
    bw_spot_tone(s, 0.9f + 0.2f * cloud, 0.02f);
    s->height = 0.0012 * (double)run;
    // Up where the flame melts it it is a pool: level, clear and wet.
    const double out = 2 * hypot(at->p[0], at->p[1]) / (at->hi[0] - at->lo[0]);
    const float pool = bw_spot_smooth(0.9f, 0.98f, (float)at->n[2]) * (1 - bw_spot_smooth(0.72f, 0.88f, (float)out));
    if (!(pool > 0) || at->p[2] < 0.5 * at->hi[2]) return;
    for (int c = 0; c < 3; c++) s->tone[c] *= 1 - pool * clear[c];
    s->rough = 1 - POOL * pool, s->height *= 1 - (double)pool;
}

/// Rags wound round, in turns of 3 cm one over the other.
static void cloth(const struct bw_material_place *at, struct bw_spot *s)
{
    const double *p = at->p, f = at->footprint, turn = atan2(p[1], p[0]) / 6.283185307179586;
    const double bend = (double)bw_grain_waves(p, 0.06, 3, 0.5f, f) - 0.5;
    const double wind = p[2] / 0.03 + turn + 0.45 * bend, lap = wind - floor(wind);
    const double weave[3] = {p[0], p[1], 3 * p[2]}, fold[3] = {p[0], p[1], 4 * p[2]};
    const float thread = bw_grain_waves(weave, 0.004, 2, 0.7f, f), dirt = bw_grain_waves(p, 0.05, 4, 0.65f, f),
                crease = bw_grain_waves(fold, 0.03, 3, 0.6f, f), seen = bw_spot_shown(0.012, f);
    const float edge = seen * (1 - bw_spot_smooth(0, 0.2f, (float)fmin(lap, 1 - lap)));
    bw_spot_tone(s, 1.12f * (0.5f + dirt) * (0.75f + 0.5f * thread) * (0.8f + 0.4f * crease) * (1 - 0.55f * edge),
                 0.03f);
    s->height = 0.004 * (double)(1 - edge) + 0.003 * (double)crease + 0.0006 * (double)thread;
}

/// A hide of horny scales, 5 cm wide on average, domes of unlike tones; skin shows between them.
static void scales(const struct bw_material_place *at, struct bw_spot *s)
{
    const double *p = at->p, f = at->footprint;
    const double bend = 0.8 * ((double)bw_grain_waves(p, 0.2, 2, 0.5f, f) - 0.5);
    const double q[3] = {p[0] / 0.06 + bend, p[1] / 0.045 - bend, p[2] / 0.045 + bend};
    float which;
    const float wall = bw_grain_cells(q, &which), seen = bw_spot_shown(0.04, f), dome = bw_spot_smooth(0, 0.32f, wall);
    const float patch = bw_grain_waves(p, 0.35, 4, 0.6f, f), horn = bw_grain_waves(p, 0.012, 3, 0.7f, f);
    const float seam = seen * (1 - bw_spot_smooth(0.02f, 0.1f, wall)), lot = seen * (which - 0.5f);
    bw_spot_tone(s, 1.15f * (0.45f + 1.1f * patch) * (1 + 0.6f * lot) * (0.75f + 0.5f * horn) * (1 - 0.7f * seam),
                 0.1f * lot);
    s->rough = 0.75f + 0.3f * horn + 0.4f * seam;
    s->height = (double)seen * 0.009 * (double)dome + 0.0012 * (double)horn;
}

static void (*const spots[])(const struct bw_material_place *at, struct bw_spot *s) = {
    [BW_MATERIAL_WOOD] = bw_spot_wood,
    [BW_MATERIAL_BARK] = bw_spot_bark,
    [BW_MATERIAL_STONE] = stone,
    [BW_MATERIAL_BRICK] = bw_spot_brick,
    [BW_MATERIAL_CONCRETE] = bw_spot_concrete,
    [BW_MATERIAL_RUBBER] = rubber,
    [BW_MATERIAL_METAL] = bw_spot_metal,
    [BW_MATERIAL_WAX] = wax,
    [BW_MATERIAL_PAINTED] = bw_spot_painted,
    [BW_MATERIAL_CLOTH] = cloth,
    [BW_MATERIAL_FACADE] = bw_spot_facade,
    [BW_MATERIAL_SCALES] = scales,
};

static void spot_find(int32_t kind, const struct bw_material_place *at, struct bw_spot *s)
{
    const int burns = kind == BW_MATERIAL_WOOD || kind == BW_MATERIAL_BARK || kind == BW_MATERIAL_CLOTH;
    *s = (struct bw_spot){.tone = {1, 1, 1}, .rough = 1, .glow = 1};
    if (kind != BW_MATERIAL_PLAIN) spots[kind](at, s);
    if (!(at->scorch > 0) || kind == BW_MATERIAL_WAX) return;
    if (burns) bw_spot_char(at, s);
    else bw_spot_soot(at, s);
}

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
static void relief(int32_t kind, const struct bw_material_place *at, double here, double normal[3])
{
    const double e = fmax(0.5 * at->footprint, 2e-4);
    double to[2][3], tilt[2], steep = 0, length = 0;
    across(at->n, to[0], to[1]);
    for (int q = 0; q < 2; q++) {
        struct bw_material_place next = *at;
        struct bw_spot s;
        for (int a = 0; a < 3; a++) next.p[a] += e * to[q][a];
        spot_find(kind, &next, &s);
        tilt[q] = (here - s.height) / e, steep += tilt[q] * tilt[q];
    }
    const double most = steep > STEEP * STEEP ? STEEP / sqrt(steep) : 1;
    for (int a = 0; a < 3; a++) {
        normal[a] = at->n[a] + most * (tilt[0] * to[0][a] + tilt[1] * to[1][a]);
        length += normal[a] * normal[a];
    }
    for (int a = 0; a < 3; a++) normal[a] /= sqrt(length);
}

void bw_material_at(const struct bw_material_wish *wish, const struct bw_material_place *place, struct bw_finish *out)
{
    struct bw_material_place at = *place;
    struct bw_spot s;
    *out = (struct bw_finish){.soft = wish->kind == BW_MATERIAL_WAX ? 0.6f : 0, .deep = DEEP * wish->scale};
    const double scale = wish->scale > 0 ? wish->scale : 1;
    for (int a = 0; a < 3; a++) at.p[a] /= scale, at.lo[a] /= scale, at.hi[a] /= scale;
    at.footprint = fmax(at.footprint / scale, 1e-9), at.colour = wish->colour;
    const int32_t kind = wish->scale > 0 ? wish->kind : BW_MATERIAL_PLAIN;
    spot_find(kind, &at, &s);
    memcpy(out->normal, at.n, sizeof out->normal);
    if (kind != BW_MATERIAL_PLAIN) relief(kind, &at, s.height, out->normal);
    out->gloss = wish->gloss, out->metal = s.metal;
    out->roughness = fminf(wish->roughness * s.rough, s.metal > 0 ? 0.9f : 1);
    for (int c = 0; c < 3; c++) {
        out->albedo[c] = fminf(fmaxf(wish->colour[c] * s.tone[c], 0), 1);
        out->glow[c] = s.glow * wish->glow[c] + s.ember * at.ember[c];
    }
}
