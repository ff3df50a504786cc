// SPDX-License-Identifier: Apache-2.0
#include "paint.h"

#include <math.h>
#include <string.h>

/* ---- lenses ---- */

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static int unit(double x[3])
{
    const double length = sqrt(dot(x, x));
    for (int a = 0; a < 3; a++) x[a] /= length;
    return isfinite(length) && length > 1e-12;
}

int lens_of_eye(const struct bw_eye *eye, double aspect, struct lens *l)
{
    *l = (struct lens){.tan_y = tan(0.5 * eye->angle)};
    l->tan_x = l->tan_y * aspect;
    for (int a = 0; a < 3; a++) {
        l->eye[a] = eye->at[a];
        l->forward[a] = eye->target[a] - eye->at[a];
    }
    if (!unit(l->forward)) return 0;
    cross(l->forward, eye->up, l->right);
    if (!unit(l->right)) return 0;
    cross(l->right, l->forward, l->up);
    return 1;
}

void lens_of_slice(const struct bw_pixels *p, double metre, struct lens *l)
{
    *l = (struct lens){.slice = 1};
    for (int a = 0; a < 3; a++) {
        l->lo[a] = p->lo[a] * metre;
        l->hi[a] = p->hi[a] * metre;
        if (l->hi[a] - l->lo[a] < l->hi[l->axis] - l->lo[l->axis]) l->axis = a;
    }
}

/// In the lens's own axes: right, up, and the depth, of slices in layers from their middle.
static void lens_turn(const struct lens *l, const double p[3], double out[3])
{
    if (l->slice) {
        const int right = l->axis == 0 ? 1 : 0, up = l->axis == 2 ? 1 : 2, a = l->axis;
        out[0] = 2 * (p[right] - l->lo[right]) / (l->hi[right] - l->lo[right]) - 1;
        out[1] = 2 * (p[up] - l->lo[up]) / (l->hi[up] - l->lo[up]) - 1;
        out[2] = (p[a] - 0.5 * (l->lo[a] + l->hi[a])) / (l->hi[a] - l->lo[a]);
        return;
    }
    const double to[3] = {p[0] - l->eye[0], p[1] - l->eye[1], p[2] - l->eye[2]};
    out[0] = dot(to, l->right) / l->tan_x;
    out[1] = dot(to, l->up) / l->tan_y;
    out[2] = dot(to, l->forward);
}

static void pixel_of(const struct paint *p, const double turned[3], double out[2])
{
    const double z = p->lens.slice ? 1 : turned[2];
    out[0] = 0.5 * (1 + turned[0] / z) * p->to->width;
    out[1] = 0.5 * (1 - turned[1] / z) * p->to->height;
}

/* ---- pixels ---- */

static void dot_put(const struct bw_pixels *to, int x, int y, const struct ink *ink, double share)
{
    if (x < 0 || y < 0 || x >= to->width || y >= to->height) return;
    uint8_t *rgb = (uint8_t *)to->memory + 3 * ((size_t)y * (size_t)to->width + (size_t)x);
    const float alpha = ink->alpha * (float)share;
    for (int c = 0; c < 3; c++) rgb[c] = (uint8_t)(rgb[c] + alpha * (255 * ink->rgb[c] - rgb[c]) + 0.5f);
}

/// Shorten a line to the picture (Liang and Barsky). 0: it misses.
static int line_cut(const struct bw_pixels *to, double a[2], double b[2])
{
    const double most[2] = {to->width, to->height}, d[2] = {b[0] - a[0], b[1] - a[1]};
    double t0 = 0, t1 = 1;
    for (int k = 0; k < 2; k++) {
        const double lo = -1 - a[k], hi = most[k] + 1 - a[k];
        if (fabs(d[k]) < 1e-12) {
            if (lo > 0 || hi < 0) return 0;
            continue;
        }
        t0 = fmax(t0, fmin(lo / d[k], hi / d[k]));
        t1 = fmin(t1, fmax(lo / d[k], hi / d[k]));
    }
    for (int k = 0; k < 2; k++) {
        const double from = a[k];
        a[k] = from + t0 * d[k];
        b[k] = from + t1 * d[k];
    }
    return t0 < t1;
}

