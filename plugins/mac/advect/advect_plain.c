// SPDX-License-Identifier: Apache-2.0
/* mac.advect for what the fast way cannot do: double precision, traces longer than the widest halo. */
#include "advect_outside.h"
#include <string.h>

/// A field as one block sees it, and everything beyond through the sampler.
struct reach {
    const struct bw_block *block;
    const struct bw_view *view;
    const struct bw_field *field;
    const struct bw_field_info *info;
    const struct bw_sample_api *sample;
    bool far; ///< out: had to look beyond the halo
};

static struct reach reach_init(const struct bw_block *b, const struct pass *p, struct bw_field *f, uint32_t view)
{
    return (struct reach){
        .block = b, .view = &b->view[view], .field = f, .info = p->stage->host->field_info(f), .sample = p->sample};
}

static double reach_node(struct reach *r, int c, const int32_t at[3])
{
    const struct bw_block *b = r->block;
    bool near = true;
    for (int a = 0; a < 3; a++) near = near && at[a] >= -r->view->halo && at[a] < b->n[a] + r->view->halo;
    if (near) {
        ptrdiff_t i = at[0] + at[1] * r->view->sy + at[2] * r->view->sz;
        return r->info->precision == BW_F64P ? bw_f64(r->view, c)[i] : (double)bw_f32(r->view, c)[i];
    }
    bw_vec3 pos;
    double value[3];
    for (int a = 0; a < 3; a++) {
        double low = r->info->kind == BW_MAC && a == c ? 0 : 0.5;
        pos[a] = b->corner[a] + (at[a] + low) * b->grid->h;
    }
    r->far = true;
    r->sample->sample(r->field, 1, (const bw_vec3 *)&pos, value);
    return value[c];
}

/* Value of component c at x, in its own nodes' coordinates, with the least and greatest of the 8 nodes around. */
static double reach_value(struct reach *r, int c, const double x[3], double range[2])
{
    int32_t lo[3];
    double f[3], sum = 0;
    for (int a = 0; a < 3; a++) {
        double low = floor(fmin(fmax(x[a], -0x1p28), 0x1p28)); // farther than any domain reaches
        lo[a] = (int32_t)low;
        f[a] = fmin(fmax(x[a] - low, 0), 1);
    }
    range[0] = HUGE_VAL;
    range[1] = -HUGE_VAL;
    for (int e = 0; e < 8; e++) {
        const int32_t at[3] = {lo[0] + (e & 1), lo[1] + (e >> 1 & 1), lo[2] + (e >> 2)};
        double v = reach_node(r, c, at), w = 1;
        bool counts = true;
        for (int a = 0; a < 3; a++) {
            double share = at[a] > lo[a] ? f[a] : 1 - f[a];
            w *= share;
            counts = counts && share >= (double)ADVECT_CORNER_LEAST;
        }
        sum += w * v;
        if (!counts) continue;
        range[0] = fmin(range[0], v);
        range[1] = fmax(range[1], v);
    }
    return sum;
}

/* Value by Lagrange's cubic, 4 nodes an axis; clamped to the 8 nearest nodes if asked for. */
static double reach_cubic(struct reach *r, int c, const double x[3], bool clamp)
{
    int32_t lo[3];
    double w[3][4], sum = 0, range[2];
    for (int a = 0; a < 3; a++) {
        const double low = floor(fmin(fmax(x[a], -0x1p28), 0x1p28)), t = fmin(fmax(x[a] - low, 0), 1), s = 1 - t;
        lo[a] = (int32_t)low;
        w[a][0] = -t * s * (1 + s) / 6;
        w[a][1] = s * (1 + t) * (1 + s) / 2;
        w[a][2] = t * (1 + t) * (1 + s) / 2;
        w[a][3] = -t * s * (1 + t) / 6;
    }
    for (int e = 0; e < 64; e++) {
        const double weight = w[0][e & 3] * w[1][e >> 2 & 3] * w[2][e >> 4];
        const int32_t at[3] = {lo[0] - 1 + (e & 3), lo[1] - 1 + (e >> 2 & 3), lo[2] - 1 + (e >> 4)};
        if (weight != 0) sum += weight * reach_node(r, c, at);
    }
    if (!clamp) return sum;
    reach_value(r, c, x, range);
    return fmin(fmax(sum, range[0]), range[1]);
}

/* Way of cell `at` with the velocity at its centre moved by e. */
static void stage_plain(struct reach *vel, double scale, const int32_t at[3], const double e[3], double way[3])
{
    double unused[2];
    for (int c = 0; c < 3; c++) {
        double x[3] = {at[0] + e[0], at[1] + e[1], at[2] + e[2]};
        x[c] += 0.5; // a centre lies half a cell above its low face
        way[c] = c == vel->block->grid->thin ? 0 : scale * reach_value(vel, c, x, unused);
    }
}

/* Displacement of cell `at`, which may lie one beyond the block. */
static void trace_plain(struct reach *vel, const struct pass *p, int dir, const int32_t at[3], double d[3])
{
    const double scale = dir == BACK ? -p->scale : p->scale;
    double first[3], second[3], third[3], e[3] = {0};
    const bool rk3 = p->options->trace == TRACE_RK3;
    stage_plain(vel, scale, at, e, first);
    for (int c = 0; c < 3; c++) e[c] = 0.5 * first[c];
    stage_plain(vel, scale, at, e, rk3 ? second : d);
    if (!rk3) return;
    for (int c = 0; c < 3; c++) e[c] = 0.75 * second[c];
    stage_plain(vel, scale, at, e, third);
    for (int c = 0; c < 3; c++) d[c] = (2 * first[c] + 3 * second[c] + 4 * third[c]) / 9;
}

