// SPDX-License-Identifier: Apache-2.0
/* Checks the state before a step: positivity of mass and pressure in every cell, the largest wave speed (for the CFL
 * condition), the cells that are not at rest in each tile, and the obstacles near it. */
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
        s.cells += (size_t)((s.n[a] + 2 * s.halo[a] - 1) * s.step[a]);
        s.origin += s.halo[a] * s.step[a];
    }
    return s;
}

/* Of the tile that cell `lo` lies in. */
static struct flux_tile *tile_of(const struct flux_task *t, const int32_t lo[3])
{
    return &t->st->tile[tile_of_cell(t->tiles, t->s->domain, t->s->grid, lo)];
}

struct flux_obstacles flux_obstacles_near(const struct flux_task *t, const struct bw_block *b)
{
    const int32_t *n = t->s->grid->tile;
    struct flux_obstacles all = {0};
    for (int k = 0; k < b->n[2]; k += n[2])
        for (int j = 0; j < b->n[1]; j += n[1])
            for (int i = 0; i < b->n[0]; i += n[0]) {
                const struct flux_tile *q = tile_of(t, (int32_t[3]){b->lo[0] + i, b->lo[1] + j, b->lo[2] + k});
                all.solid |= q->solid;
                all.wall |= q->wall;
                all.solid_speed = q->solid_speed > all.solid_speed ? q->solid_speed : all.solid_speed;
            }
    return all;
}

/* The check reads obstacles in every block; later sweeps only in those that have any near. */
static int check_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
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
    if (r == t->wall) return flux_obstacles_near(t, b).wall;
    if (r == t->solid_vel) return flux_obstacles_near(t, b).solid_speed > 0;
    return r != t->solid || flux_obstacles_near(t, b).solid;
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

/// State of one cell.
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

/* Nothing bounds momentum in mode mass_flow: beyond one cell a step it grows without bound. A cell that was just
 * emptied may be 1e12 times too fast and recover. */
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

/* Keeps the first by z, y, x, so that the message is the same on any number of threads and ranks. */
static void invalid_note(struct flux_invalid *bad, const int32_t cell[3], double mass, double pressure)
{
    int first = !bad->found;
    for (int a = 2; a >= 0 && !first; a--) {
        if (cell[a] > bad->cell[a]) return;
        first = cell[a] < bad->cell[a];
    }
    *bad = (struct flux_invalid){{cell[0], cell[1], cell[2]}, 1, mass, pressure};
}

/* Checks a row cell by cell: where a cell is invalid or inside an obstacle. */
static void row_check_cells(const struct flux_task *t, const struct bw_block *b, const struct bw_view *solid, int j,
                            int k, struct flux_tile *tile, double *most)
{
    for (int i = 0; i < b->n[0]; i++) {
        const int32_t x[3] = {i, j, k};
        const struct cell c = cell_at(t, b, i, j, k);
        if (tile->solid && bw_f32(solid, 0)[i + j * solid->sy + k * solid->sz] < 0) {
            const double excess = c.mass - t->p->ambient_density;
            if (!(excess > t->p->quiet * t->p->ambient_density)) continue;
            invalid_note(&tile->in_wall, (const int32_t[3]){b->lo[0] + i, b->lo[1] + j, b->lo[2] + k}, c.mass, 0);
            b->sum[1] += excess;
            continue;
        }
        if (!(c.mass > 0) || !(c.pressure > 0) || cell_runs_away(t, &c)) {
            const int32_t cell[3] = {b->lo[0] + i, b->lo[1] + j, b->lo[2] + k};
            invalid_note(&tile->invalid, cell, c.mass, c.pressure);
            continue;
        }
        *most = fmax(*most, cell_signal(t, &c));
        if (cell_moves(t, &c)) tile_add(tile, x);
    }
}

/* The first and last moving cell of a row without obstacles. */
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

/* A row's values as doubles: in place, or converted to `buffer`. */
static const double *row_wide(const struct bw_view *v, int c, ptrdiff_t at, int n, double *buffer)
{
    if (v->precision == BW_F64P) return bw_f64(v, c) + at;
    for (int i = 0; i < n; i++) buffer[i] = (double)bw_f32(v, c)[at + i];
    return buffer;
}

/* Checks a row with one kernel call; 0: some cell is invalid, so the row must be checked cell by cell. */
static int row_check(const struct flux_task *t, const struct bw_block *b, int j, int k, struct flux_row_state *state)
{
    const struct bw_view *v = b->view;
    const ptrdiff_t at = j * v->sy + k * v->sz;
    double buffer[FLUX_VARS][64];
    const double rest = t->p->quiet * t->p->ambient_density;
    *state = (struct flux_row_state){.n = b->n[0],
                                     .dim = t->dim,
                                     .mass = row_wide(&v[0], 0, at, b->n[0], buffer[0]),
                                     .gamma = t->p->gamma,
                                     .rest_energy = (double)t->g.energy,
                                     .sound = t->p->sound_speed,
                                     .ambient = t->p->ambient_density,
                                     .still = {rest, rest * t->p->sound_speed, t->p->quiet * (double)t->g.energy}};
    for (int a = 0; a < t->dim; a++) state->momentum[a] = row_wide(&v[1], t->axis[a], at, b->n[0], buffer[1 + a]);
    if (t->energy >= 0) state->energy = row_wide(&v[t->energy], 0, at, b->n[0], buffer[4]);
    t->k->row_state(state);
    for (int i = 0; i < b->n[0]; i++) b->sum[0] += fmax(state->mass[i] - t->p->ambient_density, 0);
    return state->least_mass > 0 && state->least_pressure > 0 && state->signal < HUGE_VAL &&
           !(t->p->mode == FLUX_MASS_FLOW && state->signal > RUNAWAY * t->p->mass_flow.rate * b->grid->h);
}

