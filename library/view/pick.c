// SPDX-License-Identifier: Apache-2.0
/* Picking: the point that a pixel shows. The camera ray is marched until its optical depth is visible, or it hits an
 * obstacle. */
#include "view.h"

#include <math.h>
#include <picture/volume/solid/distance.h>

static const double ENOUGH = 0.05, STEP = 0.25; ///< optical depth; of a cell's edge

/// Optical depth of one cell width at p, from the cell's own value, not interpolated. Flames count as smoke.
static double optical_depth_at(const struct bw_volume *u, double extinction, const double p[3])
{
    size_t cell = 0;
    for (int a = 2; a >= 0; a--) {
        const double x = floor((p[a] - u->box.origin[a]) / u->box.h);
        cell = cell * (size_t)u->box.n[a] + (size_t)fmin(fmax(x, 0), u->box.n[a] - 1);
    }
    const double gas = (u->density ? (double)u->density[cell] : 0) + (u->flame ? (double)u->flame[cell] : 0);
    return extinction * u->box.h * fmax(gas, 0);
}

/// Clip the ray's range [from, to] to the volume's box.
static void ray_clip(const struct bw_dense *b, const double eye[3], const double dir[3], double range[2])
{
    for (int a = 0; a < 3; a++) {
        const double d = fabs(dir[a]) > 1e-12 ? dir[a] : 1e-12;
        const double lo = (b->origin[a] - eye[a]) / d, hi = (b->origin[a] + b->n[a] * b->h - eye[a]) / d;
        range[0] = fmax(range[0], fmin(lo, hi));
        range[1] = fmin(range[1], fmax(lo, hi));
    }
}

static int ray_pick(const struct view *v, const double eye[3], const double dir[3], double pixel, double at[3])
{
    const struct bw_volume *u = &v->volume;
    double range[2] = {0, HUGE_VAL}, depth = 0, wall = 1e9, t;
    int met = BW_MET_NOTHING;
    if (bw_solid_any(u) && bw_solid_hit(u, eye, dir, pixel, &wall) > 0.5f) met = BW_MET_OBSTACLE;
    else wall = HUGE_VAL;
    ray_clip(&u->box, eye, dir, range);
    for (t = range[0]; bw_dense_cells(&u->box) && t < fmin(range[1], wall); t += STEP * u->box.h) {
        for (int a = 0; a < 3; a++) at[a] = eye[a] + t * dir[a];
        depth += STEP * optical_depth_at(u, v->scene.extinction, at);
        if (depth >= ENOUGH) return BW_MET_GAS;
    }
    for (int a = 0; a < 3; a++) at[a] = met ? eye[a] + wall * dir[a] : 0;
    return met;
}

static void pixel_pick(const struct view *v, const struct bw_camera *c, const int32_t size[2], const double point[2],
                       double at[3], int32_t *met)
{
    const double x = (2 * point[0] / size[0] - 1) * c->tan_x, y = (1 - 2 * point[1] / size[1]) * c->tan_y;
    double dir[3];
    for (int a = 0; a < 3; a++) dir[a] = c->forward[a] + x * c->right[a] + y * c->up[a];
    const double length = sqrt(1 + x * x + y * y);
    for (int a = 0; a < 3; a++) dir[a] /= length;
    *met = ray_pick(v, c->eye, dir, 2 * c->tan_y / size[1], at);
}

enum bw_status bw_view_meet(struct bw_view *view, const struct bw_eye *eye, int32_t width, int32_t height,
                            const double point[2], double at[3], int32_t *met)
{
    struct api_call api;
    struct bw_camera camera;
    const int32_t size[2] = {width, height};
    api_enter(&api);
    struct view *v = view_acquire(view, &api.d);
    if (v && (!point || !at || !met || width < 1 || height < 1))
        bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_view_meet wants a point of a picture, and places for its answer");
    else if (v && !v->renders)
        bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "the frame has nothing that a render shows; slices show it");
    else if (v && !view_camera(v, eye, size, &camera))
        bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "nothing can be seen from that eye");
    else if (v) pixel_pick(v, &camera, size, point, at, met);
    if (v) object_unref(&v->o);
    return api_leave(&api);
}
