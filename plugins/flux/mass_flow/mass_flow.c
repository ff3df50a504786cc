// SPDX-License-Identifier: Apache-2.0
/* flux, mode mass_flow: the flux grid of an unsigned blog article ("Consider two cells of unit area, touching along a
 * boundary of unit length"), in double and in its own unit steps.
 *
 * Between every two neighbours, all values half way between both (d: unit vector towards the neighbour):
 *   mass flow           F = m·d + D (rho_s - rho_d)        D starts an explosion: no other term does
 *   momentum flow       F²/rho along d,  m_perp F/rho + friction (m_s - m_d)_perp across it
 * out of one cell and into the other; a cell whose flows would take more than it holds has all of them scaled down by
 * one factor (limiter). Then momentum times `damping`, mass rho·drain + (1 - drain)·ambient. No flow through walls;
 * momentum that points into one is reflected by `bounce`. First order in time and space; all neighbours count alike,
 * diagonal ones too.
 *
 * Limits: a mode of wave vector k decays by 1 - D·Σ(1 - cos k·d) a step over all neighbours, so D ≤ 2/max of the sum:
 * 1/4 (4 neighbours), 1/6 (8), and in 3D 1/6 (6), 1/12 (18), 1/18 (26); friction likewise with (1 - d_a²) in the sum.
 * The limiter keeps a source's mass, not the F²/rho that its faces carry; so out of a cell that gives all it has each
 * parcel takes its own momentum, m_s F/rho_s: no more outflow than is there, and 500 times the ambient mass beside
 * walls is stood by all neighbourhoods (26 carry momentum N/(2 dim) = 4⅓ times as far a step as 6, and would run
 * away). */
#include "flux.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Half of the neighbours' directions; the others are their opposites.
struct directions {
    int n, d[MASS_FLOW_DIRECTIONS][3];
};

static int64_t neighbours_count(const struct flux_mass_flow *p, int dim)
{
    return p->neighbours ? p->neighbours : dim == 2 ? 8 : 26;
}

/* Along the domain's axes, those of a thin one left out. */
static struct directions directions_make(int64_t neighbours, int32_t thin)
{
    const int dim = thin < 0 ? 3 : 2, far = neighbours == 2 * dim ? 1 : neighbours == 18 ? 2 : 3;
    struct directions q = {0};
    for (int e = 14; e < 27; e++) { // 13 is the cell itself
        const int d[3] = {e % 3 - 1, e / 3 % 3 - 1, e / 9 - 1}, length = abs(d[0]) + abs(d[1]) + abs(d[2]);
        if (length > far || (thin >= 0 && d[thin])) continue;
        memcpy(q.d[q.n++], d, sizeof d);
    }
    return q;
}

static double directions_length(const int d[3]) { return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]); }

/* Largest constant that is stable: along axis `axis` of momentum, or of mass (-1). */
static double limit_find(const struct directions *q, int axis)
{
    double most = 0;
    for (int mode = 0; mode < 8; mode++) {
        double sum = 0;
        for (int i = 0; i < q->n; i++) {
            const int *d = q->d[i], odd = (d[0] & mode & 1) + (d[1] & mode >> 1 & 1) + (d[2] & mode >> 2 & 1);
            const double along = axis < 0 ? 0 : d[axis] / directions_length(d);
            sum += (odd & 1 ? 4 : 0) * (1 - along * along); // both directions, 1 - cos = 2
        }
        most = fmax(most, sum);
    }
    return 2 / most;
}

enum bw_status flux_mass_flow_check(struct bw_stage *s)
{
    const struct flux_mass_flow *p = &((const struct flux *)s->params)->mass_flow;
    const int dim = s->grid->thin < 0 ? 3 : 2;
    const int64_t n = neighbours_count(p, dim);
    if (dim == 2 ? n != 4 && n != 8 : n != 6 && n != 18 && n != 26)
        return s->host->fail(s, BW_ERR_PRESET, "mass_flow.neighbours is %lld: it can be %s", (long long)n,
                             dim == 2 ? "4 or 8 in 2D" : "6, 18 or 26 in 3D");
    const struct directions q = directions_make(n, s->grid->thin);
    const double most = limit_find(&q, -1);
    double friction = HUGE_VAL;
    for (int a = 0; a < 3; a++)
        if (a != s->grid->thin) friction = fmin(friction, limit_find(&q, a));
    if (p->diffusion > most * (1 + 1e-12))
        return s->host->fail(s, BW_ERR_PRESET,
                             "mass_flow.diffusion %g is unstable: with %lld neighbours the limit is 1/%g = %.4g",
                             p->diffusion, (long long)n, 1 / most, most);
    if (p->friction > friction * (1 + 1e-12))
        return s->host->fail(s, BW_ERR_PRESET,
                             "mass_flow.friction %g is unstable: with %lld neighbours the limit is %.4g", p->friction,
                             (long long)n, friction);
    return BW_OK;
}

