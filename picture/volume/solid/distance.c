// SPDX-License-Identifier: Apache-2.0
/* Obstacles by sphere tracing: distances are lower bounds, so that a ray may go on by them. Near a surface they are
 * read through the planes of the cells around, with sharp edges, or, where nobody asked for those, by a cubic B-spline.
 * Both leave planes where they are and take the steps out of rims. */
#include "distance.h"
#include "surface.h"
#include <picture/volume/rays/step/read.h>
#include <picture/volume/shape/shapes.h>

#include <math.h>

#define EDGES 0.5   ///< cells from a surface: edges matter only there
#define GRAZE 0.1   ///< cosine of a face that a ray meets: flatter ways end elsewhere
#define SMOOTH 1.0f ///< cells from a surface: distances around are exact there

/// Where distances are those of a height: what stands goes on below.
static double height_of(const struct bw_volume *v, double z) { return v->stands ? fmax(z, v->stand) : z; }

/// To the box where distances are known, < 0 inside: what reaches beyond is cut there.
static double box_distance(const struct bw_dense *b, const double p[3])
{
    double most = -HUGE_VAL;
    for (int a = 0; a < 3; a++) {
        const double half = 0.5 * b->n[a] * b->h, d = fabs(p[a] - b->origin[a] - half) - half;
        most = d > most ? d : most;
    }
    return most;
}

double bw_solid_distance(const struct bw_volume *v, const double p[3])
{
    struct bw_tap tap;
    bw_tap_at(&v->solid_box, (double[3]){p[0], p[1], height_of(v, p[2])}, &tap);
    return fmax((double)bw_tap_read(&tap, v->solid), box_distance(&v->solid_box, p));
}

/// A place in cells from the first one's centre.
static void cells_at(const struct bw_volume *v, const double p[3], float at[3])
{
    for (int a = 0; a < 3; a++)
        at[a] = (float)(((a == 2 ? height_of(v, p[2]) : p[a]) - v->solid_box.origin[a]) / v->solid_box.h - 0.5);
}

/// Is there an edge near? In cells from the first one's centre.
static int edge_near(const struct bw_volume *v, const float at[3])
{
    const struct bw_dense *b = &v->solid_box;
    size_t cell = 0;
    for (int a = 2; a >= 0 && v->edged; a--)
        cell = cell * (size_t)b->n[a] + (size_t)(int)fminf(fmaxf(at[a], 0), (float)(b->n[a] - 1));
    return v->edged && v->edged[cell];
}

/// Signed distance near surfaces, smooth, or with edges; *face is set where the face of an edge gives it.
static double distance_face(const struct bw_volume *v, const double p[3], struct bw_surface *face)
{
    const struct bw_dense *b = &v->solid_box;
    const double rough = bw_solid_distance(v, p);
    float at[3], in[3];
    if (b->n[0] < 4 || b->n[1] < 4 || b->n[2] < 4 || fabs(rough) > (double)SMOOTH * b->h) return rough;
    cells_at(v, p, at);
    const int edge = edge_near(v, at);
    if (edge && fabs(rough) > EDGES * b->h) return 0.7 * rough; // between cells a corner lies nearer than they say
    for (int a = 0; a < 3; a++) in[a] = fminf(fmaxf(at[a], 0), (float)(b->n[a] - 1));
    const struct taps taps = taps_at(b, in, 1);
    double near = (double)cubic_one(v->solid, &taps);
    const struct bw_surface sharp = edge ? bw_surface_at(b, v->normals, at) : (struct bw_surface){.distance = 1e9f};
    if ((double)sharp.distance * b->h < near) near = (double)sharp.distance * b->h, *face = sharp;
    return fmax(near, box_distance(b, p));
}

static double distance_fine(const struct bw_volume *v, const double p[3])
{
    struct bw_surface face;
    return distance_face(v, p, &face);
}

