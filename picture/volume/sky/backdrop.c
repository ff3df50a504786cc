// SPDX-License-Identifier: Apache-2.0
/* Outlines are heights over the horizon by the angle round the eye, and so stand infinitely far away: nothing slides
 * when the eye moves. Hills by day have spurs and gullies, noise that is drawn out up the slope, lit by a sun from the
 * side. Firs are cones with ragged edges, at most one a place of a row. */
#include "backdrop.h"
#include "stars.h"
#include <picture/volume/studio/noise.h>

#include <math.h>
#include <string.h>

enum { ROWS = 3, PARTS = 3 }; ///< row 0 is the farthest; parts of a texel
enum { COVER, FACING = ROWS, HIGH = 2 * ROWS, LANES = 4 * ROWS };
#define TURN 6.283185307179586
#define HIGHEST 0.14 ///< tangent over the horizon that nothing reaches

/// 0 … 1 of place i of `n` round the horizon.
static double lot(double i, int n, int32_t row, int32_t which)
{
    const int32_t at = ((int32_t)i % n + n) % n;
    return (double)(bw_noise_hash(at, row, 77u + (uint32_t)which) >> 8) / 16777216;
}

/// 0 … 1, mean ½, round the horizon: waves of some `length`, rad.
static double swell(double round, int row, double length, int octaves)
{
    const double at[2] = {cos(round) + 9.7 * row, sin(round)};
    return (double)bw_noise_waves(at, length, octaves, 0.48f, 1e-5);
}

/// Tangents over the horizon of a row, 0 the farthest, at an angle round the eye, rad.
static double hills_height(double round, int row)
{
    return (0.05 - 0.012 * row) * (0.35 + 1.3 * swell(round, row, 0.55 - 0.08 * row, 6)) - 0.02;
}

static const float earth[3] = {0.17f, 0.135f, 0.1f}; ///< dry

/// Heights of a hillside's relief, in waves of `length` rad that run up it.
static double spurs(double round, double up, int row, double length, double wide)
{
    const double far = 1 + 0.9 * up, at[2] = {far * cos(round) + 9.7 * row, far * sin(round)};
    const double n = (double)bw_noise_waves(at, length, 6, 0.45f, wide);
    return length * (1 - fabs(2 * n - 1));
}

/// How much a hillside faces the sun, and how high over a gully it is, 0 … 1.
static void hill_look(const double sun[3], double round, double up, int row, double wide, float *facing, float *high)
{
    const double length = 0.16 - 0.02 * row, e = 0.004, here = spurs(round, up, row, length, wide);
    const double aside = (spurs(round + e, up, row, length, wide) - here) / e,
                 over = (spurs(round, up + e, row, length, wide) - here) / e;
    const double c = cos(round), s = sin(round), steep = 0.5 + 0.15 * over;
    const double n[3] = {0.3 * aside * s - steep * c, -0.3 * aside * c - steep * s, 1};
    double sees = 0, n2 = 0;
    for (int a = 0; a < 3; a++) sees += n[a] * sun[a], n2 += n[a] * n[a];
    *facing = (float)(sees / sqrt(n2)), *high = (float)(here / length);
}

/// What a hillside sends back by day: dry earth, brush in its gullies.
static void hill_day(const struct bw_backdrop_light *l, float facing, float high, float rgb[3])
{
    static const float brush[3] = {0.06f, 0.06f, 0.04f};
    for (int k = 0; k < 3; k++) {
        const float own = brush[k] + fminf(1.4f * high * high, 1) * (earth[k] - brush[k]);
        rgb[k] = own * (facing * l->sun[k] + (0.4f + 0.3f * high) * l->sky[k]);
    }
}

static double fir_height(double round, int row)
{
    static const int firs[ROWS] = {523, 330, 241};
    const double place = round / TURN * firs[row], tall = 0.036 + 0.017 * row, grove = swell(round, row + 5, 0.1, 3);
    double high = tall * (0.1 + 0.65 * swell(round, row, 0.12, 4));
    for (int n = -2; n <= 2; n++) {
        const double i = floor(place) + n, off = fabs(place - i - 0.2 - 0.6 * lot(i, firs[row], row, 0));
        const double stand = tall * (0.35 + 0.5 * lot(i, firs[row], row, 1) + 0.45 * grove),
                     half = 0.55 + 0.5 * lot(i, firs[row], row, 2);
        const double branch = 0.24 * (double)bw_noise(off * 13 + 90 * lot(i, firs[row], row, 3), i); // boughs hang
        high = fmax(high, stand * (1 - off / half - branch * (off > 0.04)));
    }
    return high;
}

static double house_height(double round, int row)
{
    static const int houses[ROWS] = {179, 125, 97};
    const double i = floor(round / TURN * houses[row]), tower = lot(i, houses[row], row, 1) > 0.82 ? 1.5 : 1;
    return (0.02 + 0.045 * lot(i, houses[row], row, 0) * tower) * (0.8 + 0.25 * row);
}

static double height_at(enum bw_backdrop kind, double round, int row)
{
    if (kind == BW_BACKDROP_HILLS) return hills_height(round, row);
    if (kind == BW_BACKDROP_FOREST) return row ? fir_height(round, row) : 1.6 * hills_height(round, 0);
    return house_height(round, row);
}

