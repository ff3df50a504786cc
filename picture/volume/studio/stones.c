// SPDX-License-Identifier: Apache-2.0
/* A stone is an ellipsoid that random planes have cut: a ray's part in it is what is left of its part in the ellipsoid,
 * exactly, and so are silhouettes, facets and shadows. Rays go from square to square as those of Amanatides and Woo
 * (1987) through voxels; only the thin layer that stones rise to is looked through. */
#include "stones.h"

#include <math.h>

enum { SQUARES = 48 };
#define WIDEST 0.36 ///< radius, of a square
#define FLAT 0.8    ///< height, of the radius
#define OUT 0.35    ///< how much of its height its middle is above the floor
#define RIM 1.3     ///< radii: as far as a stone keeps light from the floor

struct stone {
    const struct bw_stone_lot *lot;
    double at[2], radius[3];
};

/// Its own square's; 0: there is none. `sunk`: 0 … 1, what is left of it.
static int stone_make(const struct bw_stones_field *f, int size, double i, double j, double sunk,
                      struct bw_stone_lot *own, struct stone *s)
{
    const struct bw_stone_lot *lot = bw_stone_lot(f, size, i, j, own);
    if (!lot) return 0;
    const double square = bw_stone_square(f, size);
    const double wide = (0.25 + 0.75 * (double)(lot->large * lot->large * lot->large)) * WIDEST * square * sunk;
    const double free = 1 - 2 * wide / square; // anywhere in its square: rows would show
    s->lot = lot;
    s->at[0] = (i + 0.5 + free * ((double)lot->aside[0] - 0.5)) * square;
    s->at[1] = (j + 0.5 + free * ((double)lot->aside[1] - 0.5)) * square;
    s->radius[0] = wide;
    s->radius[1] = wide * (0.6 + 0.4 * (double)lot->round);
    s->radius[2] = wide * FLAT * (0.6 + 0.4 * (double)lot->flat);
    return 1;
}

/// Into the stone's own axes, where its ellipsoid is the unit ball.
static void own_axes(const struct stone *s, const double v[3], double out[3])
{
    out[0] = (s->lot->cosine * v[0] + s->lot->sine * v[1]) / s->radius[0];
    out[1] = (s->lot->cosine * v[1] - s->lot->sine * v[0]) / s->radius[1];
    out[2] = v[2] / s->radius[2];
}

/// Where a ray enters; `face`: the normal there, in the stone's own axes.
static int stone_enter(const struct stone *s, const double from[3], const double dir[3], double *depth, double face[3])
{
    const double to[3] = {from[0] - s->at[0], from[1] - s->at[1], from[2] - OUT * s->radius[2]};
    double o[3], d[3], a = 0, b = 0, c = -1;
    own_axes(s, to, o), own_axes(s, dir, d);
    for (int k = 0; k < 3; k++) a += d[k] * d[k], b += o[k] * d[k], c += o[k] * o[k];
    const double root = b * b - a * c;
    if (root <= 0) return 0;
    double t0 = (-b - sqrt(root)) / a, t1 = (-b + sqrt(root)) / a;
    int cut = 0;
    for (int k = 0; k < 3; k++) face[k] = o[k] + t0 * d[k];
    for (int n = 0; n < BW_STONE_CUTS; n++) {
        const double *plane = s->lot->plane[n];
        double along = 0, off = s->lot->off[n];
        for (int k = 0; k < 3; k++) along += plane[k] * d[k], off -= plane[k] * o[k];
        if (fabs(along) < 1e-12) {
            if (off < 0) return 0;
        } else if (along > 0) {
            t1 = fmin(t1, off / along);
        } else if (off / along > t0) {
            t0 = off / along, cut = 1;
            for (int k = 0; k < 3; k++) face[k] = plane[k];
        }
    }
    if (cut) // its edges are worn
        for (int k = 0; k < 3; k++) face[k] = 0.75 * face[k] + 0.25 * (o[k] + t0 * d[k]);
    *depth = t0;
    return t0 < t1 && t0 > 1e-6;
}

static void normal_of(const struct stone *s, const double face[3], struct bw_stone_hit *hit)
{
    const double x = face[0] / s->radius[0], y = face[1] / s->radius[1], z = face[2] / s->radius[2];
    const double n[3] = {s->lot->cosine * x - s->lot->sine * y, s->lot->sine * x + s->lot->cosine * y, z};
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int a = 0; a < 3; a++) hit->normal[a] = n[a] / length;
}

static double left_of(double square, double footprint) { return fmin(fmax(square / (4 * footprint) - 1, 0), 1); }

/// Those of one size, in squares from `t0` on.
static int size_hit(const struct bw_stones_field *f, int size, const double from[3], const double dir[3], double t0,
                    double t1, double sunk, struct bw_stone_hit *hit)
{
    const double square = bw_stone_square(f, size);
    double at[2], next[2], step[2];
    int found = 0;
    for (int a = 0; a < 2; a++) {
        const double x = (from[a] + t0 * dir[a]) / square;
        at[a] = floor(x);
        step[a] = fabs(dir[a]) > 1e-12 ? square / fabs(dir[a]) : HUGE_VAL;
        next[a] = step[a] < HUGE_VAL ? t0 + (dir[a] > 0 ? at[a] + 1 - x : x - at[a]) * step[a] : HUGE_VAL;
    }
    for (int n = 0; n < SQUARES && t0 <= t1 && !found; n++) {
        struct bw_stone_lot own;
        struct stone s;
        double depth, face[3];
        if (stone_make(f, size, at[0], at[1], sunk, &own, &s) && stone_enter(&s, from, dir, &depth, face) &&
            depth < hit->depth) {
            hit->depth = depth, hit->which = s.lot->which, found = 1;
            normal_of(&s, face, hit);
        }
        const int a = next[1] < next[0];
        t0 = next[a], next[a] += step[a], at[a] += dir[a] > 0 ? 1 : -1;
    }
    return found;
}

int bw_stones_hit(const struct bw_stones_field *f, const double from[3], const double dir[3], double footprint,
                  struct bw_stone_hit *hit)
{
    int found = 0;
    for (int size = 0; size < BW_STONE_SIZES; size++) {
        const double square = bw_stone_square(f, size), sunk = left_of(square, footprint),
                     top = (1 + OUT) * FLAT * WIDEST * square * sunk;
        double t0 = 0, t1 = hit->depth;
        if (sunk <= 0) continue;
        if (from[2] > top) t0 = dir[2] < 0 ? (top - from[2]) / dir[2] : HUGE_VAL;
        if (dir[2] > 0) t1 = fmin(t1, (top - from[2]) / dir[2]);
        if (t0 <= t1) found |= size_hit(f, size, from, dir, t0, t1, sunk, hit);
    }
    return found;
}

float bw_stones_open(const struct bw_stones_field *f, const double at[2], double footprint)
{
    float open = 1;
    for (int size = 0; size < BW_STONE_SIZES; size++) {
        const double square = bw_stone_square(f, size), sunk = left_of(square, footprint);
        struct bw_stone_lot own;
        struct stone s;
        if (sunk <= 0 || !stone_make(f, size, floor(at[0] / square), floor(at[1] / square), sunk, &own, &s)) continue;
        const double way[3] = {at[0] - s.at[0], at[1] - s.at[1], 0};
        double ball[3];
        own_axes(&s, way, ball);
        const double past = (sqrt(ball[0] * ball[0] + ball[1] * ball[1]) - 0.8) / (RIM - 0.8);
        if (past < 1) open *= 0.45f + 0.55f * (float)fmax(past, 0);
    }
    return open;
}
