// SPDX-License-Identifier: Apache-2.0
/* Solves A p = b: V(2,2)-cycles of red-black Gauss–Seidel with piecewise constant transfers, and conjugate gradients
 * preconditioned by such a cycle where cycles alone are slow (thin walls, tight gaps).
 *
 * Down a level: red, black, red, black; up: black, red, black, red, so a cycle from zero is symmetric and may
 * precondition. After a black half-sweep only red cells have a residual, which is all that is sent down; only red
 * cells need the correction, since the next half-sweep makes black anew. Neither is over-relaxed, others are (Yavneh
 * 1996): five half-sweeps between one coarsening and the next then do more than seven would without (factors:
 * multigrid_legs.c). A coarse cell twice as wide solves
 * h²·(mean residual)·4 = half the sum of its children's residuals (McAdams, Sifakis, Teran 2010, with constant
 * interpolation over-corrected by two as in Braess 1995).
 *
 * Single precision stalls at a relative residual near 1e-4 on large grids. Below that, and for conjugate gradients,
 * the solution and its residual are kept in double and cycles only compute corrections.
 *
 * How the half-sweeps of a leg are run: multigrid_legs.c. Sums are added tile by tile: the same bits for any number of
 * workers. */
#include "multigrid.h"
#include <math.h>
#include <string.h>

enum { SERIAL_TILES = 2, COARSEST_SWEEPS = 12 };
#define SINGLE_LIMIT 2e-4 ///< relative residual that float32 reaches on any grid that fits in memory
#define SINGLE_FIRST 3e-4 ///< what single precision is asked for before double takes over

/// What one solve shares between its workers.
struct solve {
    struct multigrid *mg;
    const struct mg_options *options;
    struct mg_result result;
    int32_t slow; ///< cycles are not worth their time: go on with CG
    int32_t cancelled;
    double norm;    ///< of the right-hand side
    double initial; ///< first residual seen, relative
};

/* ---- one V-cycle ------------------------------------------------------------------------------------------------- */

static const uint8_t from_zero[] = {MG_FIRST, MG_RELAX_BLACK, MG_OVER_RED, MG_RELAX_BLACK, MG_COARSEN};
static const uint8_t from_guess[] = {MG_RELAX_RED, MG_OVER_BLACK, MG_OVER_RED, MG_RELAX_BLACK, MG_COARSEN};
static const uint8_t up[] = {MG_REFINE, MG_RELAX_BLACK, MG_OVER_RED, MG_RELAX_BLACK, MG_RELAX_RED};
/* Up, and down again: one red half-sweep in place of this cycle's last, the next one's first and what is between. */
static const uint8_t up_down[] = {MG_REFINE,   MG_RELAX_BLACK, MG_OVER_RED, MG_OVER_BLACK,
                                  MG_OVER_RED, MG_RELAX_BLACK, MG_COARSEN};
#define LEG(ops) (ops), (int)sizeof(ops)

/* Alone at its level, without a coarser one: sweeps in both directions, as symmetric as a cycle. */
static void coarsest_solve(const struct mg_crew *c, const struct mg_level *l)
{
    static const uint8_t down_first[] = {MG_FIRST, MG_RELAX_BLACK}, down[] = {MG_RELAX_RED, MG_RELAX_BLACK};
    static const uint8_t back[] = {MG_RELAX_BLACK, MG_RELAX_RED};
    mg_leg(c, l, NULL, LEG(down_first));
    for (int s = 1; s < COARSEST_SWEEPS; s++) mg_leg(c, l, NULL, LEG(down));
    for (int s = 0; s < COARSEST_SWEEPS; s++) mg_leg(c, l, NULL, LEG(back));
}

