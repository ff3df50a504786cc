// SPDX-License-Identifier: Apache-2.0
/* What a source in mode max has given to gas on its way. A step carries what the shape held when it began; gas that has
 * been in the shape since got more, and gas that was there when the source was stronger. With u the flow that carries,
 * gas that is at x when the step ends was, a share s of the step earlier, at
 *     X(s) = x - s dt u(x) + s² dt (u(x) - u(x - dt/2 u(x)))
 * second order, at s = 1 the midpoint rule's trace, and has
 *     f(x) = max over s in [0, 1) of c(X(s), t - s dt) · amount(t - s dt)
 * or what was carried there: what many small steps would give. Without it a source whose noise or amount changes leaves
 * a shell at its edge with each step, terraces in the smoke that rises from it. Samples are as far apart on the gas'
 * own way as what it meets is wide: a quarter of the soft edge or half of the finest noise, which counts for little,
 * but not less than half a cell; noise that changes is a way, too, and amounts change by a tenth at most from one to
 * the next. They are taken from instants half a cell of the longest way apart, MOTION_SAMPLES or fewer. We cheat where
 * ways are longer than LONGEST cells: they are taken for so long. */
#include "emit.h"
#include <common/vec3.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { HALO = 16 };
#define CHANGE 0.1                 // of an amount, from one sample to the next
#define LONGEST (2.0 * (HALO - 1)) // cells: half of it and one more cell are read round a block

/// The source at one moment.
struct instant {
    struct pose pose;
    struct box3 bounds;
    double time;
    const struct bw_amount *amount;
};

struct trail {
    const struct plan *plan;
    const struct source_way *way;
    struct instant at[MOTION_SAMPLES];
    int n;
    bool fading;              ///< the source gives less at the step's end than earlier
    double scale, cells;      ///< cells a m/s in the step; longest way, cells
    double travel, noise;     ///< cells that the shape goes in the step; how far in time the noise goes, as a way
    double apart;             ///< samples, cells
    int least;                ///< samples that the amounts want, as they change
    bool still;               ///< the shape stands, and its distance is known everywhere
    struct box3 shape, reach; ///< all poses; and how far gas has come from them
    double (*most)[2];        ///< by row and component: greatest and least amount; what it can't raise, or lower
    uint32_t view_vel, view_solid;
};

/* ---- the flow ---- */

/* Component a at q, in cells from the block's first centre. */
static double flow_component(const struct bw_block *b, const struct bw_view *v, int a, const double q[3])
{
    const ptrdiff_t step[3] = {1, v->sy, v->sz};
    const float *f = bw_f32(v, a);
    double w[3];
    ptrdiff_t up[3];
    for (int i = 0; i < 3; i++) {
        const double at = i == b->grid->thin ? 0 : q[i] + (i == a ? 0.5 : 0), low = floor(at);
        w[i] = at - low;
        up[i] = w[i] > 0 ? step[i] : 0;
        f += (ptrdiff_t)low * step[i];
    }
    double row[4];
    for (int i = 0; i < 4; i++) {
        const float *g = f + (i & 1 ? up[1] : 0) + (i & 2 ? up[2] : 0);
        row[i] = (double)g[0] + w[0] * ((double)g[up[0]] - (double)g[0]);
    }
    const double low = row[0] + w[1] * (row[1] - row[0]), high = row[2] + w[1] * (row[3] - row[2]);
    return low + w[2] * (high - low);
}

/* Calls of fmax() and fmin() would take longer than the rest. */
static double clamped(double way, double most) { return way > most ? most : way < -most ? -most : way; }

/* Cells that gas at q goes in the step. */
static void flow_way(const struct trail *t, const struct bw_block *b, const double q[3], double d[3])
{
    for (int a = 0; a < 3; a++) {
        const double u = a == b->grid->thin ? 0 : flow_component(b, &b->view[t->view_vel], a, q);
        d[a] = clamped(t->scale * u, t->cells);
    }
}

