// SPDX-License-Identifier: Apache-2.0
/* flux, seed mode: the text's gas, in double and in its own unit steps.
 *
 * Between every two neighbours, all values half way between both (d: unit vector towards the neighbour):
 *   mass flow           F = m·d + D (rho_s - rho_d)        D starts an explosion: nothing else pushes
 *   momentum flow       F²/rho along d,  m_perp F/rho + friction (m_s - m_d)_perp across it
 * out of one cell and into the other; a cell whose flows would take more than it holds gives each of them the same
 * share. Then momentum times `damping`, mass rho·drain + (1 - drain)·ambient. No flow through walls; momentum that
 * points into one is turned round by `bounce`. First order in time and space; all neighbours count alike, diagonal ones
 * too.
 *
 * Limits: a mode of wave vector k decays by 1 - D·Σ(1 - cos k·d) a step over all neighbours, so D ≤ 2/max of the sum:
 * 1/4 (4 neighbours), 1/6 (8), and in 3D 1/6 (6), 1/12 (18), 1/18 (26); friction likewise with (1 - d_a²) in the sum.
 * Nothing bounds the momentum: the share keeps a source's mass, not the F²/rho that its faces carry. Momentum goes N/(2
 * dim) times as far a step as with 2 dim neighbours (26: 4⅓), and the scheme as described runs away where that is far
 * too far: an undamped blast beside walls holds 500 times the ambient mass with 4, 8 and 6 neighbours, 20 times
 * with 26. There the run ends with a sentence.
 */
#include "flux.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTIONS = 13 };

/// Half of the neighbours: the other half are these backwards.
struct directions {
    int n, d[DIRECTIONS][3];
};

static int64_t neighbours_count(const struct flux_seed *p, int dim)
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

