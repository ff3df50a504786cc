// SPDX-License-Identifier: Apache-2.0
/* The cut through an obstacle drawn as a block of metal with narrow round edges (a quarter of a circle, EDGE of the
 * picture's height) and a face that bulges a little, under a lamp at its upper left, and its shadow on what lies lower
 * right of it: a flat patch would look like a hole. Where a map glows it is cast concrete, dull, whose sides are lit by
 * what lies before them, most at their edges. */
#include "bodies.h"
#include <picture/volume/material/grain.h>

#include <math.h>

#define EDGE 0.006            ///< of the picture's height: radius of the edges
#define BROAD 0.08            ///< of it: over which a face bulges …
#define BULGE 0.4             ///< … by that slope
#define ACROSS 0.012          ///< over which the way out is found: a wall's ridge is as round as that
#define THROW 0.024           ///< how far shadows fall, and how soft they are
#define BEYOND 0.12           ///< from how far before a side light comes
#define GLOWS 2.4f            ///< of that light that an edge sends back …
#define RIM 0.006             ///< … and how far in: of the picture's height, where a third is left …
#define INNER 0.16f           ///< … of what the middle sends back too
#define PEBBLE 0.022          ///< of the picture's height: the concrete's
enum { BEFORE = 5, FAN = 5 }; ///< places of it along each of so many ways
#define SHADOW 0.6f           ///< of the light, that they take at most

/// Pixels from the surface, positive outside.
static double distance_read(const struct bw_slice *s, double u, double v, const double pixel[2])
{
    return (double)bw_slice_read(s, s->solid, u, v) / (s->h * pixel[1]);
}

/// What the lamp does to a place of the relief: Lambert's share, and what is mirrored.
struct relief {
    double lit, gloss;
};

/// `deep` m/m of the picture's height inside, where (dx, dy) is the way out, dy upwards. Grooves that run along the
/// edge mirror the lamp where they lie across its light.
static struct relief relief_light(double dx, double dy, double deep)
{
    static const double lamp[3] = {-0.52, 0.6, 0.6}, half[3] = {-0.29, 0.335, 0.896}, flat = 0.794;
    const double edge = 1 - fmin(fmax(deep / EDGE, 0), 1), bulge = BULGE * (1 - fmin(fmax(deep / BROAD, 0), 1));
    const double tilt = fmax(edge, bulge), x = dx * tilt, y = dy * tilt, z = sqrt(fmax(1 - x * x - y * y, 0));
    const double shine = fmax(half[0] * x + half[1] * y + half[2] * z, 0), along = sqrt(dx * dx + dy * dy) + 1e-9;
    const double across = (dx * lamp[0] + dy * lamp[1]) / (along * flat), bow = pow(across * across, 6);
    return (struct relief){fmax(lamp[0] * x + lamp[1] * y + lamp[2] * z, 0),
                           0.5 * pow(shine, 60) + 0.1 * fmin(along, 1) * bow * (1 - edge)};
}

/// Light of the picture at shares x, y of its size from its upper left, as if linear, between its pixels.
static void glow_read(const struct bw_image *glow, double x, double y, float rgb[3])
{
    const double u = fmin(fmax(x * glow->w - 0.5, 0), glow->w - 1), v = fmin(fmax(y * glow->h - 0.5, 0), glow->h - 1);
    const int i = (int)u, j = (int)v;
    const size_t right = i + 1 < glow->w ? 3 : 0, down = j + 1 < glow->h ? 3 * (size_t)glow->w : 0;
    const float fx = (float)(u - i), fy = (float)(v - j);
    const float *p = glow->px + 3 * ((size_t)j * (size_t)glow->w + (size_t)i);
    for (int c = 0; c < 3; c++, p++) {
        const float light =
            (p[0] * (1 - fx) + p[right] * fx) * (1 - fy) + (p[down] * (1 - fx) + p[down + right] * fx) * fy;
        rgb[c] = light * light;
    }
}