/* The same of gas at a cell's centre. */
static void cell_way(const struct trail *t, const struct bw_block *b, const int32_t at[3], double d[3])
{
    const struct bw_view *v = &b->view[t->view_vel];
    const ptrdiff_t step[3] = {1, v->sy, v->sz}, cell = at[0] + at[1] * step[1] + at[2] * step[2];
    for (int a = 0; a < 3; a++) {
        const float *f = bw_f32(v, a) + cell;
        const double u = a == b->grid->thin ? 0 : (double)f[0] + 0.5 * ((double)f[step[a]] - (double)f[0]);
        d[a] = clamped(t->scale * u, t->cells);
    }
}

/* ---- cells ---- */

/* Has the cell all that the source, with this cover, can give? */
static int cell_is_full(const struct trail *t, const struct bw_block *b, const int32_t at[3], double cover)
{
    for (uint32_t r = 0; r < t->plan->n_rows; r++) {
        const struct bw_view *v = &b->view[r];
        for (int c = 0; c < v->comps; c++) {
            const double f = bw_get(v, c, at[0] + at[1] * v->sy + at[2] * v->sz), *most = t->most[3 * r + (uint32_t)c];
            if (f < cover * most[0] || f > cover * most[1]) return 0;
        }
    }
    return 1;
}

/* Has it, without the noise, what the source gives at one moment? */
static int cell_has(const struct trail *t, const struct bw_block *b, const int32_t at[3], const struct instant *from,
                    double cover)
{
    for (uint32_t r = 0; r < t->plan->n_rows; r++) {
        const struct bw_view *v = &b->view[r];
        const struct bw_amount *amount = &from->amount[t->plan->row[r]];
        for (int c = 0; c < v->comps; c++) {
            const double f = bw_get(v, c, at[0] + at[1] * v->sy + at[2] * v->sz), give = cover * amount->value[c];
            if (amount->value[c] < 0 ? f > give : f < give) return 0;
        }
    }
    return 1;
}

static void cell_give(const struct trail *t, const struct bw_block *b, const int32_t at[3], const struct instant *from,
                      double cover)
{
    for (uint32_t r = 0; r < t->plan->n_rows; r++) {
        const struct bw_view *v = &b->view[r];
        const struct bw_amount *amount = &from->amount[t->plan->row[r]];
        for (int c = 0; c < v->comps; c++) {
            const ptrdiff_t cell = at[0] + at[1] * v->sy + at[2] * v->sz;
            const double f = bw_get(v, c, cell), give = cover * amount->value[c];
            bw_put(v, c, cell, amount->value[c] < 0 ? fmin(f, give) : fmax(f, give));
        }
    }
}

static int box_has(const struct box3 *b, const double x[3])
{
    for (int i = 0; i < 3; i++)
        if (x[i] < b->lo[i] || x[i] > b->hi[i]) return 0;
    return 1;
}

/// Lattices of a block's noise, each filled when it is first asked for.
struct lattices {
    struct bw_noise_lattice at[MOTION_SAMPLES][BW_NOISE_OCTAVES];
    int filled[MOTION_SAMPLES];
    double lo[3], hi[3]; ///< m
};

/* Gas that a straight way misses by more than a curved one may turn has not been near the shape. */
static int way_touches(const struct trail *t, const double x[3], const double d[3], double h)
{
    const double turn = h * (1 + 0.25 * t->cells);
    for (int a = 0; a < 3; a++) {
        const double from = x[a] - h * d[a], low = from < x[a] ? from : x[a], high = from < x[a] ? x[a] : from;
        if (low - turn > t->shape.hi[a] || high + turn < t->shape.lo[a]) return 0;
    }
    return 1;
}

/* The same by the distance, of a shape that stands. */
static int way_reaches(const struct trail *t, const double x[3], double way, double h)
{
    const double turn = 1 + 0.25 * t->cells;
    return !t->still || pose_distance(&t->at[0].pose, x) < 0.5 * t->plan->width + h * (1 + way + turn);
}

/* What the source gives to gas that is at x at instant k. 0: out of memory. */
static int place_give(const struct trail *t, const struct bw_block *b, const int32_t at[3], int k, const double x[3],
                      struct lattices *noise)
{
    const struct instant *from = &t->at[k];
    const double cover = box_has(&from->bounds, x) ? pose_cover(&from->pose, x, t->plan->width) : 0;
    if (cover <= 0 || cell_has(t, b, at, from, cover)) return 1;
    if (!noise->filled[k] && !noise_prepare(t->plan, from->time, b, noise->lo, noise->hi, noise->at[k])) return 0;
    noise->filled[k] = 1;
    cell_give(t, b, at, from, t->plan->octaves ? cover * noise_share(t->plan, noise->at[k], x) : cover);
    return 1;
}

