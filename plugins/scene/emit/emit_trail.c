// SPDX-License-Identifier: Apache-2.0
/* Mode max below mac.advect: a source's amounts along the trajectories of the gas that left it within the step.
 *
 * Advection moves only what the shape held when the step began. Gas that was in the shape later, or when the source was
 * stronger, has more. With u the advecting velocity, gas at x at the step's end was, a fraction s of the step earlier,
 * at
 *     X(s) = x - s dt u(x) + s² dt (u(x) - u(x - dt/2 u(x)))
 * second order; at s = 1 it is the departure point of the midpoint rule. It has
 *     f(x) = max over s in [0, 1) of c(X(s), t - s dt) · amount(t - s dt)
 * or the advected value, which is the limit of many small steps. Without it a source whose noise or amount changes
 * leaves a shell at its edge with each step: terraces in the smoke.
 *
 * Samples along a trajectory are spaced by a quarter of the soft edge, or by half of the finest noise where that is
 * less, but by no less than half a cell. Noise that changes counts as a displacement. An amount changes by at most a
 * tenth from one sample to the next. Samples are taken from up to MOTION_SAMPLES instants of the step, half a cell of
 * the longest displacement apart.
 *
 * We cheat: displacements are cut to LONGEST cells. With samples a whole cell apart a pulsing source leaves 1.4 % less
 * by steps of half a cell. */
#include "emit_trail.h"

#include <math.h>
#include <string.h>

enum { HALO = 16 };
#define CHANGE 0.1                 // of an amount, from one sample to the next, at most
#define LONGEST (2.0 * (HALO - 1)) // displacement, cells: half of it and one more cell are the halo of a block

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

/* The longest displacement near the shape, cells. */
static enum bw_status trail_measure(struct bw_stage *s, struct trail *t)
{
    double most = 0;
    const struct bw_access row = {t->advection->vel, BW_READ, 0};
    t->reach = box_widened(t->shape, HALO * s->grid->h);
    const enum bw_status status = s->host->sweep(s, &(struct bw_sweep){.access = &row,
                                                                       .n_access = 1,
                                                                       .body = speed_body,
                                                                       .reach = trail_reach,
                                                                       .user = t,
                                                                       .maxs = &most,
                                                                       .n_maxs = 1});
    t->scale = t->advection->dt / s->grid->h;
    t->max_displacement = fmin(t->scale * fmax(most, 0), LONGEST);
    return status;
}

/* Amounts of the rows at an instant; widens their range by these. */
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
            double *most = t->range[3 * r + (uint32_t)c];
            if (value < 0) most[1] = fmin(most[1], value);
            else most[0] = fmax(most[0], value);
        }
    return BW_OK;
}

static double instant_amount_sum(const struct trail *t, const struct instant *at)
{
    double sum = 0;
    for (uint32_t r = 0; r < t->plan->n_rows; r++)
        for (int c = 0; c < 3; c++) sum += fabs(at->amount[t->plan->row[r]].value[c]);
    return sum;
}

/* Total variation of the amounts over the instants, relative to the greatest value of each; the largest of them. */
static double amounts_change(const struct trail *t)
{
    double variation = 0;
    for (uint32_t r = 0; r < t->plan->n_rows; r++)
        for (int c = 0; c < 3; c++) {
            double change = 0, most = 0;
            for (int k = 0; k < t->n; k++) {
                const double value = t->at[k].amount[t->plan->row[r]].value[c];
                most = fmax(most, fabs(value));
                if (k) change += fabs(value - t->at[k - 1].amount[t->plan->row[r]].value[c]);
            }
            if (change > 0) variation = fmax(variation, change / most);
        }
    return variation;
}

/* Are both poses equal, of a shape with a closed-form distance? Of round shapes only the axis z is set. */
static bool pose_same(const struct pose *p, const struct pose *q)
{
    const bool plain = pose_is_plain(p);
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
    t->range = s->host->scratch(s, 3 * (t->plan->n_rows + 1) * sizeof *t->range);
    if (!t->range) return BW_ERR_MEMORY;
    for (uint32_t i = 0; i < 3 * t->plan->n_rows; i++) {
        t->range[i][0] = -HUGE_VAL;
        t->range[i][1] = HUGE_VAL;
    }
    t->static_shape = true;
    for (int k = 0; k < t->n && status == BW_OK; k++) {
        struct instant *at = &t->at[k];
        at->time = t->plan->time - t->advection->dt * k / t->n;
        if (k) status = pose_at(s, at->time, &at->pose);
        else at->pose = t->plan->pose[0];
        if (status == BW_OK) status = amounts_at(s, t, at);
        if (status != BW_OK) return status;
        at->bounds = pose_bounds(&at->pose, margin);
        bounds_add(&t->shape, at->bounds);
        t->static_shape = t->static_shape && pose_same(&at->pose, &t->at[0].pose);
        t->travel = fmax(t->travel, pose_travel(&at->pose, &t->at[0].pose) / s->grid->h);
    }
    t->fading = instant_amount_sum(t, &t->at[t->n - 1]) > instant_amount_sum(t, t->at);
    t->min_samples = 1 + (int)fmin(ceil(amounts_change(t) / CHANGE), MOTION_SAMPLES);
    t->reach = box_widened(t->shape, (t->max_displacement + 1) * s->grid->h);
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
    access[t->view_vel = rows++] =
        (struct bw_access){t->advection->vel, BW_READ, (int32_t)ceil(0.5 * t->max_displacement) + 1};
    if (t->advection->solid) access[t->view_solid = rows++] = (struct bw_access){t->advection->solid, BW_READ, 0};
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

static double sample_spacing(const struct plan *a, double h)
{
    const struct pose *p = &a->pose[0];
    const double edge = p->kind == SHAPE_VDB && p->vdb->fog ? 0 : 0.25 * a->width; // fog has the edges of its file
    const double noise = a->noise.size * pow(0.5, a->octaves);
    const double finest = a->octaves && noise < edge ? noise : edge;
    return fmax(0.5, finest / h);
}

enum bw_status trail_run(struct bw_stage *s, const struct plan *a, const struct advection *advection, int *done)
{
    struct trail *t = s->host->scratch(s, sizeof *t);
    struct pose start;
    if (!t) return BW_ERR_MEMORY;
    *t = (struct trail){.plan = a, .advection = advection, .shape = a->bounds};
    *done = 0;
    enum bw_status status = pose_at(s, a->time - advection->dt, &start);
    if (status != BW_OK) return status;
    bounds_add(&t->shape, pose_bounds(&start, 0.5 * a->width + s->grid->h));
    status = trail_measure(s, t);
    if (status != BW_OK) return status;
    t->travel = pose_travel(&start, &a->pose[0]) / s->grid->h;
    t->noise = a->octaves ? advection->dt * a->noise.speed / s->grid->h : 0;
    t->sample_spacing = sample_spacing(a, s->grid->h);
    t->n = motion_samples(sqrt(t->max_displacement * t->max_displacement + t->noise * t->noise) + t->travel);
    if (t->n == 1) return BW_OK;
    *done = 1;
    status = instants_init(s, t);
    return status == BW_OK ? trail_sweep(s, t) : status;
}
