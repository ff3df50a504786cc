// SPDX-License-Identifier: Apache-2.0
/* mac.project in parts. The stage's own file is included, so that what is measured is what users run: its parts are not
 * to be had from outside. */
#include <mac/project/project.c>
#include "bench.h"
#include <math.h>

struct bench_problem *bench_problem_wanted;

/// Seconds since the last call.
static double lap(double *clock)
{
    const double now = bench_seconds(), spent = now - *clock;
    *clock = now;
    return spent;
}

/* Solves of two cycles and of one, none of which may reach the tolerance; the least of some each, since what disturbs
 * one of them is as long as a cycle. */
static enum bw_status cycle_measure(struct bw_stage *s)
{
    struct multigrid *mg = &((struct state *)s->state)->mg;
    enum { REPEATS = 9 };
    double least[2] = {HUGE_VAL, HUGE_VAL};
    for (int n = 0; n < 2 * REPEATS; n++) {
        const struct mg_options o = {.tolerance = 2e-4, .max_cycles = n & 1 ? 2 : 1, .method = MG_VCYCLE};
        struct mg_result r;
        double clock = bench_seconds();
        const enum bw_status st = mg_solve(mg, &o, &r);
        if (st != BW_OK || r.converged) return st;
        least[n & 1] = fmin(least[n & 1], lap(&clock));
    }
    s->host->metric(s, "cycle", least[1] - least[0], BW_METRIC_LAST);
    return BW_OK;
}

/// One tile of the problem; faces towards what is no unknown come later.
static void problem_tile(const struct multigrid *mg, int64_t tile, const struct bench_problem *q, uint8_t *fluid)
{
    const struct mg_level *l = mg->level;
    const float *weight = mg_weights(l, tile);
    for (int c = 0; c < MG_CELLS; c++) {
        const int in[3] = {c % 16, c / 16 % 16, c / 256}, place = mg_colour_index(3, in[0], in[1], in[2]);
        int64_t at[3];
        for (int a = 0; a < 3; a++) at[a] = l->coord[tile][a] * 16 + in[a];
        if (at[0] >= q->n[0] || at[1] >= q->n[1] || at[2] >= q->n[2]) continue;
        const int64_t to = at[0] + q->n[0] * (at[1] + q->n[1] * at[2]);
        fluid[to] = mg->kind[tile * MG_CELLS + c] != 0;
        for (int a = 0; a < 3; a++) q->w[a][to] = weight ? weight[2 * a * MG_CELLS + place] : 1;
        q->b[to] = fluid[to] ? mg->rhs[tile * MG_CELLS + place] : 0;
        q->p[to] = fluid[to] ? mg->solution[tile * MG_CELLS + place] : 0;
    }
}

static void problem_fill(const struct multigrid *mg, const struct bench_problem *q)
{
    const int64_t step[3] = {1, q->n[0], (int64_t)q->n[0] * q->n[1]}, cells = step[2] * q->n[2];
    uint8_t *fluid = bw_calloc((size_t)cells);
    if (!fluid) return;
    for (int64_t i = 0; i < mg->level->count; i++) problem_tile(mg, i, q, fluid);
    for (int64_t c = 0; c < cells; c++)
        for (int a = 0; a < 3; a++)
            if (c / step[a] % q->n[a] == 0 || !fluid[c] || !fluid[c - step[a]]) q->w[a][c] = 0;
    bw_free(fluid);
}

static enum bw_status parts_step(struct bw_stage *s)
{
    const struct project *p = s->params;
    struct state *st = s->state;
    const double h = s->grid->h, dt = s->dt;
    const struct bw_tiles_api *tiles = s->host->extension(BW_TILES);
    struct mg_result result = {.converged = 1};
    struct projection t = {.mg = &st->mg,
                           .tiles = tiles,
                           .domain = s->domain,
                           .topology = tiles->topology(s->domain),
                           .result = &result,
                           .open = &st->open,
                           .far = &st->far,
                           .rhs = -p->density * h / dt,
                           .source = p->density * h * h / dt,
                           .gradient = dt / (p->density * h)};
    const struct mg_options options = {p->tolerance, (int32_t)p->max_iterations, p->solver, p->warm_start};
    static const char *const name[4] = {"levels", "rhs", "solve", "correct"};
    double part[4], worst = 0, clock;
    st->open.count = 0;
    enum bw_status status = force_apply(s);
    clock = bench_seconds();
    if (status == BW_OK) status = matrix_update(s, &t);
    part[0] = lap(&clock);
    if (status == BW_OK) status = rhs_make(s, &t, bw_port_field(s, VEL));
    if (status == BW_OK) status = open_flux_begin(&st->open, s, t.topology, st->mg.level->cut);
    part[1] = lap(&clock);
    if (status == BW_OK) status = mg_solve(&st->mg, &options, &result);
    part[2] = lap(&clock);
    if (status == BW_OK) status = vel_subtract_gradient(s, &t, bw_port_field(s, VEL), &worst);
    if (status == BW_OK) status = vel_extrapolate(s, &t, bw_port_field(s, VEL));
    part[3] = lap(&clock);
    if (status != BW_OK) return status;
    for (int q = 0; q < 4; q++) s->host->metric(s, name[q], part[q], BW_METRIC_LAST);
    s->host->metric(s, "cycles", result.cycles, BW_METRIC_LAST);
    s->host->metric(s, "residual", result.residual, BW_METRIC_LAST);
    if (result.used_double && bench_problem_wanted) problem_fill(&st->mg, bench_problem_wanted);
    return result.used_double ? BW_OK : cycle_measure(s);
}

double bench_residual(const struct bench_problem *q, const double *p)
{
    const int64_t step[3] = {1, q->n[0], (int64_t)q->n[0] * q->n[1]}, cells = step[2] * q->n[2];
    double left = 0, whole = 0;
    for (int64_t c = 0; c < cells; c++) {
        double r = (double)q->b[c];
        for (int a = 0; a < 3; a++) {
            if (c >= step[a]) r -= (double)q->w[a][c] * (p[c] - p[c - step[a]]);
            if (c + step[a] < cells) r -= (double)q->w[a][c + step[a]] * (p[c] - p[c + step[a]]);
        }
        left += r * r;
        whole += (double)q->b[c] * (double)q->b[c];
    }
    return sqrt(left / whole);
}

/* ---- descriptor ---- */

/* As mac_project_desc, but for its name and its step. */
static const struct bw_stage_desc parts = {
    .id = "bench.project",
    .version = "1.0",
    .brief = "mac.project, timed in parts.",
    BW_PARAMS(params),
    BW_PORTS(ports),
    .params_size = sizeof(struct project),
    .state_size = sizeof(struct state),
    .flags = BW_STAGE_REBUILT_STATE,
    .init = init,
    .step = parts_step,
    .extension = extension,
};
static const struct bw_stage_desc *const stages[] = {&parts};

const struct bw_module bench_module = BW_MODULE(stages);
