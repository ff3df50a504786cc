// SPDX-License-Identifier: Apache-2.0
/* Loops over a row's cells, in doubles and in the order of emit_trail.c's formulas; written so that compilers make
 * vectors of them. */
#include "emit_trail_kernels.h"
#include <common/simd.h>

#include <math.h>

static void row_unfilled(const float *f, int32_t n, const double range[2], uint8_t *unfilled)
{
    for (int32_t i = 0; i < n; i++) unfilled[i] |= (double)f[i] < range[0] || (double)f[i] > range[1];
}

INLINE double clamped(double x, double most) { return x > most ? most : x < -most ? -most : x; }

INLINE double length(double x, double y, double z) { return sqrt(x * x + y * y + z * z); }

INLINE double less(double a, double b) { return a < b ? a : b; }
INLINE double more(double a, double b) { return a > b ? a : b; }

/* Distances of places from the row's shape, `kind` known to the compiler. */
INLINE void distances(const struct pose *p, int kind, const double *x, const double *y, const double *z, int32_t across,
                      int32_t n, double *to)
{
    for (int32_t i = 0; i < n; i++)
        to[i] = pose_distance_plain(p, kind, (const double[3]){x[i], y[i * across], z[i * across]});
}

/* across: 0 where y and z are the same for all. */
static void row_distances(const struct pose *p, const double *x, const double *y, const double *z, int32_t across,
                          int32_t n, double *to)
{
    if (p->kind == SHAPE_SPHERE) distances(p, SHAPE_SPHERE, x, y, z, across, n, to);
    else if (p->kind == SHAPE_BOX) distances(p, SHAPE_BOX, x, y, z, across, n, to);
    else if (p->kind == SHAPE_TORUS) distances(p, SHAPE_TORUS, x, y, z, across, n, to);
    else distances(p, SHAPE_CYLINDER, x, y, z, across, n, to);
}

/* A trajectory whose straight line misses the shape by more than its curvature allows has not been near it. */
static void row_displacements(struct row_trajectories *r)
{
    const double turn = r->h * (1 + 0.25 * r->max_displacement), h = r->h;
    for (int a = 0; a < 3; a++) {
        const float *u = r->u[a], *high = u ? u + r->step[a] : NULL;
        double *u_dt = r->displacement[a];
        for (int32_t i = 0; i < r->n && !u; i++) u_dt[i] = 0;
        for (int32_t i = 0; i < r->n && u; i++)
            u_dt[i] = clamped(r->scale * ((double)u[i] + 0.5 * ((double)high[i] - (double)u[i])), r->max_displacement);
    }
    for (int32_t i = 0; i < r->n; i++) {
        r->length[i] = length(r->displacement[0][i], r->displacement[1][i], r->displacement[2][i]);
        r->near_shape[i] = 1;
    }
    for (int a = 0; a < 3; a++) {
        const double *u_dt = r->displacement[a], lo = r->near.lo[a], hi = r->near.hi[a], row = a ? r->yz[a - 1] : 0;
        for (int32_t i = 0; i < r->n; i++) {
            const double x = a ? row : r->x[i], from = x - h * u_dt[i], low = less(from, x), high = more(from, x);
            r->near_shape[i] &= (low - turn <= hi) & (high + turn >= lo);
        }
    }
    if (!r->pose) return;
    row_distances(r->pose, r->x, &r->yz[0], &r->yz[1], 0, r->n, r->distance);
    for (int32_t i = 0; i < r->n; i++)
        r->near_shape[i] &= r->distance[i] < 0.5 * r->width + h * (2 + r->length[i] + 0.25 * r->max_displacement);
}

