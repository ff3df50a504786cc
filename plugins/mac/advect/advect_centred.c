// SPDX-License-Identifier: Apache-2.0
/* mac.advect's velocity, centred in time. With u as the step finds it and a as the last one had advected it:
 *
 *     c  = (u - a) dt / (2 dt_last)     half of what pressure, forces and all others have given since
 *     g  = u + c/2,  f = u + c
 *     D  = -dt (g(x + D) + c(x)/2)      displacement to the departure point
 *     u' = f(x + D) - c                 then forces and projection, in full
 * Gas has half of its acceleration where it comes from and half where it arrives, the trapezoidal rule along its path
 * (van Kan, "A second-order accurate pressure-correction scheme for viscous incompressible flow", SIAM J. Sci. Stat.
 * Comput. 7, 1986, has it for the pressure). The path is of the same rule: the mean of the velocity at the departure
 * point, u, and of the one that gas arrives with, u(x + D) + c(x + D) + c(x). So gas that turns steadily comes from its
 * own circle, at any angle a step; with f at the departure point alone, second order too, it comes from 4 % further in
 * at .8 radian, and 18 % at 1.2. Second order with one projection, whose pressure is the whole one: what c has of the
 * pressure is a gradient, which -c or the projection take away alike, so its error is not handed on. With E the energy,
 * E + 2 |c|² does not grow by it while f(x + D) has no more than f: D must be exact for that (advect_newton.h), and so
 * no gas may turn by more than some radian in a step (ways/advect_turn.c).
 *
 * Interpolation is cubic, less where cells do not resolve the flow (schemes.c): third order. Figures: docs/solvers.md.
 *
 * Fields that are advected go along u, not f, as in leapfrog: u is half a step ahead of them, so it is the flow in the
 * middle of their step, and the lift that they give comes in the middle of its own. That is second order in time, free
 * of divergence, and damps no waves of buoyancy (with f: by dt N²/4). So where fields go along, the velocity goes on by
 *     dt + dt/2 - ahead
 * with `ahead` half of the last step, 0 at first and at most dt, and forces push by as much.
 *
 * c is 0 where it is not known: in tiles that have just become active, beside obstacles, where u is in part what it was
 * extended to, and where gas comes from outside, since a is then the background's and what the pressure adds is no
 * acceleration on the way. The first step finds its own (advect_start.c). A step that is longer than the last by more
 * than LONGER times takes no more of c: what came in a short time says little. */
#include "edges/advect_outside.h"
#include <common/ranks.h>
#include <common/tiles.h>
#include <string.h>

#define LONGER 2.0  ///< times the last step
#define BESIDE 1.0f ///< cells from an obstacle

enum { VIEW_VEL, VIEW_CARRIED, VIEW_SOLID };
enum { MAX_G, MAX_HALF, MAX_U };

/// Making g, in `vel`, and f, in `carried`, where u and a were.
struct lean {
    const struct pass *pass;
    const uint8_t *born; ///< by tile: 1, u - a says nothing there; NULL: everywhere it does
    float share;         ///< of u - a
};

/// Do all tiles around hold values, as they did in the last step?
static bool is_amid(const struct lean *l, const struct bw_block *b)
{
    const struct tile_box own = tile_box_of_block(b);
    const int thin = b->grid->thin;
    bool amid = true;
    for (int q = 0; q < 27 && amid; q++) {
        const int32_t by[3] = {q % 3 - 1, q / 3 % 3 - 1, q / 9 - 1};
        int32_t at[3];
        for (int a = 0; a < 3; a++) at[a] = own.lo[a] + by[a];
        const int64_t t = l->pass->tiles->find(b->stage->domain, at);
        amid = (thin >= 0 && by[thin]) || (t >= 0 && !(l->born && l->born[t]));
    }
    return amid;
}

/* Faces of component c along each axis that are the block's own. */
static void own_faces(const struct bw_block *b, int c, int32_t n[3])
{
    for (int a = 0; a < 3; a++) n[a] = b->n[a] + (a == c && b->high[a]);
}

/* Velocity g of the face of component c at `at`, by the block's own faces. */
static void face_velocity(const struct bw_block *b, int c, const int32_t at[3], double u[3])
{
    const struct bw_view *v = &b->view[VIEW_VEL];
    const ptrdiff_t step[3] = {1, v->sy, v->sz}, here = at[0] + at[1] * v->sy + at[2] * v->sz;
    const ptrdiff_t low = at[c] > 0 ? here - step[c] : here, high = at[c] < b->n[c] ? here : low;
    for (int q = 0; q < 3; q++) {
        const float *f = bw_f32(v, q);
        const ptrdiff_t up = at[q] + 1 < b->n[q] + b->high[q] ? step[q] : 0;
        u[q] = q == c ? (double)f[here]
                      : 0.25 * ((double)f[high] + (double)f[high + up] + (double)f[low] + (double)f[low + up]);
    }
}

