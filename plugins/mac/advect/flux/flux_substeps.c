// SPDX-License-Identifier: Apache-2.0
/* Number of substeps (parts) so that no sweep empties a cell, order of the axes, and how far lines reach upstream.
 *
 * After a sweep along x a cell's volume is 1 - dt du/dx, after one along y that less dt dv/dy: the least of them, by
 * the axes swept, is known from the flow. It must stay above LEAST: a nearly empty cell would hold rounding errors. So
 * the limit is on dt |du/dx|, not on the CFL number. A volume U lies in U / LEAST cells at most; these, and their
 * parabolas' stencils, must lie within the widest halo.
 *
 * In several parts each order is followed by its reverse, and the two sweeps that meet are one, twice as far where
 * halos reach that: two parts take five sweeps, four take nine, and remap less often.
 *
 * One order of axes, and its reverse in the next step: the middle sweep never determines the number of substeps,
 * neither forwards nor backwards, since the axis in the middle is the one that gives the fewest.
 *
 * Symmetric sweeps carry a turned or renamed flow alike: x and y are taken in both orders, and the mean of both goes
 * on. z, up, comes before them or after, in turn (Strang). Nothing in the flow chooses that axis: rounding would, where
 * gas is as fast along two. */
#include "flux.h"
#include <common/ranks.h>
#include <assert.h>
#include <float.h>
#include <string.h>

#define LEAST 0.25 ///< of a cell's volume

static float more(float a, float b) { return a > b ? a : b; }

/* On the box's sides their boundary condition sets the flow. */
bool flux_faces_are_in_place(const struct flux *f, const struct bw_block *b, int64_t tile, int a)
{
    const int32_t *beyond = &f->topology->neighbour[tile][2 * a];
    return beyond[0] != BW_TILE_OUTSIDE && beyond[1] >= 0 && b->n[a] == b->grid->tile[a];
}

static bool all_faces_are_in_place(const struct flux *f, const struct bw_block *b, int64_t tile)
{
    bool all = true;
    for (int a = 0; a < 3; a++) all = all && (a == b->grid->thin || flux_faces_are_in_place(f, b, tile, a));
    return all;
}

/// A block's faces: those of component a on cell (i,j,k)'s low side; the high end's of each component elsewhere.
struct faces {
    const float *at[3], *end[3];     ///< end: NULL, they follow the others
    ptrdiff_t step[3], tile_step[3]; ///< of `at`, of `end`
    int32_t n[3];
    float row[FLUX_ROW + 1]; ///< the present row's of component 0
};

static struct faces faces_of(const struct flux *f, const struct bw_block *b, int64_t tile)
{
    const struct bw_view *v = &b->view[0];
    struct faces u = {.step = {1, v->sy, v->sz}, .n = {b->n[0], b->n[1], b->n[2]}};
    const bool in_place = all_faces_are_in_place(f, b, tile);
    tile_steps_set(b->grid, u.tile_step);
    for (int a = 0; a < 3; a++) {
        u.at[a] = bw_f32(v, a);
        if (in_place && a != b->grid->thin)
            u.end[a] = f->pass->tiles->data(f->flow, (uint32_t)a, f->topology->neighbour[tile][2 * a + 1]);
    }
    return u;
}

/* Low and high faces of row (j,k). */
static void faces_row(struct faces *u, int32_t j, int32_t k, const float *low[3], const float *high[3])
{
    const ptrdiff_t row = j * u->step[1] + k * u->step[2];
    for (int a = 0; a < 3; a++) {
        low[a] = u->at[a] + row;
        high[a] = low[a] + u->step[a];
    }
    if (u->end[0]) {
        memcpy(u->row, low[0], (size_t)u->n[0] * sizeof *u->row);
        u->row[u->n[0]] = u->end[0][j * u->tile_step[1] + k * u->tile_step[2]];
        low[0] = u->row;
        high[0] = u->row + 1;
    }
    if (u->end[1] && j == u->n[1] - 1) high[1] = u->end[1] + k * u->tile_step[2];
    if (u->end[2] && k == u->n[2] - 1) high[2] = u->end[2] + j * u->tile_step[1];
}