/// Light of a town's windows in a row: small, warm, few.
static float window_at(double round, double up, int row, double wide)
{
    static const int windows[ROWS] = {1600, 1280, 1024};
    const double high = house_height(round, row), size = TURN / windows[row];
    const double u = round / size, v = up / (1.25 * size), i = floor(u), j = floor(v);
    const double lit = lot(i, windows[row], row, 5 + (int32_t)j), soft = fmax(wide / size, 0.05),
                 small = fmin(1, size / (3 * wide));
    if (lit < 0.8 || up > high - 0.6 * size || j < 1) return 0;
    const double in = fmin(fmin(fmax((0.28 - fabs(u - i - 0.5)) / soft + 0.5, 0), 1),
                           fmin(fmax((0.3 - fabs(v - j - 0.5)) / soft + 0.5, 0), 1));
    return (float)(in * small * (0.25 + 3.5 * (lit - 0.8)));
}

static void sky_see(const struct bw_backdrop_light *l, const double to[3], float rgb[3])
{
    const float low = (float)exp(-fmax(to[2], 0) / 0.12);
    for (int c = 0; c < 3; c++) rgb[c] = l->zenith[c] + low * (l->horizon[c] - l->zenith[c]);
}

/* Of each row how much of a texel it covers; of a hillside how much it faces the sun, and how high over a gully it is,
 * also just above it, for what lies between two texels. Rows behind one that hides them are nowhere looked at. */
static void texels_make(const struct bw_texture_plan *plan, const double at[2], double texel, int side, float *out)
{
    const enum bw_backdrop kind = (enum bw_backdrop)plan->kind;
    const int n = side * side;
    for (int q = 0; q < LANES * n; q++) out[q] = 0;
    for (int i = 0; i < side; i++) {
        const double round = at[0] + i * texel;
        double high[ROWS][PARTS], least[ROWS], most[ROWS];
        for (int row = 0; row < ROWS; row++) {
            for (int p = 0; p < PARTS; p++)
                high[row][p] = height_at(kind, round + texel * ((p + 0.5) / PARTS - 0.5), row);
            least[row] = fmin(fmin(high[row][0], high[row][1]), high[row][2]);
            most[row] = fmax(fmax(high[row][0], high[row][1]), high[row][2]);
        }
        for (int j = 0; j < side; j++) {
            const double up = at[1] + j * texel;
            float *texel_of = out + j * side + i;
            for (int row = ROWS; row-- > 0;) {
                double cover = 0;
                for (int p = 0; p < PARTS; p++) cover += fmin(fmax((high[row][p] - up) / texel + 0.5, 0), 1) / PARTS;
                texel_of[(COVER + row) * n] = (float)cover;
                if (kind == BW_BACKDROP_HILLS && up < most[row] + 3 * texel)
                    hill_look(plan->number, round, up, row, texel, &texel_of[(FACING + row) * n],
                              &texel_of[(HIGH + row) * n]);
                if (up < least[row] - 3 * texel) break;
            }
        }
    }
}

void bw_backdrop_plan(enum bw_backdrop kind, const double sun[3], struct bw_texture_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    plan->make = texels_make, plan->lanes = LANES, plan->kind = kind;
    if (kind == BW_BACKDROP_HILLS) memcpy(plan->number, sun, 3 * sizeof *sun);
}

void bw_backdrop_see(const struct bw_texture_plan *plan, struct bw_texture *t, const struct bw_backdrop_light *l,
                     const double to[3], double wide, float rgb[3])
{
    static const float lamp[3] = {1, 0.62f, 0.3f};
    const enum bw_backdrop kind = (enum bw_backdrop)plan->kind;
    const double flat = sqrt(to[0] * to[0] + to[1] * to[1]), up = to[2] / fmax(flat, 1e-9);
    if (!l->bare) sky_see(l, to, rgb);
    if (l->stars > 0) bw_stars_add(to, wide, l->stars, rgb);
    if (up > 0.4 || kind == BW_BACKDROP_STUDIO) return;
    if (up < 0) { // fog over what is too far to be seen
        const float high = (float)fmax(l->to[2], 0);
        for (int c = 0; c < 3; c++) {
            const float plain = l->bare ? earth[c] * (high * l->sun[c] + l->sky[c]) : l->stands[c];
            rgb[c] = l->horizon[c] + 0.7f * (plain - l->horizon[c]);
        }
        return;
    }
    if (up >= HIGHEST || kind == BW_BACKDROP_DUSK) return;
    const double round = atan2(to[1], to[0]);
    const float fog = (float)exp(-up / 0.022); // lies on the ground
    const int day = kind == BW_BACKDROP_HILLS && l->bare && l->sun[1] > 0;
    float lanes[LANES];
    bw_texture_read(t, plan, (const double[2]){round, up}, wide, lanes);
    for (int row = 0; row < ROWS; row++) {
        const float cover = lanes[COVER + row];
        if (!(cover > 0)) continue;
        float stands[3] = {l->stands[0], l->stands[1], l->stands[2]};
        if (day) hill_day(l, lanes[FACING + row], lanes[HIGH + row], stands);
        const float near = (day ? 0.42f : 0.55f) + 0.2f * (float)row,
                    window =
                        kind == BW_BACKDROP_TOWN && l->windows > 0 ? l->windows * window_at(round, up, row, wide) : 0;
        for (int c = 0; c < 3; c++) {
            const float own = l->horizon[c] + near * (1 - 0.28f * fog) * (stands[c] - l->horizon[c]);
            rgb[c] += cover * (own + window * lamp[c] - rgb[c]);
        }
    }
}
