// SPDX-License-Identifier: Apache-2.0
/* A particle's way, x + v t + ½ a t², about the frame's time, laid onto the picture as Gaussian spots so close that
 * they run into each other (a standard deviation apart: ripples of 1e-8). Those that glow are brightest at their heads
 * and taper to their tails, as they are drawn and as eyes that follow them see them: a film would have all of the way
 * alike. The light in all is that of the disc, whatever the way: what is fast is long and faint. */
#include "streak.h"

#include <math.h>

#define NARROW 0.5 ///< pixels: the least standard deviation
#define WIDE 0.35  ///< standard deviation of a disc's diameter
#define REACH 3    ///< standard deviations drawn
#define TAIL 0.3   ///< width there, of the head's

/// Where p is on the picture, pixels, and how far along the line of sight; 0: behind the eye.
static double place(const struct bw_camera *c, const struct bw_image *img, const double p[3], double at[2])
{
    double x = 0, y = 0, z = 0;
    for (int a = 0; a < 3; a++) {
        const double d = p[a] - c->eye[a];
        x += d * c->right[a], y += d * c->up[a], z += d * c->forward[a];
    }
    if (!(z > 0)) return 0;
    at[0] = 0.5 * img->w * (1 + x / z / c->tan_x);
    at[1] = 0.5 * img->h * (1 - y / z / c->tan_y);
    return z;
}

void bw_streak_place(const struct bw_spark *s, double seconds, double share, double at[3])
{
    const double t = (share - 0.5) * seconds;
    for (int a = 0; a < 3; a++) at[a] = s->at[a] + t * ((double)s->vel[a] + 0.5 * t * (double)s->turn[a]);
}

int bw_streak_make(const struct bw_scene *scene, const struct bw_image *img, const struct bw_spark *s,
                   struct bw_streak *out)
{
    const struct bw_camera *c = &scene->camera;
    double lo[2] = {HUGE_VAL, HUGE_VAL}, hi[2] = {-HUGE_VAL, -HUGE_VAL}, far = 0;
    out->length = 0;
    for (int k = 0; k < BW_STREAK_KNOTS; k++) {
        double p[3];
        bw_streak_place(s, scene->streak, k / (BW_STREAK_KNOTS - 1.0), p);
        const double z = place(c, img, p, out->at[k]);
        if (!(z > 0)) return 0;
        far += z / BW_STREAK_KNOTS;
        for (int a = 0; a < 2; a++) lo[a] = fmin(lo[a], out->at[k][a]), hi[a] = fmax(hi[a], out->at[k][a]);
        if (k) out->length += hypot(out->at[k][0] - out->at[k - 1][0], out->at[k][1] - out->at[k - 1][1]);
    }
    const double across = 0.5 * img->w / c->tan_x * (double)s->size / far;
    out->sigma = fmax(WIDE * across, NARROW);
    // A disc's standard deviation is half its radius: what is out of focus is laid over the picture wide and faint.
    if (c->aperture > 0)
        out->sigma = hypot(out->sigma, 0.25 * img->w / c->tan_x * c->aperture * fabs(1 / far - 1 / c->focus));
    out->area = s->size > 0 ? 0.25 * 3.14159265358979 * across * across : 1; // of no size: a pixel
    for (int a = 0; a < 2; a++)
        if (hi[a] < -REACH * out->sigma || lo[a] > (a ? img->h : img->w) + REACH * out->sigma) return 0;
    return out->length < img->w;
}

/// Along the way, share 0 … 1.
static double between(const double *knot, int step, int n, double share)
{
    const double at = share * (n - 1);
    const int k = at < n - 2 ? (int)at : n - 2;
    return knot[k * step] + (at - k) * (knot[(k + 1) * step] - knot[k * step]);
}

static double width(const struct bw_streak *s, double share)
{
    return s->fades ? fmax(s->sigma * (TAIL + (1 - TAIL) * share), NARROW) : s->sigma;
}

/// exp(-½ ((i + ½ - at) / sigma)²) at i, i + 1, …: each is the one before it times `ratio`, which falls by `fall`.
struct bell {
    double value, ratio, fall;
};

static struct bell bell_from(int i, double at, double sigma)
{
    const double x = (i + 0.5 - at) / sigma, d = 1 / sigma;
    return (struct bell){exp(-0.5 * x * x), exp(-d * (x + 0.5 * d)), exp(-d * d)};
}

static void bell_go(struct bell *b)
{
    b->value *= b->ratio;
    b->ratio *= b->fall;
}

static void spot_draw(const struct bw_image *img, const double at[2], double sigma, double light, bw_streak_fn draw,
                      void *user)
{
    const int size[2] = {img->w, img->h};
    int lo[2], hi[2];
    for (int a = 0; a < 2; a++) {
        lo[a] = (int)fmax(at[a] - REACH * sigma - 0.5, 0);
        hi[a] = (int)fmin(at[a] + REACH * sigma + 0.5, size[a] - 1);
        if (lo[a] > hi[a]) return;
    }
    const struct bell left = bell_from(lo[0], at[0], sigma);
    struct bell row = bell_from(lo[1], at[1], sigma);
    row.value *= light / (6.283185307179586 * sigma * sigma);
    for (int y = lo[1]; y <= hi[1]; y++, bell_go(&row)) {
        struct bell b = left;
        for (int x = lo[0]; x <= hi[0]; x++, bell_go(&b)) draw(x, y, row.value * b.value, user);
    }
}

/// Spots on the way from a knot to the next.
static int spots(const struct bw_streak *s, int knot)
{
    const double *a = s->at[knot], *b = s->at[knot + 1];
    return 1 + (int)(hypot(b[0] - a[0], b[1] - a[1]) / width(s, (double)knot / (BW_STREAK_KNOTS - 1)));
}

void bw_streak_draw(const struct bw_streak *s, const struct bw_image *img, const float *transmittance,
                    int n_transmittance, bw_streak_fn draw, void *user)
{
    enum { WAYS = BW_STREAK_KNOTS - 1 };
    double dim[BW_STREAK_KNOTS];
    for (int i = 0; i < n_transmittance; i++) dim[i] = (double)transmittance[i];
    for (int k = 0; k < WAYS; k++)
        for (int i = 0, n = spots(s, k); i < n; i++) {
            const double share = (k + (i + 0.5) / n) / WAYS, bright = s->fades ? 2 * share : 1; // its mean is 1
            const double at[2] = {between(s->at[0], 2, BW_STREAK_KNOTS, share),
                                  between(s->at[0] + 1, 2, BW_STREAK_KNOTS, share)};
            const double light = s->area * bright * between(dim, 1, n_transmittance, share) / (n * WAYS);
            if (light > 0) spot_draw(img, at, width(s, share), light, draw, user);
        }
}