/* Trilinear velocity at the midpoint, each component on its faces. */
static void component_midpoint(struct row_trajectories *r, int a)
{
    const float *u = r->u[a];
    const ptrdiff_t sx = r->step[0], sy = r->step[1], sz = r->step[2];
    const double side[3] = {a == 0 ? 0.5 : 0, a == 1 ? 0.5 : 0, a == 2 ? 0.5 : 0};
    const double along[3] = {r->u[0] ? -0.5 : 0, r->u[1] ? -0.5 : 0, r->u[2] ? -0.5 : 0};
    for (int32_t i = 0; i < r->n; i++) {
        const double x = along[0] * r->displacement[0][i] + (r->u[0] ? side[0] : 0), low_x = floor(x), wx = x - low_x;
        const double y = along[1] * r->displacement[1][i] + (r->u[1] ? side[1] : 0), low_y = floor(y), wy = y - low_y;
        const double z = along[2] * r->displacement[2][i] + (r->u[2] ? side[2] : 0), low_z = floor(z), wz = z - low_z;
        const ptrdiff_t at = i + (ptrdiff_t)low_x + (ptrdiff_t)low_y * sy + (ptrdiff_t)low_z * sz;
        const ptrdiff_t up_x = wx > 0 ? sx : 0, up_y = wy > 0 ? sy : 0, up_z = wz > 0 ? sz : 0;
        const double a00 = (double)u[at], b00 = (double)u[at + up_x];
        const double a10 = (double)u[at + up_y], b10 = (double)u[at + up_y + up_x];
        const double a01 = (double)u[at + up_z], b01 = (double)u[at + up_z + up_x];
        const double a11 = (double)u[at + up_z + up_y], b11 = (double)u[at + up_z + up_y + up_x];
        const double row00 = a00 + wx * (b00 - a00), row10 = a10 + wx * (b10 - a10);
        const double row01 = a01 + wx * (b01 - a01), row11 = a11 + wx * (b11 - a11);
        const double low = row00 + wy * (row10 - row00), high = row01 + wy * (row11 - row01);
        const double u_dt = clamped(r->scale * (low + wz * (high - low)), r->max_displacement);
        r->midpoint_displacement[a][i] = r->length[i] > r->sample_spacing ? u_dt : r->displacement[a][i];
    }
}

static void row_midpoints(struct row_trajectories *r)
{
    double most = 0;
    for (int32_t i = 0; i < r->n; i++) most = more(most, r->near_shape[i] ? r->length[i] : 0);
    for (int a = 0; a < 3; a++) {
        for (int32_t i = 0; i < r->n; i++) r->midpoint_displacement[a][i] = r->displacement[a][i];
        if (most > r->sample_spacing && r->u[a]) component_midpoint(r, a);
    }
}

static void row_samples(struct row_trajectories *r)
{
    const double spacing = r->sample_spacing, noise = r->noise * r->noise;
    for (int32_t i = 0; i < r->n; i++) {
        const double length_max =
            more(r->length[i], length(r->midpoint_displacement[0][i], r->midpoint_displacement[1][i],
                                      r->midpoint_displacement[2][i]));
        r->samples[i] = ceil((spacing + sqrt(length_max * length_max + noise) + r->travel) / spacing);
    }
}

/* Sample positions and their coverage. The distance from a shape changes by no more than the distance travelled, so
 * samples deep inside or far outside need no evaluation. */
static void row_positions(struct row_trajectories *r)
{
    const double h = r->h, edge = 0.5 * r->width, *x = r->at[0], *y = r->at[1], *z = r->at[2];
    for (int a = 0; a < 3; a++) {
        const double *u_dt = r->displacement[a], *midpoint = r->midpoint_displacement[a], row = a ? r->yz[a - 1] : 0;
        for (int32_t i = 0; i < r->n; i++) {
            const double s = r->elapsed[i], end = a ? row : r->x[i];
            r->at[a][i] = end - h * (s * u_dt[i] - s * s * (u_dt[i] - midpoint[i]));
        }
    }
    if (!r->pose) return;
    row_distances(r->pose, x, y, z, 1, r->n, r->cover);
    const double width = r->width, end_y = r->yz[0], end_z = r->yz[1], none = HUGE_VAL;
    for (int a = 0; a < 3; a++) {
        const double *at = r->at[a], lo = r->bounds.lo[a], hi = r->bounds.hi[a];
        for (int32_t i = 0; i < r->n; i++) r->cover[i] = at[i] < lo ? none : at[i] > hi ? none : r->cover[i];
    }
    for (int32_t i = 0; i < r->n; i++) {
        const double moved = length(x[i] - r->x[i], y[i] - end_y, z[i] - end_z), end = r->distance[i];
        const double d = end - moved >= edge ? edge : end + moved <= -edge ? -edge : r->cover[i];
        r->cover[i] = shape_cover(moved == 0 ? end : d, width);
    }
}

const struct trail_kernels SIMD_NAME(trail_kernels) = {row_unfilled, row_displacements, row_midpoints, row_samples,
                                                       row_positions};