/// Faces of a row, first to end - 1.
struct stretch {
    int32_t first, end;
};

/* Faces that surely come from where there are values, by the range of the block's velocities. */
static struct stretch stretch_safe(const struct lean *l, const struct edge *e, const struct range3 *u, int32_t j,
                                   int32_t k, int32_t n)
{
    const double s = l->pass->scale, at[3] = {0, j, k};
    struct stretch r = {n, n};
    for (int a = 1; a < 3; a++)
        if (a != e->block->grid->thin &&
            (at[a] - s * (double)u->most[a] < e->safe[0][a] || at[a] - s * (double)u->least[a] > e->safe[1][a]))
            return r;
    r.first = (int32_t)fmin(fmax(ceil(e->safe[0][0] + s * (double)u->most[0]), 0), n);
    r.end = (int32_t)fmin(fmax(floor(e->safe[1][0] + s * (double)u->least[0]) + 1, r.first), n);
    return r;
}

/* c = 0: both are u. */
static void face_still(float *g, float *f) { *g = *f = 2 * *g - *f; }

/* c = 0 where gas comes from outside. A face's own velocity is that of its neighbours whose c went already, too. */
static void row_outside(const struct bw_block *b, const struct lean *l, const struct edge *e,
                        const struct range3 *range, int32_t j, int32_t k, int32_t n)
{
    const struct bw_view *mean = &b->view[VIEW_VEL], *all = &b->view[VIEW_CARRIED];
    const struct stretch safe = stretch_safe(l, e, range, j, k, n);
    float *g = bw_f32(mean, e->axis) + j * mean->sy + k * mean->sz;
    float *f = bw_f32(all, e->axis) + j * all->sy + k * all->sz;
    for (int32_t i = safe.first > 0 ? 0 : safe.end; i < n; i = i + 1 == safe.first ? safe.end : i + 1) {
        const int32_t at[3] = {i, j, k};
        double way[3], x[3];
        face_velocity(b, e->axis, at, way);
        for (int a = 0; a < 3; a++) x[a] = a == b->grid->thin ? at[a] : at[a] - l->pass->scale * way[a];
        if (!edge_has(e, x)) face_still(&g[i], &f[i]);
    }
}

static void component_outside(const struct bw_block *b, const struct lean *l, int c, const struct range3 *range)
{
    const struct edge e = edge_init(b, l->pass->tiles, l->born, c);
    int32_t n[3];
    own_faces(b, c, n);
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++) row_outside(b, l, &e, range, j, k, n[0]);
}

/* c = 0 at obstacles. */
static void component_beside(const struct bw_block *b, int c)
{
    const struct bw_view *mean = &b->view[VIEW_VEL], *all = &b->view[VIEW_CARRIED], *solid = &b->view[VIEW_SOLID];
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
                if (0.5f * (d[i - low] + d[i]) < near) face_still(&g[i], &f[i]);
        }
}

/* u, a become g, f, of one brick; `u`, `half`: the ranges of u and c/2, `g` that of g, and of u, which some become. */
static void brick_lean(const struct bw_block *b, const struct lean *l, float share, const int32_t at[3],
                       struct range3 *u, struct range3 *g, struct range3 *half)
{
    const struct bw_view *v = &b->view[VIEW_VEL], *was = &b->view[VIEW_CARRIED];
    const struct bricks by = bricks_of(b->grid);
    *g = *half = (struct range3){{0}, {0}};
    for (int c = 0; c < 3; c++) {
        struct advect_lean lean = {
            .vel_step = {v->sy, v->sz}, .carried_step = {was->sy, was->sz}, .share = c == b->grid->thin ? 0 : share};
        int32_t first[3];
        for (int a = 0; a < 3; a++) lean.n[a] = brick_span(&by, a, at[a], b->n[a], a == c && b->high[a], &first[a]);
        lean.vel = bw_f32(v, c) + first[0] + first[1] * v->sy + first[2] * v->sz;
        lean.carried = bw_f32(was, c) + first[0] + first[1] * was->sy + first[2] * was->sz;
        l->pass->kernels->lean(&lean);
        if (c == b->grid->thin) continue;
        u->least[c] = fminf(u->least[c], lean.now[0]);
        u->most[c] = fmaxf(u->most[c], lean.now[1]);
        g->least[c] = fminf(lean.mean[0], lean.now[0]);
        g->most[c] = fmaxf(lean.mean[1], lean.now[1]);
        half->least[c] = lean.half[0];
        half->most[c] = lean.half[1];
    }
}

