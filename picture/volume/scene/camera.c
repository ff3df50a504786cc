// SPDX-License-Identifier: Apache-2.0
#include "camera.h"

#include <math.h>

#define MARGIN 1.05

enum { RIM = 24 }; ///< points on each circle that has to fit

double bw_camera_aspect(const double lo[3], const double hi[3])
{
    double w = hypot(hi[0] - lo[0], hi[1] - lo[1]) * 0.75, h = hi[2] - lo[2];
    double aspect = h > 0 ? w / h : 1;
    return fmin(fmax(aspect, 9.0 / 16), 16.0 / 9);
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void camera_turn(struct bw_camera *c, const struct bw_aim *aim)
{
    const double ca = cos(aim->azimuth), sa = sin(aim->azimuth), ce = cos(aim->elevation), se = sin(aim->elevation);
    const double forward[3] = {-sa * ce, ca * ce, -se}, right[3] = {ca, sa, 0}, up[3] = {-sa * se, ca * se, ce};
    const double cr = cos(aim->roll), sr = sin(aim->roll);
    for (int a = 0; a < 3; a++) {
        c->forward[a] = forward[a];
        c->right[a] = cr * right[a] - sr * up[a];
        c->up[a] = cr * up[a] + sr * right[a];
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

/// Distance from the target, `off` the stage's centre, at which all points are inside, the picture's middle raised by
/// `shift`.
static double camera_distance(const struct bw_camera *c, const double half[3], const double off[3], double shift)
{
    double distance = 0;
    for (int i = 0; i < 2 * RIM; i++) {
        double p[3];
        rim_point(half, i, p);
        for (int a = 0; a < 3; a++) p[a] -= off[a];
        double z = dot(p, c->forward), x = fabs(dot(p, c->right)), y = fabs(dot(p, c->up) - shift);
        distance = fmax(distance, fmax(x / c->tan_x, y / c->tan_y) * MARGIN - z);
    }
    return distance;
}

/// Perspective makes the near rim larger: how far to raise or lower the aim to centre the stage.
static double camera_shift(const struct bw_camera *c, const double half[3], double *distance)
{
    static const double centre[3];
    double shift = 0;
    *distance = camera_distance(c, half, centre, 0);
    for (int i = -20; i <= 20; i++) {
        double d = camera_distance(c, half, centre, 0.01 * i * half[2]);
        if (d < *distance) *distance = d, shift = 0.01 * i * half[2];
    }
    return shift;
}

void bw_camera_fit(struct bw_camera *c, const struct bw_aim *aim, const double lo[3], const double hi[3], double aspect)
{
    static const struct bw_aim usual = BW_AIM_USUAL;
    double half[3], off[3] = {0}, distance, shift = 0;
    if (!aim) aim = &usual;
    c->tan_x = aspect > 1 ? aim->tan_long : aim->tan_long * aspect;
    c->tan_y = aspect > 1 ? aim->tan_long / aspect : aim->tan_long;
    camera_turn(c, aim);
    for (int a = 0; a < 3; a++) {
        half[a] = fmax(0.5 * (hi[a] - lo[a]), 1e-9);
        if (aim->has_target) off[a] = aim->target[a] - 0.5 * (lo[a] + hi[a]);
    }
    if (aim->has_target) distance = camera_distance(c, half, off, 0);
    else shift = camera_shift(c, half, &distance);
    if (aim->distance > 0) distance = aim->distance;
    c->aperture = aim->aperture;
    c->focus = aim->focus > 0 ? aim->focus : distance;
    for (int a = 0; a < 3; a++)
        c->eye[a] = 0.5 * (lo[a] + hi[a]) + off[a] + shift * c->up[a] - distance * c->forward[a];
}