static void check_body(const struct bw_block *b, void *user)
{
    const struct flux_task *t = user;
    struct flux_tile *tile = tile_of(t, b->lo);
    const struct bw_view *solid = t->solid >= 0 && b->view[t->solid].data[0] ? &b->view[t->solid] : NULL;
    *tile = (struct flux_tile){{INT32_MAX, INT32_MAX, INT32_MAX},
                               {-1, -1, -1},
                               solid && solid_near(b, solid),
                               t->wall >= 0 && wall_near(b, &b->view[t->wall]),
                               .solid_speed = 0};
    if (tile->solid && t->solid_vel >= 0) tile->solid_speed = speed_near(b, &b->view[t->solid_vel]);
    double most = 0;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++) {
            struct flux_row_state state;
            const int all = row_check(t, b, j, k, &state);
            if (!all || tile->solid) {
                row_check_cells(t, b, solid, j, k, tile, &most);
                continue;
            }
            most = fmax(most, state.signal);
            if (state.moves) row_ends(t, b, j, k, tile);
        }
    b->max[0] = most;
}

/* The first invalid cell of all tiles. */
static struct flux_invalid invalid_first(const struct flux_task *t, int buried, double x[3])
{
    struct flux_invalid first = {.found = 0};
    for (int64_t i = 0; i < t->tiles->topology(t->s->domain)->count; i++) {
        const struct flux_invalid *bad = buried ? &t->st->tile[i].in_wall : &t->st->tile[i].invalid;
        if (bad->found) invalid_note(&first, bad->cell, bad->mass, bad->pressure);
    }
    for (int a = 0; a < 3; a++) x[a] = t->s->grid->origin[a] + (first.cell[a] + 0.5) * t->s->grid->h;
    return first;
}

/* New excess mass inside obstacles at rest was emitted there: a source may overlap a wall, but not for the most
 * part. */
static enum bw_status in_wall_report(const struct flux_task *t, double all, double behind)
{
    struct bw_stage *s = t->s;
    const double more = behind - t->st->mass_in_walls;
    int moves = 0;
    for (int64_t i = 0; i < t->tiles->topology(s->domain)->count; i++) moves |= t->st->tile[i].solid_speed > 0;
    t->st->mass_in_walls = behind;
    double x[3];
    invalid_first(t, 1, x);
    if (moves || more <= all - behind) return BW_OK;
    return s->host->fail(s, BW_ERR_PRESET,
                         "the gas given at (%g, %g, %g) m lies inside a wall: it cannot flow from there", x[0], x[1],
                         x[2]);
}

static enum bw_status invalid_report(const struct flux_task *t)
{
    struct bw_stage *s = t->s;
    double x[3];
    const struct flux_invalid first = invalid_first(t, 0, x);
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

enum bw_status flux_check_state(struct flux_task *t, double *signal)
{
    struct bw_stage *s = t->s;
    const int64_t count = t->tiles->topology(s->domain)->count;
    *signal = t->dim * t->p->sound_speed;
    if (count > t->st->capacity) {
        s->host->release(s, t->st->tile);
        t->st->capacity = 0;
        t->st->tile = s->host->alloc(s, (size_t)(count + count / 4) * sizeof *t->st->tile);
        if (!t->st->tile) return BW_ERR_MEMORY;
        t->st->capacity = count + count / 4;
    }
    struct bw_access access[6] = {t->access[0], t->access[1]};
    uint32_t n = 2;
    const int32_t solid = t->solid, solid_vel = t->solid_vel, wall = t->wall;
    if (t->energy >= 0) access[n++] = t->access[2];
    for (uint32_t i = 0; i < n; i++) access[i].halo = 0;
    if (solid >= 0) access[t->solid = (int32_t)n++] = t->access[solid];
    if (solid_vel >= 0) access[t->solid_vel = (int32_t)n++] = t->access[solid_vel];
    if (wall >= 0) access[t->wall = (int32_t)n++] = t->access[wall];
    double most = 0, sums[2] = {0, 0};
    enum bw_status status = s->host->sweep(s, &(struct bw_sweep){.access = access,
                                                                 .n_access = n,
                                                                 .body = check_body,
                                                                 .user = t,
                                                                 .reach = check_reach,
                                                                 .sums = sums,
                                                                 .n_sums = 2,
                                                                 .maxs = &most,
                                                                 .n_maxs = 1});
    t->solid = solid;
    t->solid_vel = solid_vel;
    t->wall = wall;
    *signal = fmax(*signal, most);
    if (status == BW_OK) status = ranks_allgather(s, t->st->tile, NULL, sizeof *t->st->tile);
    if (status == BW_OK) status = invalid_report(t);
    return status == BW_OK && solid >= 0 ? in_wall_report(t, sums[0], sums[1]) : status;
}