static int way_samples(const struct trail *t, double cells) { return motion_samples(0.5 * cells / t->apart); }

/* Of the instants one in so many is wanted on this way; the first, and one more where anything moves. */
static int way_stride(const struct trail *t, double way)
{
    const int samples = way_samples(t, t->apart + sqrt(way * way + t->noise * t->noise) + t->travel);
    const int stride = t->n / (samples > t->least ? samples : t->least);
    return stride > 1 ? stride : 1;
}

/* 0: out of memory. */
static int cell_follow(const struct trail *t, const struct bw_block *b, const int32_t at[3], struct lattices *noise)
{
    const double q[3] = {at[0], at[1], at[2]}, h = b->grid->h;
    double now[3], middle[3], half[3], x[3], end[3];
    int room = 1;
    cell_way(t, b, at, now);
    for (int a = 0; a < 3; a++) {
        end[a] = block_coord(b, a, q[a] + 0.5);
        half[a] = q[a] - 0.5 * now[a];
    }
    const double way = vec3_length(now);
    if (!way_touches(t, end, now, h) || !way_reaches(t, end, way, h)) return 1;
    if (way > t->apart) flow_way(t, b, half, middle);
    else memcpy(middle, now, sizeof middle); // straight, as far as samples can tell
    const int stride = way_stride(t, fmax(way, vec3_length(middle))), last = (t->n - 1) / stride;
    for (int turn = 0; turn <= last && room && !cell_is_full(t, b, at, 1); turn++) {
        const int k = stride * (t->fading ? last - turn : turn); // what gives most first: the rest has less to add
        const double s = (double)k / t->n;
        for (int a = 0; a < 3; a++) x[a] = end[a] - h * (s * now[a] - s * s * (now[a] - middle[a]));
        room = place_give(t, b, at, k, x, noise);
    }
    return room;
}

/* Where the block's gas may have been inside the shape. */
static void noise_room(const struct trail *t, const struct bw_block *b, const struct cells *c, struct lattices *noise)
{
    const double way = (t->cells + 1) * b->grid->h;
    for (int a = 0; a < 3; a++) {
        noise->lo[a] = fmax(block_coord(b, a, c->lo[a]) - way, t->shape.lo[a]);
        noise->hi[a] = fmax(fmin(block_coord(b, a, c->hi[a]) + way, t->shape.hi[a]), noise->lo[a]);
        noise->lo[a] = fmin(noise->lo[a], noise->hi[a]);
    }
}

static void trail_body(const struct bw_block *b, void *user)
{
    const struct trail *t = user;
    struct cells c;
    if (!box_cells(&t->reach, b, &c)) return;
    const struct bw_view *solid = t->view_solid ? &b->view[t->view_solid] : NULL;
    struct lattices *noise = b->stage->host->body_scratch(b, sizeof *noise);
    if (!noise) {
        b->sum[0] += 1;
        return;
    }
    memset(noise->filled, 0, sizeof noise->filled);
    noise_room(t, b, &c, noise);
    for (int32_t k = c.lo[2]; k < c.hi[2]; k++)
        for (int32_t j = c.lo[1]; j < c.hi[1]; j++)
            for (int32_t i = c.lo[0]; i < c.hi[0]; i++) {
                const int32_t at[3] = {i, j, k};
                if (solid && bw_f32(solid, 0)[i + j * solid->sy + k * solid->sz] < 0) continue;
                if (cell_is_full(t, b, at, 1)) continue;
                if (!cell_follow(t, b, at, noise)) b->sum[0] += 1;
            }
}

static int trail_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct trail *t = user;
    struct cells c;
    (void)row, (void)reach;
    return box_cells(&t->reach, b, &c);
}

/* ---- the step ---- */

