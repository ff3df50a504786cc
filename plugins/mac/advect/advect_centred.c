// SPDX-License-Identifier: Apache-2.0
/* mac.advect's velocity, centred in time. With u as the step finds it and a as the last one had advected it:
 *
 *     c  = (u - a) dt / (2 dt_last)     half of the increment by pressure, forces and all others since
 *     g  = u + c/2,  f = u + c
 *     D  = -dt (g(x + D) + c(x)/2)      displacement to the departure point
 *     u' = f(x + D) - c                 then forces and projection, in full
 * Trapezoidal along the trajectory: half of the previous pressure and force increment is applied at the departure
 * point, half at the arrival point (van Kan, "A second-order accurate pressure-correction scheme for viscous
 * incompressible flow", SIAM J. Sci. Stat. Comput. 7, 1986, has it for the pressure). The trajectory follows the same
 * rule: the mean of the velocity at the departure point, u, and of the one at arrival, u(x + D) + c(x + D) + c(x). So
 * gas in steady rotation comes from its own circle, at any angle a step; with f at the departure point alone, second
 * order too, it comes from 4 % further in at .8 radian, and 18 % at 1.2. Second order with one projection, whose
 * pressure is the whole one: the pressure's part of c is a gradient, which -c and the projection both remove, so its
 * error does not accumulate. With E the energy, E + 2 |c|² does not grow by it while f(x + D) has no more than f: D
 * must be exact for that (advect_newton.h), and so gas may rotate by no more than some radian in a step
 * (trajectories/rotation_limit.c).
 *
 * Interpolation is cubic, less where cells do not resolve the flow (schemes.c): third order. Figures: docs/solvers.md.
 *
 * Other fields are advected by u, not f, as in leapfrog: u is half a step ahead of them, so it is the velocity in the
 * middle of their step, and their buoyancy acts in the middle of its own. That is second order in time, free of
 * divergence, and does not damp buoyancy waves (with f: by dt N²/4). So where fields are advected, the time step of the
 * velocity and of forces is
 *     dt + dt/2 - ahead
 * with `ahead` half of the last step, 0 at first and at most dt.
 *
 * In newly activated tiles c is extrapolated, as u and a are (core/grid/new_tile.c). It is 0 beside obstacles, where u
 * is partly extrapolated. The first step finds its own (advect_first_step.c). In a step more than MAX_GROWTH times as
 * long as the last, c grows no further: an increment over a short time predicts little. */
#include "advect_pass.h"
#include <common/ranks.h>
#include <common/tiles.h>
#include <string.h>

#define MAX_GROWTH 2.0 ///< of the time step, beyond which c grows no further
#define BESIDE 1.0f    ///< cells from an obstacle

enum { VIEW_VEL, VIEW_ADVECTED, VIEW_SOLID };
enum { MAX_G, MAX_HALF, MAX_U };

/// The sweep that turns u in `vel` into g, and a in `advected` into f.
struct increment {
    const struct pass *pass;
    float factor; ///< of u - a
};

/* Faces of component c along each axis that are the block's own. */
static void own_faces(const struct bw_block *b, int c, int32_t n[3])
{
    for (int a = 0; a < 3; a++) n[a] = b->n[a] + (a == c && b->high[a]);
}

/* c = 0: both are u. */
static void face_without_increment(float *g, float *f) { *g = *f = 2 * *g - *f; }

/* c = 0 at obstacles. */
static void component_beside(const struct bw_block *b, int c)
{
    const struct bw_view *mean = &b->view[VIEW_VEL], *all = &b->view[VIEW_ADVECTED], *solid = &b->view[VIEW_SOLID];
    const ptrdiff_t low = c == 0 ? 1 : c == 1 ? solid->sy : solid->sz;
    const float near = BESIDE * (float)b->grid->h;
    int32_t n[3];
    own_faces(b, c, n);
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++) {
            const float *d = bw_f32(solid, 0) + j * solid->sy + k * solid->sz;
            float *g = bw_f32(mean, c) + j * mean->sy + k * mean->sz;
            float *f = bw_f32(all, c) + j * all->sy + k * all->sz;
            for (int32_t i = 0; i < n[0]; i++)
                if (0.5f * (d[i - low] + d[i]) < near) face_without_increment(&g[i], &f[i]);
        }
}

static void ranges_take(const struct advect_increment_ranges *r, int c, struct range3 *g, struct range3 *half)
{
    g->least[c] = fminf(r->mean[0], r->now[0]);
    g->most[c] = fmaxf(r->mean[1], r->now[1]);
    half->least[c] = r->half[0];
    half->most[c] = r->half[1];
}

