// SPDX-License-Identifier: Apache-2.0
/* What `flux` wants to know before a step: whether every cell holds gas, how fast signals run, which tiles are not at
 * rest, where obstacles are near. */
#include "flux.h"
#include <common/ranks.h>
#include <common/tiles.h>
#include <math.h>
#include <string.h>

#define RUNAWAY 1e15 // cells a unit step

struct flux_shape flux_shape_of(const struct bw_block *b, const struct bw_view *v, int32_t halo)
{
    struct flux_shape s = {.step = {1, v->sy, v->sz}, .cells = 1};
    for (int a = 0; a < 3; a++) {
        s.n[a] = b->n[a];
        s.halo[a] = a == b->grid->thin ? 0 : halo;
        s.cells *= (size_t)(s.n[a] + 2 * s.halo[a]);
        s.origin += s.halo[a] * s.step[a];
    }
    return s;
}

/* Of the tile that cell `lo` lies in. */
static struct flux_tile *tile_of(const struct flux_task *t, const int32_t lo[3])
{
    return &t->st->tile[tile_of_cell(t->tiles, t->s->domain, t->s->grid, lo)];
}

struct flux_near flux_near_of(const struct flux_task *t, const struct bw_block *b)
{
    const int32_t *n = t->s->grid->tile;
    struct flux_near all = {0};
    for (int k = 0; k < b->n[2]; k += n[2])
        for (int j = 0; j < b->n[1]; j += n[1])
            for (int i = 0; i < b->n[0]; i += n[0]) {
                const struct flux_tile *q = tile_of(t, (int32_t[3]){b->lo[0] + i, b->lo[1] + j, b->lo[2] + k});
                all.solid |= q->solid;
                all.wall |= q->wall;
                all.moves = q->moves > all.moves ? q->moves : all.moves;
            }
    return all;
}

/* While looking, every block gets the obstacles; afterwards those that have any near. */
static int look_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)row, (void)user;
    flux_reach_flat(b, reach);
    return 1;
}

int flux_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct flux_task *t = user;
    const int32_t r = (int32_t)row;
    for (int side = 0; side < 6; side++) reach[side] = reach[side] < t->halo ? reach[side] : t->halo;
    flux_reach_flat(b, reach);
    if (r == t->wall) return flux_near_of(t, b).wall;
    if (r == t->solid_vel) return flux_near_of(t, b).moves > 0;
    return r != t->solid || flux_near_of(t, b).solid;
}

/* Least and largest value of a component in a block and its halo. */
static void view_range(const struct bw_block *b, const struct bw_view *v, int c, float range[2])
{
    const struct flux_shape sh = flux_shape_of(b, v, FLUX_HALO);
    const float *all = bw_f32(v, c) - sh.origin;
    float least = HUGE_VALF, most = -HUGE_VALF;
    for (size_t i = 0; i < sh.cells; i++) {
        least = all[i] < least ? all[i] : least;
        most = all[i] > most ? all[i] : most;
    }
    range[0] = least, range[1] = most;
}

static int solid_near(const struct bw_block *b, const struct bw_view *v)
{
    float range[2];
    view_range(b, v, 0, range);
    return range[0] < 0;
}

static int wall_near(const struct bw_block *b, const struct bw_view *v)
{
    float range[2];
    int near = 0;
    for (int a = 0; a < 3; a++) {
        if (a == b->grid->thin) continue;
        view_range(b, v, a, range);
        near |= range[1] >= 0.5f;
    }
    return near;
}

/* The largest component, m/s. */
static float speed_near(const struct bw_block *b, const struct bw_view *v)
{
    float range[2], most = 0;
    for (int a = 0; a < 3; a++) {
        if (a == b->grid->thin) continue;
        view_range(b, v, a, range);
        most = fmaxf(most, fmaxf(range[1], -range[0]));
    }
    return most;
}

/// One cell as the stage sees it.
struct cell {
    double mass, momentum[3], energy, pressure;
};

