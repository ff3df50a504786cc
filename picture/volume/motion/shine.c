// SPDX-License-Identifier: Apache-2.0
/* Particles that shine light the obstacles that they pass, and are mirrored by them. One of radiance L and diameter d
 * has the intensity I = L π d²/4. All are gathered, along the ways that their streaks show, into a grid of CELLS along
 * the longest side of where most of them are: fine enough for what curved bodies, which show the room small, mirror.
 * A ray sees ∫ Σ I dV⁻¹ ds. Blocks of BLOCK cells are lamps for what scatters, E = I cos/r². Obstacles end rays, but
 * throw no shadows here, nor before the box of those lights. */
#include "shine.h"
#include <picture/volume/motion/streak.h>
#include <picture/volume/scene/flame.h>
#include <picture/volume/scene/light.h>
#include <picture/volume/scene/fast_math.h>
#include <picture/volume/solid/distance.h>

#include <math.h>

enum { CELLS = 128, BLOCK = 12, PLACES = 5, RAYS = 8 };
#define MOST 3.0  ///< standard deviations from their middle: stray ones would make the cells wide
#define CLEAR 2.0 ///< cells from a surface, where it does not end its own rays
#define EDGE 0.3  ///< of a lamp's width, that is seen when its middle is below the horizon

static int shines(const struct bw_spark *p) { return !(p->kelvin > BW_DRAPER); }

/// Where most of them are. 0: nowhere.
static int box_choose(const struct bw_volume *v, double seconds, struct bw_dense *b)
{
    double n = 0, sum[3] = {0}, square[3] = {0}, lo[3], hi[3], longest = 0, at[3];
    for (int a = 0; a < 3; a++) lo[a] = HUGE_VAL, hi[a] = -HUGE_VAL;
    for (int64_t i = 0; i < 2 * v->n_sparks; i++) { // both ends of each
        const struct bw_spark *p = &v->spark[i / 2];
        if (!shines(p)) continue;
        bw_streak_place(p, seconds, (double)(i % 2), at);
        n++;
        for (int a = 0; a < 3; a++) {
            lo[a] = fmin(lo[a], at[a]), hi[a] = fmax(hi[a], at[a]);
            sum[a] += at[a], square[a] += at[a] * at[a];
        }
    }
    if (!(n > 0)) return 0;
    for (int a = 0; a < 3; a++) {
        const double mean = sum[a] / n, reach = MOST * sqrt(fmax(square[a] / n - mean * mean, 0));
        lo[a] = fmax(lo[a], mean - reach), hi[a] = fmin(hi[a], mean + reach);
        longest = fmax(longest, hi[a] - lo[a]);
    }
    b->h = fmax(longest, 1e-6) / CELLS;
    for (int a = 0; a < 3; a++) {
        b->n[a] = (int32_t)ceil((hi[a] - lo[a]) / b->h) + 3; // a cell beside it, which stays dark
        b->origin[a] = 0.5 * (lo[a] + hi[a]) - 0.5 * b->n[a] * b->h;
    }
    return 1;
}

/// Is p so far inside that all cells around it are cells?
static int is_inside(const struct bw_dense *b, const double p[3])
{
    for (int a = 0; a < 3; a++) {
        const double x = (p[a] - b->origin[a]) / b->h;
        if (!(x >= 0.5 && x <= b->n[a] - 0.5)) return 0;
    }
    return 1;
}

static void spark_add(const struct bw_spark *p, const struct bw_scene *scene, double pixel, struct bw_shine *s)
{
    double far = 0;
    for (int a = 0; a < 3; a++) far += pow(p->at[a] - scene->camera.eye[a], 2);
    const double wide2 = p->size > 0 ? 0.25 * 3.14159265358979 * (double)(p->size * p->size) : far * pixel * pixel;
    const float each = (float)(wide2 * scene->look.particles.glow / (PLACES * s->box.h * s->box.h * s->box.h));
    for (int k = 0; k < PLACES; k++) {
        double at[3];
        struct bw_tap tap;
        bw_streak_place(p, scene->streak, (k + 0.5) / PLACES, at);
        if (!is_inside(&s->box, at)) continue;
        bw_tap_at(&s->box, at, &tap);
        for (int c = 0; c < 8; c++)
            for (int q = 0; q < 3; q++) s->rgb[3 * tap.at[c] + (size_t)q] += tap.w[c] * each * p->rgb[q];
    }
}

/// Light of one block of cells, as a lamp. 0: it is dark.
static int lamp_make(const struct bw_shine *s, const int at[3], struct bw_shine_lamp *lamp)
{
    const struct bw_dense *b = &s->box;
    const double volume = b->h * b->h * b->h;
    double weight = 0, sum[3] = {0}, mid[3] = {0};
    int lo[3], hi[3];
    for (int a = 0; a < 3; a++) lo[a] = at[a] * BLOCK, hi[a] = lo[a] + BLOCK < b->n[a] ? lo[a] + BLOCK : b->n[a];
    for (int k = lo[2]; k < hi[2]; k++)
        for (int j = lo[1]; j < hi[1]; j++)
            for (int i = lo[0]; i < hi[0]; i++) {
                const float *rgb =
                    s->rgb + 3 * (((size_t)k * (size_t)b->n[1] + (size_t)j) * (size_t)b->n[0] + (size_t)i);
                const double w = (double)(rgb[0] + rgb[1] + rgb[2]);
                const int cell[3] = {i, j, k};
                for (int a = 0; a < 3; a++) sum[a] += (double)rgb[a], mid[a] += w * (cell[a] + 0.5);
                weight += w;
            }
    if (!(weight > 0)) return 0;
    for (int a = 0; a < 3; a++) {
        lamp->at[a] = b->origin[a] + b->h * mid[a] / weight;
        lamp->rgb[a] = (float)(sum[a] * volume);
    }
    return 1;
}