static void speed_body(const struct bw_block *b, void *user)
{
    const struct bw_view *v = &b->view[0];
    float most = 0;
    if (!trail_reach(b, 0, NULL, user)) return;
    for (int a = 0; a < 3; a++) {
        if (a == b->grid->thin) continue;
        const float *u = bw_f32(v, a);
        for (int32_t k = 0; k < b->n[2]; k++)
            for (int32_t j = 0; j < b->n[1]; j++)
                for (int32_t i = 0; i < b->n[0]; i++) {
                    const float speed = fabsf(u[i + j * v->sy + k * v->sz]);
                    most = speed > most ? speed : most;
                }
    }
    b->max[0] = (double)most;
}

static struct box3 box_widened(struct box3 b, double by)
{
    for (int a = 0; a < 3; a++) {
        b.lo[a] -= by;
        b.hi[a] += by;
    }
    return b;
}

/* The longest way near the shape, cells. */
static enum bw_status trail_measure(struct bw_stage *s, struct trail *t)
{
    double most = 0;
    const struct bw_access row = {t->way->vel, BW_READ, 0};
    t->reach = box_widened(t->shape, HALO * s->grid->h);
    const enum bw_status status = s->host->sweep(s, &(struct bw_sweep){.access = &row,
                                                                       .n_access = 1,
                                                                       .body = speed_body,
                                                                       .reach = trail_reach,
                                                                       .user = t,
                                                                       .maxs = &most,
                                                                       .n_maxs = 1});
    t->scale = t->way->dt / s->grid->h;
    t->cells = fmin(t->scale * fmax(most, 0), LONGEST);
    return status;
}

/* Amounts of the rows at each instant, and what they span. */
static enum bw_status amounts_at(struct bw_stage *s, struct trail *t, struct instant *at)
{
    const struct emit *p = s->host->params_at(s, at->time);
    const size_t count = (size_t)t->plan->p->amounts.count;
    struct bw_amount *copy = s->host->scratch(s, count * sizeof *copy); // params_at takes its own back
    if (!p || !copy) return BW_ERR_MEMORY;
    at->amount = memcpy(copy, p->amounts.items, count * sizeof *copy);
    for (uint32_t r = 0; r < t->plan->n_rows; r++)
        for (int c = 0; c < 3; c++) {
            const double value = copy[t->plan->row[r]].value[c];
            double *most = t->most[3 * r + (uint32_t)c];
            if (value < 0) most[1] = fmin(most[1], value);
            else most[0] = fmax(most[0], value);
        }
    return BW_OK;
}

static double instant_gives(const struct trail *t, const struct instant *at)
{
    double sum = 0;
    for (uint32_t r = 0; r < t->plan->n_rows; r++)
        for (int c = 0; c < 3; c++) sum += fabs(at->amount[t->plan->row[r]].value[c]);
    return sum;
}

/* How much the amounts change from instant to instant, as a share of the most that each is. */
static double amounts_change(const struct trail *t)
{
    double share = 0;
    for (uint32_t r = 0; r < t->plan->n_rows; r++)
        for (int c = 0; c < 3; c++) {
            double change = 0, most = 0;
            for (int k = 0; k < t->n; k++) {
                const double value = t->at[k].amount[t->plan->row[r]].value[c];
                most = fmax(most, fabs(value));
                if (k) change += fabs(value - t->at[k - 1].amount[t->plan->row[r]].value[c]);
            }
            if (change > 0) share = fmax(share, change / most);
        }
    return share;
}

/* Are both one shape in one place, whose distance costs little? Of round shapes only the axis z is set. */
static bool pose_same(const struct pose *p, const struct pose *q)
{
    const bool plain = p->kind != SHAPE_MESH && p->kind != SHAPE_VDB && p->kind != SHAPE_POINTS;
    const int first = p->kind == SHAPE_BOX ? 0 : 2;
    bool same = plain && p->radius == q->radius && p->minor == q->minor;
    for (int i = 0; i < 3; i++) same = same && p->center[i] == q->center[i] && p->half[i] == q->half[i];
    for (int a = first; a < 3; a++)
        for (int i = 0; i < 3; i++) same = same && p->axis[a][i] == q->axis[a][i];
    return same;
}

