// SPDX-License-Identifier: Apache-2.0
/* Traces the gas of a block back through its source, row by row (equations: emit_trail.c). The cells of a row take
 * turns, one instant each, so that the noise is evaluated at many places at once. */
#include "emit_trail_kernels.h"
#include "emit_trail.h"

#include <math.h>
#include <string.h>

/* Has the cell the greatest amounts of the step? */
static int cell_is_full(const struct trail *t, const struct bw_block *b, const int32_t at[3])
{
    for (uint32_t r = 0; r < t->plan->n_rows; r++) {
        const struct bw_view *v = &b->view[r];
        for (int c = 0; c < v->comps; c++) {
            const double f = bw_get(v, c, at[0] + at[1] * v->sy + at[2] * v->sz), *most = t->range[3 * r + (uint32_t)c];
            if (f < most[0] || f > most[1]) return 0;
        }
    }
    return 1;
}

/* Has the cell what the source would emit there at one instant if there were no noise? */
static int cell_has_amounts(const struct trail *t, const struct bw_block *b, const int32_t at[3],
                            const struct instant *from, double cover)
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

static void cell_emit(const struct trail *t, const struct bw_block *b, const int32_t at[3], const struct instant *from,
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

/// A trajectory of the row and the instants at which it is sampled.
struct cursor {
    int32_t i;              ///< the cell in which it ends
    int stride, turn, last; ///< every so manyth instant; the sample to be taken next; the last one
};

/// A row's trajectories, and the samples whose noise is yet to be evaluated.
struct row {
    struct row_trajectories gas;
    int32_t first[3]; ///< its first cell
    struct cursor cursor[ROW_CELLS];
    int32_t n; ///< of the cursors
    uint8_t unfilled[ROW_CELLS];
    struct noise_places places;
    int32_t cell[NOISE_PLACES];
    const struct instant *from[NOISE_PLACES];
    double cover[NOISE_PLACES];
};

/// Scratch memory of a block: noise lattices, each filled when first evaluated, and a row.
struct work {
    struct bw_noise_lattice at[MOTION_SAMPLES][BW_NOISE_OCTAVES];
    int filled[MOTION_SAMPLES];
    double lo[3], hi[3]; ///< m
    struct row row;
};

static int box_has(const struct box3 *b, const double x[3])
{
    for (int i = 0; i < 3; i++)
        if (x[i] < b->lo[i] || x[i] > b->hi[i]) return 0;
    return 1;
}

static void row_cell(const struct row *r, int32_t i, int32_t at[3])
{
    memcpy(at, r->first, sizeof r->first);
    at[0] += i;
}

/* Coverage of a sample by a shape that moves or whose distance is looked up. */
static double sample_cover(const struct trail *t, const struct instant *from, const struct row_trajectories *g,
                           int32_t i)
{
    const double width = t->plan->width, x[3] = {g->at[0][i], g->at[1][i], g->at[2][i]};
    return box_has(&from->bounds, x) ? pose_cover(&from->pose, x, width) : 0;
}

/* Evaluates the noise of the samples collected and emits them. */
static void noise_flush(const struct trail *t, const struct bw_block *b, struct row *r)
{
    if (r->places.n) emit_kernels_for(b->stage->host->simd)->share(&r->places, t->plan->octaves, t->plan->noise.amount);
    for (int32_t i = 0; i < r->places.n; i++) {
        int32_t at[3];
        row_cell(r, r->cell[i], at);
        cell_emit(t, b, at, r->from[i], r->cover[i] * (double)r->places.share[i]);
    }
    r->places.n = 0;
}

/* Emits the sample at instant k of the trajectory that ends in cell i, or queues it for the noise. 0: out of memory. */
static int sample_emit(const struct trail *t, const struct bw_block *b, struct work *w, int32_t i, int k)
{
    struct row *r = &w->row;
    const struct instant *from = &t->at[k];
    const double cover = r->gas.pose ? r->gas.cover[i] : sample_cover(t, from, &r->gas, i);
    int32_t at[3];
    if (cover <= 0) return 1;
    row_cell(r, i, at);
    if (cell_has_amounts(t, b, at, from, cover)) return 1;
    if (!t->plan->octaves) {
        cell_emit(t, b, at, from, cover);
        return 1;
    }
    if (!w->filled[k] &&
        !noise_prepare(&t->plan->noise, t->plan->seed, t->plan->octaves, from->time, b, w->lo, w->hi, w->at[k]))
        return 0;
    w->filled[k] = 1;
    const int32_t n = r->places.n++;
    for (int a = 0; a < 3; a++) r->places.x[a][n] = r->gas.at[a][i];
    r->places.at[n] = w->at[k];
    r->cell[n] = i;
    r->from[n] = from;
    r->cover[n] = cover;
    if (n + 1 == NOISE_PLACES) noise_flush(t, b, r);
    return 1;
}

/* Stride through the instants for a trajectory that wants so many samples: at least min_samples. */
static int instants_stride(const struct trail *t, double wanted)
{
    const int most = wanted < MOTION_SAMPLES ? (int)wanted : MOTION_SAMPLES, samples = most > 1 ? most : 1;
    const int stride = t->n / (samples > t->min_samples ? samples : t->min_samples);
    return stride > 1 ? stride : 1;
}

/* Trajectories of a row, and a cursor for each that may gain anything: unfilled, and near the shape in the step. */
static void row_begin(const struct trail *t, const struct bw_block *b, const struct trail_kernels *kernels,
                      struct row *r)
{
    const struct bw_view *v = &b->view[t->view_vel];
    struct row_trajectories *g = &r->gas;
    const int32_t *at = r->first;
    for (int a = 0; a < 3; a++)
        g->u[a] = a == b->grid->thin ? NULL : bw_f32(v, a) + at[0] + at[1] * v->sy + at[2] * v->sz;
    for (int32_t i = 0; i < g->n; i++) g->x[i] = block_coord(b, 0, at[0] + i + 0.5);
    for (int a = 1; a < 3; a++) g->yz[a - 1] = block_coord(b, a, at[a] + 0.5);
    kernels->displacements(g);
    for (int32_t i = 0; i < g->n; i++) g->near_shape[i] &= r->unfilled[i];
    kernels->midpoints(g);
    kernels->samples(g);
    r->n = 0;
    for (int32_t i = 0; i < g->n; i++) {
        if (!g->near_shape[i]) continue;
        const int stride = instants_stride(t, g->samples[i]);
        r->cursor[r->n++] = (struct cursor){.i = i, .stride = stride, .last = (t->n - 1) / stride};
    }
}

static int cursor_instant(const struct trail *t, const struct cursor *f)
{
    return f->stride * (t->fading ? f->last - f->turn : f->turn);
}

/* Samples all trajectories in turn, one instant each; strongest amounts first, so that full cells drop out early.
 * 0: out of memory. */
static int row_trace(const struct trail *t, const struct bw_block *b, const struct trail_kernels *kernels,
                     struct work *w)
{
    struct row *r = &w->row;
    int ok = 1;
    while (r->n && ok) {
        for (int32_t q = 0; q < r->n; q++)
            r->gas.elapsed[r->cursor[q].i] = (double)cursor_instant(t, &r->cursor[q]) / t->n;
        kernels->positions(&r->gas);
        for (int32_t q = 0; q < r->n && ok; q++)
            ok = sample_emit(t, b, w, r->cursor[q].i, cursor_instant(t, &r->cursor[q]));
        noise_flush(t, b, r);
        int32_t left = 0, at[3];
        for (int32_t q = 0; q < r->n; q++) {
            struct cursor f = r->cursor[q];
            row_cell(r, f.i, at);
            if (++f.turn <= f.last && !cell_is_full(t, b, at)) r->cursor[left++] = f;
        }
        r->n = left;
    }
    return ok;
}

/* Marks the fluid cells of the row that have less than the greatest amounts of the step. Are there any? */
static int row_unfilled(const struct trail *t, const struct bw_block *b, const struct trail_kernels *kernels,
                        struct row *r)
{
    const int32_t *at = r->first, n = r->gas.n;
    memset(r->unfilled, 0, sizeof r->unfilled);
    for (uint32_t q = 0; q < t->plan->n_rows; q++) {
        const struct bw_view *v = &b->view[q];
        for (int c = 0; c < v->comps; c++) {
            const double *most = t->range[3 * q + (uint32_t)c];
            const ptrdiff_t cell = at[0] + at[1] * v->sy + at[2] * v->sz;
            if (v->precision == BW_F32) kernels->unfilled(bw_f32(v, c) + cell, n, most, r->unfilled);
            for (int32_t i = 0; i < n && v->precision != BW_F32; i++)
                r->unfilled[i] |= bw_get(v, c, cell + i) < most[0] || bw_get(v, c, cell + i) > most[1];
        }
    }
    if (t->view_solid) {
        const struct bw_view *v = &b->view[t->view_solid];
        const float *solid = bw_f32(v, 0) + at[0] + at[1] * v->sy + at[2] * v->sz;
        for (int32_t i = 0; i < n; i++) r->unfilled[i] &= !(solid[i] < 0);
    }
    return memchr(r->unfilled, 1, (size_t)n) != NULL;
}

/* Bounds within which the block's trajectories may have been inside the shape. */
static void noise_bounds(const struct trail *t, const struct bw_block *b, const struct cells *c, struct work *w)
{
    const double most = (t->max_displacement + 1) * b->grid->h;
    for (int a = 0; a < 3; a++) {
        w->lo[a] = fmax(block_coord(b, a, c->lo[a]) - most, t->shape.lo[a]);
        w->hi[a] = fmax(fmin(block_coord(b, a, c->hi[a]) + most, t->shape.hi[a]), w->lo[a]);
        w->lo[a] = fmin(w->lo[a], w->hi[a]);
    }
}

/* Sets what all rows of a block share. */
static void work_init(const struct trail *t, const struct bw_block *b, const struct cells *c, struct work *w)
{
    const struct bw_view *v = &b->view[t->view_vel];
    struct row_trajectories *g = &w->row.gas;
    memset(w->filled, 0, sizeof w->filled);
    w->row.places.n = 0;
    noise_bounds(t, b, c, w);
    g->n = c->hi[0] - c->lo[0];
    g->step[0] = 1;
    g->step[1] = v->sy;
    g->step[2] = v->sz;
    g->scale = t->scale;
    g->max_displacement = t->max_displacement;
    g->h = b->grid->h;
    g->near = t->shape;
    g->pose = t->static_shape && pose_is_plain(&t->at[0].pose) ? &t->at[0].pose : NULL;
    g->bounds = t->at[0].bounds;
    g->width = t->plan->width;
    g->noise = t->noise;
    g->travel = t->travel;
    g->sample_spacing = t->sample_spacing;
    for (int32_t i = 0; i < g->n; i++) g->elapsed[i] = 0;
}

void trail_body(const struct bw_block *b, void *user)
{
    const struct trail *t = user;
    const struct trail_kernels *kernels = trail_kernels_for(b->stage->host->simd);
    struct cells c;
    if (!box_cells(&t->reach, b, &c)) return;
    struct work *w = b->stage->host->body_scratch(b, sizeof *w);
    if (!w) {
        b->sum[0] += 1;
        return;
    }
    work_init(t, b, &c, w);
    for (int32_t k = c.lo[2]; k < c.hi[2]; k++)
        for (int32_t j = c.lo[1]; j < c.hi[1]; j++) {
            memcpy(w->row.first, (const int32_t[3]){c.lo[0], j, k}, sizeof w->row.first);
            if (!row_unfilled(t, b, kernels, &w->row)) continue;
            row_begin(t, b, kernels, &w->row);
            if (!row_trace(t, b, kernels, w)) b->sum[0] += 1;
        }
}

int trail_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct trail *t = user;
    struct cells c;
    (void)row, (void)reach;
    return box_cells(&t->reach, b, &c);
}
