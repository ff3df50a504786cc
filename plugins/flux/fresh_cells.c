// SPDX-License-Identifier: Apache-2.0
/* Fresh cells: cells that a moving obstacle uncovered in this step. They still hold the gas of the time when they were
 * covered, so they get the mean of the open cells around them, with the obstacle's velocity. The gas that the obstacle
 * displaces crosses its faces as fluxes (euler_block.c): mass is conserved up to the difference between a cell's
 * content and that flux. */
#include "flux.h"
#include <math.h>
#include <string.h>

enum { MAX_CELLS = 2 }; // that an obstacle may move in a step

static double centre_speed(const struct bw_view *v, int a, ptrdiff_t at, ptrdiff_t step)
{
    return 0.5 * (double)(bw_f32(v, a)[at] + bw_f32(v, a)[at + step]);
}

/* An obstacle that moves with w was in a cell before if distance + dt w·grad(distance) < 0. */
static int is_fresh(const struct flux_task *t, const struct bw_block *b, const struct flux_shape *sh, ptrdiff_t at)
{
    const float *d = bw_f32(&b->view[t->solid], 0);
    double before = (double)d[at];
    if (before < 0) return 0;
    for (int a = 0; a < t->dim; a++) {
        const ptrdiff_t step = sh->step[t->axis[a]];
        const double w = centre_speed(&b->view[t->solid_vel], t->axis[a], at, step);
        before += t->s->dt * w * (double)(d[at + step] - d[at - step]) / (2 * b->grid->h);
    }
    return before < 0;
}

/// Sums over the open cells around a fresh one.
struct neighbours {
    double value[FLUX_SCALARS + 3][3], heat;
    int n;
};

static void neighbours_add(const struct flux_task *t, const struct bw_block *b, ptrdiff_t at, struct neighbours *r)
{
    double square = 0;
    for (uint32_t i = 0; i < t->n_in; i++)
        for (int c = 0; c < b->view[i].comps; c++) r->value[i][c] += bw_get(&b->view[i], c, at);
    for (int c = 0; c < 3; c++) square += pow(bw_get(&b->view[1], c, at), 2);
    if (t->energy >= 0) r->heat += bw_get(&b->view[t->energy], 0, at) - 0.5 * square / bw_get(&b->view[0], 0, at);
    r->n++;
}

/* Second pass (`late`): cells with only fresh ones around take those's values, set by the first pass. */
static void neighbours_sum(const struct flux_task *t, const struct bw_block *b, const struct flux_shape *sh,
                           ptrdiff_t at, int late, struct neighbours *r)
{
    const float *d = bw_f32(&b->view[t->solid], 0);
    *r = (struct neighbours){.n = 0};
    for (int e = 0; e < 27; e++) {
        const int x = e % 3 - 1, y = e / 3 % 3 - 1, z = e / 9 - 1, move[3] = {x, y, z};
        const ptrdiff_t to = at + x + flux_at(sh, y, z);
        if (e == 13 || (b->grid->thin >= 0 && move[b->grid->thin]) || d[to] < 0) continue;
        if (late == is_fresh(t, b, sh, to)) neighbours_add(t, b, to, r);
    }
}

static void cell_fill(const struct flux_task *t, const struct bw_block *b, const struct flux_shape *sh, ptrdiff_t at,
                      ptrdiff_t to, const struct neighbours *r)
{
    const double mass = r->value[0][0] / r->n;
    double square = 0;
    for (uint32_t i = 0; i < t->n_in; i++)
        for (int c = 0; c < b->view[i].comps; c++) bw_put(&b->view[t->n_in + i], c, to, r->value[i][c] / r->n);
    for (int a = 0; a < t->dim; a++) {
        const int c = t->axis[a];
        const double m = mass * centre_speed(&b->view[t->solid_vel], c, at, sh->step[c]);
        bw_put(&b->view[t->n_in + 1], c, to, m);
        square += m * m;
    }
    if (t->energy >= 0) bw_put(&b->view[t->n_in + (uint32_t)t->energy], 0, to, r->heat / r->n + 0.5 * square / mass);
}

static void rows_copy(const struct flux_task *t, const struct bw_block *b, int j, int k)
{
    for (uint32_t i = 0; i < t->n_in; i++) {
        const struct bw_view *in = &b->view[i], *out = &b->view[t->n_in + i];
        const size_t size = in->precision == BW_F64P ? sizeof(double) : sizeof(float);
        for (int c = 0; c < in->comps; c++)
            memcpy((char *)out->data[c] + (size_t)(j * out->sy + k * out->sz) * size,
                   (char *)in->data[c] + (size_t)(j * in->sy + k * in->sz) * size, (size_t)b->n[0] * size);
    }
}

static void fresh_body(const struct bw_block *b, const struct flux_task *t, int late)
{
    const struct bw_view *out = &b->view[t->n_in];
    const struct flux_shape sh = flux_shape_of(b, &b->view[0], FLUX_HALO);
    const int moves = flux_obstacles_near(t, b).solid_speed > 0;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++) {
            rows_copy(t, b, j, k);
            for (int i = 0; i < b->n[0] && moves; i++) {
                const ptrdiff_t at = i + flux_at(&sh, j, k);
                struct neighbours r;
                if (!is_fresh(t, b, &sh, at)) continue;
                neighbours_sum(t, b, &sh, at, 0, &r);
                if (late == (r.n > 0)) continue;
                if (late) neighbours_sum(t, b, &sh, at, 1, &r);
                if (r.n) cell_fill(t, b, &sh, at, i + j * out->sy + k * out->sz, &r);
            }
        }
}

static void first_body(const struct bw_block *b, void *user) { fresh_body(b, user, 0); }
static void late_body(const struct bw_block *b, void *user) { fresh_body(b, user, 1); }

enum bw_status flux_fill_fresh_cells(struct flux_task *t)
{
    struct bw_stage *s = t->s;
    const int64_t count = t->tiles->topology(s->domain)->count;
    double fastest = 0;
    for (int64_t i = 0; i < count; i++) fastest = fmax(fastest, (double)t->st->tile[i].solid_speed);
    const double cells = fastest * s->dt / s->grid->h;
    if (cells <= 0) return BW_OK;
    if (cells > MAX_CELLS)
        s->host->log(s, BW_LOG_WARNING,
                     "an obstacle moves %.1f cells a step: gas behind it is made up beyond %d; more substeps help",
                     cells, MAX_CELLS);
    enum bw_status status = BW_OK;
    for (int late = 0; late <= (cells > 1) && status == BW_OK; late++)
        status = s->host->sweep(s, &(struct bw_sweep){.access = t->access,
                                                      .n_access = t->n_access,
                                                      .body = late ? late_body : first_body,
                                                      .user = t,
                                                      .reach = flux_reach});
    return status;
}
