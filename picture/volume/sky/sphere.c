// SPDX-License-Identifier: Apache-2.0
/* A sphere of light as the renderer's few lights. What is much brighter than the rest and small becomes a lamp, with
 * the power that it has and shadows; all the rest is spread over six sides with the weights (d·n)², which sum to one,
 * so that no light is lost or made. */
#include "sphere.h"
#include <picture/volume/scene/fast_math.h>
#include <picture/volume/studio/noise.h>

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define BRIGHT 6.0  ///< times the mean: a lamp begins here …
#define REACH 0.978 ///< … and is at most 12 degrees wide either way
#define WORTH 0.02  ///< of all light: less makes no lamp

double bw_sky_pixel(const struct bw_sky *s, int x, int y, double to[3])
{
    const double up = PI * (0.5 - (y + 0.5) / s->h), round = 2 * PI * (0.5 - (x + 0.5) / s->w);
    to[0] = cos(up) * cos(round), to[1] = cos(up) * sin(round), to[2] = sin(up);
    return 2 * PI / s->w * (sin(up + 0.5 * PI / s->h) - sin(up - 0.5 * PI / s->h));
}

static double luminance(const float rgb[3])
{
    return 0.2126 * (double)rgb[0] + 0.7152 * (double)rgb[1] + 0.0722 * (double)rgb[2];
}

/// Mean of colour over the sphere.
static void sky_mean(const struct bw_sky *s, double mean[3])
{
    double to[3];
    mean[0] = mean[1] = mean[2] = 0;
    for (int y = 0; y < s->h; y++) {
        const double part = bw_sky_pixel(s, 0, y, to) / (4 * PI);
        for (int x = 0; x < s->w; x++)
            for (int c = 0; c < 3; c++) mean[c] += part * (double)s->rgb[3 * (y * s->w + x) + c];
    }
}

/// A lamp being found: pixels within REACH of a direction that are brighter than `floor`.
struct find {
    double at[3], floor;
};

static int find_holds(const struct find *f, const double to[3], const float rgb[3])
{
    return to[0] * f->at[0] + to[1] * f->at[1] + to[2] * f->at[2] > REACH && luminance(rgb) > f->floor;
}

static int lamps_hold(const struct find *found, int n, const double to[3], const float rgb[3])
{
    for (int i = 0; i < n; i++)
        if (find_holds(&found[i], to, rgb)) return 1;
    return 0;
}

/// The brightest direction that is in no lamp yet; its luminance.
static double brightest(const struct bw_sky *s, const struct find *found, int n, double at[3])
{
    double most = 0, to[3];
    for (int y = 0; y < s->h; y++)
        for (int x = 0; x < s->w; x++) {
            const float *rgb = s->rgb + 3 * (y * s->w + x);
            const double light = luminance(rgb);
            if (!(light > most)) continue;
            bw_sky_pixel(s, x, y, to);
            if (lamps_hold(found, n, to, rgb)) continue;
            most = light;
            memcpy(at, to, sizeof to);
        }
    return most;
}

/// The light of a lamp over the mean, as one from far off.
static struct bw_light lamp_sum(const struct bw_sky *s, const struct find *f, const double mean[3])
{
    struct bw_light l = {.half = 0.045};
    double to[3], sum[3] = {0}, middle[3] = {0}, length = 0;
    for (int y = 0; y < s->h; y++)
        for (int x = 0; x < s->w; x++) {
            const float *rgb = s->rgb + 3 * (y * s->w + x);
            if (!(luminance(rgb) > f->floor)) continue;
            const double part = bw_sky_pixel(s, x, y, to);
            if (!find_holds(f, to, rgb)) continue;
            for (int c = 0; c < 3; c++) {
                sum[c] += part * fmax((double)rgb[c] - mean[c], 0);
                middle[c] += part * luminance(rgb) * to[c];
            }
        }
    for (int a = 0; a < 3; a++) length += middle[a] * middle[a];
    for (int a = 0; a < 3; a++) l.to[a] = length > 0 ? middle[a] / sqrt(length) : f->at[a];
    for (int c = 0; c < 3; c++) l.rgb[c] = (float)(sum[c] / BW_SUN);
    return l;
}

/// What no lamp has, on the six sides and on level surfaces.
static void sides_sum(struct bw_sky *s, const struct find *found, int n, const double mean[3])
{
    double to[3], side[6][3] = {{0}}, level[2][3] = {{0}};
    for (int y = 0; y < s->h; y++)
        for (int x = 0; x < s->w; x++) {
            const float *rgb = s->rgb + 3 * (y * s->w + x);
            const double part = bw_sky_pixel(s, x, y, to);
            const int lamp = n && lamps_hold(found, n, to, rgb);
            const int q[3] = {to[2] > 0 ? 0 : 1, to[0] > 0 ? 2 : 3, to[1] > 0 ? 4 : 5};
            for (int c = 0; c < 3; c++) {
                const double light = lamp ? fmin((double)rgb[c], mean[c]) : (double)rgb[c];
                side[q[0]][c] += part * light * to[2] * to[2] / (4 * PI);
                side[q[1]][c] += part * light * to[0] * to[0] / (4 * PI);
                side[q[2]][c] += part * light * to[1] * to[1] / (4 * PI);
                level[q[0]][c] += part * light * fabs(to[2]) / PI;
            }
        }
    for (int c = 0; c < 3; c++) {
        for (int q = 0; q < 6; q++) s->side[q][c] = (float)side[q][c];
        s->above[c] = (float)level[0][c], s->below[c] = (float)level[1][c];
    }
}