static struct cell cell_at(const struct flux_task *t, const struct bw_block *b, int i, int j, int k)
{
    const struct bw_view *v = b->view;
    const ptrdiff_t at = i + j * v->sy + k * v->sz;
    struct cell c = {.mass = bw_get(&v[0], 0, at)};
    double square = 0;
    for (int a = 0; a < t->dim; a++) {
        c.momentum[a] = bw_get(&v[1], t->axis[a], at);
        square += c.momentum[a] * c.momentum[a];
    }
    const double gas = t->p->gamma - 1;
    if (t->energy >= 0) c.energy = bw_get(&v[t->energy], 0, at);
    c.pressure = t->energy < 0 ? (double)t->pressure : gas * ((double)t->g.energy + c.energy - 0.5 * square / c.mass);
    return c;
}

static double cell_signal(const struct flux_task *t, const struct cell *c)
{
    double sum = 0;
    for (int a = 0; a < t->dim; a++) sum += fabs(c->momentum[a]) / c->mass;
    return sum + t->dim * (t->energy < 0 ? t->p->sound_speed : sqrt(t->p->gamma * c->pressure / c->mass));
}

static int cell_moves(const struct flux_task *t, const struct cell *c)
{
    const double rest = t->p->quiet * t->p->ambient_density;
    int moves = fabs(c->mass - t->p->ambient_density) > rest || fabs(c->energy) > t->p->quiet * (double)t->g.energy;
    for (int a = 0; a < t->dim; a++) moves |= fabs(c->momentum[a]) > rest * t->p->sound_speed;
    return moves;
}

/* Nothing bounds momentum in mode mass_flow: where flow outruns the cells it grows without end. A cell that was
 * just emptied may be a million million times too fast and recover. */
static int cell_runs_away(const struct flux_task *t, const struct cell *c)
{
    return t->p->mode == FLUX_MASS_FLOW &&
           cell_signal(t, c) - t->dim * t->p->sound_speed > RUNAWAY * t->p->mass_flow.rate * t->s->grid->h;
}

static void tile_add(struct flux_tile *tile, const int32_t at[3])
{
    for (int a = 0; a < 3; a++) {
        if (at[a] < tile->lo[a]) tile->lo[a] = at[a];
        if (at[a] > tile->hi[a]) tile->hi[a] = at[a];
    }
}

/* The first by z, y, x, so that the sentence is the same on any number of threads and ranks. */
static void bad_note(struct flux_bad *bad, const int32_t cell[3], double mass, double pressure)
{
    int first = !bad->found;
    for (int a = 2; a >= 0 && !first; a--) {
        if (cell[a] > bad->cell[a]) return;
        first = cell[a] < bad->cell[a];
    }
    *bad = (struct flux_bad){{cell[0], cell[1], cell[2]}, 1, mass, pressure};
}

/* Cell by cell: rows in which something is wrong or hidden. */
static void row_look(const struct flux_task *t, const struct bw_block *b, const struct bw_view *solid, int j, int k,
                     struct flux_tile *tile, double *most)
{
    for (int i = 0; i < b->n[0]; i++) {
        const int32_t x[3] = {i, j, k};
        const struct cell c = cell_at(t, b, i, j, k);
        if (tile->solid && bw_f32(solid, 0)[i + j * solid->sy + k * solid->sz] < 0) {
            const double excess = c.mass - t->p->ambient_density;
            if (!(excess > t->p->quiet * t->p->ambient_density)) continue;
            bad_note(&tile->buried, (const int32_t[3]){b->lo[0] + i, b->lo[1] + j, b->lo[2] + k}, c.mass, 0);
            b->sum[1] += excess;
            continue;
        }
        if (!(c.mass > 0) || !(c.pressure > 0) || cell_runs_away(t, &c)) {
            const int32_t cell[3] = {b->lo[0] + i, b->lo[1] + j, b->lo[2] + k};
            bad_note(&tile->bad, cell, c.mass, c.pressure);
            continue;
        }
        *most = fmax(*most, cell_signal(t, &c));
        if (cell_moves(t, &c)) tile_add(tile, x);
    }
}