int64_t flux_mass_flow_steps(const struct flux *p, double from, double to)
{
    return (int64_t)(floor(to * p->mass_flow.rate + 1e-6) - floor(from * p->mass_flow.rate + 1e-6));
}

/* ---- one unit step of a block -------------------------------------------------------------------------------------
 */

/* Flows are made line by line of the slowest axis, a row in 2D and a plane in 3D, halos included, as one long row:
 * short ones would cost a third more. What faces at the rows' ends do, between cells that are not neighbours, reaches
 * only the outermost cells of the halo, whose flows do not count. A line's cells are done as soon as the flows from it
 * to the next are known: they are in the cache still. */

/// Working memory of a block. Arrays have the shape of the input views.
struct work {
    const struct flux_task *t;
    const struct bw_block *b;
    struct flux_shape sh;
    struct directions q;
    struct flux_walls walls;
    const double *mass, *momentum[3];
    double *limiter, *out;
    int32_t slow, rows;     ///< axis of the lines, rows of one
    ptrdiff_t line, origin; ///< values of one with its halo, and where its first own cell is
    double *flow[MASS_FLOW_DIRECTIONS][2][MASS_FLOW_VALUES]; ///< of even and odd lines: one and the one before it
    double *gate, *gain;                                     ///< of a line
    struct mass_flow_row row[MASS_FLOW_DIRECTIONS];          ///< the faces that count of a line, by direction
    ptrdiff_t first[MASS_FLOW_DIRECTIONS];                   ///< and the first one's place in it
    struct mass_flow_update update;
};

/// Cells whose faces count: their neighbour or they themselves lie in the block, `grow` cells round it.
struct span {
    int32_t lo[3], hi[3];
};

static struct span span_of(const struct flux_shape *sh, const int d[3], int grow)
{
    struct span s;
    for (int a = 0; a < 3; a++) {
        const int g = sh->halo[a] ? grow : 0;
        s.lo[a] = -g - (d[a] > 0);
        s.hi[a] = sh->n[a] + g + (d[a] < 0);
    }
    return s;
}

static void gate_fill(const struct work *w, const int d[3], ptrdiff_t at, int n)
{
    const struct flux_shape *sh = &w->sh;
    const ptrdiff_t to = at + d[0] + flux_at(sh, d[1], d[2]);
    for (int i = 0; i < n; i++) w->gate[i] = (double)(w->walls.open[at + i] * w->walls.open[to + i]);
    if (!w->walls.pass[0]) return;
    for (int i = 0; i < n; i++)
        if (w->gate[i] > 0 && !flux_walls_pass(&w->walls, sh->step, at + i, d)) w->gate[i] = 0;
}

/* A bound: 1 if no cell's outflow can exceed its content, with all flows at the largest momentum and the steepest
 * slope, out of the emptiest cell. The limiter would be 1 then: skipping it changes no bit. */
static int needs_no_limiter(const struct flux_task *t, int directions, const struct mass_flow_bounds *b)
{
    const struct flux *p = t->p;
    const double most = sqrt(t->dim) * b->most_momentum / (p->mass_flow.rate * t->s->grid->h);
    return 2 * directions * (most + p->mass_flow.diffusion * (b->most_mass - b->least_mass)) < 0.999 * b->least_mass;
}

static int block_needs_no_limiter(const struct work *w)
{
    struct mass_flow_bounds b = {.n = (int)w->sh.cells, .dim = w->t->dim, .mass = w->mass - w->sh.origin};
    for (int a = 0; a < b.dim; a++) b.momentum[a] = w->momentum[a] - w->sh.origin;
    w->t->mass_flow->bounds(&b);
    return needs_no_limiter(w->t, w->q.n, &b);
}

