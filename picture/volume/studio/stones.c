// SPDX-License-Identifier: Apache-2.0
/* A stone is an ellipsoid that random planes have cut: a ray's part in it is what is left of its part in the ellipsoid,
 * exactly, and so are silhouettes, facets and shadows. Rays go from square to square as those of Amanatides and Woo
 * (1987) through voxels; only the thin layer that stones rise to is looked through. */
#include "stones.h"

#include "noise.h"
#include <picture/volume/scene/fast_math.h>

#include <math.h>
#include <stdint.h>

enum { SIZES = 6, NEAR = 4, CUTS = 5, SQUARES = 48 };
#define WIDEST 0.36 ///< radius, of a square
#define FLAT 0.8    ///< height, of the radius
#define OUT 0.35    ///< how much of its height its middle is above the floor
#define CLEAR 2.2   ///< widths of the stage from its middle, within which there are no rocks
#define RIM 1.3     ///< radii: as far as a stone keeps light from the floor

/// The last two are rocks, that lie round the stage only.
static const struct size {
    double square; ///< m
    float share;   ///< of squares that have one, where stones lie densest
} sizes[SIZES] = {{0.17, 0.22f}, {0.065, 0.5f}, {0.024, 0.7f}, {0.009, 0.8f}, {0.75, 0.2f}, {2.6, 0.14f}};

/// m; rocks are no larger than suits a small stage: beside them it would look like a toy.
static double square_of(const struct bw_stones_field *f, int size)
{
    return size < NEAR ? sizes[size].square : fmin(sizes[size].square, (size == NEAR ? 0.08 : 0.26) * f->wide);
}

struct stone {
    double at[2], radius[3], cosine, sine;
    uint32_t seed;
};

/// Of any whole number, however far from the origin.
static int32_t wrapped(double i) { return (int32_t)(uint32_t)(i - 4294967296.0 * floor(i / 4294967296.0)); }

/// Its own square's; 0: there is none. `sunk`: 0 … 1, what is left of it.
static int stone_make(const struct bw_stones_field *f, int size, double i, double j, double sunk, struct stone *s)
{
    const double square = square_of(f, size), x = (i + 0.5) * square, y = (j + 0.5) * square;
    s->seed = bw_noise_hash(wrapped(i), wrapped(j), 0x9e3779b9u * (uint32_t)(size + 1));
    const float lot = bw_noise_draw(&s->seed) / sizes[size].share;
    if (lot > 1) return 0;
    if (lot > bw_most(3 * bw_noise(x / 0.55, y / 0.55) - 0.95f, 0.05f)) return 0; // they lie in heaps
    if (size >= NEAR && hypot(x - f->middle[0], y - f->middle[1]) < CLEAR * f->wide) return 0;
    const float large = bw_noise_draw(&s->seed);
    const double wide = (0.25 + 0.75 * (double)(large * large * large)) * WIDEST * square * sunk;
    const double turn = 6.283185307179586 * (double)bw_noise_draw(&s->seed);
    const double free = 1 - 2 * wide / square; // anywhere in its square: rows would show
    s->at[0] = (i + 0.5 + free * ((double)bw_noise_draw(&s->seed) - 0.5)) * square;
    s->at[1] = (j + 0.5 + free * ((double)bw_noise_draw(&s->seed) - 0.5)) * square;
    s->cosine = cos(turn), s->sine = sin(turn);
    s->radius[0] = wide;
    s->radius[1] = wide * (0.6 + 0.4 * (double)bw_noise_draw(&s->seed));
    s->radius[2] = wide * FLAT * (0.6 + 0.4 * (double)bw_noise_draw(&s->seed));
    return 1;
}

/// Into the stone's own axes, where its ellipsoid is the unit ball.
static void own_axes(const struct stone *s, const double v[3], double out[3])
{
    out[0] = (s->cosine * v[0] + s->sine * v[1]) / s->radius[0];
    out[1] = (s->cosine * v[1] - s->sine * v[0]) / s->radius[1];
    out[2] = v[2] / s->radius[2];
}

static void cut_of(uint32_t *seed, double plane[3], double *at)
{
    const double z = 0.1 + 0.7 * (double)bw_noise_draw(seed), turn = 6.283185307179586 * (double)bw_noise_draw(seed);
    const double r = sqrt(1 - z * z);
    plane[0] = r * cos(turn), plane[1] = r * sin(turn), plane[2] = z;
    *at = 0.62 + 0.33 * (double)bw_noise_draw(seed);
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
    double t0 = (-b - sqrt(root)) / a, t1 = (-b + sqrt(root)) / a, plane[3], off;
    uint32_t seed = s->seed;
    int cut = 0;
    for (int k = 0; k < 3; k++) face[k] = o[k] + t0 * d[k];
    for (int n = 0; n < CUTS; n++) {
        cut_of(&seed, plane, &off);
        double along = 0;
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
    const double n[3] = {s->cosine * x - s->sine * y, s->sine * x + s->cosine * y, z};
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int a = 0; a < 3; a++) hit->normal[a] = n[a] / length;
}

static double left_of(double square, double footprint) { return fmin(fmax(square / (4 * footprint) - 1, 0), 1); }

/// Those of one size, in squares from `t0` on.
static int size_hit(const struct bw_stones_field *f, int size, const double from[3], const double dir[3], double t0,
                    double t1, double sunk, struct bw_stone_hit *hit)
{
    const double square = square_of(f, size);
    double at[2], next[2], step[2];
    int found = 0;
    for (int a = 0; a < 2; a++) {
        const double x = (from[a] + t0 * dir[a]) / square;
        at[a] = floor(x);
        step[a] = fabs(dir[a]) > 1e-12 ? square / fabs(dir[a]) : HUGE_VAL;
        next[a] = step[a] < HUGE_VAL ? t0 + (dir[a] > 0 ? at[a] + 1 - x : x - at[a]) * step[a] : HUGE_VAL;
    }
    for (int n = 0; n < SQUARES && t0 <= t1 && !found; n++) {
        struct stone s;
        double depth, face[3];
        if (stone_make(f, size, at[0], at[1], sunk, &s) && stone_enter(&s, from, dir, &depth, face) &&
            depth < hit->depth) {
            hit->depth = depth, hit->which = bw_noise_draw(&s.seed), found = 1;
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
    for (int size = 0; size < SIZES; size++) {
        const double square = square_of(f, size), sunk = left_of(square, footprint),
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
    for (int size = 0; size < SIZES; size++) {
        const double square = square_of(f, size), sunk = left_of(square, footprint);
        struct stone s;
        if (sunk <= 0 || !stone_make(f, size, floor(at[0] / square), floor(at[1] / square), sunk, &s)) continue;
        const double way[3] = {at[0] - s.at[0], at[1] - s.at[1], 0};
        double own[3];
        own_axes(&s, way, own);
        const double past = (sqrt(own[0] * own[0] + own[1] * own[1]) - 0.8) / (RIM - 0.8);
        if (past < 1) open *= 0.45f + 0.55f * (float)fmax(past, 0);
    }
    return open;
}