static float row_most(const float *at, int32_t n)
{
    float most = 0;
    for (int32_t i = 0; i < n; i++) most = more(most, at[i]);
    return most;
}

static void block_measure(const struct bw_block *b, void *user)
{
    const struct flux *f = user;
    const int64_t tile = tile_of_block(f->pass->tiles, b);
    struct flux_range *r = &f->range[tile];
    struct faces u = faces_of(f, b, tile);
    struct flux_rows rows = {.up = {{0}}};
    flux_extremes_fn *measure = flux_extremes_for(b->stage->host->simd);
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++) {
            const float *low[3], *high[3];
            faces_row(&u, j, k, low, high);
            measure(b->grid->thin, low, high, b->n[0], &rows);
        }
    *r = (struct flux_range){.up = {0}};
    for (int a = 0; a < 3; a++) {
        r->up[a] = row_most(rows.up[a], b->n[0]);
        r->down[a] = row_most(rows.down[a], b->n[0]);
    }
    for (int set = 1; set < FLUX_SETS; set++) r->emptied[set] = row_most(rows.emptied[set], b->n[0]);
}

/* High faces are the low faces of the next cells. */
static int measure_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct flux *f = user;
    const bool in_place = all_faces_are_in_place(f, b, tile_of_block(f->pass->tiles, b));
    (void)row;
    for (int s = 0; s < 6; s++) reach[s] = (s & 1) && !in_place;
    return 1;
}

static void range_join(struct flux_range *r, const struct flux_range *by)
{
    for (int a = 0; a < 3; a++) {
        r->up[a] = more(r->up[a], by->up[a]);
        r->down[a] = more(r->down[a], by->down[a]);
    }
    for (int set = 1; set < FLUX_SETS; set++) r->emptied[set] = more(r->emptied[set], by->emptied[set]);
}

/// Rounding of sums in single precision must not lead out of the halo.
#define SLACK (1 + 1e-4)

/* Cells that a volume spans when it flows at `speed` through cells of this least volume. */
static double cells_crossed(const struct flux *f, double speed, double emptied)
{
    const double least = f->now->swept ? 1 - SLACK * f->scale * (emptied + f->net_outflow) : 1;
    return floor(SLACK * f->scale * f->now->times * speed / least) + 1;
}

static bool reach_is_local(const struct bw_domain_info *g, int a)
{
    return g->n[a] <= 0 || g->side[2 * a].kind != BW_PERIODIC || g->n[a] % g->tile[a] == 0;
}

void flux_reach(const struct flux *f, int64_t tile, int32_t around[2])
{
    const int32_t a = f->now->axis;
    const struct flux_range *r = &f->range[tile];
    const int set = f->now->swept;
    float emptied = r->emptied[set];
    for (int s = 2 * a; s < 2 * a + 2; s++) {
        const int32_t next = f->topology->neighbour[tile][s];
        if (next >= 0) emptied = more(emptied, f->range[next].emptied[set]);
    }
    if (!reach_is_local(f->pass->stage->grid, a)) emptied = f->all.emptied[set];
    around[0] = FLUX_STENCIL + (r->up[a] > 0 ? (int32_t)cells_crossed(f, (double)r->up[a], (double)emptied) : 0);
    around[1] = FLUX_STENCIL + (r->down[a] > 0 ? (int32_t)cells_crossed(f, (double)r->down[a], (double)emptied) : 0);
    assert(around[0] <= FLUX_HALO && around[1] <= FLUX_HALO);
}

/* ---- one order of axes ---- */

/// What sweeps ask of a flow if axis m is swept second, whichever of the others is first, m/s.
struct demand {
    double speed, speed_of_ends; ///< fastest along any axis; along those that are first or last
    double emptied;              ///< largest net outflow of a cell after some of the sweeps
};

static struct demand demand_of(const struct flux *f, int m)
{
    struct demand d = {.emptied = (double)f->all.emptied[FLUX_SETS - 1]};
    for (int a = 0; a < 3; a++) {
        const double speed = (double)more(f->all.up[a], f->all.down[a]);
        d.speed = fmax(d.speed, speed);
        if (a != m || f->pass->stage->grid->thin >= 0) // in a flat domain both axes are ends
            d.speed_of_ends = fmax(d.speed_of_ends, speed);
        if (a != m) d.emptied = fmax(d.emptied, (double)more(f->all.emptied[1 << a], f->all.emptied[1 << a | 1 << m]));
    }
    return d;
}