void bw_solid_normal(const struct bw_volume *v, const double p[3], double n[3])
{
    const struct bw_dense *b = &v->solid_box;
    double len = 1e-30, e = 0.3 * b->h;
    float at[3];
    cells_at(v, p, at);
    const int edge = edge_near(v, at);
    const struct bw_surface s = edge ? bw_surface_at(b, v->normals, at) : (struct bw_surface){0};
    const int sharp = edge && s.distance < 1e6f;
    const int cut = sharp && (double)s.distance * b->h < box_distance(b, p); // where its box cuts it
    for (int a = 0; a < 3; a++) {
        double q[3] = {p[0], p[1], p[2]}, r[3] = {p[0], p[1], p[2]};
        q[a] += e, r[a] -= e;
        if (cut) n[a] = box_distance(b, q) - box_distance(b, r);
        else n[a] = sharp ? (double)s.normal[a] : distance_fine(v, q) - distance_fine(v, r);
        len += n[a] * n[a];
    }
    for (int a = 0; a < 3; a++) n[a] /= sqrt(len);
}

int bw_solid_clip(const struct bw_volume *v, const double p[3], const double dir[3], double half, double t[2])
{
    const struct bw_dense *b = &v->solid_box;
    for (int a = 0; a < 3; a++) {
        const double d = fabs(dir[a]) > 1e-9 ? dir[a] : 1e-9, lo = b->origin[a] - p[a], hi = lo + b->n[a] * b->h;
        const double more = half * hypot(fmax(fabs(lo), fabs(hi)), b->h);
        t[0] = fmax(t[0], fmin((lo - more) / d, (hi + more) / d));
        t[1] = fmin(t[1], fmax((lo - more) / d, (hi + more) / d));
    }
    return t[0] < t[1];
}

/// How far from a place `d` off surfaces a ray may go on, whatever they are.
static double step_safe(double d, double h) { return fmax(0.8 * d, 0.05 * h); }

/// How far it is to the plane of the face before it, if one is known; else 0.
static double face_ahead(const struct bw_surface *face, const double dir[3], double d)
{
    double slope = 0;
    for (int a = 0; a < 3; a++) slope += (double)face->normal[a] * dir[a];
    return slope < -GRAZE ? d / -slope : 0;
}

/// Of obstacles as they are: nothing or all of it.
static float shape_hit(const struct bw_volume *v, const double eye[3], const double dir[3], double *depth)
{
    struct bw_shape_hit hit;
    if (!bw_shapes_hit(v->shapes, eye, dir, *depth, &hit)) return 0;
    *depth = hit.depth;
    return 1;
}

float bw_solid_hit(const struct bw_volume *v, const double eye[3], const double dir[3], double pixel, double *depth)
{
    const double h = v->solid_box.h;
    double way[2] = {0, *depth}, best = HUGE_VAL, at = 0, near = 0, from = 0;
    int leaps = 1; // until a face has not been where its plane is: the ray passes its edge, and goes near by near
    if (v->shapes) return shape_hit(v, eye, dir, depth);
    if (!bw_solid_clip(v, eye, dir, 0, way)) return 0;
    for (double t = way[0]; t < way[1];) {
        struct bw_surface face = {0};
        const double p[3] = {eye[0] + t * dir[0], eye[1] + t * dir[1], eye[2] + t * dir[2]};
        const double d = distance_face(v, p, &face), spread = d / (pixel * t), ahead = face_ahead(&face, dir, d);
        if (near > 0 && d > 0.5 * near) {
            t = from + step_safe(near, h), near = 0, leaps = 0;
            continue;
        }
        if (spread < best) best = spread, at = t;
        if (best < 0.02) break;
        near = leaps && ahead > 0 ? d : 0, from = t;
        t += fmax(near > 0 ? ahead : 0, step_safe(d, h));
    }
    if (best >= 1) return 0;
    *depth = at;
    return best < 0.02 ? 1 : (float)(1 - best);
}
