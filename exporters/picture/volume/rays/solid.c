// SPDX-License-Identifier: Apache-2.0
/* Obstacles by sphere tracing: distances are lower bounds, so that a ray may go on by them. */
#include "solid.h"

#include <math.h>

static float solid_read(const struct bw_volume *v, const double p[3])
{
    struct bw_tap tap;
    bw_tap_at(&v->solid_box, p, &tap);
    return bw_tap_read(&tap, v->solid);
}

float bw_solid_hit(const struct bw_volume *v, const double eye[3], const double dir[3], double pixel, double *depth)
{
    const struct bw_dense *b = &v->solid_box;
    double t0 = 0, t1 = *depth, best = HUGE_VAL, at = 0;
    for (int a = 0; a < 3; a++) {
        double d = fabs(dir[a]) > 1e-9 ? dir[a] : 1e-9, lo = (b->origin[a] - eye[a]) / d;
        double hi = (b->origin[a] + b->n[a] * b->h - eye[a]) / d;
        t0 = fmax(t0, fmin(lo, hi));
        t1 = fmin(t1, fmax(lo, hi));
    }
    for (double t = t0; t < t1;) {
        double d = (double)solid_read(v, (double[3]){eye[0] + t * dir[0], eye[1] + t * dir[1], eye[2] + t * dir[2]});
        double spread = d / (pixel * t);
        if (spread < best) best = spread, at = t;
        if (best < 0.02) break;
        t += fmax(0.8 * d, 0.05 * b->h);
    }
    if (best >= 1) return 0;
    *depth = at;
    return best < 0.02 ? 1 : (float)(1 - best);
}

#define PENUMBRA 0.12 ///< half the angle at which a light is seen
#define SOFT 0.35     ///< cosine by which lights, being large, reach round an edge

/// Share of a light that other obstacles let through to p, a surface's place with normal n: the light is a disc, so
/// that what comes within PENUMBRA times the way to it covers a part (Quilez's soft shadow by marching a distance).
static double solid_shadow(const struct bw_volume *v, const double p[3], const double n[3], const double to[3])
{
    const struct bw_dense *b = &v->solid_box;
    double open = 1, far = (b->n[0] + b->n[1] + b->n[2]) * b->h;
    for (double t = b->h; open > 0 && t < far;) {
        double q[3], inside = 1;
        for (int a = 0; a < 3; a++) {
            q[a] = p[a] + 1.2 * b->h * n[a] + t * to[a];
            inside *= q[a] > b->origin[a] && q[a] < b->origin[a] + b->n[a] * b->h;
        }
        if (inside <= 0) break;
        double d = (double)solid_read(v, q);
        open = fmin(open, fmax(d, 0) / fmin(PENUMBRA * t, 2 * b->h)); // farther off, distances are not known
        t += fmax(0.8 * d, 0.3 * b->h);
    }
    return open;
}

void bw_solid_shade(const struct bw_volume *v, const struct bw_studio *studio, const double p[3], float rgb[3])
{
    double n[3], len = 1e-30, e = 0.75 * v->solid_box.h;
    for (int a = 0; a < 3; a++) {
        double q[3] = {p[0], p[1], p[2]}, r[3] = {p[0], p[1], p[2]};
        q[a] += e;
        r[a] -= e;
        n[a] = (double)(solid_read(v, q) - solid_read(v, r));
        len += n[a] * n[a];
    }
    static const float clay[3] = {0.20f, 0.17f, 0.15f};
    float arrives[3] = {0};
    for (int a = 0; a < 3; a++) n[a] /= sqrt(len);
    bw_lamps_light(&studio->ambient->lamps, p, n, arrives);
    for (int c = 0; c < 3; c++)
        rgb[c] = 4 * arrives[c] + (0.22f + 0.18f * (float)n[2]) * (float)studio->scene->look.environment;
    for (int l = 0; l < studio->n_lights; l++) {
        double cosine = 0;
        for (int a = 0; a < 3; a++) cosine += n[a] * studio->light[l].to[a];
        if (cosine <= -SOFT) continue;
        const float share = (float)((cosine + SOFT) / (1 + SOFT) * solid_shadow(v, p, n, studio->light[l].to));
        for (int c = 0; c < 3; c++) rgb[c] += share * studio->light[l].rgb[c];
    }
    for (int c = 0; c < 3; c++) rgb[c] *= clay[c];
}