#define WALK (FLUX_HALO - FLUX_STENCIL - 1) ///< cells upstream within the halo

/* Substeps if axis m is swept second: 1 or more. */
static double parts_for_middle(const struct flux *f, int m)
{
    const struct demand d = demand_of(f, m);
    const double emptied = SLACK * f->scale * d.emptied;
    return fmax(ceil(fmax(emptied / (1 - LEAST), emptied + SLACK * f->scale * d.speed / WALK)), 1);
}

/* Alternates between axes that are equally good. */
static double middle_choose(struct flux *f)
{
    const int32_t first = (int32_t)(((f->pass->stage->step + 1) / 2 + 1) % 3);
    double parts = HUGE_VAL;
    for (int32_t k = 0; k < 3; k++) {
        const int32_t m = (first + k) % 3;
        const double with = m == f->pass->stage->grid->thin ? HUGE_VAL : parts_for_middle(f, m);
        if (with < parts || !k) f->middle = m;
        parts = fmin(parts, with);
    }
    return parts;
}

static void sweep_add(struct flux *f, struct flux_sweep s)
{
    s.times = 1;
    f->sweep[f->n_sweeps++] = s;
}

/* May the last sweep of a part be one with the first of the next, which is along the same axis? It goes twice as far,
 * and cells are not whole between: those from which gas flows on all sides are emptied by all parts. Not while
 * obstacles displace what they cover, which is done between parts. */
static bool parts_join(const struct flux *f)
{
    const struct demand d = demand_of(f, f->middle);
    const double net = f->parts * (double)f->all.emptied[FLUX_SETS - 1], scale = SLACK * f->scale,
                 emptied = scale * (d.emptied + net);
    if (f->parts == 1 || (f->pass->walls && f->pass->walls->speed > 0)) return false;
    return emptied <= 1 - LEAST && scale * fmax(2 * d.speed_of_ends, d.speed) <= WALK * (1 - emptied);
}

/* Strang splitting: each order is followed by its reverse, so the pair is second order. */
void flux_order(struct flux *f, int32_t part)
{
    const int8_t order[3] = {(int8_t)((f->middle + 1) % 3), (int8_t)f->middle, (int8_t)((f->middle + 2) % 3)};
    const bool odd = (f->pass->stage->step + part) % 2, begun = f->joined && part > 1,
               goes_on = f->joined && part < f->parts;
    uint8_t swept = 0;
    if (f->pass->options->sweeps == SWEEPS_SYMMETRIC) return; // planned once
    f->n_sweeps = 0;
    for (int q = 0; q < 3; q++) {
        const int8_t a = order[odd ? q : 2 - q];
        if (a == f->pass->stage->grid->thin) continue;
        if (swept || !begun)
            sweep_add(f, (struct flux_sweep){.axis = a,
                                             .swept = swept,
                                             .volume = swept ? FLUX_VOLUME : FLUX_WHOLE,
                                             .volume_to = FLUX_VOLUME});
        swept |= (uint8_t)(1 << a);
    }
    struct flux_sweep *last = &f->sweep[f->n_sweeps - 1];
    if (goes_on) last->times = 2;
    else last->volume_to = FLUX_WHOLE;
}

/* ---- symmetric sweeps ---- */

/// An order of axes: the pair is taken both ways; `lone` comes before them or after. -1: a flat domain has none.
struct order {
    int lone, pair[2];
    bool lone_first;
};

static struct order order_of(const struct bw_stage *s)
{
    const int thin = s->grid->thin, without = thin < 0 ? 2 : thin;
    return (struct order){thin < 0 ? without : -1, {(without + 1) % 3, (without + 2) % 3}, s->step % 2};
}