/* Displacement of the node of component c at `at`: one straight line from the node itself. */
static void trace_euler(struct reach *vel, const struct pass *p, int dir, int axis, const int32_t at[3], double d[3])
{
    const double scale = dir == BACK ? -p->scale : p->scale;
    double e[3] = {0};
    if (axis >= 0) e[axis] = -0.5;
    stage_plain(vel, scale, at, e, d);
}

static void node_trace(struct reach *vel, const struct pass *p, int dir, int axis, const int32_t at[3], double d[3])
{
    double low[3];
    if (p->options->trace == TRACE_EULER) {
        trace_euler(vel, p, dir, axis, at, d);
        return;
    }
    trace_plain(vel, p, dir, at, d);
    if (axis < 0) return;
    int32_t below[3] = {at[0], at[1], at[2]};
    below[axis]--;
    trace_plain(vel, p, dir, below, low);
    for (int a = 0; a < 3; a++) d[a] = 0.5 * (d[a] + low[a]);
}

/// What carries the nodes of one component of one field.
struct carrier {
    const struct pass *pass;
    struct reach vel, old, hat;
    struct edge edge;
    struct room room;
    int axis, c;
};

/* Back along the flow and, but for maccormack, all there is. */
static double node_first(struct carrier *q, const int32_t at[3], double d[3])
{
    const struct advect *o = q->pass->options;
    double range[2], x[3], share = o->outside == OUTSIDE_BACKGROUND ? 1 : edge_share(&q->edge, at, d);
    if (share < 1 && o->outside == OUTSIDE_KEEP) return reach_node(&q->old, q->c, at);
    for (int a = 0; a < 3; a++) x[a] = at[a] + share * d[a];
    const double v =
        o->scheme == SCHEME_CUBIC ? reach_cubic(&q->old, q->c, x, o->clamp) : reach_value(&q->old, q->c, x, range);
    const double own = q->axis < 0 || o->outside != OUTSIDE_BACKGROUND ? 1 : room_share(&q->room, x);
    return own < 1 ? own * v + (1 - own) * q->old.info->background[q->c] : v;
}

/* The correction, except where there is nothing to compare with. */
static double node_second(struct carrier *q, const int32_t at[3], const double back[3], const double ahead[3])
{
    double x[3], y[3], range[2], unused[2], hat = reach_node(&q->hat, q->c, at);
    for (int a = 0; a < 3; a++) {
        x[a] = at[a] + back[a];
        y[a] = at[a] + ahead[a];
    }
    if (q->axis < 0 && !room_has(&q->room, y)) return hat;
    if (q->axis >= 0 && q->pass->options->outside == OUTSIDE_BACKGROUND && !room_has(&q->room, x)) return hat;
    if (q->pass->options->outside != OUTSIDE_BACKGROUND && (!edge_has(&q->edge, x) || !edge_has(&q->edge, y)))
        return hat;
    const double v = hat + 0.5 * (reach_node(&q->old, q->c, at) - reach_value(&q->hat, q->c, y, unused));
    reach_value(&q->old, q->c, x, range);
    return q->pass->options->clamp ? fmin(fmax(v, range[0]), range[1]) : v;
}

static double node_carry(struct carrier *q, const int32_t at[3])
{
    double back[3], ahead[3];
    if (q->axis >= 0 && q->axis == q->vel.block->grid->thin) return reach_node(&q->old, q->c, at);
    node_trace(&q->vel, q->pass, BACK, q->axis, at, back);
    if (!q->pass->second) return node_first(q, at, back);
    node_trace(&q->vel, q->pass, AHEAD, q->axis, at, ahead);
    return node_second(q, at, back, ahead);
}

static void component_plain(const struct bw_block *b, const struct pass *p, const struct item *it, int c)
{
    const struct bw_view *out = &b->view[it->view_out];
    const int axis = it->info->kind == BW_MAC ? c : -1;
    struct carrier q = {.pass = p,
                        .vel = reach_init(b, p, p->vel, 0),
                        .old = reach_init(b, p, it->field, it->view),
                        .edge = edge_init(b, p->tiles, axis),
                        .room = room_init(b, axis),
                        .axis = axis,
                        .c = c};
    if (p->second) q.hat = reach_init(b, p, it->hat, it->view_hat);
    int32_t n[3] = {b->n[0], b->n[1], b->n[2]}, at[3];
    n[c] += axis >= 0;
    for (at[2] = 0; at[2] < n[2]; at[2]++)
        for (at[1] = 0; at[1] < n[1]; at[1]++)
            for (at[0] = 0; at[0] < n[0]; at[0]++) {
                q.vel.far = q.old.far = q.hat.far = false;
                double v = node_carry(&q, at);
                b->sum[0] += q.vel.far || q.old.far || q.hat.far;
                ptrdiff_t i = at[0] + at[1] * out->sy + at[2] * out->sz;
                if (it->info->precision == BW_F64P) bw_f64(out, c)[i] = v;
                else bw_f32(out, c)[i] = (float)v;
            }
}

void advect_block_plain(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    for (uint32_t q = 0; q < p->n_items; q++)
        for (int c = 0; c < (int)p->item[q].info->comps; c++) component_plain(b, p, &p->item[q], c);
}