static bool obstacle_is_near(const struct lean *l, const struct bw_block *b)
{
    return l->pass->walls && walls_touch(l->pass->walls, b, (const int32_t[6]){1, 1, 1, 1, 1, 1});
}

/* Blocks without obstacles do without their distance. */
static int lean_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)reach;
    return row != VIEW_SOLID || obstacle_is_near(user, b);
}

static void block_lean(const struct bw_block *b, void *user)
{
    const struct lean *l = user;
    const int64_t tile = tile_of_block(l->pass->tiles, b);
    const float share = l->born && l->born[tile] ? 0 : l->share;
    const bool outside = share > 0 && !is_amid(l, b);
    const struct bricks by = bricks_of(b->grid);
    struct range3 u = {{0}, {0}}, *g = l->pass->speed.brick + tile * by.count,
                  *half = l->pass->speed.half + tile * by.count, all = {{0}, {0}};
    for (int32_t q = 0; q < by.count; q++) {
        brick_lean(b, l, share, (const int32_t[3]){0, q % by.parts[1], q / by.parts[1]}, &u, &g[q], &half[q]);
        b->max[MAX_G] = fmax(b->max[MAX_G], range_speed(&g[q]));
        b->max[MAX_HALF] = fmax(b->max[MAX_HALF], range_speed(&half[q]));
        range_widen(&all, &g[q]);
    }
    for (int c = 0; c < 3 && outside; c++)
        if (c != b->grid->thin) component_outside(b, l, c, &all);
    for (int c = 0; c < 3 && share > 0 && obstacle_is_near(l, b); c++) component_beside(b, c);
    b->max[MAX_U] = range_speed(&u);
}

/* Makes g in `vel`, and measures it; f in `vel_carried`. */
static enum bw_status lean_run(struct pass *p, double share, bool all_known)
{
    struct bw_stage *s = p->stage;
    const struct bw_topology *topology = p->tiles->topology(s->domain);
    struct lean l = {p, all_known ? NULL : topology->born, (float)share};
    const struct bw_access row[] = {[VIEW_VEL] = {p->vel, BW_UPDATE_OWN, 0},
                                    [VIEW_CARRIED] = {p->carried, BW_UPDATE_OWN, 0},
                                    [VIEW_SOLID] = {bw_port_field(s, PORT_SOLID), BW_READ, 1}};
    double most[] = {[MAX_G] = 0, [MAX_HALF] = 0, [MAX_U] = 0};
    if (speed_room(p, topology->count, &p->speed.brick) != BW_OK) return BW_ERR_MEMORY;
    if (speed_room(p, topology->count, &p->speed.half) != BW_OK) return BW_ERR_MEMORY;
    p->scale = p->span / s->grid->h;
    enum bw_status st = s->host->sweep(s, &(struct bw_sweep){.access = row,
                                                             .n_access = p->walls ? 3 : 2,
                                                             .body = block_lean,
                                                             .reach = lean_reach,
                                                             .user = &l,
                                                             .maxs = most,
                                                             .n_maxs = BW_COUNT(most)});
    if (st == BW_OK) st = speed_share(p, p->speed.brick);
    if (st == BW_OK) st = speed_share(p, p->speed.half);
    p->speed.still = pass_still(p);
    p->speed.most = fmax(most[MAX_G], 0) + (1 + 4 * (double)ADVECT_SHARPER) * fmax(most[MAX_HALF], 0) + p->speed.still;
    s->host->metric(s, "cells", s->dt / s->grid->h * (fmax(most[MAX_U], 0) + p->speed.still), BW_METRIC_MAX);
    return st;
}

double centred_span(const struct centred *last, double dt) { return 1.5 * dt - fmin(last->ahead, dt); }

enum bw_status advect_centred(struct pass *p, struct centred *last)
{
    struct bw_stage *s = p->stage;
    struct bw_field *carried = bw_port_field(s, PORT_CARRIED);
    const bool first = !(last->span > 0);
    bool known = !first;
    const double span = s->span;
    enum bw_status st = first ? start_find(p, carried, span, &known) : BW_OK;
    if (st != BW_OK) return st;
    p->span = span;
    p->carried = carried;
    st = lean_run(p, !known ? 0 : first ? 0.5 : 0.5 * fmin(span / last->span, LONGER), first);
    p->trace = known ? TRACE_CENTRED : TRACE_MIDPOINT;
    last->ahead = 0.5 * s->dt;
    last->span = span;
    last->version = p->tiles->topology(s->domain)->version;
    return st == BW_OK ? pass_velocity(p, p->carried, p->vel) : st;
}
