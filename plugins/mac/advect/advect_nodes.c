// SPDX-License-Identifier: Apache-2.0
/* Advection of a block node by node in doubles: for fields in double precision and for traces longer than the widest
 * halo. Same schemes as advect_rows.c. */
#include "edges/valid_region.h"
#include <string.h>

static struct sampler sampler_init(const struct bw_block *b, const struct pass *p, struct bw_field *f, uint32_t view)
{
    return (struct sampler){
        .block = b, .view = &b->view[view], .field = f, .info = p->stage->host->field_info(f), .sample = p->sample};
}

/* One stage of a trace: displacement of cell `at` with the velocity at its centre moved by e. */
static void stage_f64(struct sampler *vel, double scale, const int32_t at[3], const double e[3], double d[3])
{
    for (int c = 0; c < 3; c++) {
        double x[3] = {at[0] + e[0], at[1] + e[1], at[2] + e[2]};
        x[c] += 0.5; // a centre lies half a cell above its low face
        d[c] = c == vel->block->grid->thin ? 0 : scale * sample_linear(vel, c, x);
    }
}

/* Displacement of cell `at`, which may lie one beyond the block. */
static void trace_f64(struct sampler *vel, const struct pass *p, int dir, const int32_t at[3], double d[3])
{
    const double scale = dir == BACK ? -p->scale : p->scale;
    double first[3], second[3], third[3], e[3] = {0};
    const bool rk3 = p->trace == TRACE_RK3;
    stage_f64(vel, scale, at, e, first);
    for (int c = 0; c < 3; c++) e[c] = 0.5 * first[c];
    stage_f64(vel, scale, at, e, rk3 ? second : d);
    if (!rk3) return;
    for (int c = 0; c < 3; c++) e[c] = 0.75 * second[c];
    stage_f64(vel, scale, at, e, third);
    for (int c = 0; c < 3; c++) d[c] = (2 * first[c] + 3 * second[c] + 4 * third[c]) / 9;
}

/* x = (I - m)^-1 b; near a singular matrix blended with the inverse of the rotational part of m alone. */
static void invert_f64(const double m[3][3], const double b[3], double x[3])
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
        const double fraction = fmin(fmax(det / (double)ADVECT_LEAST_DETERMINANT - 1, 0), 1);
        x[q] = turned + (fraction > 0 ? fraction * (sum / det - turned) : 0);
    }
}

/* Gradient of component c at the centre of cell `at`, cells moved per cell. */
static void gradient_f64(struct sampler *vel, double scale, const int32_t at[3], int c, double m[3])
{
    for (int a = 0; a < 3; a++) {
        double x[2][3];
        for (int q = 0; q < 3; q++)
            for (int side = 0; side < 2; side++) x[side][q] = at[q] + 0.5 * (q == c) + (side - 0.5) * (q == a);
        m[a] = a == vel->block->grid->thin ? 0 : scale * (sample_linear(vel, c, x[1]) - sample_linear(vel, c, x[0]));
    }
}

/* Value and gradient of component c at the centre of cell `at` moved by d. */
static double moved_f64(struct sampler *vel, double scale, const int32_t at[3], int c, const double d[3], double m[3])
{
    double x[3], t[3], sum = 0;
    int32_t lo[3];
    for (int a = 0; a < 3; a++) x[a] = at[a] + d[a] + 0.5 * (a == c);
    split_coordinates(x, lo, t);
    for (int a = 0; a < 3; a++) m[a] = 0;
    for (int e = 0; e < 8; e++) {
        const int32_t up[3] = {e & 1, e >> 1 & 1, e >> 2}, node[3] = {lo[0] + up[0], lo[1] + up[1], lo[2] + up[2]};
        const double v = scale * sample_node(vel, c, node);
        double w[3];
        for (int a = 0; a < 3; a++) w[a] = up[a] ? t[a] : 1 - t[a];
        sum += w[0] * w[1] * w[2] * v;
        for (int a = 0; a < 3; a++) m[a] += (up[a] ? v : -v) * w[(a + 1) % 3] * w[(a + 2) % 3];
    }
    return sum;
}

