// SPDX-License-Identifier: Apache-2.0
#include "particles.h"

#include "columns.h"
#include <math.h>

enum { LINES_MOST = 60000, POINTS_MOST = 2000000 }; ///< of more every second, third … is drawn

static double size_read(const struct column *c, int64_t i)
{
    double sum = 0;
    for (int a = 0; a < 3; a++) sum += column_read(c, i, a) * column_read(c, i, a);
    return sqrt(sum);
}

/// From dark violet by red to yellow: readable over smoke and fire.
static void strength_ink(double share, struct ink *ink)
{
    static const float stop[4][3] = {{0.35f, 0.3f, 0.95f}, {0.85f, 0.25f, 0.75f}, {1, 0.5f, 0.25f}, {1, 0.95f, 0.45f}};
    const double x = 3 * fmin(fmax(share, 0), 1);
    const int i = x < 2 ? (int)x : 2;
    for (int c = 0; c < 3; c++) ink->rgb[c] = stop[i][c] + (float)(x - i) * (stop[i + 1][c] - stop[i][c]);
    ink->alpha = 0.9f;
}

static void lines_draw(const struct paint *p, const struct bw_snapshot_points *points, const struct column *pos,
                       const struct column *strength, double metre)
{
    const struct column radius = column_find(points, "radius");
    const int64_t step = 1 + points->count / LINES_MOST;
    double most = 0;
    for (int64_t i = 0; i < points->count; i++) most = fmax(most, size_read(strength, i));
    for (int64_t i = 0; i < points->count && most > 0; i += step) {
        const double size = size_read(strength, i), share = sqrt(size / most);
        const double half = (radius.data ? column_read(&radius, i, 0) : 0.01) * metre * (0.3 + 1.2 * share);
        double from[3], to[3];
        struct ink ink;
        if (!(size > 0)) continue;
        for (int a = 0; a < 3; a++) {
            const double at = metre * column_read(pos, i, a), along = half * column_read(strength, i, a) / size;
            from[a] = at - along;
            to[a] = at + along;
        }
        strength_ink(share, &ink);
        paint_line(p, from, to, &ink);
    }
}

static float shown(double linear) { return (float)pow(fmin(fmax(linear, 0), 1), 1 / 2.2); }

static void points_draw(const struct paint *p, const struct bw_snapshot_points *points, const struct column *pos,
                        double metre)
{
    const struct column colour = column_find(points, "colour");
    const int64_t step = 1 + points->count / POINTS_MOST;
    const double pixels = (double)p->to->width * p->to->height, crowd = (double)(points->count / step) / pixels;
    struct ink ink = {{0.85f, 0.92f, 1}, (float)fmin(fmax(0.06 / fmax(crowd, 1e-9), 0.15), 0.8)};
    for (int64_t i = 0; i < points->count; i += step) {
        double at[3];
        for (int a = 0; a < 3; a++) at[a] = metre * column_read(pos, i, a);
        for (int c = 0; c < 3 && colour.data; c++) ink.rgb[c] = shown(column_read(&colour, i, c));
        paint_point(p, at, &ink);
    }
}

void particles_draw(const struct paint *p, const struct bw_snapshot_points *points, double metre)
{
    const struct column pos = column_find(points, "pos"), strength = column_find(points, "strength");
    if (!pos.data || pos.comps != 3) return;
    if (strength.data && strength.comps == 3) lines_draw(p, points, &pos, &strength, metre);
    else points_draw(p, points, &pos, metre);
}
