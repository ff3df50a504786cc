// SPDX-License-Identifier: Apache-2.0
/* The floor's light: sky, fire, and what smoke lets through of each lamp are a map, made once a frame and marched
 * through the coarse grid; obstacles' shadows and how far lamps are away are found for each pixel. */
#include "floor.h"
#include "stones.h"
#include <picture/volume/scene/fast_math.h>
#include <picture/volume/solid/distance.h>
#include <picture/volume/solid/shadow.h>

#include <math.h>

#define PI 3.14159265358979
#define LOWEST 0.02f         ///< slope upwards of what is seen of a fire
enum { MAP = 160 };          ///< cells across; half as many in a draft
enum { FIRE = 3, OPEN = 6 }; ///< lanes of the map: {sky rgb, fire rgb, each lamp's share}

/// Of the sky, as a level surface sees it: a sixth of its light comes from the horizon's side.
static void sky_light(const struct bw_studio *s, const double p[3], float rgb[3])
{
    // Each for a quarter of it: what is within 30 degrees of the zenith, and the middle of the rest (sin² = 5/8).
    static const double to[4][3] = {{0, 0, 1}, {0.791, 0, 0.612}, {-0.395, 0.685, 0.612}, {-0.395, -0.685, 0.612}};
    float open = 0;
    for (int d = 0; d < 4; d++) open += bw_coarse_transmittance(&s->ambient->coarse, p, to[d], HUGE_VAL) / 4;
    for (int c = 0; c < 3; c++) rgb[c] = open * (s->room.below[c] + (s->room.above[c] - s->room.below[c]) * 5 / 6);
}

static void map_row(int64_t j, void *user)
{
    struct bw_studio *s = user;
    const double cell = s->size / s->n, y = s->lo[1] + ((double)j + 0.5) * cell;
    const struct bw_shading_point up = {.normal = {0, 0, 1}};
    for (int i = 0; i < s->n; i++) {
        const double p[3] = {s->lo[0] + (i + 0.5) * cell, y, s->scene->lo[2]};
        float *lanes = s->map + s->lanes * (j * s->n + i);
        for (int c = 0; c < 3; c++) lanes[FIRE + c] = 0;
        if (!(i % 2) && !(j % 2)) // it comes from far around
            bw_lamps_light(&s->ambient->lamps, p, &up, lanes + FIRE);
        for (int c = 0; c < 3; c++) lanes[FIRE + c] *= 4; // irradiance over π
        sky_light(s, p, lanes);
        for (int l = 0; l < s->n_lights; l++) {
            const struct bw_light_seen seen = bw_light_from(&s->light[l], p, 0);
            lanes[OPEN + l] = seen.to[2] > 0 ? bw_ambient_transmittance(s->ambient, p, &seen) : 0;
        }
    }
}

/// Every second of n places along a line from the two beside it.
static void fire_fill(float *at, int n, ptrdiff_t step)
{
    for (int i = 1; i < n; i += 2)
        for (int c = 0; c < 3; c++) {
            const float before = at[(i - 1) * step + c];
            at[i * step + c] = i + 1 < n ? 0.5f * (before + at[(i + 1) * step + c]) : before;
        }
}

/// Mean with the neighbours along a line of the map, in place.
static void line_mean(float *p, int n, ptrdiff_t step, int lanes)
{
    for (int c = 0; c < lanes; c++) {
        float before = p[c];
        for (int i = 0; i + 1 < n; i++) {
            float *at = p + i * step + c, here = *at;
            *at = (before + here + at[step]) / 3;
            before = here;
        }
    }
}

/// The coarse grid's cells would show as rays on the floor.
static void map_soften(struct bw_studio *s)
{
    const ptrdiff_t n = s->n, lanes = s->lanes;
    for (int round = 0; round < 4; round++)
        for (ptrdiff_t i = 0; i < n; i++) {
            line_mean(s->map + lanes * n * i, s->n, lanes, s->lanes);
            line_mean(s->map + lanes * i, s->n, lanes * n, s->lanes);
        }
}

static void rim_mean(struct bw_studio *s)
{
    for (int i = 0; i < 4 * s->n; i++) {
        const double along = s->size * (i % s->n + 0.5) / s->n, far = i / s->n % 2 ? s->size * (1 - 0.5 / s->n) : 0;
        const int turned = i >= 2 * s->n;
        float rgb[3];
        const double p[3] = {s->lo[0] + (turned ? far : along), s->lo[1] + (turned ? along : far), s->scene->lo[2]};
        bw_floor_level(s, &(struct bw_floor_place){{p[0], p[1], p[2]}, 0.5f}, rgb);
        for (int c = 0; c < 3; c++) s->far[c] += rgb[c] / (float)(4 * s->n);
    }
}