void bw_sky_survey(struct bw_sky *s)
{
    struct find found[BW_SKY_LIGHTS];
    double mean[3];
    int n = 0;
    sky_mean(s, mean);
    const double white = luminance((float[3]){(float)mean[0], (float)mean[1], (float)mean[2]});
    while (s->n_lights < BW_SKY_LIGHTS && white > 0) {
        struct find f = {.floor = BRIGHT * white};
        if (!(brightest(s, found, n, f.at) > f.floor)) break;
        const struct bw_light l = lamp_sum(s, &f, mean);
        if (luminance(l.rgb) * BW_SUN < WORTH * 4 * PI * white) break;
        found[n++] = f;
        s->light[s->n_lights++] = l;
    }
    sides_sum(s, found, n, mean);
}

/* Cirrus: a flat layer far up, noise that is bent by noise and drawn out along the wind. A way meets it at far times
 * its own x and y. */
static double clouds_far(double up) { return 1 / (up + 0.1); }
#define CLOUDS_FINE 1e-3 ///< a way's width, rad: finer parts of them are left out

static float clouds_cover(double clouds, double x, double y)
{
    const double r2 = x * x + y * y, up = (sqrt(1 + 0.99 * r2) - 0.1 * r2) / (1 + r2); // r = far √(1 - up²)
    const double far = clouds_far(up), fine = CLOUDS_FINE * far * far;
    const double bend[2] = {(double)bw_noise_waves((const double[2]){x, y}, 1.3, 3, 0.5f, fine) - 0.5,
                            (double)bw_noise_waves((const double[2]){y + 40, x}, 1.3, 3, 0.5f, fine) - 0.5};
    const double at[2] = {0.4 * (x + 0.6 * y) + 0.9 * bend[0], y - 0.6 * x + 1.2 * bend[1]};
    const float thick = bw_noise_waves(at, 1.1, 7, 0.6f, fine), banks = bw_noise_waves(at, 3.1, 2, 0.5f, fine),
                from = 0.6f - 0.45f * (float)clouds;
    const float t = bw_least(bw_most((0.6f * thick + 0.4f * banks - from) / 0.3f, 0), 1);
    return t * t * (3 - 2 * t);
}

enum { COVER, LANES = 4 }; ///< one of them is used
static void clouds_make(const struct bw_texture_plan *plan, const double at[2], double texel, int side, float *out)
{
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++)
            out[j * side + i] = clouds_cover(plan->number[0], at[0] + i * texel, at[1] + j * texel);
    for (int q = side * side; q < LANES * side * side; q++) out[q] = 0;
}

void bw_sky_clouds_plan(const struct bw_sky *s, struct bw_texture_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    if (s && s->wish.clouds > 0) plan->make = clouds_make, plan->lanes = LANES, plan->number[0] = s->wish.clouds;
}

/// The sun shines through them, most where it is near. Towards the horizon they are lost in the air.
static void clouds_see(const struct bw_sky *s, const struct bw_sky_clouds *c, const double to[3], float rgb[3])
{
    const double far = clouds_far(to[2]), at[2] = {far * to[0], far * to[1]};
    float lanes[LANES], cover;
    if (c) bw_texture_read(c->texture, c->plan, at, CLOUDS_FINE * far * far, lanes), cover = lanes[COVER];
    else cover = clouds_cover(s->wish.clouds, at[0], at[1]);
    cover *= 0.8f * bw_least((float)to[2] / 0.16f, 1);
    const double *sun = s->light[0].to, near = to[0] * sun[0] + to[1] * sun[1] + to[2] * sun[2];
    const float bright = BW_SUN_SMOKE * (0.42f + 0.25f * (float)(near * near) + 0.8f * (float)pow(fmax(near, 0), 24));
    for (int k = 0; k < 3; k++) rgb[k] += cover * (bright * s->light[0].rgb[k] + 0.35f * s->above[k] - rgb[k]);
}

void bw_sky_read(const struct bw_sky *s, const struct bw_sky_clouds *clouds, const double to[3], float rgb[3])
{
    const double u = (0.5 - atan2(to[1], to[0]) / (2 * PI)) * s->w - 0.5;
    const double v = fmin(fmax((0.5 - asin(fmin(fmax(to[2], -1), 1)) / PI) * s->h - 0.5, 0), s->h - 1.001);
    const int j = (int)v, left = (int)floor(u);
    const float fu = (float)(u - left), fv = (float)(v - j);
    const int i[2] = {(left + s->w) % s->w, (left + 1 + s->w) % s->w};
    const float *low = s->rgb + 3 * j * s->w, *high = s->h > 1 ? low + 3 * s->w : low;
    for (int c = 0; c < 3; c++)
        rgb[c] = (low[3 * i[0] + c] * (1 - fu) + low[3 * i[1] + c] * fu) * (1 - fv) +
                 (high[3 * i[0] + c] * (1 - fu) + high[3 * i[1] + c] * fu) * fv;
    if (s->wish.clouds > 0 && to[2] > 0) clouds_see(s, clouds, to, rgb);
}