/* Extremes of the new values, for the next step: if the bound holds for all blocks, a halo of one cell is enough. */
static void bounds_report(const struct work *w)
{
    const struct bw_view *mass = &w->b->view[w->t->n_in], *momentum = mass + 1;
    const int32_t *n = w->b->n;
    const int whole = mass->sy == n[0] && mass->sz == (ptrdiff_t)n[0] * n[1];
    double *max = w->b->max;
    for (int k = 0; k < (whole ? 1 : n[2]); k++)
        for (int j = 0; j < (whole ? 1 : n[1]); j++) {
            const ptrdiff_t at = j * mass->sy + k * mass->sz;
            struct mass_flow_bounds b = {
                .n = whole ? n[0] * n[1] * n[2] : n[0], .dim = w->t->dim, .mass = bw_f64(mass, 0) + at};
            for (int a = 0; a < b.dim; a++) b.momentum[a] = bw_f64(momentum, w->t->axis[a]) + at;
            w->t->mass_flow->bounds(&b);
            max[0] = fmax(max[0], b.most_momentum);
            max[1] = fmax(max[1], b.most_mass);
            max[2] = fmax(max[2], -b.least_mass);
        }
}

/* The faces of direction q whose lower cell is in line `l`, from the first that counts on; *n of them. */
static ptrdiff_t line_faces(const struct work *w, const struct span *s, int l, int *n)
{
    const int plane = w->slow == 2, rows = plane ? s->hi[1] - s->lo[1] : 1;
    *n = (rows - 1) * (int)w->sh.step[1] + s->hi[0] - s->lo[0];
    return s->lo[0] + (plane ? s->lo[1] * w->sh.step[1] : 0) + l * w->sh.step[w->slow];
}

/* The limiter of each cell's outflow; NULL if it is 1 everywhere. */
static void limiters_find(struct work *w)
{
    const struct flux_shape *sh = &w->sh;
    const struct mass_flow_kernels *k = w->t->mass_flow;
    memset(w->out - sh->origin, 0, sh->cells * sizeof *w->out);
    for (int q = 0; q < w->q.n; q++) {
        const int *d = w->q.d[q];
        const struct span s = span_of(sh, d, 1);
        struct mass_flow_row r = w->row[q];
        r.flow[0][0] = w->flow[0][0][0] - w->origin;
        r.flow[0][1] = NULL;
        for (int l = s.lo[w->slow]; l < s.hi[w->slow]; l++) {
            const ptrdiff_t at = line_faces(w, &s, l, &r.n);
            if (r.gate) gate_fill(w, d, at, r.n);
            k->flow(&r, at, 0);
            k->add_outflow(r.n, r.flow[0][0], w->out + at, w->out + at + d[0] + flux_at(sh, d[1], d[2]));
        }
    }
    int any = 0;
    const struct span s = span_of(sh, (int[3]){0, 0, 0}, 1);
    for (int l = s.lo[w->slow]; l < s.hi[w->slow]; l++) {
        int n;
        const ptrdiff_t at = line_faces(w, &s, l, &n);
        any |= k->limit_outflow(n, w->mass + at, w->out + at, w->limiter + at);
    }
    if (!any) w->limiter = NULL;
}

/* Flows from line `l`, to itself or to the next; the line before the first has only the latter. */
static void line_flow(const struct work *w, int l)
{
    for (int q = 0; q < w->q.n; q++) {
        const struct mass_flow_row *r = &w->row[q];
        const ptrdiff_t at = w->first[q] + l * w->sh.step[w->slow];
        if (l < 0 && !w->q.d[q][w->slow]) continue;
        if (r->gate) gate_fill(w, w->q.d[q], at, r->n);
        w->t->mass_flow->flow(r, at, l & 1);
    }
}

static void line_update(const struct work *w, int l)
{
    const struct bw_view *mass = &w->b->view[w->t->n_in], *momentum = mass + 1;
    const ptrdiff_t to = l * (w->slow == 2 ? mass->sz : mass->sy);
    w->t->mass_flow->update(&w->update, l * w->sh.step[w->slow], to, l & 1);
    for (int j = 0; j < w->rows && w->b->grid->thin >= 0; j++)
        memset(bw_f64(momentum, w->b->grid->thin) + to + j * mass->sy, 0, (size_t)w->update.n * sizeof(double));
}

/* 1 where an obstacle or a closed face stands between cell `at` and the next along axis `a`. */
static int wall_beside(const struct work *w, ptrdiff_t at, int a, int up)
{
    const ptrdiff_t step = w->sh.step[a];
    return w->walls.open[up ? at + step : at - step] == 0 ||
           (w->walls.pass[a] && w->walls.pass[a][up ? at + step : at] == 0);
}

