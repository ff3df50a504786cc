// SPDX-License-Identifier: Apache-2.0
/* Light on surfaces takes longer than to find which is met, and rays of pixels near each other meet the same places:
 * what they see there is read between pixels of one picture without blur, of the same surface (after Ragan-Kelley et
 * al., Decoupled sampling, 2011). Where what is blurred spreads over few pixels that would be seen, and where
 * the lens's middle does not see the place, each ray looks for itself. We cheat here: mirrors show what they show to
 * the lens's middle. */
#include "still.h"

#include <math.h>

#define SAME 0.9    ///< cosine of normals of one surface
#define FLAT 2      ///< pixels that it may lie off the plane of the rest
#define ENOUGH 0.3f ///< of the weights of the pixels around

/// Where it is on the picture of the lens's middle, in pixels from the first one's middle. 0: behind it.
static int place(const struct bw_still *m, const double p[3], double at[2])
{
    const struct bw_camera *c = m->camera;
    double x = 0, y = 0, z = 0;
    for (int a = 0; a < 3; a++) {
        const double d = p[a] - c->eye[a];
        x += d * c->right[a], y += d * c->up[a], z += d * c->forward[a];
    }
    at[0] = 0.5 * m->w * (1 + x / z / c->tan_x) - 0.5, at[1] = 0.5 * m->h * (1 - y / z / c->tan_y) - 0.5;
    return z > 0;
}

/// Are they places of one surface, whose pixel is `wide` there?
static int same(const struct bw_still_spot *a, const struct bw_still_spot *b, double wide)
{
    double cosine = 0, off = 0;
    for (int i = 0; i < 3; i++) cosine += a->normal[i] * b->normal[i], off += a->normal[i] * (b->p[i] - a->p[i]);
    return a->form == b->form && cosine > SAME && fabs(off) < FLAT * wide;
}

int bw_still_read(const struct bw_still *m, const struct bw_still_spot *at, double depth, float rgb[3])
{
    if (!m->spot) return 0;
    const struct bw_camera *c = m->camera;
    const double wide = 2 * c->tan_y / m->h * depth, circle = 2 * c->aperture * fabs(depth / c->focus - 1);
    double on[2];
    float all = 0, sum[3] = {0};
    if (circle < m->blurred * wide || !place(m, at->p, on)) return 0;
    const int32_t w = bw_still_count(m, m->w), h = bw_still_count(m, m->h);
    for (int a = 0; a < 2; a++) on[a] = (on[a] + m->margin) / m->step;
    if (!(on[0] >= 0 && on[1] >= 0 && on[0] < w - 1 && on[1] < h - 1)) return 0;
    const int x = (int)on[0], y = (int)on[1];
    const float fx = (float)(on[0] - x), fy = (float)(on[1] - y);
    for (int q = 0; q < 4; q++) {
        const struct bw_still_spot *spot = &m->spot[(size_t)(y + (q >> 1)) * (size_t)w + (size_t)(x + (q & 1))];
        const float share = (q & 1 ? fx : 1 - fx) * (q >> 1 ? fy : 1 - fy);
        if (!same(at, spot, m->step * wide)) continue;
        all += share;
        for (int i = 0; i < 3; i++) sum[i] += share * spot->rgb[i];
    }
    if (all < ENOUGH) return 0;
    for (int i = 0; i < 3; i++) rgb[i] = sum[i] / all;
    return 1;
}