static double directions_length(const int d[3])
{
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Largest constant that is stable: along axis `axis` of momentum, or of mass (-1). */
static double limit_find(const struct directions *q, int axis)
{
    double most = 0;
    for (int mode = 0; mode < 8; mode++) {
        double sum = 0;
        for (int i = 0; i < q->n; i++) {
            const int *d = q->d[i], odd = (d[0] & mode & 1) + (d[1] & mode >> 1 & 1) + (d[2] & mode >> 2 & 1);
            const double along = axis < 0 ? 0 : d[axis] / directions_length(d);
            sum += (odd & 1 ? 4 : 0) * (1 - along * along); // both ways, 1 - cos = 2
        }
        most = fmax(most, sum);
    }
    return 2 / most;
}

enum bw_status flux_seed_check(struct bw_stage *s)
{
    const struct flux_seed *p = &((const struct flux *)s->params)->seed;
    const int dim = s->grid->thin < 0 ? 3 : 2;
    const int64_t n = neighbours_count(p, dim);
    if (dim == 2 ? n != 4 && n != 8 : n != 6 && n != 18 && n != 26)
        return s->host->fail(s, BW_ERR_PRESET, "seed.neighbours is %lld: it can be %s", (long long)n,
                             dim == 2 ? "4 or 8 in 2D" : "6, 18 or 26 in 3D");
    const struct directions q = directions_make(n, s->grid->thin);
    const double most = limit_find(&q, -1);
    double rub = HUGE_VAL;
    for (int a = 0; a < 3; a++)
        if (a != s->grid->thin) rub = fmin(rub, limit_find(&q, a));
    if (p->diffusion > most * (1 + 1e-12))
        return s->host->fail(s, BW_ERR_PRESET,
                             "seed.diffusion %g is unstable: with %lld neighbours the limit is 1/%g = %.4g",
                             p->diffusion, (long long)n, 1 / most, most);
    if (p->friction > rub * (1 + 1e-12))
        return s->host->fail(s, BW_ERR_PRESET, "seed.friction %g is unstable: with %lld neighbours the limit is %.4g",
                             p->friction, (long long)n, rub);
    return BW_OK;
}

int64_t flux_seed_steps(const struct flux *p, double from, double to)
{
    return (int64_t)(floor(to * p->seed.rate + 1e-6) - floor(from * p->seed.rate + 1e-6));
}

/* ---- one unit step of a block -------------------------------------------------------------------------------------
 */

/// A block at work. Arrays have the shape of the views that are read.
struct work {
    const struct flux_task *t;
    struct flux_shape sh;
    struct directions q;
    const double *mass, *momentum[3];
    double *open, *share, *out, *gain, *push[3], *row[4];
};

/* Kernels work on one row, or on all rows of a plane in 3D, halos included, as one long one: short rows would cost a
 * third more. What faces at the rows' ends do, between cells that are not neighbours, reaches only the outermost cells
 * of the halo, whose flows do not count. */
static int rows_at_once(const struct work *w, int rows)
{
    return w->t->dim == 3 ? rows : 1;
}

/// Rows of faces whose lower cell lies `grow` cells round the block, or whose upper one does.
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

static struct seed_row row_of(const struct work *w, const int d[3], const struct span *s, int j, int k, int rows,
                              int push)
{
    const struct flux *p = w->t->p;
    const struct flux_shape *sh = &w->sh;
    const ptrdiff_t at = s->lo[0] + flux_at(sh, j, k), to = at + d[0] + flux_at(sh, d[1], d[2]);
    struct seed_row r = {.n = s->hi[0] - s->lo[0] + (rows - 1) * (int)sh->step[1],
                         .dim = w->t->dim,
                         .mass = {w->mass + at, w->mass + to},
                         .scale = 1 / (p->seed.rate * w->t->s->grid->h),
                         .diffusion = p->seed.diffusion,
                         .friction = p->seed.friction,
                         .flow = w->row[0]};
    for (int a = 0; a < w->t->dim; a++) {
        r.momentum[0][a] = w->momentum[a] + at;
        r.momentum[1][a] = w->momentum[a] + to;
        r.dir[a] = d[w->t->axis[a]] / directions_length(d);
        if (push) r.push[a] = w->row[1 + a];
    }
    if (w->open) r.open[0] = w->open + at, r.open[1] = w->open + to;
    if (push && w->share) r.share[0] = w->share + at, r.share[1] = w->share + to;
    return r;
}

/* 1 where no cell can be asked for more than it holds: all flows at the largest momentum and the steepest slope of the
 * block, out of the emptiest cell. Whether that is known does not change a bit. */
static int all_afford(const struct work *w)
{
    const struct flux *p = w->t->p;
    struct seed_bounds b = {.n = (int)w->sh.cells, .dim = w->t->dim, .mass = w->mass - w->sh.origin};
    for (int a = 0; a < b.dim; a++) b.momentum[a] = w->momentum[a] - w->sh.origin;
    w->t->k->seed_bounds(&b);
    const double most = sqrt(b.dim) * b.most_momentum / (p->seed.rate * w->t->s->grid->h);
    return 2 * w->q.n * (most + p->seed.diffusion * (b.most_mass - b.least_mass)) < 0.999 * b.least_mass;
}

/* How much of what would leave it each cell can afford; share becomes NULL where all can afford all. */
static void shares_find(struct work *w)
{
    const struct flux_shape *sh = &w->sh;
    const struct flux_kernels *k = w->t->k;
    memset(w->out - sh->origin, 0, sh->cells * sizeof *w->out);
    for (int q = 0; q < w->q.n; q++) {
        const int *d = w->q.d[q];
        const struct span s = span_of(sh, d, 1);
        const int rows = rows_at_once(w, s.hi[1] - s.lo[1]);
        for (int z = s.lo[2]; z < s.hi[2]; z++)
            for (int y = s.lo[1]; y < s.hi[1]; y += rows) {
                const struct seed_row r = row_of(w, d, &s, y, z, rows, 0);
                double *from = w->out + s.lo[0] + flux_at(sh, y, z);
                k->seed_flow(&r);
                k->seed_leave(r.n, r.flow, from, from + d[0] + flux_at(sh, d[1], d[2]));
            }
    }
    int any = 0;
    const struct span s = span_of(sh, (int[3]){0, 0, 0}, 1);
    for (int z = s.lo[2]; z < s.hi[2]; z++) {
        const ptrdiff_t at = flux_at(sh, s.lo[1], z) - sh->halo[0];
        const int n = (s.hi[1] - s.lo[1]) * (int)sh->step[1];
        any |= k->seed_share(n, w->mass + at, w->out + at, w->share + at);
    }
    if (!any) w->share = NULL;
}

static void flows_apply(const struct work *w)
{
    const struct flux_shape *sh = &w->sh;
    for (int q = 0; q < w->q.n; q++) {
        const int *d = w->q.d[q];
        const struct span s = span_of(sh, d, 0);
        const int rows = rows_at_once(w, s.hi[1] - s.lo[1]);
        for (int z = s.lo[2]; z < s.hi[2]; z++)
            for (int y = s.lo[1]; y < s.hi[1]; y += rows) {
                const struct seed_row r = row_of(w, d, &s, y, z, rows, 1);
                const ptrdiff_t at = s.lo[0] + flux_at(sh, y, z), to = at + d[0] + flux_at(sh, d[1], d[2]);
                w->t->k->seed_flow(&r);
                w->t->k->seed_move(r.n, w->row[0], w->gain + at, w->gain + to);
                for (int a = 0; a < w->t->dim; a++)
                    w->t->k->seed_move(r.n, w->row[1 + a], w->push[a] + at, w->push[a] + to);
            }
    }
}

/* Cells behind walls keep what they hold; momentum that points into a wall bounces. */
static void walls_apply(const struct work *w, const struct bw_block *b)
{
    const struct flux_task *t = w->t;
    const struct bw_view *mass = &b->view[t->n_in], *momentum = mass + 1;
    const double turn = 1 - 2 * t->p->seed.bounce;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) {
                const ptrdiff_t at = i + flux_at(&w->sh, j, k), to = i + j * mass->sy + k * mass->sz;
                if (w->open[at] == 0) bw_f64(mass, 0)[to] = w->mass[at];
                for (int a = 0; a < t->dim; a++) {
                    double *m = bw_f64(momentum, t->axis[a]) + to;
                    const ptrdiff_t step = w->sh.step[t->axis[a]];
                    if (w->open[at] == 0)
                        *m = w->momentum[a][at];
                    else if ((*m > 0 && w->open[at + step] == 0) || (*m < 0 && w->open[at - step] == 0))
                        *m *= turn;
                }
            }
}

