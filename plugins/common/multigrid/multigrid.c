// SPDX-License-Identifier: Apache-2.0
/* Solves A p = b by V(2,2)-cycles of red/black Gauss–Seidel with piecewise constant restriction and prolongation. Where
 * cycles alone are slow (thin walls, tight gaps), a cycle preconditions conjugate gradients (CG).
 *
 * Pre-smoothing is red, black, red, black; post-smoothing black, red, black, red: a cycle from zero is symmetric and
 * may precondition. After a black sweep only red cells have a residual, so only theirs is restricted. Only red cells
 * are corrected, since the next sweep computes black anew. The sweeps next to a transfer are not over-relaxed, the
 * others are (SOR, Yavneh 1996): five sweeps of one colour between two restrictions then do more than seven without
 * (factors: multigrid_sweeps.c). A coarse cell twice as wide solves h²·(mean residual)·4 = half the sum of its
 * children's residuals (McAdams, Sifakis, Teran 2010, with constant interpolation over-corrected by two as in Braess
 * 1995).
 *
 * Single precision stalls at a relative residual near 1e-4 on large grids. Below that, and for CG, the solution and its
 * residual are kept in double and cycles only compute corrections (iterative refinement).
 *
 * Sums are added tile by tile: the same bits for any number of workers. */
#include "multigrid.h"
#include <math.h>
#include <string.h>

enum { SERIAL_TILES = 2, COARSEST_SWEEPS = 12 };
#define SINGLE_LIMIT 2e-4 ///< relative residual that float32 reaches on any grid that fits in memory
#define SINGLE_FIRST 3e-4 ///< tolerance of single precision before double takes over

/// State of one solve, shared by its workers.
struct solve {
    struct multigrid *mg;
    const struct mg_options *options;
    struct mg_result result;
    int32_t slow; ///< cycles converge slowly: go on with CG
    int32_t cancelled;
    double norm;    ///< of the right-hand side
    double initial; ///< first residual, relative
};

/* ---- one V-cycle ------------------------------------------------------------------------------------------------- */

static const uint8_t down_from_zero[] = {MG_RED_FROM_ZERO, MG_RELAX_BLACK, MG_SOR_RED, MG_RELAX_BLACK, MG_RESTRICT};
static const uint8_t down_from_guess[] = {MG_RELAX_RED, MG_SOR_BLACK, MG_SOR_RED, MG_RELAX_BLACK, MG_RESTRICT};
static const uint8_t up[] = {MG_PROLONGATE, MG_RELAX_BLACK, MG_SOR_RED, MG_RELAX_BLACK, MG_RELAX_RED};
/* Up, and down again: one red sweep replaces the last of this cycle and the first of the next. */
static const uint8_t up_down[] = {MG_PROLONGATE, MG_RELAX_BLACK, MG_SOR_RED, MG_SOR_BLACK,
                                  MG_SOR_RED,    MG_RELAX_BLACK, MG_RESTRICT};
#define SWEEPS(ops) (ops), (int)sizeof(ops)

/* The coarsest level: symmetric Gauss–Seidel, red-black sweeps and then black-red ones. */
static void coarsest_solve(const struct mg_worker *c, const struct mg_level *l)
{
    static const uint8_t down_first[] = {MG_RED_FROM_ZERO, MG_RELAX_BLACK}, down[] = {MG_RELAX_RED, MG_RELAX_BLACK};
    static const uint8_t back[] = {MG_RELAX_BLACK, MG_RELAX_RED};
    mg_sweeps(c, l, NULL, SWEEPS(down_first));
    for (int s = 1; s < COARSEST_SWEEPS; s++) mg_sweeps(c, l, NULL, SWEEPS(down));
    for (int s = 0; s < COARSEST_SWEEPS; s++) mg_sweeps(c, l, NULL, SWEEPS(back));
}

