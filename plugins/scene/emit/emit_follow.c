// SPDX-License-Identifier: Apache-2.0
/* Loops over a row's cells, in doubles and in the order of emit_trail.c's formulas; written so that compilers make
 * vectors of them. */
#include "emit_follow.h"
#include <common/simd.h>

#include <math.h>

static void row_lacks(const float *f, int32_t n, const double range[2], uint8_t *lacks)
{
    for (int32_t i = 0; i < n; i++) lacks[i] |= (double)f[i] < range[0] || (double)f[i] > range[1];
}

INLINE double clamped(double way, double most) { return way > most ? most : way < -most ? -most : way; }

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

/* Gas that a straight way misses by more than a curved one may turn has not been near the shape. */
static void row_ways(struct gas_row *r)
{
    const double turn = r->h * (1 + 0.25 * r->longest), h = r->h;
    for (int a = 0; a < 3; a++) {
        const float *u = r->u[a], *high = u ? u + r->step[a] : NULL;
        double *now = r->now[a];
        for (int32_t i = 0; i < r->n && !u; i++) now[i] = 0;
        for (int32_t i = 0; i < r->n && u; i++)
            now[i] = clamped(r->scale * ((double)u[i] + 0.5 * ((double)high[i] - (double)u[i])), r->longest);
    }
    for (int32_t i = 0; i < r->n; i++) {
        r->way[i] = length(r->now[0][i], r->now[1][i], r->now[2][i]);
        r->touches[i] = 1;
    }
    for (int a = 0; a < 3; a++) {
        const double *now = r->now[a], lo = r->near.lo[a], hi = r->near.hi[a], row = a ? r->yz[a - 1] : 0;
        for (int32_t i = 0; i < r->n; i++) {
            const double x = a ? row : r->x[i], from = x - h * now[i], low = less(from, x), high = more(from, x);
            r->touches[i] &= (low - turn <= hi) & (high + turn >= lo);
        }
    }
    if (!r->pose) return;
    row_distances(r->pose, r->x, &r->yz[0], &r->yz[1], 0, r->n, r->distance);
    for (int32_t i = 0; i < r->n; i++)
        r->touches[i] &= r->distance[i] < 0.5 * r->width + h * (2 + r->way[i] + 0.25 * r->longest);
}

/* Trilinear values half of the way back, each component on its faces. */
static void component_middle(struct gas_row *r, int a)
{
    const float *u = r->u[a];
    const ptrdiff_t sx = r->step[0], sy = r->step[1], sz = r->step[2];
    const double side[3] = {a == 0 ? 0.5 : 0, a == 1 ? 0.5 : 0, a == 2 ? 0.5 : 0};
    const double along[3] = {r->u[0] ? -0.5 : 0, r->u[1] ? -0.5 : 0, r->u[2] ? -0.5 : 0};
    for (int32_t i = 0; i < r->n; i++) {
        const double x = along[0] * r->now[0][i] + (r->u[0] ? side[0] : 0), low_x = floor(x), wx = x - low_x;
        const double y = along[1] * r->now[1][i] + (r->u[1] ? side[1] : 0), low_y = floor(y), wy = y - low_y;
        const double z = along[2] * r->now[2][i] + (r->u[2] ? side[2] : 0), low_z = floor(z), wz = z - low_z;
        const ptrdiff_t at = i + (ptrdiff_t)low_x + (ptrdiff_t)low_y * sy + (ptrdiff_t)low_z * sz;
        const ptrdiff_t up_x = wx > 0 ? sx : 0, up_y = wy > 0 ? sy : 0, up_z = wz > 0 ? sz : 0;
        const double a00 = (double)u[at], b00 = (double)u[at + up_x];
        const double a10 = (double)u[at + up_y], b10 = (double)u[at + up_y + up_x];
        const double a01 = (double)u[at + up_z], b01 = (double)u[at + up_z + up_x];
        const double a11 = (double)u[at + up_z + up_y], b11 = (double)u[at + up_z + up_y + up_x];
        const double row00 = a00 + wx * (b00 - a00), row10 = a10 + wx * (b10 - a10);
        const double row01 = a01 + wx * (b01 - a01), row11 = a11 + wx * (b11 - a11);
        const double low = row00 + wy * (row10 - row00), high = row01 + wy * (row11 - row01);
        const double way = clamped(r->scale * (low + wz * (high - low)), r->longest);
        r->middle[a][i] = r->way[i] > r->apart ? way : r->now[a][i];
    }
}

static void row_middles(struct gas_row *r)
{
    double most = 0;
    for (int32_t i = 0; i < r->n; i++) most = more(most, r->touches[i] ? r->way[i] : 0);
    for (int a = 0; a < 3; a++) {
        for (int32_t i = 0; i < r->n; i++) r->middle[a][i] = r->now[a][i];
        if (most > r->apart && r->u[a]) component_middle(r, a);
    }
}

static void row_samples(struct gas_row *r)
{
    const double apart = r->apart, noise = r->noise * r->noise;
    for (int32_t i = 0; i < r->n; i++) {
        const double way = more(r->way[i], length(r->middle[0][i], r->middle[1][i], r->middle[2][i]));
        r->samples[i] = ceil((apart + sqrt(way * way + noise) + r->travel) / apart);
    }
}

/* How much of gas there the source covers. No distance changes by more than the way. */
static void row_places(struct gas_row *r)
{
    const double h = r->h, edge = 0.5 * r->width, *x = r->at[0], *y = r->at[1], *z = r->at[2];
    for (int a = 0; a < 3; a++) {
        const double *now = r->now[a], *middle = r->middle[a], row = a ? r->yz[a - 1] : 0;
        for (int32_t i = 0; i < r->n; i++) {
            const double s = r->back[i], end = a ? row : r->x[i];
            r->at[a][i] = end - h * (s * now[i] - s * s * (now[i] - middle[i]));
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
        const double way = length(x[i] - r->x[i], y[i] - end_y, z[i] - end_z), end = r->distance[i];
        const double d = end - way >= edge ? edge : end + way <= -edge ? -edge : r->cover[i];
        r->cover[i] = shape_cover(way == 0 ? end : d, width);
    }
}

const struct follow_kernels SIMD_NAME(follow_kernels) = {row_lacks, row_ways, row_middles, row_samples, row_places};
