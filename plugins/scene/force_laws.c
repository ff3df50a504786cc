// SPDX-License-Identifier: Apache-2.0
/* What else pushes the gas: the acceleration f of a face. c: how much of it the shape covers (1 everywhere).
 *   wind        f takes u to W + (u - W)·exp(-rate·c·s) in a step that is s long, whatever else pushes: exact for any s
 *   vortex      f += c·strength·g(r/R)·(axis × r)/|axis × r|, r = distance from the axis
 *   attractor   f += c·strength·g(r/R)·(towards the point)
 *   turbulence  f += c·strength·curl ψ, ψ = three gradient noises that evolve in time (common/turbulence)
 * g(q) = q·exp((1-q²)/2) rises from 0 to its greatest value 1 at q = 1 and fades beyond. */
#include "force.h"
#include <common/vec3.h>

#include <math.h>
#include <stdbool.h>

static double profile(double q) { return q * exp(0.5 * (1 - q * q)); }

static double vortex_push(const struct force_plan *a, const double x[3], int axis)
{
    const struct vortex *v = &a->kind->vortex;
    double d[3], turn[3];
    vec3_sub(x, v->center, d);
    vec3_cross(a->axis, d, turn);
    const double r = vec3_length(turn);
    return r > 0 ? v->strength * profile(r / v->radius) * turn[axis] / r : 0;
}

static double attractor_push(const struct force_plan *a, const double x[3], int axis)
{
    const struct attractor *v = &a->kind->attractor;
    double d[3];
    vec3_sub(v->center, x, d);
    const double r = vec3_length(d);
    return r > 0 ? v->strength * profile(r / v->radius) * d[axis] / r : 0;
}

enum { ROW_FACES = 65 };

/* The faces of one row, from face `from` of row (j,k), along x. */
struct row {
    const struct force_plan *plan;
    const struct bw_block *block;
    const struct turbulence_edges *edges;
    int axis, from, j, k, n;
    double cover[ROW_FACES];
};

static void row_place(const struct row *r, int i, double x[3])
{
    const int at[3] = {r->from + i, r->j, r->k};
    for (int a = 0; a < 3; a++) x[a] = block_coord(r->block, a, at[a] + (a == r->axis ? 0 : 0.5));
}

/* Everywhere: the same share of all. */
static void row_wind_whole(float *restrict f, const float *restrict vel, double goal, double share, double span, int n)
{
    for (int i = 0; i < n; i++)
        f[i] = (float)(f[i] + bw_force_towards(goal, share, (double)vel[i], (double)f[i], span));
}

static void row_wind(const struct row *r, float *restrict f)
{
    const struct bw_view *v = &r->block->view[VIEW_VEL];
    const float *vel = bw_f32(v, r->axis) + r->from + r->j * v->sy + r->k * v->sz;
    const double goal = r->plan->kind->wind.velocity[r->axis], keep = r->plan->keep, span = r->plan->span;
    const bool everywhere = r->plan->region.kind == SHAPE_EVERYWHERE;
    if (everywhere) row_wind_whole(f, vel, goal, 1 - keep, span, r->n);
    for (int i = 0; !everywhere && i < r->n; i++) {
        const double left = r->cover[i] >= 1 ? keep : r->cover[i] > 0 ? pow(keep, r->cover[i]) : 1;
        f[i] = (float)(f[i] + bw_force_towards(goal, 1 - left, (double)vel[i], (double)f[i], span));
    }
}

static void row_turbulence(const struct row *r, float *restrict f)
{
    turbulence_kernels_for(r->block->stage->host->simd)
        ->add_row(r->edges, r->axis, (const int[3]){r->from, r->j, r->k}, r->n, 1 / r->block->grid->h, r->cover, f);
}

static void row_centred(const struct row *r, float *f)
{
    bool vortex = r->plan->kind->kind == FORCE_VORTEX;
    for (int i = 0; i < r->n; i++) {
        double x[3];
        if (r->cover[i] <= 0) continue;
        row_place(r, i, x);
        double push = vortex ? vortex_push(r->plan, x, r->axis) : attractor_push(r->plan, x, r->axis);
        f[i] = (float)(f[i] + r->cover[i] * push);
    }
}

/* 0: the shape leaves the row alone. */
static int row_cover(struct row *r)
{
    int any = 0;
    for (int i = 0; i < r->n; i++) {
        double x[3];
        row_place(r, i, x);
        r->cover[i] = pose_cover(&r->plan->region, x, r->plan->width);
        any |= r->cover[i] > 0;
    }
    return any;
}

static void axis_push(const struct force_plan *a, const struct bw_block *b, const struct turbulence_edges *e,
                      const struct cells *c, int axis)
{
    const struct bw_view *v = &b->view[VIEW_FORCE];
    int end[3] = {c->hi[0], c->hi[1], c->hi[2]}; // of the faces
    if (end[axis] < b->n[axis] || b->high[axis]) end[axis]++;
    struct row r = {.plan = a, .block = b, .edges = e, .axis = axis, .from = c->lo[0], .n = end[0] - c->lo[0]};
    for (int i = 0; i < r.n; i++) r.cover[i] = 1;
    for (r.k = c->lo[2]; r.k < end[2]; r.k++)
        for (r.j = c->lo[1]; r.j < end[1]; r.j++) {
            float *f = bw_f32(v, axis) + r.from + r.j * v->sy + r.k * v->sz;
            if (a->region.kind != SHAPE_EVERYWHERE && !row_cover(&r)) continue;
            if (a->kind->kind == FORCE_WIND) row_wind(&r, f);
            else if (a->kind->kind == FORCE_TURBULENCE) row_turbulence(&r, f);
            else row_centred(&r, f);
        }
}

/* Blocks away from the shape are left alone; of the velocity a block needs its own faces. */
int force_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct force_plan *a = user;
    struct cells c;
    if (a->kind->kind == FORCE_WIND && row == VIEW_VEL)
        for (int q = 0; q < 6; q++) reach[q] = (q & 1) && b->high[q / 2];
    return box_cells(&a->bounds, b, &c);
}

void force_add(const struct bw_block *b, void *user)
{
    const struct force_plan *a = user;
    struct cells cells;
    struct turbulence_edges edges = {0};
    if (!box_cells(&a->bounds, b, &cells)) return;
    const bool turbulent = a->kind->kind == FORCE_TURBULENCE;
    if (turbulent && !turbulence_kernels_for(b->stage->host->simd)->edges_make(&a->turbulence, b, &edges))
        b->sum[0] += 1;
    if (turbulent && !edges.psi[0]) return;
    for (int axis = 0; axis < 3; axis++)
        if (axis != b->grid->thin) axis_push(a, b, &edges, &cells, axis);
}
