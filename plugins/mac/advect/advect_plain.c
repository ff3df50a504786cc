// SPDX-License-Identifier: Apache-2.0
/* mac.advect for what the fast way cannot do: double precision, traces longer than the widest halo. */
#include "edges/advect_outside.h"
#include <string.h>

static struct reach reach_init(const struct bw_block *b, const struct pass *p, struct bw_field *f, uint32_t view)
{
    return (struct reach){
        .block = b, .view = &b->view[view], .field = f, .info = p->stage->host->field_info(f), .sample = p->sample};
}

/* Way of cell `at` with the velocity at its centre moved by e. */
static void stage_plain(struct reach *vel, double scale, const int32_t at[3], const double e[3], double way[3])
{
    for (int c = 0; c < 3; c++) {
        double x[3] = {at[0] + e[0], at[1] + e[1], at[2] + e[2]};
        x[c] += 0.5; // a centre lies half a cell above its low face
        way[c] = c == vel->block->grid->thin ? 0 : scale * reach_value(vel, c, x);
    }
}

/* Displacement of cell `at`, which may lie one beyond the block. */
static void trace_plain(struct reach *vel, const struct pass *p, int dir, const int32_t at[3], double d[3])
{
    const double scale = dir == BACK ? -p->scale : p->scale;
    double first[3], second[3], third[3], e[3] = {0};
    const bool rk3 = p->trace == TRACE_RK3;
    stage_plain(vel, scale, at, e, first);
    for (int c = 0; c < 3; c++) e[c] = 0.5 * first[c];
    stage_plain(vel, scale, at, e, rk3 ? second : d);
    if (!rk3) return;
    for (int c = 0; c < 3; c++) e[c] = 0.75 * second[c];
    stage_plain(vel, scale, at, e, third);
    for (int c = 0; c < 3; c++) d[c] = (2 * first[c] + 3 * second[c] + 4 * third[c]) / 9;
}

/* x = (I - m)^-1 b; the nearer that is to singular, the more by the turning part of m alone. */
static void invert_plain(const double m[3][3], const double b[3], double x[3])
{
    double a[3][3], w[3], along = 0, less = 1, det = 0;
    for (int c = 0; c < 3; c++)
        for (int q = 0; q < 3; q++) a[c][q] = (c == q) - m[c][q];
    for (int q = 0; q < 3; q++)
        det += a[0][q] * (a[1][(q + 1) % 3] * a[2][(q + 2) % 3] - a[1][(q + 2) % 3] * a[2][(q + 1) % 3]);
    for (int q = 0; q < 3; q++) {
        const int r = (q + 1) % 3, s = (q + 2) % 3;
        w[q] = 0.5 * (m[r][s] - m[s][r]);
        along += w[q] * b[q];
        less += w[q] * w[q];
    }
    for (int q = 0; q < 3; q++) {
        const int r = (q + 1) % 3, s = (q + 2) % 3;
        double sum = 0;
        for (int c = 0; c < 3; c++) { // cofactors of column q
            const int y = (c + 1) % 3, z = (c + 2) % 3;
            sum += (a[y][r] * a[z][s] - a[y][s] * a[z][r]) * b[c];
        }
        const double turned = (b[q] + w[q] * along - (w[r] * b[s] - w[s] * b[r])) / less;
        const double share = fmin(fmax(det / (double)ADVECT_LEAST_DETERMINANT - 1, 0), 1);
        x[q] = turned + (share > 0 ? share * (sum / det - turned) : 0);
    }
}

/* Gradient of component c at the centre of cell `at`, cells moved per cell. */
static void gradient_plain(struct reach *vel, double scale, const int32_t at[3], int c, double m[3])
{
    for (int a = 0; a < 3; a++) {
        double x[2][3];
        for (int q = 0; q < 3; q++)
            for (int side = 0; side < 2; side++) x[side][q] = at[q] + 0.5 * (q == c) + (side - 0.5) * (q == a);
        m[a] = a == vel->block->grid->thin ? 0 : scale * (reach_value(vel, c, x[1]) - reach_value(vel, c, x[0]));
    }
}

/* Value and gradient of component c at the centre of cell `at` moved by d. */
static double moved_plain(struct reach *vel, double scale, const int32_t at[3], int c, const double d[3], double m[3])
{
    double x[3], t[3], sum = 0;
    int32_t lo[3];
    for (int a = 0; a < 3; a++) x[a] = at[a] + d[a] + 0.5 * (a == c);
    reach_split(x, lo, t);
    for (int a = 0; a < 3; a++) m[a] = 0;
    for (int e = 0; e < 8; e++) {
        const int32_t up[3] = {e & 1, e >> 1 & 1, e >> 2}, node[3] = {lo[0] + up[0], lo[1] + up[1], lo[2] + up[2]};
        const double v = scale * reach_node(vel, c, node);
        double w[3];
        for (int a = 0; a < 3; a++) w[a] = up[a] ? t[a] : 1 - t[a];
        sum += w[0] * w[1] * w[2] * v;
        for (int a = 0; a < 3; a++) m[a] += (up[a] ? v : -v) * w[(a + 1) % 3] * w[(a + 2) % 3];
    }
    return sum;
}