/* Substeps by an order: 1 or more. */
static double parts_for(const struct flux *f, const struct order *o)
{
    const int a = 1 << o->pair[0], b = 1 << o->pair[1], l = o->lone < 0 ? 0 : 1 << o->lone;
    const int set[3] = {o->lone_first ? l : a | b, o->lone_first ? l | a : a, o->lone_first ? l | b : b};
    double speed = 0, emptied = (double)f->all.emptied[a | b | l];
    for (int q = 0; q < 3; q++) {
        speed = fmax(speed, (double)more(f->all.up[q], f->all.down[q]));
        emptied = fmax(emptied, (double)f->all.emptied[set[q]]);
    }
    emptied *= SLACK * f->scale;
    return fmax(ceil(fmax(emptied / (1 - LEAST), emptied + SLACK * f->scale * speed / WALK)), 1);
}

/* Both orders of the pair, the mean of their results, and the lone axis before or after:
 *     order 1, in the other fields:    pair[0], pair[1]
 *     order 2, in the fields:          pair[1], pair[0], then the mean
 * Volumes after the pair are the same either way. */
static void sweeps_plan(struct flux *f, const struct order *o)
{
    const int8_t a = (int8_t)o->pair[0], b = (int8_t)o->pair[1], l = (int8_t)o->lone;
    const bool before = l >= 0 && o->lone_first, after = l >= 0 && !o->lone_first;
    const uint8_t is_a = (uint8_t)(1 << a), is_b = (uint8_t)(1 << b), is = before ? (uint8_t)(1 << l) : 0;
    const enum flux_volume_at begin = before ? FLUX_VOLUME : FLUX_WHOLE, between = before ? FLUX_VOLUME_2 : FLUX_VOLUME,
                              end = after ? FLUX_VOLUME_2 : FLUX_WHOLE;
    f->n_sweeps = 0;
    if (before) sweep_add(f, (struct flux_sweep){l, 0, FLUX_FIELD, FLUX_FIELD, FLUX_WHOLE, FLUX_VOLUME, false, false});
    sweep_add(f, (struct flux_sweep){a, is, FLUX_FIELD, FLUX_OTHER, begin, between, true, false});
    sweep_add(f, (struct flux_sweep){b, is | is_a, FLUX_OTHER, FLUX_OTHER, between, end, true, false});
    sweep_add(f, (struct flux_sweep){b, is, FLUX_FIELD, FLUX_FIELD, begin, between, true, false});
    sweep_add(f, (struct flux_sweep){a, is | is_b, FLUX_FIELD, FLUX_FIELD, between, end, true, true});
    if (after)
        sweep_add(f,
                  (struct flux_sweep){l, is_a | is_b, FLUX_FIELD, FLUX_FIELD, FLUX_VOLUME_2, FLUX_WHOLE, false, false});
}

enum bw_status flux_plan_substeps(struct flux *f)
{
    struct bw_stage *s = f->pass->stage;
    const struct bw_access row = {f->flow, BW_READ, 1};
    enum bw_status st = s->host->sweep(
        s, &(struct bw_sweep){.access = &row, .n_access = 1, .body = block_measure, .reach = measure_reach, .user = f});
    if (st == BW_OK) st = ranks_allgather(s, f->range, NULL, sizeof *f->range);
    if (st != BW_OK) return st;
    f->all = (struct flux_range){.up = {0}};
    for (int64_t t = 0; t < f->topology->count; t++) range_join(&f->all, &f->range[t]);
    f->scale = f->pass->scale;
    const bool symmetric = f->pass->options->sweeps == SWEEPS_SYMMETRIC;
    const struct order order = order_of(s);
    const double parts = symmetric ? parts_for(f, &order) : middle_choose(f);
    if (!(parts < 10000))
        return s->host->fail(s, BW_ERR_DIVERGED, "the flow would empty cells %.3g times in a step", parts);
    f->parts = (int32_t)parts;
    f->scale /= f->parts;
    if (symmetric) sweeps_plan(f, &order);
    else f->joined = parts_join(f);
    f->net_outflow = f->joined ? f->parts * (double)f->all.emptied[FLUX_SETS - 1] : 0;
    s->host->metric(s, "parts", f->parts, BW_METRIC_MAX);
    return st;
}