/* The ends of what moves in a row that is all gas. */
static void row_ends(const struct flux_task *t, const struct bw_block *b, int j, int k, struct flux_tile *tile)
{
    int lo = 0, hi = b->n[0] - 1;
    struct cell c = cell_at(t, b, lo, j, k);
    while (!cell_moves(t, &c) && lo < hi) c = cell_at(t, b, ++lo, j, k);
    c = cell_at(t, b, hi, j, k);
    while (!cell_moves(t, &c) && hi > lo) c = cell_at(t, b, --hi, j, k);
    tile_add(tile, (const int32_t[3]){lo, j, k});
    tile_add(tile, (const int32_t[3]){hi, j, k});
}

/* A row's values as doubles: where they are, or copied. */
static const double *row_wide(const struct bw_view *v, int c, ptrdiff_t at, int n, double *room)
{
    if (v->precision == BW_F64P) return bw_f64(v, c) + at;
    for (int i = 0; i < n; i++) room[i] = (double)bw_f32(v, c)[at + i];
    return room;
}

/* 1 when the row at once will do: all gas, none hidden; *sight is what was seen. */
static int row_see(const struct flux_task *t, const struct bw_block *b, int j, int k, struct flux_sight *sight)
{
    const struct bw_view *v = b->view;
    const ptrdiff_t at = j * v->sy + k * v->sz;
    double room[FLUX_VARS][64];
    const double rest = t->p->quiet * t->p->ambient_density;
    *sight = (struct flux_sight){.n = b->n[0],
                                 .dim = t->dim,
                                 .mass = row_wide(&v[0], 0, at, b->n[0], room[0]),
                                 .gamma = t->p->gamma,
                                 .rest_energy = (double)t->g.energy,
                                 .sound = t->p->sound_speed,
                                 .ambient = t->p->ambient_density,
                                 .still = {rest, rest * t->p->sound_speed, t->p->quiet * (double)t->g.energy}};
    for (int a = 0; a < t->dim; a++) sight->momentum[a] = row_wide(&v[1], t->axis[a], at, b->n[0], room[1 + a]);
    if (t->energy >= 0) sight->energy = row_wide(&v[t->energy], 0, at, b->n[0], room[4]);
    t->k->see(sight);
    for (int i = 0; i < b->n[0]; i++) b->sum[0] += fmax(sight->mass[i] - t->p->ambient_density, 0);
    return sight->least_mass > 0 && sight->least_pressure > 0 && sight->signal < HUGE_VAL &&
           !(t->p->mode == FLUX_MASS_FLOW && sight->signal > RUNAWAY * t->p->mass_flow.rate * b->grid->h);
}

static void look_body(const struct bw_block *b, void *user)
{
    const struct flux_task *t = user;
    struct flux_tile *tile = tile_of(t, b->lo);
    const struct bw_view *solid = t->solid >= 0 && b->view[t->solid].data[0] ? &b->view[t->solid] : NULL;
    *tile = (struct flux_tile){{INT32_MAX, INT32_MAX, INT32_MAX},
                               {-1, -1, -1},
                               solid && solid_near(b, solid),
                               t->wall >= 0 && wall_near(b, &b->view[t->wall]),
                               .moves = 0};
    if (tile->solid && t->solid_vel >= 0) tile->moves = speed_near(b, &b->view[t->solid_vel]);
    double most = 0;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++) {
            struct flux_sight sight;
            const int all = row_see(t, b, j, k, &sight);
            if (!all || tile->solid) {
                row_look(t, b, solid, j, k, tile, &most);
                continue;
            }
            most = fmax(most, sight.signal);
            if (sight.moves) row_ends(t, b, j, k, tile);
        }
    b->max[0] = most;
}

/* The first of all tiles' notes. */
static struct flux_bad bad_first(const struct flux_task *t, int buried, double x[3])
{
    struct flux_bad first = {.found = 0};
    for (int64_t i = 0; i < t->tiles->topology(t->s->domain)->count; i++) {
        const struct flux_bad *bad = buried ? &t->st->tile[i].buried : &t->st->tile[i].bad;
        if (bad->found) bad_note(&first, bad->cell, bad->mass, bad->pressure);
    }
    for (int a = 0; a < 3; a++) x[a] = t->s->grid->origin[a] + (first.cell[a] + 0.5) * t->s->grid->h;
    return first;
}