/* The departure point by the trapezoidal rule (advect_newton.h). */
static void trapezoid_plain(struct reach *vel, struct reach *ahead, double scale, const int32_t at[3], double d[3])
{
    static const double none[3] = {0};
    const int thin = vel->block->grid->thin;
    double m[3][3] = {{0}}, b[3], here[3], own[3], x[3];
    stage_plain(vel, scale, at, none, here);
    stage_plain(ahead, scale, at, none, b);
    for (int c = 0; c < 3; c++) {
        double beyond = 0;
        for (int side = -1; side <= 2; side += 3) {
            const int32_t face[3] = {at[0] + side * (c == 0), at[1] + side * (c == 1), at[2] + side * (c == 2)};
            if (c != thin) beyond += 0.5 * scale * (reach_node(ahead, c, face) - reach_node(vel, c, face));
        }
        own[c] = b[c] - here[c];
        own[c] += 2 * (double)ADVECT_SHARPER * (own[c] - beyond);
        if (c != thin) gradient_plain(vel, scale, at, c, m[c]);
    }
    invert_plain((const double(*)[3])m, b, d);
    for (int c = 0; c < 3; c++) b[c] = c == thin ? 0 : moved_plain(vel, scale, at, c, d, m[c]) + own[c] - d[c];
    invert_plain((const double(*)[3])m, b, x);
    for (int c = 0; c < 3; c++) x[c] += d[c];
    stage_plain(vel, scale, at, x, d);
    for (int c = 0; c < 3; c++) d[c] += own[c];
}

/* Displacement of the node of component c at `at`: one straight line from the node itself. */
static void trace_euler(struct reach *vel, const struct pass *p, int dir, int axis, const int32_t at[3], double d[3])
{
    const double scale = dir == BACK ? -p->scale : p->scale;
    double e[3] = {0};
    if (axis >= 0) e[axis] = -0.5;
    stage_plain(vel, scale, at, e, d);
}

/// Where one cell's trace leads.
struct way {
    double d[3]; ///< cells
    bool far;    ///< it left the halo
};

/// Those of a block's cells, and of one more a side, that all components share, by direction.
struct ways {
    struct way *to[2];
    ptrdiff_t zero, step[3]; ///< of cell (0,0,0)
};

static const struct way *ways_at(const struct ways *w, int dir, const int32_t at[3])
{
    return &w->to[dir][w->zero + at[0] * w->step[0] + at[1] * w->step[1] + at[2] * w->step[2]];
}

/* false: out of memory, as the host sees. */
static bool ways_init(struct ways *w, const struct bw_block *b, const struct pass *p)
{
    const int32_t n[3] = {b->n[0] + 2, b->n[1] + 2, b->n[2] + 2}, thin = b->grid->thin;
    const size_t size = (size_t)n[0] * (size_t)n[1] * (size_t)n[2], dirs = p->second ? 2 : 1;
    *w = (struct ways){.step = {1, n[0], (ptrdiff_t)n[0] * n[1]}};
    for (int a = 0; a < 3; a++) w->zero += w->step[a];
    if (p->trace == TRACE_EULER) return true;
    struct way *way = b->stage->host->body_scratch(b, dirs * size * sizeof *way);
    struct reach vel = reach_init(b, p, p->vel, 0), ahead = vel;
    int32_t at[3], lo[3], hi[3];
    if (p->carried) ahead = reach_init(b, p, p->carried, p->view_ahead);
    if (!way) return false;
    for (int a = 0; a < 3; a++) {
        lo[a] = a == thin ? 0 : -1;
        hi[a] = b->n[a] + (a != thin);
    }
    for (int dir = 0; dir < (int)dirs; dir++) {
        w->to[dir] = way + (size_t)dir * size;
        for (at[2] = lo[2]; at[2] < hi[2]; at[2]++)
            for (at[1] = lo[1]; at[1] < hi[1]; at[1]++)
                for (at[0] = lo[0]; at[0] < hi[0]; at[0]++) {
                    struct way *q = (struct way *)ways_at(w, dir, at);
                    vel.far = ahead.far = false;
                    if (p->trace == TRACE_CENTRED) trapezoid_plain(&vel, &ahead, -p->scale, at, q->d);
                    else trace_plain(&vel, p, dir, at, q->d);
                    q->far = vel.far || ahead.far;
                }
    }
    return true;
}