static void block_finish(const struct work *w, const struct bw_block *b)
{
    const struct flux_task *t = w->t;
    const struct bw_view *mass = &b->view[t->n_in], *momentum = mass + 1;
    const struct flux_seed *p = &t->p->seed;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++) {
            const ptrdiff_t at = flux_at(&w->sh, j, k), to = j * mass->sy + k * mass->sz;
            struct seed_end r = {.n = b->n[0],
                                 .dim = t->dim,
                                 .mass = w->mass + at,
                                 .gain = w->gain + at,
                                 .damping = p->damping,
                                 .drain = p->drain,
                                 .ambient = t->p->ambient,
                                 .mass_out = bw_f64(mass, 0) + to};
            for (int a = 0; a < t->dim; a++) {
                r.momentum[a] = w->momentum[a] + at;
                r.push[a] = w->push[a] + at;
                r.momentum_out[a] = bw_f64(momentum, t->axis[a]) + to;
            }
            t->k->seed_end(&r);
            if (b->grid->thin >= 0) memset(bw_f64(momentum, b->grid->thin) + to, 0, (size_t)b->n[0] * sizeof(double));
        }
    if (w->open) walls_apply(w, b);
}

static int work_begin(struct work *w, const struct flux_task *t, const struct bw_block *b)
{
    *w = (struct work){.t = t, .sh = flux_shape_of(b, &b->view[0], FLUX_HALO), .mass = bw_f64(&b->view[0], 0)};
    const struct flux_shape *sh = &w->sh;
    const int walls = flux_walls_near(t, b), arrays = 3 + t->dim + walls;
    const size_t bytes = sh->cells * sizeof(double),
                 long_row = t->dim == 3 ? sh->cells / (size_t)(b->n[2] + 2 * FLUX_HALO) : (size_t)b->n[0] + 8,
                 row = ((long_row + 7) & ~(size_t)7) * sizeof(double);
    char *memory = b->stage->host->body_scratch(b, (size_t)arrays * bytes + 4 * row);
    if (!memory) return 0;
    double *at = (double *)(void *)memory;
    for (int a = 0; a < t->dim; a++) w->momentum[a] = bw_f64(&b->view[1], t->axis[a]);
    w->gain = at + sh->origin;
    for (int a = 0; a < t->dim; a++) w->push[a] = w->gain + (size_t)(a + 1) * sh->cells;
    memset(at, 0, (size_t)(1 + t->dim) * bytes);
    w->share = w->push[t->dim - 1] + sh->cells;
    w->out = w->share + sh->cells;
    if (walls) w->open = w->out + sh->cells;
    if (walls) flux_open_fill(t, b, sh, NULL, w->open);
    for (int r = 0; r < 4; r++) w->row[r] = (double *)(void *)(memory + (size_t)arrays * bytes + (size_t)r * row);
    w->q = directions_make(neighbours_count(&t->p->seed, t->dim), b->grid->thin);
    return 1;
}

static void seed_body(const struct bw_block *b, void *user)
{
    struct work w;
    if (!work_begin(&w, user, b)) return;
    if (all_afford(&w))
        w.share = NULL;
    else
        shares_find(&w);
    flows_apply(&w);
    block_finish(&w, b);
}

enum bw_status flux_seed_run(struct flux_task *t)
{
    struct bw_stage *s = t->s;
    const int64_t steps = flux_seed_steps(t->p, s->time, s->time + s->dt);
    enum bw_status status = flux_seed_check(s);
    for (int64_t i = 0; i < steps && status == BW_OK; i++) {
        if (s->host->cancelled(s)) return BW_ERR_CANCELLED;
        status = s->host->sweep(
            s, &(struct bw_sweep){
                   .access = t->access, .n_access = t->n_access, .body = seed_body, .user = t, .reach = flux_reach});
    }
    t->st->steps = steps;
    return status;
}