/* Reflects momentum that points into a wall, in the wall's frame. */
static void cell_bounce(const struct work *w, ptrdiff_t at, int a, double mass, double *m)
{
    const double turn = 1 - 2 * w->t->p->mass_flow.bounce;
    for (int up = 0; up < 2; up++) {
        if (!wall_beside(w, at, a, up)) continue;
        const double with = mass * flux_walls_speed(&w->walls, a, at + (up ? w->sh.step[a] : 0));
        if (up ? *m <= with : *m >= with) continue;
        *m = with + turn * (*m - with);
        return;
    }
}

/* 1 if all cells of a row and their neighbours are open. */
static int row_free(const struct work *w, ptrdiff_t at)
{
    int closed = 0;
    if (w->walls.pass[0]) return 0;
    for (int a = 0; a < w->t->dim; a++) {
        const ptrdiff_t step = w->sh.step[w->t->axis[a]];
        const float *low = w->walls.open + at - step, *here = low + step, *high = here + step;
        for (int i = 0; i < w->b->n[0]; i++) closed |= low[i] * here[i] * high[i] == 0;
    }
    return !closed;
}

/* Cells inside obstacles keep their values; momentum into walls is reflected. */
static void walls_apply(const struct work *w)
{
    const struct flux_task *t = w->t;
    const struct bw_block *b = w->b;
    const struct bw_view *mass = &b->view[t->n_in], *momentum = mass + 1;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++) {
            const ptrdiff_t row = flux_at(&w->sh, j, k);
            for (int i = 0, end = row_free(w, row) ? 0 : b->n[0]; i < end; i++) {
                const ptrdiff_t at = row + i, to = i + j * mass->sy + k * mass->sz;
                const int open = w->walls.open[at] > 0;
                if (!open) bw_f64(mass, 0)[to] = w->mass[at];
                for (int a = 0; a < t->dim; a++) {
                    double *m = bw_f64(momentum, t->axis[a]) + to;
                    if (open) cell_bounce(w, at, t->axis[a], bw_f64(mass, 0)[to], m);
                    else *m = w->momentum[a][at];
                }
            }
        }
}

/* The parameters of direction q, for all rows. */
static struct mass_flow_row row_of(const struct work *w, int q)
{
    const struct flux_task *t = w->t;
    const struct flux_mass_flow *p = &t->p->mass_flow;
    const int *d = w->q.d[q], aligned = directions_length(d) == 1;
    const ptrdiff_t to = d[0] + flux_at(&w->sh, d[1], d[2]);
    int lead = 0;
    while (aligned && !d[t->axis[lead]]) lead++;
    struct mass_flow_row r = {.dim = t->dim,
                              .aligned = aligned,
                              .mass = {w->mass, w->mass + to},
                              .gate = w->walls.open ? w->gate : NULL,
                              .scale = 1 / (p->rate * t->s->grid->h),
                              .diffusion = p->diffusion,
                              .friction = p->friction};
    if (w->limiter) r.limiter[0] = w->limiter, r.limiter[1] = w->limiter + to;
    for (int e = 0; e < 2; e++) r.flow[e][0] = w->flow[q][e][0] + w->first[q];
    for (int v = 0; v < t->dim; v++) {
        const int a = (lead + v) % t->dim;
        r.dir[v] = d[t->axis[a]] / directions_length(d);
        r.momentum[0][v] = w->momentum[a];
        r.momentum[1][v] = w->momentum[a] + to;
        for (int e = 0; e < 2; e++) r.flow[e][1 + v] = w->flow[q][e][1 + a] + w->first[q];
    }
    return r;
}

static void rows_set(struct work *w)
{
    for (int q = 0; q < w->q.n; q++) {
        const struct span s = span_of(&w->sh, w->q.d[q], 0);
        int n;
        w->first[q] = line_faces(w, &s, 0, &n);
        w->row[q] = row_of(w, q);
        w->row[q].n = n;
    }
}