/// One V-cycle from x = 0 on a level and those coarser.
static void v_cycle(const struct mg_worker *worker, int level)
{
    const struct mg_worker alone = {worker->mg, NULL, 0, 1};
    const struct mg_level *l = &worker->mg->level[level];
    const int serial = worker->team && l->count <= SERIAL_TILES;
    const struct mg_worker *c = serial ? &alone : worker;
    if (!serial || worker->rank == 0) {
        if (level + 1 == worker->mg->n_levels) {
            coarsest_solve(c, l);
        } else {
            mg_sweeps(c, l, l + 1, SWEEPS(down_from_zero));
            v_cycle(c, level + 1);
            mg_sweeps(c, l, l + 1, SWEEPS(up));
        }
    }
    if (serial) mg_barrier(worker);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/// Sum of `each` numbers a tile, in their order, for every worker. They may be overwritten afterwards.
static double ordered_sum(const struct mg_worker *c, double *number, size_t each)
{
    double sum = 0;
    mg_allgather_numbers(c, number, each);
    for (int64_t i = 0; i < c->mg->level->count * (int64_t)each; i++) sum += number[i];
    mg_barrier(c);
    return sum;
}

/// Index of the first cell of this worker's n-th tile of level 0.
static int64_t worker_cell(const struct mg_worker *c, int64_t n) { return mg_worker_tile(c->mg->level, n) * MG_CELLS; }

/// Of two level 0 arrays.
static double dot_product(const struct mg_worker *c, const float *a, const float *b)
{
    const struct mg_level *l = c->mg->level;
    for (int64_t n = mg_worker_begin(c, l), end = mg_worker_end(c, l); n < end; n++) {
        const int64_t i = mg_worker_tile(l, n);
        const float *p = a + i * MG_CELLS, *q = b + i * MG_CELLS;
        double sum[8] = {0};
        for (int m = 0; m < MG_CELLS; m += 8)
            for (int s = 0; s < 8; s++) sum[s] += (double)p[m + s] * (double)q[m + s];
        l->partial_sum[i] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    }
    mg_barrier(c);
    return ordered_sum(c, l->partial_sum, 1);
}

/* ---- V-cycles in single precision -------------------------------------------------------------------------------- */

static int is_cancelled(struct solve *s, const struct mg_worker *c)
{
    if (c->rank == 0 && s->mg->stage->host->cancelled(s->mg->stage)) s->cancelled = 1;
    mg_barrier(c);
    return s->cancelled;
}

/// Counts the cycles that do less than halve the residual; two of them are slow.
static int cycles_are_slow(const struct mg_options *o, double before, double now, int *weak)
{
    if (now > 0.5 * before) ++*weak;
    return o->method == MG_AUTO && *weak >= 2;
}

static void f32_solve(struct bw_team *team, void *user)
{
    struct solve *s = user;
    const struct mg_options *o = s->options;
    const struct mg_worker c = {s->mg, team, team->rank, team->size};
    const struct mg_level *l = s->mg->level, *coarse = s->mg->n_levels > 1 ? l + 1 : NULL;
    double now = HUGE_VAL, initial = -1; // the first residual comes before a whole cycle
    int cycle = 0, weak = 0, slow = 0;
    if (o->warm) mg_halo_exchange(&c, l, l->x, sizeof *l->x, MG_BOTH);
    if (o->warm) mg_sweeps(&c, l, coarse, SWEEPS(down_from_guess));
    else mg_sweeps(&c, l, coarse, SWEEPS(down_from_zero));
    while (cycle < o->max_cycles) {
        const double before = now;
        now = sqrt(ordered_sum(&c, l->residual_square, MG_PAIRS)) / s->norm;
        if (initial < 0) initial = now;
        cycle++;
        slow = cycles_are_slow(o, before, now, &weak);
        if (now <= o->tolerance || slow || !isfinite(now) || cycle == o->max_cycles || is_cancelled(s, &c)) break;
        if (coarse) v_cycle(&c, 1);
        mg_sweeps(&c, l, coarse, coarse ? up_down : up_down + 1, (int)sizeof up_down - !coarse);
    }
    mg_remove_means(&c, l->x, NULL);
    mg_halo_exchange(&c, l, l->x, sizeof *l->x, MG_BOTH);
    if (c.rank != 0) return;
    s->result.cycles = cycle;
    s->result.residual = now;
    s->result.converged = now <= o->tolerance;
    s->initial = initial > 1 ? initial : 1;
    s->slow = slow && !s->result.converged;
}

/* ---- corrections to a solution in double ------------------------------------------------------------------------- */

static struct mg_tile_f64 f64_tile(const struct multigrid *mg, int64_t i)
{
    const struct mg_level *l = mg->level;
    struct mg_tile_f64 t = {.x = mg->solution + i * MG_CELLS,
                            .f = mg->rhs + i * MG_CELLS,
                            .r = l->b + i * MG_CELLS,
                            .planes = l->planes,
                            .rows = l->rows};
    if (l->coef[i] >= 0) {
        t.diag = l->diag + (int64_t)l->coef[i] * MG_CELLS;
        t.inv = l->inv + (int64_t)l->coef[i] * MG_CELLS;
    }
    t.weight = mg_weights(l, i);
    for (int s = 0; s < 6; s++) t.side[s] = mg->solution + (int64_t)l->read_tile[i][s] * MG_CELLS;
    return t;
}

/// b = rhs - A solution; returns its norm, relative to the right-hand side's.
static double f64_residual(const struct solve *s, const struct mg_worker *c)
{
    const struct mg_level *l = s->mg->level;
    mg_barrier(c);
    mg_seams_refresh(c, l, s->mg->solution, sizeof *s->mg->solution);
    mg_halo_exchange(c, l, s->mg->solution, sizeof *s->mg->solution, MG_BOTH);
    for (int64_t n = mg_worker_begin(c, l), end = mg_worker_end(c, l); n < end; n++) {
        const int64_t i = mg_worker_tile(l, n);
        const struct mg_tile_f64 t = f64_tile(s->mg, i);
        l->partial_sum[i] = s->mg->kernels->residual_f64(&t);
    }
    mg_barrier(c);
    const double square = ordered_sum(c, l->partial_sum, 1);
    mg_remove_means(c, l->b, NULL); // rounding of the right-hand side, outside the range of A
    return sqrt(square) / s->norm;
}

/// Copies the right-hand side and the guess (or zero) out of the arrays that cycles use.
static void f64_begin(const struct solve *s, const struct mg_worker *c)
{
    const struct multigrid *mg = s->mg;
    const int guess = s->options->warm || s->result.cycles > 0;
    for (int64_t n = mg_worker_begin(c, mg->level), end = mg_worker_end(c, mg->level); n < end; n++)
        for (int64_t m = worker_cell(c, n), last = m + MG_CELLS; m < last; m++) {
            mg->rhs[m] = mg->level->b[m];
            mg->solution[m] = guess ? (double)mg->level->x[m] : 0.0;
        }
}

static void f64_end(const struct solve *s, const struct mg_worker *c)
{
    for (int64_t n = mg_worker_begin(c, s->mg->level), end = mg_worker_end(c, s->mg->level); n < end; n++)
        for (int64_t m = worker_cell(c, n), last = m + MG_CELLS; m < last; m++)
            s->mg->level->x[m] = (float)s->mg->solution[m];
}

/// solution += factor z
static void f64_add(const struct mg_worker *c, double factor, const float *z)
{
    for (int64_t n = mg_worker_begin(c, c->mg->level), end = mg_worker_end(c, c->mg->level); n < end; n++)
        for (int64_t m = worker_cell(c, n), last = m + MG_CELLS; m < last; m++)
            c->mg->solution[m] += factor * (double)z[m];
}

/// q = A dir; returns dir·q.
static double cg_apply(const struct mg_worker *c)
{
    struct multigrid *mg = c->mg;
    const struct mg_level *l = mg->level;
    mg_barrier(c);
    mg_seams_refresh(c, l, mg->dir, sizeof *mg->dir);
    mg_halo_exchange(c, l, mg->dir, sizeof *mg->dir, MG_BOTH);
    for (int64_t n = mg_worker_begin(c, l), end = mg_worker_end(c, l); n < end; n++) {
        const int64_t i = mg_worker_tile(l, n);
        const struct mg_tile t = mg_tile_at(l, mg->dir, NULL, i);
        l->partial_sum[i] = mg->kernels->apply(&t, mg->q + i * MG_CELLS);
    }
    mg_barrier(c);
    return ordered_sum(c, l->partial_sum, 1);
}

/// One CG step from residual b and preconditioned residual x. Returns the new residual's norm, < 0 on breakdown.
static double cg_step(const struct mg_worker *c, double *rz)
{
    struct multigrid *mg = c->mg;
    const struct mg_level *l = mg->level;
    const double rz_new = dot_product(c, l->x, l->b);
    const float beta = *rz > 0 ? (float)(rz_new / *rz) : 0;
    for (int64_t n = mg_worker_begin(c, l), end = mg_worker_end(c, l); n < end; n++)
        for (int64_t m = worker_cell(c, n), last = m + MG_CELLS; m < last; m++)
            mg->dir[m] = beta != 0 ? l->x[m] + beta * mg->dir[m] : l->x[m];
    *rz = rz_new;
    const double curvature = cg_apply(c);
    if (!(curvature > 0) || !(rz_new > 0)) return -1;
    const double alpha = rz_new / curvature;
    f64_add(c, alpha, mg->dir);
    for (int64_t n = mg_worker_begin(c, l), end = mg_worker_end(c, l); n < end; n++)
        for (int64_t m = worker_cell(c, n), last = m + MG_CELLS; m < last; m++) l->b[m] -= (float)alpha * mg->q[m];
    mg_barrier(c);
    return sqrt(dot_product(c, l->b, l->b));
}

/* The recursive residual of CG drifts from the true one, so it is trusted for three digits only. */
static void cg_run(const struct solve *s, const struct mg_worker *c, double now, int *cycle)
{
    const double goal = fmax(0.5 * s->options->tolerance, 1e-3 * now) * s->norm;
    double rz = 0, norm = now * s->norm, least = norm;
    while (norm > goal && norm < 1e3 * least && *cycle < s->options->max_cycles) {
        v_cycle(c, 0);
        ++*cycle;
        norm = cg_step(c, &rz);
        least = fmin(least, norm);
    }
}

static void f64_solve(struct bw_team *team, void *user)
{
    struct solve *s = user;
    const struct mg_options *o = s->options;
    const struct mg_worker c = {s->mg, team, team->rank, team->size};
    int cycle = s->result.cycles, weak = 0, stuck = 0, cg = o->method == MG_CG || s->slow;
    f64_begin(s, &c);
    double now = f64_residual(s, &c);
    const double initial = fmax(now, 1);
    while (now > o->tolerance && cycle < o->max_cycles && !is_cancelled(s, &c)) {
        const double before = now;
        if (cg) {
            cg_run(s, &c, now, &cycle);
        } else {
            v_cycle(&c, 0);
            f64_add(&c, 1, s->mg->level->x);
            cycle++;
        }
        now = f64_residual(s, &c);
        if (cg) stuck = now > 0.9 * before ? stuck + 1 : 0;
        if (stuck == 2) break; // rounding of b itself: stagnation
        cg |= cycles_are_slow(o, before, now, &weak);
    }
    mg_remove_means(&c, NULL, s->mg->solution);
    mg_halo_exchange(&c, s->mg->level, s->mg->solution, sizeof *s->mg->solution, MG_BOTH);
    f64_end(s, &c);
    mg_barrier(&c);
    if (c.rank != 0) return;
    s->result.cycles = cycle;
    s->result.residual = now;
    s->result.converged = now <= o->tolerance;
    s->result.used_double = 1;
    s->result.used_cg = cg;
    s->initial = fmax(s->initial, initial);
}

static enum bw_status f64_arrays_reserve(struct multigrid *mg)
{
    const size_t n = (size_t)mg->level->count * MG_CELLS, all = n + (1 + (size_t)mg->level->n_ghost) * MG_CELLS;
    if (!mg_buffer_reserve(mg->stage, &mg->extra_memory,
                           all * (sizeof(double) + sizeof(float)) + 2 * n * sizeof(float)))
        return BW_ERR_MEMORY;
    mg->solution = mg->extra_memory.data;
    mg->dir = (float *)(mg->solution + all);
    mg->rhs = mg->dir + all;
    mg->q = mg->rhs + n;
    memset(mg->solution + n, 0, (all - n) * sizeof *mg->solution);
    memset(mg->dir + n, 0, (all - n) * sizeof *mg->dir);
    return BW_OK;
}

/* ---- entry ------------------------------------------------------------------------------------------------------- */

/// Projects the right-hand side onto the range of A; its norm, and the part that was outside.
static void rhs_norm(struct bw_team *team, void *user)
{
    struct solve *s = user;
    const struct mg_worker c = {s->mg, team, team->rank, team->size};
    const float *b = s->mg->level->b;
    const double given = dot_product(&c, b, b);
    mg_remove_means(&c, s->mg->level->b, NULL);
    const double square = dot_product(&c, b, b);
    if (c.rank != 0) return;
    s->norm = sqrt(square);
    s->result.unbalanced = given > square ? sqrt((given - square) / given) : 0;
}

/// The solution of b = 0.
static void solution_clear(struct bw_team *team, void *user)
{
    const struct mg_worker c = {user, team, team->rank, team->size};
    float *x = c.mg->level->x;
    for (int64_t n = mg_worker_begin(&c, c.mg->level), end = mg_worker_end(&c, c.mg->level); n < end; n++)
        memset(x + worker_cell(&c, n), 0, MG_CELLS * sizeof *x);
    mg_barrier(&c);
    mg_halo_exchange(&c, c.mg->level, x, sizeof *x, MG_BOTH);
}

enum bw_status mg_solve(struct multigrid *mg, const struct mg_options *options, struct mg_result *result)
{
    const struct bw_host *host = mg->stage->host;
    struct solve s = {.mg = mg, .options = options};
    host->team(mg->stage, rhs_norm, &s);
    if (s.norm == 0) {
        s.result.converged = 1;
        *result = s.result;
        host->team(mg->stage, solution_clear, mg);
        return mg->ranks.failed;
    }
    const int f64 = options->tolerance < SINGLE_LIMIT || options->method == MG_CG;
    struct mg_options first = *options; // the first digits always in single precision: a cycle costs a third
    if (f64) first.tolerance = SINGLE_FIRST;
    s.options = &first;
    if (options->method != MG_CG) host->team(mg->stage, f32_solve, &s);
    s.options = options;
    if ((f64 || s.slow) && !s.cancelled) {
        if (f64_arrays_reserve(mg) != BW_OK) return BW_ERR_MEMORY;
        host->team(mg->stage, f64_solve, &s);
    }
    s.result.grew = !(s.result.residual <= s.initial);
    *result = s.result;
    return s.cancelled ? BW_ERR_CANCELLED : mg->ranks.failed;
}