/* Newton's step from d: x, and its square. */
static double newton_f64(struct sampler *vel, double scale, const int32_t at[3], const double own[3], const double d[3],
                         double x[3])
{
    const int thin = vel->block->grid->thin;
    double m[3][3] = {{0}}, b[3];
    for (int c = 0; c < 3; c++) b[c] = c == thin ? 0 : moved_f64(vel, scale, at, c, d, m[c]) + own[c] - d[c];
    invert_f64((const double(*)[3])m, b, x);
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

static double share_f64(double x) { return fmin(fmax(x, 0), 1); }

/* The departure point by the trapezoidal rule (advect_newton.h). */
static void trapezoid_f64(struct sampler *vel, struct sampler *ahead, double scale, const int32_t at[3], double d[3])
{
    static const double none[3] = {0};
    const int thin = vel->block->grid->thin;
    double m[3][3] = {{0}}, b[3], here[3], own[3], x[3];
    stage_f64(vel, scale, at, none, here);
    stage_f64(ahead, scale, at, none, b);
    for (int c = 0; c < 3; c++) {
        double beyond = 0;
        for (int side = -1; side <= 2; side += 3) {
            const int32_t face[3] = {at[0] + side * (c == 0), at[1] + side * (c == 1), at[2] + side * (c == 2)};
            if (c != thin) beyond += 0.5 * scale * (sample_node(ahead, c, face) - sample_node(vel, c, face));
        }
        own[c] = b[c] - here[c];
        own[c] += 2 * (double)ADVECT_SHARPER * (own[c] - beyond);
        if (c != thin) gradient_f64(vel, scale, at, c, m[c]);
    }
    invert_f64((const double(*)[3])m, b, d);
    const double before = newton_f64(vel, scale, at, own, d, x);
    for (int c = 0; c < 3; c++) d[c] += x[c];
    const double is_long = share_f64(before / (double)(ADVECT_NEWTON_NEAR * ADVECT_NEWTON_NEAR) - 1);
    if (is_long > 0) {
        const double shorter = share_f64(2 - 4 * newton_f64(vel, scale, at, own, d, x) / before);
        for (int c = 0; c < 3; c++) d[c] += is_long * shorter * x[c];
    }
    memcpy(x, d, sizeof x);
    stage_f64(vel, scale, at, x, d);
    for (int c = 0; c < 3; c++) d[c] += own[c];
}

/* Displacement of the node of component c at `at`: one straight line from the node itself. */
static void trace_euler(struct sampler *vel, const struct pass *p, int dir, int axis, const int32_t at[3], double d[3])
{
    const double scale = dir == BACK ? -p->scale : p->scale;
    double e[3] = {0};
    if (axis >= 0) e[axis] = -0.5;
    stage_f64(vel, scale, at, e, d);
}

/// Displacement of one cell.
struct displacement {
    double d[3]; ///< cells
    bool far;    ///< the trace left the halo
};

/// Displacements of a block's cells and one more a side, by direction; shared by all components.
struct displacements {
    struct displacement *to[2];
    ptrdiff_t zero, step[3]; ///< of cell (0,0,0)
};

static const struct displacement *displacements_at(const struct displacements *w, int dir, const int32_t at[3])
{
    return &w->to[dir][w->zero + at[0] * w->step[0] + at[1] * w->step[1] + at[2] * w->step[2]];
}

/* false: out of memory, which the host reports. */
static bool displacements_init(struct displacements *w, const struct bw_block *b, const struct pass *p)
{
    const int32_t n[3] = {b->n[0] + 2, b->n[1] + 2, b->n[2] + 2}, thin = b->grid->thin;
    const size_t size = (size_t)n[0] * (size_t)n[1] * (size_t)n[2], dirs = p->second ? 2 : 1;
    *w = (struct displacements){.step = {1, n[0], (ptrdiff_t)n[0] * n[1]}};
    for (int a = 0; a < 3; a++) w->zero += w->step[a];
    if (p->trace == TRACE_EULER) return true;
    struct displacement *all = b->stage->host->body_scratch(b, dirs * size * sizeof *all);
    struct sampler vel = sampler_init(b, p, p->vel, 0), ahead = vel;
    int32_t at[3], lo[3], hi[3];
    if (p->advected) ahead = sampler_init(b, p, p->advected, p->view_ahead);
    if (!all) return false;
    for (int a = 0; a < 3; a++) {
        lo[a] = a == thin ? 0 : -1;
        hi[a] = b->n[a] + (a != thin);
    }
    for (int dir = 0; dir < (int)dirs; dir++) {
        w->to[dir] = all + (size_t)dir * size;
        for (at[2] = lo[2]; at[2] < hi[2]; at[2]++)
            for (at[1] = lo[1]; at[1] < hi[1]; at[1]++)
                for (at[0] = lo[0]; at[0] < hi[0]; at[0]++) {
                    struct displacement *q = (struct displacement *)displacements_at(w, dir, at);
                    vel.far = ahead.far = false;
                    if (p->trace == TRACE_CENTRED) trapezoid_f64(&vel, &ahead, -p->scale, at, q->d);
                    else trace_f64(&vel, p, dir, at, q->d);
                    q->far = vel.far || ahead.far;
                }
    }
    return true;
}

static void node_trace(struct sampler *vel, const struct displacements *w, const struct pass *p, int dir, int axis,
                       const int32_t at[3], double d[3])
{
    if (p->trace == TRACE_EULER) {
        trace_euler(vel, p, dir, axis, at, d);
        return;
    }
    const struct displacement *own = displacements_at(w, dir, at);
    vel->far |= own->far;
    memcpy(d, own->d, sizeof own->d);
    if (axis < 0) return;
    const struct displacement *low = own - w->step[axis];
    vel->far |= low->far;
    for (int a = 0; a < 3; a++) d[a] = 0.5 * (d[a] + low->d[a]);
}

/// Advection of one component of one field.
struct node_job {
    const struct pass *pass;
    const struct displacements *displacement;
    struct sampler vel, old, hat;
    struct valid_region valid;
    struct open_sides inside;
    int axis, c;
};

/* First sweep: interpolation at the departure point. */
static double node_first(struct node_job *q, const int32_t at[3], double d[3])
{
    const struct advect *o = q->pass->options;
    const bool background = o->outside == OUTSIDE_BACKGROUND;
    double x[3], fraction = background && q->axis < 0 ? 1 : valid_fraction(&q->valid, at, d);
    if (fraction < 1 && o->outside == OUTSIDE_KEEP) return sample_node(&q->old, q->c, at);
    for (int a = 0; a < 3; a++) x[a] = at[a] + fraction * d[a];
    const double v = q->pass->scheme->node_first(&q->old, q->c, x, o->clamp), back = q->old.info->background[q->c];
    const double own = background && fraction < 1 ? exterior_decay(&q->valid, fraction, d) : 1;
    return own < 1 ? own * v + (1 - own) * back : v;
}

/* Second sweep: the correction, except where a trace leaves the valid region. */
static double node_second(struct node_job *q, const int32_t at[3], const double back[3], const double ahead[3])
{
    double x[3], y[3], hat = sample_node(&q->hat, q->c, at);
    for (int a = 0; a < 3; a++) {
        x[a] = at[a] + back[a];
        y[a] = at[a] + ahead[a];
    }
    if (q->axis < 0 && !open_sides_contain(&q->inside, y)) return hat;
    if ((q->axis >= 0 || q->pass->options->outside != OUTSIDE_BACKGROUND) &&
        (!valid_region_contains(&q->valid, x) || !valid_region_contains(&q->valid, y)))
        return hat;
    const struct node_ends ends = {at, x, y};
    return q->pass->scheme->node_second(&q->old, &q->hat, q->c, &ends, q->pass->options->clamp);
}

static double node_advect(struct node_job *q, const int32_t at[3])
{
    double back[3], ahead[3];
    if (q->axis >= 0 && q->axis == q->vel.block->grid->thin) return sample_node(&q->old, q->c, at);
    node_trace(&q->vel, q->displacement, q->pass, BACK, q->axis, at, back);
    if (!q->pass->second) return node_first(q, at, back);
    node_trace(&q->vel, q->displacement, q->pass, AHEAD, q->axis, at, ahead);
    return node_second(q, at, back, ahead);
}

/* Centred in time (advect_centred.c): A f - c = (A f - f) + u, u = 2 g - f, to both. */
static double node_centre(const struct bw_block *b, const struct pass *p, int c, const int32_t at[3], double to,
                          double f)
{
    const struct bw_view *mean = &b->view[0], *advected = &b->view[p->view_advected];
    const double g = (double)bw_f32(mean, c)[at[0] + at[1] * mean->sy + at[2] * mean->sz], v = to - f + (2 * g - f);
    bw_f32(advected, c)[at[0] + at[1] * advected->sy + at[2] * advected->sz] = (float)v;
    return v;
}

static void component_f64(const struct bw_block *b, const struct pass *p, const struct displacements *w,
                          const struct item *it, int c)
{
    const struct bw_view *out = &b->view[it->view_out];
    const int axis = it->info->kind == BW_MAC ? c : -1;
    struct node_job q = {.pass = p,
                         .displacement = w,
                         .vel = sampler_init(b, p, p->vel, 0),
                         .old = sampler_init(b, p, it->field, it->view),
                         .valid = valid_region_init(b, p->tiles, axis),
                         .inside = open_sides_init(b),
                         .axis = axis,
                         .c = c};
    if (p->second) q.hat = sampler_init(b, p, it->hat, it->view_hat);
    int32_t n[3] = {b->n[0], b->n[1], b->n[2]}, at[3];
    n[c] += axis >= 0;
    for (at[2] = 0; at[2] < n[2]; at[2]++)
        for (at[1] = 0; at[1] < n[1]; at[1]++)
            for (at[0] = 0; at[0] < n[0]; at[0]++) {
                q.vel.far = q.old.far = q.hat.far = false;
                double v = node_advect(&q, at);
                if (p->advected) v = node_centre(b, p, c, at, v, sample_node(&q.old, c, at));
                b->sum[0] += q.vel.far || q.old.far || q.hat.far;
                ptrdiff_t i = at[0] + at[1] * out->sy + at[2] * out->sz;
                if (it->info->precision == BW_F64P) bw_f64(out, c)[i] = v;
                else bw_f32(out, c)[i] = (float)v;
            }
}

void advect_block_nodes(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    struct displacements w;
    if (!displacements_init(&w, b, p)) return;
    for (uint32_t q = 0; q < p->n_items; q++)
        for (int c = 0; c < (int)p->item[q].info->comps; c++) component_f64(b, p, &w, &p->item[q], c);
}
