// SPDX-License-Identifier: Apache-2.0
/* The studio: a dark backdrop, a floor that takes the smoke's shadow and the fire's light and fades into the backdrop,
 * and the tone curve. Cheats: the floor's shadow is marched through the coarse grid, and the fire lights it as
 * one lamp at its centre. */
#include "render.h"

#include <math.h>

enum { MAP = 160 };

/// Transmittance from p towards the light through the coarse extinction.
static float shadow_march(const struct bw_ambient *a, const double p[3], const double to[3])
{
    const struct bw_dense *b = &a->box;
    double t0 = 0, t1 = HUGE_VAL;
    for (int d = 0; d < 3; d++) {
        double lo = (b->origin[d] - p[d]) / to[d], hi = (b->origin[d] + b->n[d] * b->h - p[d]) / to[d];
        t0 = fmax(t0, fmin(lo, hi));
        t1 = fmin(t1, fmax(lo, hi));
    }
    double depth = 0, ds = 0.8 * b->h;
    for (double t = t0 + 0.5 * ds; t < t1 && depth < 6; t += ds) {
        struct bw_tap tap;
        bw_tap_at(b, (double[3]){p[0] + t * to[0], p[1] + t * to[1], p[2] + t * to[2]}, &tap);
        depth += ds * (double)bw_tap_read(&tap, a->extinction);
    }
    return (float)exp(-depth);
}

static void shadow_row(int64_t j, void *user)
{
    struct bw_studio *s = user;
    double cell = s->size / s->n, y = s->lo[1] + ((double)j + 0.5) * cell;
    for (int i = 0; i < s->n; i++)
        s->shadow[j * s->n + i] =
            shadow_march(s->ambient, (double[3]){s->lo[0] + (i + 0.5) * cell, y, s->scene->lo[2]}, s->key.to);
}

enum bw_status bw_studio_make(const struct bw_tools *tools, const struct bw_scene *scene,
                              const struct bw_ambient *ambient, struct bw_studio *s)
{
    *s = (struct bw_studio){.scene = scene, .ambient = ambient, .n = MAP};
    bw_scene_lights(&scene->camera, &s->key, &s->rim);
    if (!scene->floor || !ambient->extinction) return BW_OK;
    double w[3];
    for (int a = 0; a < 3; a++) w[a] = scene->hi[a] - scene->lo[a];
    s->size = 1.6 * (fmax(w[0], w[1]) + w[2]); // shadows fall as far as the stage is high
    for (int a = 0; a < 2; a++) s->lo[a] = 0.5 * (scene->lo[a] + scene->hi[a]) - 0.5 * s->size;
    s->shadow = tools->alloc(tools->ctx, (size_t)MAP * MAP * sizeof(float));
    if (!s->shadow) return BW_ERR_MEMORY;
    tools->parallel(tools->ctx, MAP, shadow_row, s);
    return BW_OK;
}

static float shadow_read(const struct bw_studio *s, double x, double y)
{
    double u = (x - s->lo[0]) / s->size * s->n - 0.5, v = (y - s->lo[1]) / s->size * s->n - 0.5;
    if (!s->shadow || !(u >= 0 && v >= 0 && u < s->n - 1 && v < s->n - 1)) return 1;
    int i = (int)u, j = (int)v;
    float fu = (float)(u - i), fv = (float)(v - j);
    const float *p = s->shadow + j * s->n + i;
    return (p[0] * (1 - fu) + p[1] * fu) * (1 - fv) + (p[s->n] * (1 - fu) + p[s->n + 1] * fu) * fv;
}

/// Light from the fire on the floor at p, as from a lamp at its centre no nearer than a tenth of the stage.
static float glow_factor(const struct bw_studio *s, const double p[3])
{
    const struct bw_ambient *a = s->ambient;
    double d[3], near = 0.1 * (s->scene->hi[2] - s->scene->lo[2]), r2 = near * near;
    for (int c = 0; c < 3; c++) {
        d[c] = a->glow_at[c] - p[c];
        r2 += d[c] * d[c];
    }
    return (float)((fmax(d[2], 0) + 0.3 * near) / (r2 * sqrt(r2)));
}

static void floor_light(const struct bw_studio *s, const double p[3], float rgb[3])
{
    static const float sky[3] = {0.20f, 0.26f, 0.34f};
    float key = (float)s->key.to[2] * shadow_read(s, p[0], p[1]), glow = glow_factor(s, p);
    for (int c = 0; c < 3; c++)
        rgb[c] = 0.042f * (key * s->key.rgb[c] + sky[c]) + 0.25f * glow * (float)s->ambient->glow[c];
}

void bw_studio_colour(const struct bw_studio *s, const double dir[3], double u, double v, float rgb[3], double *depth)
{
    static const float dark[3] = {0.0075f, 0.0088f, 0.0115f}, light[3] = {0.026f, 0.029f, 0.034f};
    const struct bw_scene *scene = s->scene;
    float vignette = (float)exp(-0.9 * (u * u + (v + 0.15) * (v + 0.15)));
    for (int c = 0; c < 3; c++) rgb[c] = dark[c] + (light[c] - dark[c]) * vignette;
    *depth = HUGE_VAL;
    if (!scene->floor || dir[2] > -1e-6) return;
    *depth = (scene->lo[2] - scene->camera.eye[2]) / dir[2];
    if (*depth < 0) return;
    double p[3], r2 = 0, size = fmax(scene->hi[0] - scene->lo[0], scene->hi[1] - scene->lo[1]);
    for (int a = 0; a < 3; a++) p[a] = scene->camera.eye[a] + *depth * dir[a];
    for (int a = 0; a < 2; a++) r2 += pow(p[a] - 0.5 * (scene->lo[a] + scene->hi[a]), 2);
    float lit[3], fade = (float)exp(-r2 / (0.8 * size * size));
    floor_light(s, p, lit);
    for (int c = 0; c < 3; c++) rgb[c] += (lit[c] - rgb[c]) * fade;
}

/// Toe and shoulder of film as x^p / (x^p + k) (Naka and Rushton 1966), k so that 0.18 lands on mid grey.
void bw_tone(const float linear[3], float exposure, float srgb[3])
{
    for (int c = 0; c < 3; c++) {
        float x = powf(bw_most(linear[c], 0) * exposure, 1.2f), y = 1.06f * x / (x + 0.62f);
        y = bw_least(y, 1);
        srgb[c] = y <= 0.0031308f ? 12.92f * y : 1.055f * powf(y, 1 / 2.4f) - 0.055f;
    }
}
