// SPDX-License-Identifier: Apache-2.0
/* What the gas of a block has met in its source (emit_trail.c): row by row, and of a row's cells one instant of each
 * after the other, so that the noise is asked for many places at once. */
#include "emit_follow.h"
#include "emit_trail.h"

#include <math.h>
#include <string.h>

/* Has the cell all that the source can give? */
static int cell_is_full(const struct trail *t, const struct bw_block *b, const int32_t at[3])
{
    for (uint32_t r = 0; r < t->plan->n_rows; r++) {
        const struct bw_view *v = &b->view[r];
        for (int c = 0; c < v->comps; c++) {
            const double f = bw_get(v, c, at[0] + at[1] * v->sy + at[2] * v->sz), *most = t->most[3 * r + (uint32_t)c];
            if (f < most[0] || f > most[1]) return 0;
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

/// Gas that is in a cell when the step ends. Instants are tried from the last `turn` on.
struct follower {
    int32_t i;              ///< the cell, of its row
    int stride, turn, last; ///< instants
};

/// A row's gas, and what of it meets the noise now.
struct row {
    struct gas_row gas;
    int32_t first[3]; ///< its first cell
    struct follower follower[GAS_ROW];
    int32_t n; ///< of them
    uint8_t lacks[GAS_ROW];
    struct noise_places places;
    int32_t who[NOISE_PLACES];
    const struct instant *from[NOISE_PLACES];
    double cover[NOISE_PLACES];
};

/// What a block works with: lattices of its noise, each filled when it is first asked for, and a row.
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

/* How much of gas at x the source covers, whose shape moves, or is one that is looked up. No distance changes by more
 * than the way. */
static double gas_cover(const struct trail *t, const struct instant *from, const struct gas_row *g, int32_t i)
{
    const double width = t->plan->width, x[3] = {g->at[0][i], g->at[1][i], g->at[2][i]};
    return box_has(&from->bounds, x) ? pose_cover(&from->pose, x, width) : 0;
}

/* Gives what the noise leaves. */
static void row_give(const struct trail *t, const struct bw_block *b, struct row *r)
{
    if (r->places.n)
        emit_kernels_for(b->stage->host->simd)->share(&r->places, t->plan->octaves, t->plan->p->noise.amount);
    for (int32_t i = 0; i < r->places.n; i++) {
        int32_t at[3];
        row_cell(r, r->who[i], at);
        cell_give(t, b, at, r->from[i], r->cover[i] * (double)r->places.share[i]);
    }
    r->places.n = 0;
}

/* What the source gives at instant k to gas of cell i of the row. 0: out of memory. */
static int place_give(const struct trail *t, const struct bw_block *b, struct work *w, int32_t i, int k)
{
    struct row *r = &w->row;
    const struct instant *from = &t->at[k];
    const double cover = r->gas.pose ? r->gas.cover[i] : gas_cover(t, from, &r->gas, i);
    int32_t at[3];
    if (cover <= 0) return 1;
    row_cell(r, i, at);
    if (cell_has(t, b, at, from, cover)) return 1;
    if (!t->plan->octaves) {
        cell_give(t, b, at, from, cover);
        return 1;
    }
    if (!w->filled[k] &&
        !noise_prepare(&t->plan->p->noise, t->plan->seed, t->plan->octaves, from->time, b, w->lo, w->hi, w->at[k]))
        return 0;
    w->filled[k] = 1;
    const int32_t n = r->places.n++;
    for (int a = 0; a < 3; a++) r->places.x[a][n] = r->gas.at[a][i];
    r->places.at[n] = w->at[k];
    r->who[n] = i;
    r->from[n] = from;
    r->cover[n] = cover;
    if (n + 1 == NOISE_PLACES) row_give(t, b, r);
    return 1;
}

/* Of the instants one in so many is wanted on this way; the first, and one more where anything moves. */
static int way_stride(const struct trail *t, double wanted)
{
    const int most = wanted < MOTION_SAMPLES ? (int)wanted : MOTION_SAMPLES, samples = most > 1 ? most : 1;
    const int stride = t->n / (samples > t->least ? samples : t->least);
    return stride > 1 ? stride : 1;
}

/* What of a row's gas lacks anything and has been near the shape, and how it went, then. */
static void row_begin(const struct trail *t, const struct bw_block *b, const struct follow_kernels *kernels,
                      struct row *r)
{
    const struct bw_view *v = &b->view[t->view_vel];
    struct gas_row *g = &r->gas;
    const int32_t *at = r->first;
    for (int a = 0; a < 3; a++)
        g->u[a] = a == b->grid->thin ? NULL : bw_f32(v, a) + at[0] + at[1] * v->sy + at[2] * v->sz;
    for (int32_t i = 0; i < g->n; i++) g->x[i] = block_coord(b, 0, at[0] + i + 0.5);
    for (int a = 1; a < 3; a++) g->yz[a - 1] = block_coord(b, a, at[a] + 0.5);
    kernels->ways(g);
    for (int32_t i = 0; i < g->n; i++) g->touches[i] &= r->lacks[i];
    kernels->middles(g);
    kernels->samples(g);
    r->n = 0;
    for (int32_t i = 0; i < g->n; i++) {
        if (!g->touches[i]) continue;
        const int stride = way_stride(t, g->samples[i]);
        r->follower[r->n++] = (struct follower){.i = i, .stride = stride, .last = (t->n - 1) / stride};
    }
}

static int follower_instant(const struct trail *t, const struct follower *f)
{
    return f->stride * (t->fading ? f->last - f->turn : f->turn);
}

/* One instant of each after the other, so that the noise has many places at once; what gives most first, for the rest
 * has less to add. 0: out of memory. */
static int row_follow(const struct trail *t, const struct bw_block *b, const struct follow_kernels *kernels,
                      struct work *w)
{
    struct row *r = &w->row;
    int room = 1;
    while (r->n && room) {
        for (int32_t who = 0; who < r->n; who++)
            r->gas.back[r->follower[who].i] = (double)follower_instant(t, &r->follower[who]) / t->n;
        kernels->places(&r->gas);
        for (int32_t who = 0; who < r->n && room; who++)
            room = place_give(t, b, w, r->follower[who].i, follower_instant(t, &r->follower[who]));
        row_give(t, b, r);
        int32_t left = 0, at[3];
        for (int32_t who = 0; who < r->n; who++) {
            struct follower f = r->follower[who];
            row_cell(r, f.i, at);
            if (++f.turn <= f.last && !cell_is_full(t, b, at)) r->follower[left++] = f;
        }
        r->n = left;
    }
    return room;
}

/* Does any cell of the row lack what the source can give, outside of obstacles? */
static int row_lacks(const struct trail *t, const struct bw_block *b, const struct follow_kernels *kernels,
                     struct row *r)
{
    const int32_t *at = r->first, n = r->gas.n;
    memset(r->lacks, 0, sizeof r->lacks);
    for (uint32_t q = 0; q < t->plan->n_rows; q++) {
        const struct bw_view *v = &b->view[q];
        for (int c = 0; c < v->comps; c++) {
            const double *most = t->most[3 * q + (uint32_t)c];
            const ptrdiff_t cell = at[0] + at[1] * v->sy + at[2] * v->sz;
            if (v->precision == BW_F32) kernels->lacks(bw_f32(v, c) + cell, n, most, r->lacks);
            for (int32_t i = 0; i < n && v->precision != BW_F32; i++)
                r->lacks[i] |= bw_get(v, c, cell + i) < most[0] || bw_get(v, c, cell + i) > most[1];
        }
    }
    if (t->view_solid) {
        const struct bw_view *v = &b->view[t->view_solid];
        const float *solid = bw_f32(v, 0) + at[0] + at[1] * v->sy + at[2] * v->sz;
        for (int32_t i = 0; i < n; i++) r->lacks[i] &= !(solid[i] < 0);
    }
    return memchr(r->lacks, 1, (size_t)n) != NULL;
}

/* Where the block's gas may have been inside the shape. */
static void noise_room(const struct trail *t, const struct bw_block *b, const struct cells *c, struct work *w)
{
    const double way = (t->cells + 1) * b->grid->h;
    for (int a = 0; a < 3; a++) {
        w->lo[a] = fmax(block_coord(b, a, c->lo[a]) - way, t->shape.lo[a]);
        w->hi[a] = fmax(fmin(block_coord(b, a, c->hi[a]) + way, t->shape.hi[a]), w->lo[a]);
        w->lo[a] = fmin(w->lo[a], w->hi[a]);
    }
}

/* What is the same for all of a block's rows. */
static void work_init(const struct trail *t, const struct bw_block *b, const struct cells *c, struct work *w)
{
    const struct bw_view *v = &b->view[t->view_vel];
    struct gas_row *g = &w->row.gas;
    memset(w->filled, 0, sizeof w->filled);
    w->row.places.n = 0;
    noise_room(t, b, c, w);
    g->n = c->hi[0] - c->lo[0];
    g->step[0] = 1;
    g->step[1] = v->sy;
    g->step[2] = v->sz;
    g->scale = t->scale;
    g->longest = t->cells;
    g->h = b->grid->h;
    g->near = t->shape;
    g->pose = t->still && pose_is_plain(&t->at[0].pose) ? &t->at[0].pose : NULL;
    g->bounds = t->at[0].bounds;
    g->width = t->plan->width;
    g->noise = t->noise;
    g->travel = t->travel;
    g->apart = t->apart;
    for (int32_t i = 0; i < g->n; i++) g->back[i] = 0;
}

void trail_body(const struct bw_block *b, void *user)
{
    const struct trail *t = user;
    const struct follow_kernels *kernels = follow_kernels_for(b->stage->host->simd);
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
            if (!row_lacks(t, b, kernels, &w->row)) continue;
            row_begin(t, b, kernels, &w->row);
            if (!row_follow(t, b, kernels, w)) b->sum[0] += 1;
        }
}

int trail_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct trail *t = user;
    struct cells c;
    (void)row, (void)reach;
    return box_cells(&t->reach, b, &c);
}
