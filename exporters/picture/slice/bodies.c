// SPDX-License-Identifier: Apache-2.0
/* The cut through an obstacle drawn as a block with round edges (a quarter of a circle, EDGE of the picture's height)
 * under a lamp at its upper left, and its shadow on what lies lower right of it: a flat patch would look like a
 * hole. */
#include "bodies.h"

#include <math.h>

#define EDGE 0.02    ///< of the picture's height: radius of the edges
#define ACROSS 0.012 ///< over which the way out is found: a wall's ridge is as round as that
#define THROW 0.014  ///< how far shadows fall, and how soft they are
#define SHADOW 0.4f  ///< of the light, that they take at most

/// Pixels from the surface, positive outside.
static double distance_read(const struct bw_slice *s, double u, double v, const double pixel[2])
{
    return (double)bw_slice_read(s, s->solid, u, v) / (s->h * pixel[1]);
}

/// Lambert's share of the lamp on the relief, `deep` edge radii inside, where (dx, dy) is the way out, dy upwards.
static double relief_light(double dx, double dy, double deep)
{
    static const double lamp[3] = {-0.52, 0.6, 0.6};
    const double tilt = 1 - fmin(fmax(deep, 0), 1), x = dx * tilt, y = dy * tilt;
    return fmax(lamp[0] * x + lamp[1] * y + lamp[2] * sqrt(fmax(1 - x * x - y * y, 0)), 0);
}

void bw_slice_bodies(const struct bw_slice *s, double u, double v, const double pixel[2], double height, int dark,
                     float rgb[3])
{
    static const float bodies[2][3] = {{0.47f, 0.45f, 0.43f}, {0.36f, 0.37f, 0.4f}};
    if (!s->solid) return;
    const double distance = distance_read(s, u, v, pixel), throw = THROW * height, step = fmax(ACROSS * height, 1);
    if (distance > 3 * throw) return; // no shadow gets there
    const double behind = distance_read(s, u - throw *pixel[0], v + throw *pixel[1], pixel);
    const float shade = 1 - SHADOW * (float)fmin(fmax(0.5 - 0.5 * behind / throw, 0), 1);
    const float inside = (float)fmin(fmax(0.5 - distance, 0), 1);
    const double dx = distance_read(s, u + step * pixel[0], v, pixel) - distance_read(s, u - step * pixel[0], v, pixel);
    const double dy = distance_read(s, u, v + step * pixel[1], pixel) - distance_read(s, u, v - step * pixel[1], pixel);
    const double lit = relief_light(dx / (2 * step), dy / (2 * step), -distance / (EDGE * height));
    for (int c = 0; c < 3; c++) {
        const float body = bodies[dark][c] * (float)(0.3 + 1.15 * lit);
        rgb[c] = rgb[c] * shade * (1 - inside) + body * inside;
    }
}
