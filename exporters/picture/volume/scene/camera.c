// SPDX-License-Identifier: Apache-2.0
#include "camera.h"

#include <math.h>

#define AZIMUTH 0.42    ///< rad, from the front (-y) towards +x
#define ELEVATION 0.13  ///< rad above the horizon: low, so that smoke towers
#define HALF_ANGLE 0.26 ///< rad, half the longer side: a 70 mm lens, little distortion
#define MARGIN 1.05

enum { RIM = 24 }; ///< points on each circle that has to fit

double bw_camera_aspect(const double lo[3], const double hi[3])
{
    double w = hypot(hi[0] - lo[0], hi[1] - lo[1]) * 0.75, h = hi[2] - lo[2];
    double aspect = h > 0 ? w / h : 1;
    return fmin(fmax(aspect, 9.0 / 16), 16.0 / 9);
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void camera_aim(struct bw_camera *c)
{
    double ca = cos(AZIMUTH), sa = sin(AZIMUTH), ce = cos(ELEVATION), se = sin(ELEVATION);
    const double forward[3] = {-sa * ce, ca * ce, -se}, right[3] = {ca, sa, 0}, up[3] = {-sa * se, ca * se, ce};
    for (int a = 0; a < 3; a++) {
        c->forward[a] = forward[a];
        c->right[a] = right[a];
        c->up[a] = up[a];
    }
}

/// A point of the two ellipses that stand for the stage, relative to its centre.
static void rim_point(const double half[3], int i, double p[3])
{
    double angle = 2 * 3.14159265358979 * (i / 2) / RIM;
    p[0] = half[0] * cos(angle);
    p[1] = half[1] * sin(angle);
    p[2] = i % 2 ? half[2] : -half[2];
}

/// Distance from `target` at which all points are inside, and how far the picture's middle lies above and below then.
static double camera_distance(const struct bw_camera *c, const double half[3], double shift)
{
    double distance = 0;
    for (int i = 0; i < 2 * RIM; i++) {
        double p[3];
        rim_point(half, i, p);
        double z = dot(p, c->forward), x = fabs(dot(p, c->right)), y = fabs(dot(p, c->up) - shift);
        distance = fmax(distance, fmax(x / c->tan_x, y / c->tan_y) * MARGIN - z);
    }
    return distance;
}

void bw_camera_fit(struct bw_camera *c, const double lo[3], const double hi[3], double aspect)
{
    double half[3], best = 0, shift = 0, tan_long = tan(HALF_ANGLE);
    c->tan_x = aspect > 1 ? tan_long : tan_long * aspect;
    c->tan_y = aspect > 1 ? tan_long / aspect : tan_long;
    camera_aim(c);
    for (int a = 0; a < 3; a++) half[a] = fmax(0.5 * (hi[a] - lo[a]), 1e-9);
    best = camera_distance(c, half, 0);
    for (int i = -20; i <= 20; i++) { // perspective makes the near rim larger: raise or lower the aim to centre it
        double d = camera_distance(c, half, 0.01 * i * half[2]);
        if (d < best) best = d, shift = 0.01 * i * half[2];
    }
    for (int a = 0; a < 3; a++) c->eye[a] = 0.5 * (lo[a] + hi[a]) + shift * c->up[a] - best * c->forward[a];
}