/// What lies before a side, `way` pixels long and dy upwards, sends there: the mean over a fan.
static void glow_gather(const struct bw_slice *s, const struct bw_image *glow, const double at[2],
                        const double pixel[2], const double way[2], float sum[3])
{
    static const double fan[FAN][2] = {{0.54, -0.84}, {0.83, -0.56}, {1, 0}, {0.83, 0.56}, {0.54, 0.84}};
    for (int q = 0; q < FAN * BEFORE; q++) {
        const double *turn = fan[q % FAN], far = (q / FAN + 0.5) / BEFORE;
        const double dx = far * (turn[0] * way[0] - turn[1] * way[1]), dy = far * (turn[1] * way[0] + turn[0] * way[1]);
        float rgb[3];
        glow_read(glow, (at[0] + dx * pixel[0]) / s->n[0], 1 - (at[1] + dy * pixel[1]) / s->n[1], rgb);
        for (int c = 0; c < 3; c++) sum[c] += rgb[c] / (FAN * BEFORE);
    }
}

/// What a place of the cut through concrete has of its mean light: pebbles in grey mortar, and stains.
static float concrete(double u, double v, const double pixel[2], double height)
{
    const double at[3] = {u / (pixel[1] * height), v / (pixel[1] * height), 0.5}, foot = 1 / height;
    const double cell[3] = {at[0] / PEBBLE, at[1] / PEBBLE, 0.5};
    float which;
    const float edge = bw_grain_cells(cell, &which), round = fminf(fmaxf(6 * (edge - 0.08f), 0), 1);
    const float stain = bw_grain_waves(at, 0.2, 3, 0.6f, foot), grit = bw_grain_waves(at, 0.008, 2, 0.8f, foot);
    return (0.85f + 0.3f * stain) * (0.9f + 0.2f * grit) * (1 + 0.15f * round * (which - 0.45f));
}

void bw_slice_bodies(const struct bw_slice *s, double u, double v, const double pixel[2], double height,
                     const struct bw_image *glow, float rgb[3])
{
    static const float metal[3] = {0.4f, 0.41f, 0.43f}, stone[3] = {0.2f, 0.21f, 0.23f};
    if (!s->solid) return;
    const double distance = distance_read(s, u, v, pixel), throw = THROW * height, step = fmax(ACROSS * height, 1);
    const double behind = distance_read(s, u - throw *pixel[0], v + throw *pixel[1], pixel);
    if (distance > 1 && behind > throw) return; // no shadow gets there
    const float shade = 1 - SHADOW * (float)fmin(fmax(0.5 - 0.5 * behind / throw, 0), 1);
    const float inside = (float)fmin(fmax(0.5 - distance, 0), 1);
    for (int c = 0; c < 3; c++) rgb[c] *= shade;
    if (!(inside > 0)) return; // where distances are known no farther out, they have no slope
    const double dx = distance_read(s, u + step * pixel[0], v, pixel) - distance_read(s, u - step * pixel[0], v, pixel);
    const double dy = distance_read(s, u, v + step * pixel[1], pixel) - distance_read(s, u, v - step * pixel[1], pixel);
    const struct relief lamp = relief_light(dx / (2 * step), dy / (2 * step), -distance / height);
    const double far = BEYOND * height - fmin(distance, 0), way[2] = {far * dx / (2 * step), far * dy / (2 * step)};
    const float rim = INNER + (1 - INNER) * (float)exp(fmin(distance, 0) / (RIM * height));
    const float side = GLOWS * rim * (float)fmin(hypot(dx, dy) / (2 * step), 1);
    const float grain = glow ? concrete(u, v, pixel, height) : 1;
    float light[3] = {0};
    if (glow) glow_gather(s, glow, (double[2]){u, v}, pixel, way, light);
    for (int c = 0; c < 3; c++) {
        const float gloss = (float)lamp.gloss * (1.02f - 0.04f * (float)c);
        const float body = glow ? grain * (stone[c] * (float)(0.12 + 1.1 * lamp.lit) + side * light[c])
                                : metal[c] * (float)(0.12 + 1.1 * lamp.lit) + gloss;
        rgb[c] = rgb[c] * (1 - inside) + fminf(body, 1) * inside;
    }
}
