// SPDX-License-Identifier: Apache-2.0
/* What the gas of a block has met in its source (emit_trail.c): row by row, and of a row's cells one instant of each
 * after the other, so that the noise is asked for many places at once. */
#include "emit_trail.h"
#include <common/vec3.h>

#include <math.h>
#include <string.h>

/* ---- the flow ---- */

/* Component a at `off` cells from the centre of the cell `at`: so that no digit depends on where the block begins. */
static double flow_component(const struct bw_block *b, const struct bw_view *v, int a, const int32_t at[3],
                             const double off[3])
{
    const ptrdiff_t step[3] = {1, v->sy, v->sz};
    const float *f = bw_f32(v, a);
    double w[3];
    ptrdiff_t up[3];
    for (int i = 0; i < 3; i++) {
        const double way = i == b->grid->thin ? 0 : off[i] + (i == a ? 0.5 : 0), low = floor(way);
        w[i] = way - low;
        up[i] = w[i] > 0 ? step[i] : 0;
        f += (at[i] + (ptrdiff_t)low) * step[i];
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

/* Cells that gas goes in the step which is at `off` cells from a cell's centre. */
static void flow_way(const struct trail *t, const struct bw_block *b, const int32_t at[3], const double off[3],
                     double d[3])
{
    for (int a = 0; a < 3; a++) {
        const double u = a == b->grid->thin ? 0 : flow_component(b, &b->view[t->view_vel], a, at, off);
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

/// Gas that is in a cell when the step ends. Instants are tried from the last `turn` on.
struct follower {
    int32_t at[3];
    double end[3], now[3], middle[3]; ///< m; cells that it goes in the step, by the flow there and half of it back
    double distance;                  ///< m, of `end` from a shape that stands
    int stride, turn, last;           ///< instants
};

/// A row's gas, and what of it meets the noise now.
struct row {
    struct follower *gas;
    int32_t n;
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
static int way_reaches(const struct trail *t, const struct follower *f, double way, double h)
{
    return !t->still || f->distance < 0.5 * t->plan->width + h * (2 + way + 0.25 * t->cells);
}

/* How much of gas at x the source covers. No distance changes by more than the way. */
static double gas_cover(const struct trail *t, const struct instant *from, const struct follower *f, const double x[3])
{
    const double width = t->plan->width, off[3] = {x[0] - f->end[0], x[1] - f->end[1], x[2] - f->end[2]};
    const double way = t->still ? vec3_length(off) : 0;
    if (t->still && way == 0) return shape_cover(f->distance, width);
    if (t->still && f->distance - way >= 0.5 * width) return 0;
    if (t->still && f->distance + way <= -0.5 * width) return 1;
    return box_has(&from->bounds, x) ? pose_cover(&from->pose, x, width) : 0;
}

/* Gives what the noise leaves. */
static void row_give(const struct trail *t, const struct bw_block *b, struct row *r)
{
    if (r->places.n)
        emit_kernels_for(b->stage->host->simd)->share(&r->places, t->plan->octaves, t->plan->p->noise.amount);
    for (int32_t i = 0; i < r->places.n; i++)
        cell_give(t, b, r->gas[r->who[i]].at, r->from[i], r->cover[i] * (double)r->places.share[i]);
    r->places.n = 0;
}

/* What the source gives to gas that is at x at instant k. 0: out of memory. */
static int place_give(const struct trail *t, const struct bw_block *b, struct work *w, int32_t who, int k,
                      const double x[3])
{
    struct row *r = &w->row;
    const struct instant *from = &t->at[k];
    const int32_t *at = r->gas[who].at;
    const double cover = gas_cover(t, from, &r->gas[who], x);
    if (cover <= 0 || cell_has(t, b, at, from, cover)) return 1;
    if (!t->plan->octaves) {
        cell_give(t, b, at, from, cover);
        return 1;
    }
    if (!w->filled[k] && !noise_prepare(t->plan, from->time, b, w->lo, w->hi, w->at[k])) return 0;
    w->filled[k] = 1;
    const int32_t n = r->places.n++;
    for (int a = 0; a < 3; a++) r->places.x[a][n] = x[a];
    r->places.at[n] = w->at[k];
    r->who[n] = who;
    r->from[n] = from;
    r->cover[n] = cover;
    if (n + 1 == NOISE_PLACES) row_give(t, b, r);
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

/* Has the gas in a cell been near the shape? How it went, then. */
static int gas_follow(const struct trail *t, const struct bw_block *b, const int32_t at[3], struct follower *f)
{
    const double h = b->grid->h;
    double half[3];
    cell_way(t, b, at, f->now);
    for (int a = 0; a < 3; a++) {
        f->at[a] = at[a];
        f->end[a] = block_coord(b, a, at[a] + 0.5);
        half[a] = -0.5 * f->now[a];
    }
    const double way = vec3_length(f->now);
    if (!way_touches(t, f->end, f->now, h)) return 0;
    if (t->still) f->distance = pose_distance(&t->at[0].pose, f->end);
    if (!way_reaches(t, f, way, h)) return 0;
    if (way > t->apart) flow_way(t, b, at, half, f->middle);
    else memcpy(f->middle, f->now, sizeof f->middle); // straight, as far as samples can tell
    f->stride = way_stride(t, fmax(way, vec3_length(f->middle)));
    f->last = (t->n - 1) / f->stride;
    f->turn = 0;
    return 1;
}

/* Its next instant: what gives most first, for the rest has less to add. */
static int gas_turn(const struct trail *t, const struct bw_block *b, struct work *w, int32_t who)
{
    struct follower *f = &w->row.gas[who];
    const int k = f->stride * (t->fading ? f->last - f->turn : f->turn);
    const double s = (double)k / t->n;
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = f->end[a] - b->grid->h * (s * f->now[a] - s * s * (f->now[a] - f->middle[a]));
    f->turn++;
    return place_give(t, b, w, who, k, x);
}

/* One instant of each after the other, so that the noise has many places at once. 0: out of memory. */
static int row_follow(const struct trail *t, const struct bw_block *b, struct work *w)
{
    struct row *r = &w->row;
    int room = 1;
    while (r->n && room) {
        for (int32_t who = 0; who < r->n && room; who++) room = gas_turn(t, b, w, who);
        row_give(t, b, r);
        int32_t left = 0;
        for (int32_t who = 0; who < r->n; who++) {
            const struct follower *f = &r->gas[who];
            if (f->turn <= f->last && !cell_is_full(t, b, f->at, 1)) r->gas[left++] = *f;
        }
        r->n = left;
    }
    return room;
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

void trail_body(const struct bw_block *b, void *user)
{
    const struct trail *t = user;
    struct cells c;
    if (!box_cells(&t->reach, b, &c)) return;
    const struct bw_view *solid = t->view_solid ? &b->view[t->view_solid] : NULL;
    struct work *w = b->stage->host->body_scratch(b, sizeof *w);
    struct follower *gas = b->stage->host->body_scratch(b, (size_t)(c.hi[0] - c.lo[0]) * sizeof *gas);
    if (!w || !gas) {
        b->sum[0] += 1;
        return;
    }
    memset(w->filled, 0, sizeof w->filled);
    w->row.gas = gas;
    w->row.places.n = 0;
    noise_room(t, b, &c, w);
    for (int32_t k = c.lo[2]; k < c.hi[2]; k++)
        for (int32_t j = c.lo[1]; j < c.hi[1]; j++) {
            w->row.n = 0;
            for (int32_t i = c.lo[0]; i < c.hi[0]; i++) {
                const int32_t at[3] = {i, j, k};
                if (solid && bw_f32(solid, 0)[i + j * solid->sy + k * solid->sz] < 0) continue;
                if (!cell_is_full(t, b, at, 1)) w->row.n += gas_follow(t, b, at, &gas[w->row.n]);
            }
            if (!row_follow(t, b, w)) b->sum[0] += 1;
        }
}

int trail_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct trail *t = user;
    struct cells c;
    (void)row, (void)reach;
    return box_cells(&t->reach, b, &c);
}