/* What came to lie behind walls that stand still since the last look was emitted there: a rim may, but not most. */
static enum bw_status buried_report(const struct flux_task *t, double all, double behind)
{
    struct bw_stage *s = t->s;
    const double more = behind - t->st->behind;
    int moves = 0;
    for (int64_t i = 0; i < t->tiles->topology(s->domain)->count; i++) moves |= t->st->tile[i].moves > 0;
    t->st->behind = behind;
    double x[3];
    bad_first(t, 1, x);
    if (moves || more <= all - behind) return BW_OK;
    return s->host->fail(s, BW_ERR_PRESET,
                         "the gas given at (%g, %g, %g) m lies inside a wall: it cannot flow from there", x[0], x[1],
                         x[2]);
}

static enum bw_status bad_report(const struct flux_task *t)
{
    struct bw_stage *s = t->s;
    double x[3];
    const struct flux_bad first = bad_first(t, 0, x);
    if (!first.found) return BW_OK;
    if (!(first.mass > 0))
        return s->host->fail(s, BW_ERR_DIVERGED,
                             "the mass at (%g, %g, %g) m is %g kg/m3: a gas needs more than 0 everywhere", x[0], x[1],
                             x[2], first.mass);
    if (t->p->mode == FLUX_MASS_FLOW)
        return s->host->fail(
            s, BW_ERR_DIVERGED,
            "the flow at (%g, %g, %g) m runs away: it crosses many cells in a unit step; a higher mass_flow.rate, more "
            "damping or a weaker source help",
            x[0], x[1], x[2]);
    return s->host->fail(
        s, BW_ERR_DIVERGED,
        "the pressure at (%g, %g, %g) m is %g Pa: \"energy\" there is too low for its mass and momentum", x[0], x[1],
        x[2], first.pressure);
}

enum bw_status flux_look(struct flux_task *t, double *signal)
{
    struct bw_stage *s = t->s;
    const int64_t count = t->tiles->topology(s->domain)->count;
    *signal = t->dim * t->p->sound_speed;
    if (count > t->st->room) {
        s->host->release(s, t->st->tile);
        t->st->room = 0;
        t->st->tile = s->host->alloc(s, (size_t)(count + count / 4) * sizeof *t->st->tile);
        if (!t->st->tile) return BW_ERR_MEMORY;
        t->st->room = count + count / 4;
    }
    struct bw_access access[6] = {t->access[0], t->access[1]};
    uint32_t n = 2;
    const int32_t solid = t->solid, moves = t->solid_vel, wall = t->wall;
    if (t->energy >= 0) access[n++] = t->access[2];
    for (uint32_t i = 0; i < n; i++) access[i].halo = 0;
    if (solid >= 0) access[t->solid = (int32_t)n++] = t->access[solid];
    if (moves >= 0) access[t->solid_vel = (int32_t)n++] = t->access[moves];
    if (wall >= 0) access[t->wall = (int32_t)n++] = t->access[wall];
    double most = 0, sums[2] = {0, 0};
    enum bw_status status = s->host->sweep(s, &(struct bw_sweep){.access = access,
                                                                 .n_access = n,
                                                                 .body = look_body,
                                                                 .user = t,
                                                                 .reach = look_reach,
                                                                 .sums = sums,
                                                                 .n_sums = 2,
                                                                 .maxs = &most,
                                                                 .n_maxs = 1});
    t->solid = solid;
    t->solid_vel = moves;
    t->wall = wall;
    *signal = fmax(*signal, most);
    if (status == BW_OK) status = ranks_share(s, t->st->tile, NULL, sizeof *t->st->tile);
    if (status == BW_OK) status = bad_report(t);
    return status == BW_OK && solid >= 0 ? buried_report(t, sums[0], sums[1]) : status;
}