static void node_trace(struct reach *vel, const struct ways *w, const struct pass *p, int dir, int axis,
                       const int32_t at[3], double d[3])
{
    if (p->trace == TRACE_EULER) {
        trace_euler(vel, p, dir, axis, at, d);
        return;
    }
    const struct way *own = ways_at(w, dir, at);
    vel->far |= own->far;
    memcpy(d, own->d, sizeof own->d);
    if (axis < 0) return;
    const struct way *low = own - w->step[axis];
    vel->far |= low->far;
    for (int a = 0; a < 3; a++) d[a] = 0.5 * (d[a] + low->d[a]);
}

/// What carries the nodes of one component of one field.
struct carrier {
    const struct pass *pass;
    const struct ways *ways;
    struct reach vel, old, hat;
    struct edge edge;
    struct room room;
    int axis, c;
};

/* Back along the flow. */
static double node_first(struct carrier *q, const int32_t at[3], double d[3])
{
    const struct advect *o = q->pass->options;
    const bool still = o->outside == OUTSIDE_BACKGROUND;
    double x[3], share = still && !q->pass->flow ? 1 : edge_share(&q->edge, at, d);
    if (share < 1 && o->outside == OUTSIDE_KEEP) return reach_node(&q->old, q->c, at);
    for (int a = 0; a < 3; a++) x[a] = at[a] + share * d[a];
    const double v = q->pass->scheme->node_first(&q->old, q->c, x, o->clamp), back = q->old.info->background[q->c];
    const double own = q->axis < 0 || !still ? 1 : room_share(&q->room, x) * edge_left(&q->edge, share, d);
    return own < 1 ? own * v + (1 - own) * back : v;
}

/* The correction, except where there is nothing to compare with. */
static double node_second(struct carrier *q, const int32_t at[3], const double back[3], const double ahead[3])
{
    double x[3], y[3], hat = reach_node(&q->hat, q->c, at);
    for (int a = 0; a < 3; a++) {
        x[a] = at[a] + back[a];
        y[a] = at[a] + ahead[a];
    }
    if (q->axis < 0 && !room_has(&q->room, y)) return hat;
    if (q->axis >= 0 && q->pass->options->outside == OUTSIDE_BACKGROUND && !room_has(&q->room, x)) return hat;
    if (q->pass->options->outside != OUTSIDE_BACKGROUND && (!edge_has(&q->edge, x) || !edge_has(&q->edge, y)))
        return hat;
    const struct node_ends ends = {at, x, y};
    return q->pass->scheme->node_second(&q->old, &q->hat, q->c, &ends, q->pass->options->clamp);
}

static double node_carry(struct carrier *q, const int32_t at[3])
{
    double back[3], ahead[3];
    if (q->axis >= 0 && q->axis == q->vel.block->grid->thin) return reach_node(&q->old, q->c, at);
    node_trace(&q->vel, q->ways, q->pass, BACK, q->axis, at, back);
    if (!q->pass->second) return node_first(q, at, back);
    node_trace(&q->vel, q->ways, q->pass, AHEAD, q->axis, at, ahead);
    return node_second(q, at, back, ahead);
}

/* A f - c = (A f - f) + u, u = 2 g - f, to both. */
static double node_centre(const struct bw_block *b, const struct pass *p, int c, const int32_t at[3], double to,
                          double f)
{
    const struct bw_view *mean = &b->view[0], *carried = &b->view[p->view_carried];
    const double g = (double)bw_f32(mean, c)[at[0] + at[1] * mean->sy + at[2] * mean->sz], v = to - f + (2 * g - f);
    bw_f32(carried, c)[at[0] + at[1] * carried->sy + at[2] * carried->sz] = (float)v;
    return v;
}

static void component_plain(const struct bw_block *b, const struct pass *p, const struct ways *w, const struct item *it,
                            int c)
{
    const struct bw_view *out = &b->view[it->view_out];
    const int axis = it->info->kind == BW_MAC ? c : -1;
    struct carrier q = {.pass = p,
                        .ways = w,
                        .vel = reach_init(b, p, p->vel, 0),
                        .old = reach_init(b, p, it->field, it->view),
                        .edge = edge_init(b, p->tiles, NULL, axis),
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
                if (p->carried) v = node_centre(b, p, c, at, v, reach_node(&q.old, c, at));
                b->sum[0] += q.vel.far || q.old.far || q.hat.far;
                ptrdiff_t i = at[0] + at[1] * out->sy + at[2] * out->sz;
                if (it->info->precision == BW_F64P) bw_f64(out, c)[i] = v;
                else bw_f32(out, c)[i] = (float)v;
            }
}

void advect_block_plain(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    struct ways w;
    if (!ways_init(&w, b, p)) return;
    for (uint32_t q = 0; q < p->n_items; q++)
        for (int c = 0; c < (int)p->item[q].info->comps; c++) component_plain(b, p, &w, &p->item[q], c);
}