static enum bw_status instants_init(struct bw_stage *s, struct trail *t)
{
    const double margin = 0.5 * t->plan->width + s->grid->h;
    enum bw_status status = BW_OK;
    t->most = s->host->scratch(s, 3 * (t->plan->n_rows + 1) * sizeof *t->most);
    if (!t->most) return BW_ERR_MEMORY;
    for (uint32_t i = 0; i < 3 * t->plan->n_rows; i++) {
        t->most[i][0] = -HUGE_VAL;
        t->most[i][1] = HUGE_VAL;
    }
    t->still = true;
    for (int k = 0; k < t->n && status == BW_OK; k++) {
        struct instant *at = &t->at[k];
        at->time = t->plan->time - t->way->dt * k / t->n;
        if (k) status = pose_at(s, at->time, &at->pose);
        else at->pose = t->plan->pose[0];
        if (status == BW_OK) status = amounts_at(s, t, at);
        if (status != BW_OK) return status;
        at->bounds = pose_bounds(&at->pose, margin);
        bounds_add(&t->shape, at->bounds);
        t->still = t->still && pose_same(&at->pose, &t->at[0].pose);
        t->travel = fmax(t->travel, pose_travel(&at->pose, &t->at[0].pose) / s->grid->h);
    }
    t->fading = instant_gives(t, &t->at[t->n - 1]) > instant_gives(t, t->at);
    t->least = 1 + (int)fmin(ceil(amounts_change(t) / CHANGE), MOTION_SAMPLES);
    t->reach = box_widened(t->shape, (t->cells + 1) * s->grid->h);
    return BW_OK;
}

static enum bw_status trail_sweep(struct bw_stage *s, struct trail *t)
{
    const struct plan *a = t->plan;
    struct bw_access *access = s->host->scratch(s, (a->n_rows + 2) * sizeof *access);
    if (!access) return BW_ERR_MEMORY;
    uint32_t rows = 0;
    for (; rows < a->n_rows; rows++)
        access[rows] = (struct bw_access){s->ports[PORT_AMOUNTS].fields[a->row[rows]], BW_UPDATE, 0};
    access[t->view_vel = rows++] = (struct bw_access){t->way->vel, BW_READ, (int32_t)ceil(0.5 * t->cells) + 1};
    if (t->way->solid) access[t->view_solid = rows++] = (struct bw_access){t->way->solid, BW_READ, 0};
    double failed = 0;
    const enum bw_status status = s->host->sweep(s, &(struct bw_sweep){.access = access,
                                                                       .n_access = rows,
                                                                       .body = trail_body,
                                                                       .reach = trail_reach,
                                                                       .user = t,
                                                                       .sums = &failed,
                                                                       .n_sums = 1});
    return status ? status : failed > 0 ? BW_ERR_MEMORY : BW_OK;
}

static double samples_apart(const struct plan *a, double h)
{
    const struct pose *p = &a->pose[0];
    const double edge = p->kind == SHAPE_VDB && p->vdb->fog ? 0 : 0.25 * a->width; // fog has the edges of its file
    const double noise = a->p->noise.size * pow(0.5, a->octaves);
    const double finest = a->octaves && noise < edge ? noise : edge;
    return fmax(0.5, finest / h);
}

enum bw_status trail_run(struct bw_stage *s, const struct plan *a, const struct source_way *way, int *done)
{
    struct trail *t = s->host->scratch(s, sizeof *t);
    struct pose start;
    if (!t) return BW_ERR_MEMORY;
    *t = (struct trail){.plan = a, .way = way, .shape = a->bounds};
    *done = 0;
    enum bw_status status = pose_at(s, a->time - way->dt, &start);
    if (status != BW_OK) return status;
    bounds_add(&t->shape, pose_bounds(&start, 0.5 * a->width + s->grid->h));
    status = trail_measure(s, t);
    if (status != BW_OK) return status;
    t->travel = pose_travel(&start, &a->pose[0]) / s->grid->h;
    t->noise = a->octaves ? way->dt * a->p->noise.speed / s->grid->h : 0;
    t->apart = samples_apart(a, s->grid->h);
    t->n = motion_samples(sqrt(t->cells * t->cells + t->noise * t->noise) + t->travel);
    if (t->n == 1) return BW_OK;
    *done = 1;
    status = instants_init(s, t);
    return status == BW_OK ? trail_sweep(s, t) : status;
}