static void update_set(struct work *w)
{
    const struct flux_task *t = w->t;
    const struct flux_mass_flow *p = &t->p->mass_flow;
    const struct bw_view *mass = &w->b->view[t->n_in], *momentum = mass + 1;
    struct mass_flow_update *r = &w->update;
    r->n = w->b->n[0];
    r->rows = w->rows;
    r->stride = (int)w->sh.step[1];
    r->dim = t->dim;
    r->directions = w->q.n;
    r->gain = w->gain;
    r->damping = p->damping;
    r->drain = p->drain;
    r->ambient = t->p->ambient_density;
    r->out_stride = mass->sy;
    for (int v = 0; v <= t->dim; v++) {
        r->own[v] = v ? w->momentum[v - 1] : w->mass;
        r->out[v] = v ? bw_f64(momentum, t->axis[v - 1]) : bw_f64(mass, 0);
    }
    for (int q = 0; q < w->q.n; q++) {
        const int *d = w->q.d[q], before = d[w->slow];
        const ptrdiff_t back = d[0] + (w->slow == 2 ? d[1] * w->sh.step[1] : 0);
        for (int e = 0; e < 2; e++)
            for (int v = 0; v <= t->dim; v++) {
                r->outflow[e][q][v] = w->flow[q][e][v];
                r->inflow[e][q][v] = w->flow[q][e ^ before][v] - back;
            }
    }
}

static int work_begin(struct work *w, const struct flux_task *t, const struct bw_block *b)
{
    w->t = t; // large: only what is used is set
    w->b = b;
    w->sh = flux_shape_of(b, &b->view[0], t->halo);
    w->walls = (struct flux_walls){0};
    w->mass = bw_f64(&b->view[0], 0);
    w->slow = t->axis[t->dim - 1];
    const struct flux_shape *sh = &w->sh;
    const int plane = w->slow == 2;
    w->q = directions_make(neighbours_count(&t->p->mass_flow, t->dim), b->grid->thin);
    w->rows = plane ? b->n[1] : 1;
    w->line = ((plane ? sh->step[2] : sh->step[1]) + 23) & ~(ptrdiff_t)7;
    w->origin = sh->halo[0] + (plane ? sh->halo[1] * sh->step[1] : 0);
    const size_t walls = flux_walls_size(t, b, sh), values = (size_t)(2 + 2 * w->q.n * (1 + t->dim)) * (size_t)w->line;
    double *at = b->stage->host->body_scratch(b, (values + 2 * sh->cells) * sizeof *at + walls * sizeof(float));
    if (!at) return 0;
    for (int a = 0; a < t->dim; a++) w->momentum[a] = bw_f64(&b->view[1], t->axis[a]);
    w->gate = at;
    w->gain = at + w->line;
    at += 2 * w->line + w->origin;
    for (int q = 0; q < w->q.n; q++)
        for (int e = 0; e < 2; e++)
            for (int v = 0; v <= t->dim; v++, at += w->line) w->flow[q][e][v] = at;
    w->limiter = at - w->origin + sh->origin;
    w->out = w->limiter + sh->cells;
    if (walls) flux_walls_fill(t, b, sh, (float *)(w->out - sh->origin + sh->cells), &w->walls);
    return 1;
}

static void step_body(const struct bw_block *b, void *user)
{
    struct work w;
    if (!work_begin(&w, user, b)) return;
    if (w.t->halo < FLUX_HALO || block_needs_no_limiter(&w)) w.limiter = NULL;
    rows_set(&w);
    if (w.limiter) {
        limiters_find(&w);
        rows_set(&w);
    }
    update_set(&w);
    for (int l = -1; l < b->n[w.slow]; l++) {
        line_flow(&w, l);
        if (l >= 0) line_update(&w, l);
    }
    if (w.walls.open) walls_apply(&w);
    bounds_report(&w);
}

enum bw_status flux_mass_flow_run(struct flux_task *t)
{
    struct bw_stage *s = t->s;
    const int64_t steps = flux_mass_flow_steps(t->p, s->time, s->time + s->dt);
    const int directions = directions_make(neighbours_count(&t->p->mass_flow, t->dim), s->grid->thin).n;
    enum bw_status status = flux_mass_flow_check(s);
    for (int64_t i = 0; i < steps && status == BW_OK; i++) {
        double max[3];
        if (s->host->cancelled(s)) return BW_ERR_CANCELLED;
        status = s->host->sweep(s, &(struct bw_sweep){.access = t->access,
                                                      .n_access = t->n_access,
                                                      .block = flux_block(t),
                                                      .body = step_body,
                                                      .user = t,
                                                      .reach = flux_reach,
                                                      .maxs = max,
                                                      .n_maxs = 3});
        const double rest = t->p->ambient_density; // beyond open sides and in inactive tiles
        t->halo = needs_no_limiter(t, directions,
                                   &(struct mass_flow_bounds){.most_momentum = max[0],
                                                              .most_mass = fmax(max[1], rest),
                                                              .least_mass = fmin(-max[2], rest)})
                      ? 1
                      : FLUX_HALO;
    }
    t->halo = FLUX_HALO;
    t->st->steps = steps;
    return status;
}