/* u, a become g, f in one sub-tile. Ranges: `u` of u, `half` of c/2, `g` of g and u, since g is u where c is 0. */
static void sub_tile_add_increment(const struct bw_block *b, const struct increment *l, const int32_t at[3],
                                   struct range3 *u, struct sub_tile_ranges *g, struct sub_tile_ranges *half)
{
    const struct bw_view *v = &b->view[VIEW_VEL], *was = &b->view[VIEW_ADVECTED];
    const struct sub_tiles by = sub_tiles_of(b->grid);
    *g = *half = (struct sub_tile_ranges){.all = {{0}, {0}}};
    for (int c = 0; c < 3; c++) {
        struct advect_increment row = {.vel_step = {v->sy, v->sz},
                                       .advected_step = {was->sy, was->sz},
                                       .factor = c == b->grid->thin ? 0 : l->factor};
        int32_t first[3];
        for (int a = 0; a < 3; a++)
            row.n[a] = sub_tile_cells_along(&by, a, at[a], b->n[a], a == c && b->high[a], &first[a]);
        row.vel = bw_f32(v, c) + first[0] + first[1] * v->sy + first[2] * v->sz;
        row.advected = bw_f32(was, c) + first[0] + first[1] * was->sy + first[2] * was->sz;
        row.axis = c;
        l->pass->kernels->add_increment(&row);
        if (c == b->grid->thin) continue;
        u->least[c] = fminf(u->least[c], row.all.now[0]);
        u->most[c] = fmaxf(u->most[c], row.all.now[1]);
        ranges_take(&row.all, c, &g->all, &half->all);
        ranges_take(&row.first, c, &g->first, &half->first);
    }
}

static bool obstacle_is_near(const struct increment *l, const struct bw_block *b)
{
    return l->pass->walls && walls_near(l->pass->walls, b, 1);
}

/* Blocks without obstacles do not read their distance. */
static int increment_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)reach;
    return row != VIEW_SOLID || obstacle_is_near(user, b);
}

static void block_add_increment(const struct bw_block *b, void *user)
{
    const struct increment *l = user;
    const int64_t tile = tile_of_block(l->pass->tiles, b);
    const struct sub_tiles by = sub_tiles_of(b->grid);
    struct range3 u = {{0}, {0}};
    struct sub_tile_ranges *g = l->pass->speed.sub_tile + tile * by.count,
                           *half = l->pass->speed.half + tile * by.count;
    for (int32_t q = 0; q < by.count; q++) {
        int32_t at[3];
        sub_tile_place(&by, q, at);
        sub_tile_add_increment(b, l, at, &u, &g[q], &half[q]);
        b->max[MAX_G] = fmax(b->max[MAX_G], range_speed(&g[q].all));
        b->max[MAX_HALF] = fmax(b->max[MAX_HALF], range_speed(&half[q].all));
    }
    for (int c = 0; c < 3 && l->factor > 0 && obstacle_is_near(l, b); c++) component_beside(b, c);
    b->max[MAX_U] = range_speed(&u);
}

/* Computes g in `vel` and f in `vel_carried`, and measures g. */
static enum bw_status increment_run(struct pass *p, double factor)
{
    struct bw_stage *s = p->stage;
    const struct bw_topology *topology = p->tiles->topology(s->domain);
    struct increment l = {p, (float)factor};
    const struct bw_access row[] = {[VIEW_VEL] = {p->vel, BW_UPDATE_OWN, 0},
                                    [VIEW_ADVECTED] = {p->advected, BW_UPDATE_OWN, 0},
                                    [VIEW_SOLID] = {bw_port_field(s, PORT_SOLID), BW_READ, 1}};
    double most[] = {[MAX_G] = 0, [MAX_HALF] = 0, [MAX_U] = 0};
    if (speed_alloc(p, topology->count, &p->speed.sub_tile) != BW_OK) return BW_ERR_MEMORY;
    if (speed_alloc(p, topology->count, &p->speed.half) != BW_OK) return BW_ERR_MEMORY;
    p->scale = p->span / s->grid->h;
    enum bw_status st = s->host->sweep(s, &(struct bw_sweep){.access = row,
                                                             .n_access = p->walls ? 3 : 2,
                                                             .body = block_add_increment,
                                                             .reach = increment_reach,
                                                             .user = &l,
                                                             .maxs = most,
                                                             .n_maxs = BW_COUNT(most)});
    if (st == BW_OK) st = speed_join(p, p->speed.sub_tile);
    if (st == BW_OK) st = speed_join(p, p->speed.half);
    p->speed.exterior = exterior_speed(p);
    p->speed.most =
        fmax(most[MAX_G], 0) + (1 + 4 * (double)ADVECT_SHARPER) * fmax(most[MAX_HALF], 0) + p->speed.exterior;
    s->host->metric(s, "cells", s->dt / s->grid->h * (fmax(most[MAX_U], 0) + p->speed.exterior), BW_METRIC_MAX);
    return st;
}

double centred_span(const struct centred *last, double dt) { return 1.5 * dt - fmin(last->ahead, dt); }

enum bw_status advect_centred(struct pass *p, struct centred *last)
{
    struct bw_stage *s = p->stage;
    struct bw_field *advected = bw_port_field(s, PORT_VEL_ADVECTED);
    const bool first = !(last->span > 0);
    bool known = !first;
    const double span = s->span;
    enum bw_status st = first ? first_step_acceleration(p, advected, span, &known) : BW_OK;
    if (st != BW_OK) return st;
    p->span = span;
    p->advected = advected;
    st = increment_run(p, !known ? 0 : first ? 0.5 : 0.5 * fmin(span / last->span, MAX_GROWTH));
    p->trace = known ? TRACE_CENTRED : TRACE_MIDPOINT;
    last->ahead = 0.5 * s->dt;
    last->span = span;
    last->version = p->tiles->topology(s->domain)->version;
    return st == BW_OK ? pass_velocity(p, p->advected, p->vel) : st;
}