/// Where the fire's light comes from, and how far from there to all sides, a standard deviation.
static void fire_middle(struct bw_studio *s)
{
    const struct bw_lamps *l = &s->ambient->lamps;
    double sum = 0, wide[3] = {0};
    for (int i = 0; i < l->n; i++) sum += (double)l->lamp[i].rgb[0];
    for (int i = 0; i < l->n && sum > 0; i++)
        for (int a = 0; a < 3; a++) s->fire[a] += (double)l->lamp[i].rgb[0] * l->lamp[i].at[a] / sum;
    for (int i = 0; i < l->n && sum > 0; i++)
        for (int a = 0; a < 3; a++) wide[a] += (double)l->lamp[i].rgb[0] * pow(l->lamp[i].at[a] - s->fire[a], 2) / sum;
    s->fire_wide[0] = sqrt(0.5 * (wide[0] + wide[1])), s->fire_wide[1] = sqrt(wide[2]);
}

enum bw_status bw_floor_make(const struct bw_tools *tools, struct bw_studio *s)
{
    double w[3];
    for (int a = 0; a < 3; a++) w[a] = s->scene->hi[a] - s->scene->lo[a];
    s->n = s->scene->look.quality == BW_QUALITY_DRAFT ? MAP / 2 : MAP, s->lanes = OPEN + s->n_lights;
    s->size = 1.6 * (fmax(w[0], w[1]) + w[2]); // shadows fall as far as the stage is high
    for (int a = 0; a < 2; a++) s->lo[a] = 0.5 * (s->scene->lo[a] + s->scene->hi[a]) - 0.5 * s->size;
    s->map = tools->alloc(tools->ctx, (size_t)s->lanes * (size_t)s->n * (size_t)s->n * sizeof(float));
    if (!s->map) return BW_ERR_MEMORY;
    tools->parallel(tools->ctx, s->n, map_row, s);
    for (ptrdiff_t j = 0; j < s->n; j += 2) fire_fill(s->map + s->lanes * s->n * j + FIRE, s->n, s->lanes);
    for (ptrdiff_t i = 0; i < s->n; i++) fire_fill(s->map + s->lanes * i + FIRE, s->n, (ptrdiff_t)s->lanes * s->n);
    map_soften(s);
    fire_middle(s);
    rim_mean(s);
    return BW_OK;
}

/// Light on a tilted place, of what a level one has, from the direction `to`.
static float tilted(const float tilt[2], const double to[3])
{
    if (!tilt || (tilt[0] == 0 && tilt[1] == 0) || !(to[2] > 0)) return 1;
    const float lean = (float)((to[2] + (double)tilt[0] * to[0] + (double)tilt[1] * to[1]) / to[2]);
    return bw_least(bw_most(lean, 0), 3) / sqrtf(1 + tilt[0] * tilt[0] + tilt[1] * tilt[1]);
}

/// The map between its cells; beyond it its edge.
static void map_read(const struct bw_studio *s, const double p[3], float *lanes)
{
    const double most = s->n - 1.001;
    const double u = fmin(fmax((p[0] - s->lo[0]) / s->size * s->n - 0.5, 0), most);
    const double v = fmin(fmax((p[1] - s->lo[1]) / s->size * s->n - 0.5, 0), most);
    const int i = (int)u, j = (int)v;
    const float fu = (float)(u - i), fv = (float)(v - j), *q = s->map + s->lanes * (j * s->n + i);
    const ptrdiff_t next = s->lanes, row = next * s->n;
    for (int c = 0; c < s->lanes; c++)
        lanes[c] =
            (q[c] * (1 - fu) + q[c + next] * fu) * (1 - fv) + (q[c + row] * (1 - fu) + q[c + row + next] * fu) * fv;
}

void bw_floor_gather(const struct bw_studio *s, const struct bw_floor_place *at, struct bw_floor_light *l)
{
    struct bw_shadow_place place = {
        .p = {at->p[0], at->p[1], at->p[2]}, .normal = {0, 0, 1}, .turn = at->turn, .rays = s->rays};
    float lanes[OPEN + BW_LIGHTS];
    *l = (struct bw_floor_light){{at->p[0], at->p[1], at->p[2]}};
    map_read(s, at->p, lanes);
    for (int c = 0; c < 3; c++) l->sky[c] = lanes[c], l->fire[c] = lanes[FIRE + c];
    for (int i = 0; i < s->n_lights; i++) {
        const struct bw_light_seen seen = bw_light_from(&s->light[i], at->p, 0);
        if (seen.to[2] <= 0 || !(lanes[OPEN + i] > 0)) continue;
        float share = BW_SUN_SURFACE * seen.share * (float)seen.to[2];
        if (s->v && bw_solid_any(s->v)) share *= bw_solid_shadow_rays(s->v, &place, &seen);
        for (int c = 0; c < 3; c++)
            l->lamp[i][c] = share * bw_look_transmittance(&s->scene->look, lanes[OPEN + i], c) * s->light[i].rgb[c];
    }
}

