// SPDX-License-Identifier: Apache-2.0
/* Obstacles by sphere tracing: distances are lower bounds, so that a ray may go on by them. Near a surface they are
 * read by a cubic B-spline, which leaves planes where they are and takes the steps out of edges and rims. */
#include "solid.h"
#include "read.h"

#include <math.h>

#define SMOOTH 1.0f ///< cells from a surface: distances around are exact there

/// Where distances are those of a height: what stands goes on below.
static double height_of(const struct bw_volume *v, double z) { return v->stands ? fmax(z, v->stand) : z; }

static float solid_read(const struct bw_volume *v, const double p[3])
{
    struct bw_tap tap;
    bw_tap_at(&v->solid_box, (double[3]){p[0], p[1], height_of(v, p[2])}, &tap);
    return bw_tap_read(&tap, v->solid);
}

/// The same, smooth near surfaces.
static float solid_smooth(const struct bw_volume *v, const double p[3])
{
    const struct bw_dense *b = &v->solid_box;
    const float rough = solid_read(v, p);
    float at[3];
    for (int a = 0; a < 3; a++) {
        if (b->n[a] < 4 || fabsf(rough) > SMOOTH * (float)b->h) return rough;
        const double x = a == 2 ? height_of(v, p[2]) : p[a];
        at[a] = (float)fmin(fmax((x - b->origin[a]) / b->h - 0.5, 0), b->n[a] - 1);
    }
    const struct taps taps = taps_at(b, at, 1);
    return cubic_one(v->solid, &taps);
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
        double d = (double)solid_smooth(v, (double[3]){eye[0] + t * dir[0], eye[1] + t * dir[1], eye[2] + t * dir[2]});
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

/// Light of a lamp mirrored to the eye, of what a white surface would send back: microfacets (Trowbridge and Reitz,
/// after Walter et al. 2007) of a dielectric, as wide as roughness and the lamp's size make them.
static float gloss(const double n[3], const double to[3], const double eye[3], double roughness)
{
    double half[3], nl = 0, nv = 0, nh = 0, vh = 0, len = 1e-30;
    for (int a = 0; a < 3; a++) half[a] = to[a] + eye[a], len += half[a] * half[a];
    for (int a = 0; a < 3; a++) {
        half[a] /= sqrt(len);
        nl += n[a] * to[a], nv += n[a] * eye[a], nh += n[a] * half[a], vh += eye[a] * half[a];
    }
    if (nl <= 0 || nv <= 0) return 0;
    const double alpha = fmax(roughness * roughness, PENUMBRA / 2), a2 = alpha * alpha, low = nh * nh * (a2 - 1) + 1;
    const double sight = 2 / (nl * sqrt(a2 + (1 - a2) * nv * nv) + nv * sqrt(a2 + (1 - a2) * nl * nl)); // over 4 nl nv
    return (float)(a2 / (low * low) * sight * (0.04 + 0.96 * pow(1 - vh, 5)) * nl / 4);
}

static void normal_find(const struct bw_volume *v, const double p[3], double n[3])
{
    double len = 1e-30, e = 0.3 * v->solid_box.h;
    for (int a = 0; a < 3; a++) {
        double q[3] = {p[0], p[1], p[2]}, r[3] = {p[0], p[1], p[2]};
        q[a] += e;
        r[a] -= e;
        n[a] = (double)(solid_smooth(v, q) - solid_smooth(v, r));
        len += n[a] * n[a];
    }
    for (int a = 0; a < 3; a++) n[a] /= sqrt(len);
}

/// The room in a mirror whose roughness blurs it, as seen along dir.
static void room_mirror(const struct bw_studio *s, const double n[3], const double dir[3], float gloss, float rgb[3])
{
    double cosine = 0;
    for (int a = 0; a < 3; a++) cosine -= n[a] * dir[a];
    const double up = dir[2] + 2 * cosine * n[2];
    const float share = (float)(0.5 + 0.5 * up), much = gloss * (0.04f + 0.96f * powf(1 - (float)fmax(cosine, 0), 5));
    for (int c = 0; c < 3; c++) rgb[c] += much * (s->room.below[c] + share * (s->room.above[c] - s->room.below[c]));
}

void bw_solid_shade(const struct bw_volume *v, const struct bw_studio *studio, const double p[3], const double dir[3],
                    float rgb[3])
{
    const struct bw_look *look = &studio->scene->look;
    const double eye[3] = {-dir[0], -dir[1], -dir[2]};
    struct bw_facing surface = {.solid = 1};
    double *n = surface.normal;
    float arrives[3] = {0}, mirrored[3] = {0};
    normal_find(v, p, n);
    bw_lamps_light(&studio->ambient->lamps, p, &surface, arrives);
    const float up = 0.5f + 0.5f * (float)n[2];
    for (int c = 0; c < 3; c++) // irradiance over π
        arrives[c] = 4 * arrives[c] + studio->room.below[c] + up * (studio->room.above[c] - studio->room.below[c]);
    for (int l = 0; l < studio->n_lights; l++) {
        const double *to = studio->light[l].to;
        const double cosine = n[0] * to[0] + n[1] * to[1] + n[2] * to[2];
        if (cosine <= -SOFT) continue;
        const float open = BW_SUN_SURFACE * (float)solid_shadow(v, p, n, to);
        const float share = open * (float)((cosine + SOFT) / (1 + SOFT));
        const float spot = look->roughness < 1 ? open * gloss(n, to, eye, (double)look->roughness) : 0;
        for (int c = 0; c < 3; c++) {
            arrives[c] += share * studio->light[l].rgb[c];
            mirrored[c] += spot * studio->light[l].rgb[c];
        }
    }
    if (look->roughness < 1) room_mirror(studio, n, dir, 1 - look->roughness, mirrored);
    for (int c = 0; c < 3; c++) rgb[c] = look->obstacle[c] * arrives[c] + mirrored[c];
}
