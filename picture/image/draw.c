// SPDX-License-Identifier: Apache-2.0
/* Rectangles and anti-aliased lines: coverage is the pixel centre's distance to the segment, half a pixel soft. */
#include "draw.h"

#include <math.h>

static void pixel_blend(struct bw_image *img, int x, int y, const float rgb[3], float alpha)
{
    float *p = img->px + 3 * ((size_t)y * (size_t)img->w + (size_t)x);
    for (int c = 0; c < 3; c++) p[c] += (rgb[c] - p[c]) * alpha;
}

static int limit(double v, int n) { return v < 0 ? 0 : v > n ? n : (int)v; }

void bw_draw_rect(struct bw_image *img, double x0, double y0, double x1, double y1, const float rgb[3], float alpha)
{
    for (int y = limit(floor(y0), img->h); y < limit(ceil(y1), img->h); y++)
        for (int x = limit(floor(x0), img->w); x < limit(ceil(x1), img->w); x++) {
            double cx = fmin(x1, x + 1) - fmax(x0, x), cy = fmin(y1, y + 1) - fmax(y0, y);
            pixel_blend(img, x, y, rgb, alpha * (float)(cx * cy));
        }
}

/// Distance of (x, y) to the segment a–b.
static double segment_distance(double x, double y, const double a[2], const double b[2])
{
    double dx = b[0] - a[0], dy = b[1] - a[1], l2 = dx * dx + dy * dy;
    double s = l2 > 0 ? ((x - a[0]) * dx + (y - a[1]) * dy) / l2 : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    return hypot(x - a[0] - s * dx, y - a[1] - s * dy);
}

void bw_draw_line(struct bw_image *img, const double a[2], const double b[2], double width, const float rgb[3],
                  float alpha)
{
    double r = 0.5 * width, reach = r + 1;
    if (!isfinite(a[0] + a[1] + b[0] + b[1])) return;
    int x0 = limit(fmin(a[0], b[0]) - reach, img->w), x1 = limit(fmax(a[0], b[0]) + reach + 1, img->w);
    int y0 = limit(fmin(a[1], b[1]) - reach, img->h), y1 = limit(fmax(a[1], b[1]) + reach + 1, img->h);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            double cover = r + 0.5 - segment_distance(x + 0.5, y + 0.5, a, b);
            if (cover > 0) pixel_blend(img, x, y, rgb, alpha * (float)(cover < 1 ? cover : 1));
        }
}