/// 1: no stone is before what lies in the direction `to`.
static int is_open(const struct bw_studio *s, const struct bw_floor_grain *g, const double to[3])
{
    const double from[3] = {g->p[0], g->p[1], g->p[2] - s->scene->lo[2]};
    struct bw_stone_hit hit = {.depth = HUGE_VAL};
    return !(g->footprint > 0) || !bw_stones_hit(&s->rocks, from, to, g->footprint, &hit);
}

/// To the part of the fire that is seen.
static void fire_way(const struct bw_studio *s, const struct bw_floor_grain *g, double to[3])
{
    const double x = s->fire[0] - g->p[0], y = s->fire[1] - g->p[1], far = sqrt(x * x + y * y) + 1e-9;
    const double side = s->fire_wide[0] * (2 * (double)g->turn[0] - 1),
                 up = s->fire_wide[1] * (2 * (double)g->turn[1] - 1);
    to[0] = x - side * y / far, to[1] = y + side * x / far;
    to[2] = fmax(s->fire[2] - g->p[2] + up, (double)LOWEST * far);
    const double length = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
    for (int a = 0; a < 3; a++) to[a] /= length;
}

uint32_t bw_floor_grain_lamps(const struct bw_studio *s, const struct bw_floor_grain *grain)
{
    uint32_t lamps = 0;
    for (int i = 0; i < s->n_lights; i++) {
        const struct bw_light_seen seen = bw_light_from(&s->light[i], grain->p, 0);
        if (seen.to[2] > 0 && tilted(grain->tilt, seen.to) > 0 && is_open(s, grain, seen.to)) lamps |= 1u << i;
    }
    return lamps;
}

/// 1: no stone is between the fire and it. Ways are rounded, so that few have to be looked at from picture to picture.
static int sees_fire(const struct bw_studio *s, const struct bw_floor_grain *g, const double to[3])
{
    struct bw_floor_part *part = g->part;
    if (!part) return 1;
    const float slope = (float)(to[2] / sqrt(to[0] * to[0] + to[1] * to[1] + 1e-12)) / LOWEST;
    const int up = (int)bw_least(bw_most(2 * log2f(bw_most(slope, 1)), 0), 15);
    const uint8_t azimuth = (uint8_t)(int)floor(atan2(to[1], to[0]) * (128 / PI));
    if (part->azimuth != azimuth) part->azimuth = azimuth, part->asked = 0, part->clear = 0;
    if (!(part->asked >> up & 1)) {
        const double turn = (azimuth + 0.5) * (PI / 128), rise = LOWEST * exp2(0.5 * up + 0.25),
                     flat = 1 / sqrt(1 + rise * rise);
        const int open = is_open(s, g, (double[3]){flat * cos(turn), flat * sin(turn), flat * rise});
        part->asked |= (uint16_t)(1u << up), part->clear |= (uint16_t)(open << up);
    }
    return part->clear >> up & 1;
}

void bw_floor_grain_light(const struct bw_studio *s, const struct bw_floor_light *l, const struct bw_floor_grain *grain,
                          float rgb[3])
{
    double fire[3];
    for (int c = 0; c < 3; c++) rgb[c] = grain->open * l->sky[c];
    if (l->fire[0] + l->fire[1] + l->fire[2] > 0) {
        fire_way(s, grain, fire);
        const float burn = tilted(grain->tilt, fire);
        const float share = burn > 0 && sees_fire(s, grain, fire) ? burn : 0.15f * grain->open; // from all of the fire
        for (int c = 0; c < 3; c++) rgb[c] += share * l->fire[c];
    }
    for (int i = 0; i < s->n_lights; i++) {
        if (!(l->lamp[i][0] + l->lamp[i][1] + l->lamp[i][2] > 0)) continue;
        const struct bw_light_seen seen = bw_light_from(&s->light[i], l->p, 0);
        const float lean = tilted(grain->tilt, seen.to);
        if (!(lean > 0) || !(grain->lamps >> i & 1)) continue;
        for (int c = 0; c < 3; c++) rgb[c] += (0.4f + 0.6f * lean) * l->lamp[i][c];
    }
}

void bw_floor_level(const struct bw_studio *s, const struct bw_floor_place *at, float rgb[3])
{
    struct bw_floor_light l;
    bw_floor_gather(s, at, &l);
    for (int c = 0; c < 3; c++) {
        rgb[c] = l.sky[c] + l.fire[c];
        for (int i = 0; i < s->n_lights; i++) rgb[c] += l.lamp[i][c];
    }
}