static void cycle_from(const struct mg_crew *crew, int level)
{
    const struct mg_crew alone = {crew->mg, NULL, 0, 1};
    const struct mg_level *l = &crew->mg->level[level];
    const int serial = crew->team && l->count <= SERIAL_TILES;
    const struct mg_crew *c = serial ? &alone : crew;
    if (!serial || crew->rank == 0) {
        if (level + 1 == crew->mg->n_levels) {
            coarsest_solve(c, l);
        } else {
            mg_leg(c, l, l + 1, LEG(from_zero));
            cycle_from(c, level + 1);
            mg_leg(c, l, l + 1, LEG(up));
        }
    }
    if (serial) mg_meet(crew);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/// Sum of `each` numbers a tile, in their order, for every worker; they may be written anew afterwards.
static double ordered_sum(const struct mg_crew *c, double *number, size_t each)
{
    double sum = 0;
    mg_share_numbers(c, number, each);
    for (int64_t i = 0; i < c->mg->level->count * (int64_t)each; i++) sum += number[i];
    mg_meet(c);
    return sum;
}

/// First cell of this worker's n-th tile of level 0.
static int64_t cells_of(const struct mg_crew *c, int64_t n) { return mg_tile_of(c->mg->level, n) * MG_CELLS; }

static double level_dot(const struct mg_crew *c, const float *a, const float *b)
{
    const struct mg_level *l = c->mg->level;
    for (int64_t n = mg_first(c, l), end = mg_end(c, l); n < end; n++) {
        const int64_t i = mg_tile_of(l, n);
        const float *p = a + i * MG_CELLS, *q = b + i * MG_CELLS;
        double sum[8] = {0};
        for (int m = 0; m < MG_CELLS; m += 8)
            for (int s = 0; s < 8; s++) sum[s] += (double)p[m + s] * (double)q[m + s];
        l->partial[i] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    }
    mg_meet(c);
    return ordered_sum(c, l->partial, 1);
}

/* ---- V-cycles in single precision -------------------------------------------------------------------------------- */

static int cancel_asked(struct solve *s, const struct mg_crew *c)
{
    if (c->rank == 0 && s->mg->stage->host->cancelled(s->mg->stage)) s->cancelled = 1;
    mg_meet(c);
    return s->cancelled;
}

/// Keeps count of cycles that do less than halve the residual; two of them, or growth, are enough.
static int cycles_are_slow(const struct mg_options *o, double before, double now, int *weak)
{
    if (now > 0.5 * before) ++*weak;
    return o->method == MG_AUTO && *weak >= 2;
}

static void single_solve(struct bw_team *team, void *user)
{
    struct solve *s = user;
    const struct mg_options *o = s->options;
    const struct mg_crew c = {s->mg, team, team->rank, team->size};
    const struct mg_level *l = s->mg->level, *coarse = s->mg->n_levels > 1 ? l + 1 : NULL;
    double now = HUGE_VAL, initial = -1; // the first measure follows no whole cycle
    int cycle = 0, weak = 0, slow = 0;
    if (o->warm) mg_halo(&c, l, l->x, sizeof *l->x, MG_BOTH);
    if (o->warm) mg_leg(&c, l, coarse, LEG(from_guess));
    else mg_leg(&c, l, coarse, LEG(from_zero));
    while (cycle < o->max_cycles) {
        const double before = now;
        now = sqrt(ordered_sum(&c, l->square, MG_PAIRS)) / s->norm;
        if (initial < 0) initial = now;
        cycle++;
        slow = cycles_are_slow(o, before, now, &weak);
        if (now <= o->tolerance || slow || !isfinite(now) || cycle == o->max_cycles || cancel_asked(s, &c)) break;
        if (coarse) cycle_from(&c, 1);
        mg_leg(&c, l, coarse, coarse ? up_down : up_down + 1, (int)sizeof up_down - !coarse);
    }
    mg_remove_means(&c, l->x, NULL);
    mg_halo(&c, l, l->x, sizeof *l->x, MG_BOTH);
    if (c.rank != 0) return;
    s->result.cycles = cycle;
    s->result.residual = now;
    s->result.converged = now <= o->tolerance;
    s->initial = initial > 1 ? initial : 1;
    s->slow = slow && !s->result.converged;
}

/* ---- corrections to a solution in double ------------------------------------------------------------------------- */

static struct mg_wide wide_at(const struct multigrid *mg, int64_t i)
{
    const struct mg_level *l = mg->level;
    struct mg_wide t = {.x = mg->sol + i * MG_CELLS,
                        .f = mg->rhs + i * MG_CELLS,
                        .r = l->b + i * MG_CELLS,
                        .planes = l->planes,
                        .rows = l->rows};
    if (l->coef[i] >= 0) {
        t.diag = l->diag + (int64_t)l->coef[i] * MG_CELLS;
        t.inv = l->inv + (int64_t)l->coef[i] * MG_CELLS;
    }
    t.weight = mg_weights(l, i);
    for (int s = 0; s < 6; s++) t.side[s] = mg->sol + (int64_t)l->link[i][s] * MG_CELLS;
    return t;
}

/// b = rhs - A sol; returns the residual relative to the right-hand side.
static double wide_defect(const struct solve *s, const struct mg_crew *c)
{
    const struct mg_level *l = s->mg->level;
    mg_meet(c);
    mg_seams_refresh(c, l, s->mg->sol, sizeof *s->mg->sol);
    mg_halo(c, l, s->mg->sol, sizeof *s->mg->sol, MG_BOTH);
    for (int64_t n = mg_first(c, l), end = mg_end(c, l); n < end; n++) {
        const int64_t i = mg_tile_of(l, n);
        const struct mg_wide t = wide_at(s->mg, i);
        l->partial[i] = s->mg->kernels->defect(&t);
    }
    mg_meet(c);
    const double square = ordered_sum(c, l->partial, 1);
    mg_remove_means(c, l->b, NULL); // rounding of the right-hand side: no solution could take it away
    return sqrt(square) / s->norm;
}

/// The right-hand side and the guess (or nothing) move out of the cycle's arrays.
static void wide_begin(const struct solve *s, const struct mg_crew *c)
{
    const struct multigrid *mg = s->mg;
    const int guess = s->options->warm || s->result.cycles > 0;
    for (int64_t n = mg_first(c, mg->level), end = mg_end(c, mg->level); n < end; n++)
        for (int64_t m = cells_of(c, n), last = m + MG_CELLS; m < last; m++) {
            mg->rhs[m] = mg->level->b[m];
            mg->sol[m] = guess ? (double)mg->level->x[m] : 0.0;
        }
}

static void wide_end(const struct solve *s, const struct mg_crew *c)
{
    for (int64_t n = mg_first(c, s->mg->level), end = mg_end(c, s->mg->level); n < end; n++)
        for (int64_t m = cells_of(c, n), last = m + MG_CELLS; m < last; m++) s->mg->level->x[m] = (float)s->mg->sol[m];
}

static void wide_add(const struct mg_crew *c, double factor, const float *z)
{
    for (int64_t n = mg_first(c, c->mg->level), end = mg_end(c, c->mg->level); n < end; n++)
        for (int64_t m = cells_of(c, n), last = m + MG_CELLS; m < last; m++) c->mg->sol[m] += factor * (double)z[m];
}

/// q = A dir; returns dir·q.
static double direction_apply(const struct mg_crew *c)
{
    struct multigrid *mg = c->mg;
    const struct mg_level *l = mg->level;
    mg_meet(c);
    mg_seams_refresh(c, l, mg->dir, sizeof *mg->dir);
    mg_halo(c, l, mg->dir, sizeof *mg->dir, MG_BOTH);
    for (int64_t n = mg_first(c, l), end = mg_end(c, l); n < end; n++) {
        const int64_t i = mg_tile_of(l, n);
        const struct mg_tile t = mg_tile_at(l, mg->dir, NULL, i);
        l->partial[i] = mg->kernels->apply(&t, mg->q + i * MG_CELLS);
    }
    mg_meet(c);
    return ordered_sum(c, l->partial, 1);
}

/// One CG step from residual b and preconditioned residual x. Returns the new residual's norm, < 0 on breakdown.
static double cg_step(const struct mg_crew *c, double *rz)
{
    struct multigrid *mg = c->mg;
    const struct mg_level *l = mg->level;
    const double rz_new = level_dot(c, l->x, l->b);
    const float beta = *rz > 0 ? (float)(rz_new / *rz) : 0;
    for (int64_t n = mg_first(c, l), end = mg_end(c, l); n < end; n++)
        for (int64_t m = cells_of(c, n), last = m + MG_CELLS; m < last; m++)
            mg->dir[m] = beta != 0 ? l->x[m] + beta * mg->dir[m] : l->x[m];
    *rz = rz_new;
    const double curvature = direction_apply(c);
    if (!(curvature > 0) || !(rz_new > 0)) return -1;
    const double alpha = rz_new / curvature;
    wide_add(c, alpha, mg->dir);
    for (int64_t n = mg_first(c, l), end = mg_end(c, l); n < end; n++)
        for (int64_t m = cells_of(c, n), last = m + MG_CELLS; m < last; m++) l->b[m] -= (float)alpha * mg->q[m];
    mg_meet(c);
    return sqrt(level_dot(c, l->b, l->b));
}

/* The recursive residual of CG drifts from the true one, so it is trusted for three digits only. */
static void cg_run(const struct solve *s, const struct mg_crew *c, double now, int *cycle)
{
    const double goal = fmax(0.5 * s->options->tolerance, 1e-3 * now) * s->norm;
    double rz = 0, norm = now * s->norm, least = norm;
    while (norm > goal && norm < 1e3 * least && *cycle < s->options->max_cycles) {
        cycle_from(c, 0);
        ++*cycle;
        norm = cg_step(c, &rz);
        least = fmin(least, norm);
    }
}

static void wide_solve(struct bw_team *team, void *user)
{
    struct solve *s = user;
    const struct mg_options *o = s->options;
    const struct mg_crew c = {s->mg, team, team->rank, team->size};
    int cycle = s->result.cycles, weak = 0, stuck = 0, cg = o->method == MG_CG || s->slow;
    wide_begin(s, &c);
    double now = wide_defect(s, &c);
    const double initial = fmax(now, 1);
    while (now > o->tolerance && cycle < o->max_cycles && !cancel_asked(s, &c)) {
        const double before = now;
        if (cg) {
            cg_run(s, &c, now, &cycle);
        } else {
            cycle_from(&c, 0);
            wide_add(&c, 1, s->mg->level->x);
            cycle++;
        }
        now = wide_defect(s, &c);
        if (cg) stuck = now > 0.9 * before ? stuck + 1 : 0;
        if (stuck == 2) break; // rounding of b itself: no further digits are to be had
        cg |= cycles_are_slow(o, before, now, &weak);
    }
    mg_remove_means(&c, NULL, s->mg->sol);
    mg_halo(&c, s->mg->level, s->mg->sol, sizeof *s->mg->sol, MG_BOTH);
    wide_end(s, &c);
    mg_meet(&c);
    if (c.rank != 0) return;
    s->result.cycles = cycle;
    s->result.residual = now;
    s->result.converged = now <= o->tolerance;
    s->result.used_double = 1;
    s->result.used_cg = cg;
    s->initial = fmax(s->initial, initial);
}

static enum bw_status extra_fit(struct multigrid *mg)
{
    const size_t n = (size_t)mg->level->count * MG_CELLS, all = n + (1 + (size_t)mg->level->n_ghost) * MG_CELLS;
    if (!mg_buffer_fit(mg->stage, &mg->extra_memory, all * (sizeof(double) + sizeof(float)) + 2 * n * sizeof(float)))
        return BW_ERR_MEMORY;
    mg->sol = mg->extra_memory.data;
    mg->dir = (float *)(mg->sol + all);
    mg->rhs = mg->dir + all;
    mg->q = mg->rhs + n;
    memset(mg->sol + n, 0, (all - n) * sizeof *mg->sol);
    memset(mg->dir + n, 0, (all - n) * sizeof *mg->dir);
    return BW_OK;
}

/* ---- entry ------------------------------------------------------------------------------------------------------- */

/// Norm of the right-hand side, without what no solution could give.
static void norm_take(struct bw_team *team, void *user)
{
    struct solve *s = user;
    const struct mg_crew c = {s->mg, team, team->rank, team->size};
    const float *b = s->mg->level->b;
    const double given = level_dot(&c, b, b);
    mg_remove_means(&c, s->mg->level->b, NULL);
    const double square = level_dot(&c, b, b);
    if (c.rank != 0) return;
    s->norm = sqrt(square);
    s->result.unbalanced = given > square ? sqrt((given - square) / given) : 0;
}

static void zero_take(struct bw_team *team, void *user)
{
    const struct mg_crew c = {user, team, team->rank, team->size};
    float *x = c.mg->level->x;
    for (int64_t n = mg_first(&c, c.mg->level), end = mg_end(&c, c.mg->level); n < end; n++)
        memset(x + cells_of(&c, n), 0, MG_CELLS * sizeof *x);
    mg_meet(&c);
    mg_halo(&c, c.mg->level, x, sizeof *x, MG_BOTH);
}

enum bw_status mg_solve(struct multigrid *mg, const struct mg_options *options, struct mg_result *result)
{
    const struct bw_host *host = mg->stage->host;
    struct solve s = {.mg = mg, .options = options};
    host->team(mg->stage, norm_take, &s);
    if (s.norm == 0) {
        s.result.converged = 1;
        *result = s.result;
        host->team(mg->stage, zero_take, mg);
        return mg->ranks.failed;
    }
    const int wide = options->tolerance < SINGLE_LIMIT || options->method == MG_CG;
    struct mg_options first = *options; // the first digits come in single precision in any case: a cycle costs a third
    if (wide) first.tolerance = SINGLE_FIRST;
    s.options = &first;
    if (options->method != MG_CG) host->team(mg->stage, single_solve, &s);
    s.options = options;
    if ((wide || s.slow) && !s.cancelled) {
        if (extra_fit(mg) != BW_OK) return BW_ERR_MEMORY;
        host->team(mg->stage, wide_solve, &s);
    }
    s.result.grew = !(s.result.residual <= s.initial);
    *result = s.result;
    return s.cancelled ? BW_ERR_CANCELLED : mg->ranks.failed;
}