enum bw_status bw_shine_make(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                             double pixel, struct bw_shine *s)
{
    int n[3];
    *s = (struct bw_shine){.rgb = NULL};
    if (scene->look.particles.show != BW_SHOW_LIGHT || !bw_solid_any(v) || !box_choose(v, scene->streak, &s->box))
        return BW_OK;
    for (int a = 0; a < 3; a++) n[a] = (s->box.n[a] + BLOCK - 1) / BLOCK;
    s->rgb = tools->alloc(tools->ctx, 3 * bw_dense_cells(&s->box) * sizeof *s->rgb);
    s->lamp = tools->alloc(tools->ctx, (size_t)n[0] * (size_t)n[1] * (size_t)n[2] * sizeof *s->lamp);
    if (!s->rgb || !s->lamp) return BW_ERR_MEMORY;
    for (size_t i = 0; i < 3 * bw_dense_cells(&s->box); i++) s->rgb[i] = 0;
    for (int64_t i = 0; i < v->n_sparks; i++)
        if (shines(&v->spark[i])) spark_add(&v->spark[i], scene, pixel, s);
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) s->n_lamps += lamp_make(s, (int[3]){i, j, k}, &s->lamp[s->n_lamps]);
    s->floor = 0.13 * BLOCK * BLOCK * s->box.h * s->box.h; // a third of its radius squared
    return BW_OK;
}

void bw_shine_free(const struct bw_tools *tools, struct bw_shine *s)
{
    if (s->rgb) tools->release(tools->ctx, s->rgb);
    if (s->lamp) tools->release(tools->ctx, s->lamp);
    *s = (struct bw_shine){.rgb = NULL};
}

void bw_shine_light(const struct bw_shine *s, const double p[3], const double n[3], float rgb[3])
{
    const double soft = EDGE * sqrt(s->floor);
    for (int i = 0; i < s->n_lamps; i++) {
        const struct bw_shine_lamp *l = &s->lamp[i];
        double r2 = 0, cosine = 0;
        for (int a = 0; a < 3; a++) {
            const double d = l->at[a] - p[a];
            r2 += d * d, cosine += d * n[a];
        }
        const double facing = fmax(cosine + soft, 0) / (sqrt(r2) + soft);
        const float k = (float)(facing / (3.14159265358979 * (r2 + s->floor)));
        for (int c = 0; c < 3; c++) rgb[c] += k * l->rgb[c];
    }
}

/// Along one ray, in steps of a cell.
static void ray_add(const struct bw_shine *s, const struct bw_volume *v, const double from[3], const double dir[3],
                    float share, float rgb[3])
{
    const struct bw_dense *b = &s->box;
    double range[2] = {0, HUGE_VAL};
    for (int a = 0; a < 3; a++) {
        const double d = fabs(dir[a]) > 1e-9 ? dir[a] : 1e-9;
        const double lo = (b->origin[a] - from[a]) / d, hi = (b->origin[a] + b->n[a] * b->h - from[a]) / d;
        range[0] = fmax(range[0], fmin(lo, hi)), range[1] = fmin(range[1], fmax(lo, hi));
    }
    for (double t = range[0] + 0.5 * b->h; t < range[1]; t += b->h) {
        double p[3];
        struct bw_tap tap;
        for (int a = 0; a < 3; a++) p[a] = from[a] + t * dir[a];
        if (v->solid && t > CLEAR * v->solid_box.h && bw_solid_distance(v, p) < 0) return;
        bw_tap_at(b, p, &tap);
        for (int c = 0; c < 8; c++)
            for (int q = 0; q < 3; q++) rgb[q] += share * (float)b->h * tap.w[c] * s->rgb[3 * tap.at[c] + (size_t)q];
    }
}

void bw_shine_along(const struct bw_shine *s, const struct bw_volume *v, const double from[3], const double dir[3],
                    double wide, float turn, float rgb[3])
{
    const int rays = wide * CELLS > 4 ? RAYS : 1; // narrower than cells are: one shows all there is
    double u[3], w[3];
    if (!s->rgb) return;
    bw_light_across(dir, u, w);
    for (int i = 0; i < rays; i++) {
        const double r = rays > 1 ? wide * sqrt((i + 0.5) / rays) : 0;
        const double angle = 2.399963229728653 * i + 2 * 3.14159265358979 * (double)turn; // a sunflower's seeds
        double to[3], length = 0;
        for (int a = 0; a < 3; a++) {
            to[a] = dir[a] + r * (cos(angle) * u[a] + sin(angle) * w[a]);
            length += to[a] * to[a];
        }
        for (int a = 0; a < 3; a++) to[a] /= sqrt(length);
        ray_add(s, v, from, to, 1 / (float)rays, rgb);
    }
}