/// Both pixels that a line passes between, a column (or row) at a time.
static void line_draw(const struct bw_pixels *to, double a[2], double b[2], const struct ink *ink)
{
    if (!isfinite(a[0] + a[1] + b[0] + b[1]) || !line_cut(to, a, b)) return;
    const int along = fabs(b[0] - a[0]) >= fabs(b[1] - a[1]) ? 0 : 1;
    const double *low = a[along] < b[along] ? a : b, *high = low == a ? b : a;
    const double length = fmax(high[along] - low[along], 1e-9), slope = (high[1 - along] - low[1 - along]) / length;
    for (int i = (int)floor(low[along]); i <= (int)floor(high[along]); i++) {
        const double at = low[1 - along] + slope * (fmin(fmax(i + 0.5, low[along]), high[along]) - low[along]) - 0.5;
        const double inside = fmin(i + 1, high[along]) - fmax(i, low[along]), share = at - floor(at);
        const int j = (int)floor(at);
        for (int k = 0; k < 2; k++)
            dot_put(to, along ? j + k : i, along ? i : j + k, ink, (k ? share : 1 - share) * fmax(inside, 0.05));
    }
}

void paint_line(const struct paint *p, const double from[3], const double to[3], const struct ink *ink)
{
    double a[3], b[3], x[2], y[2], near = 1e-6;
    lens_turn(&p->lens, from, a);
    lens_turn(&p->lens, to, b);
    if (p->lens.slice && fmin(fabs(a[2]), fabs(b[2])) > 1) return; // of what is in space: a layer on each side
    if (!p->lens.slice) {
        if (a[2] < near && b[2] < near) return;
        double *behind = a[2] < near ? a : b[2] < near ? b : NULL, *other = behind == a ? b : a;
        const double t = behind ? (near - behind[2]) / (other[2] - behind[2]) : 0;
        for (int k = 0; behind && k < 3; k++) behind[k] += t * (other[k] - behind[k]);
    }
    pixel_of(p, a, x);
    pixel_of(p, b, y);
    line_draw(p->to, x, y, ink);
}

void paint_point(const struct paint *p, const double at[3], const struct ink *ink)
{
    double turned[3], x[2];
    lens_turn(&p->lens, at, turned);
    if (p->lens.slice ? fabs(turned[2]) > 1 : turned[2] <= 0) return;
    pixel_of(p, turned, x);
    if (!(x[0] > -1 && x[1] > -1 && x[0] < p->to->width && x[1] < p->to->height)) return;
    dot_put(p->to, (int)floor(x[0]), (int)floor(x[1]), ink, 1);
}

void paint_loop(const struct paint *p, int n, double (*corner)[3], const struct ink *ink)
{
    for (int i = 0; i < n; i++) paint_line(p, corner[i], corner[(i + 1) % n], ink);
}

/// Where a box meets the layer.
static void box_cut(const struct paint *p, const double lo[3], const double hi[3], const struct ink *ink)
{
    const int a = p->lens.axis, right = a == 0 ? 1 : 0, up = a == 2 ? 1 : 2;
    const double at = 0.5 * (p->lens.lo[a] + p->lens.hi[a]);
    double corner[4][3];
    if (at < lo[a] || at > hi[a]) return;
    for (int i = 0; i < 4; i++) {
        corner[i][a] = at;
        corner[i][right] = i == 1 || i == 2 ? hi[right] : lo[right];
        corner[i][up] = i > 1 ? hi[up] : lo[up];
    }
    paint_loop(p, 4, corner, ink);
}

void paint_box(const struct paint *p, const double lo[3], const double hi[3], const struct ink *ink)
{
    if (p->lens.slice) {
        box_cut(p, lo, hi, ink);
        return;
    }
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 4; i++) {
            double from[3], to[3];
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            from[a] = lo[a], to[a] = hi[a];
            from[b] = to[b] = i & 1 ? hi[b] : lo[b];
            from[c] = to[c] = i & 2 ? hi[c] : lo[c];
            paint_line(p, from, to, ink);
        }
}
