// SPDX-License-Identifier: Apache-2.0
/* mac.advect for what the fast way cannot do: double precision, traces longer than the widest halo. */
#include "advect_pass.h"
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

/* Displacement of cell `at`, which may lie one beyond the block. */
static void trace_plain(struct reach *vel, const struct pass *p, int dir, const int32_t at[3], double d[3])
{
    double scale = dir == BACK ? -p->scale : p->scale, from[3] = {at[0], at[1], at[2]}, mid[3], unused[2];
    for (int half = 1; half >= 0; half--) {
        for (int c = 0; c < 3; c++) {
            double x[3] = {from[0], from[1], from[2]};
            x[c] += 0.5; // a centre lies half a cell above its low face
            d[c] = c == vel->block->grid->thin ? 0 : scale * reach_value(vel, c, x, unused);
        }
        for (int c = 0; c < 3; c++) mid[c] = at[c] + 0.5 * d[c];
        if (half) memcpy(from, mid, sizeof from);
    }
}

/* One straight line from the node itself. */
static void trace_euler(struct reach *vel, const struct pass *p, int dir, int axis, const int32_t at[3], double x[3])
{
    double scale = dir == BACK ? -p->scale : p->scale, unused[2];
    for (int c = 0; c < 3; c++) {
        double y[3] = {at[0], at[1], at[2]};
        y[c] += 0.5;
        if (axis >= 0) y[axis] -= 0.5;
        x[c] = at[c] + (c == vel->block->grid->thin ? 0 : scale * reach_value(vel, c, y, unused));
    }
}

/* Where the node of component c at `at` comes from, or goes to. */
static void node_displaced(struct reach *vel, const struct pass *p, int dir, int axis, const int32_t at[3], double x[3])
{
    double d[3], e[3];
    if (p->euler) {
        trace_euler(vel, p, dir, axis, at, x);
        return;
    }
    trace_plain(vel, p, dir, at, d);
    if (axis >= 0) {
        int32_t below[3] = {at[0], at[1], at[2]};
        below[axis]--;
        trace_plain(vel, p, dir, below, e);
    }
    for (int a = 0; a < 3; a++) x[a] = at[a] + (axis >= 0 ? 0.5 * (d[a] + e[a]) : d[a]);
}

static double node_carry(const struct pass *p, struct reach *vel, struct reach *old, struct reach *hat, int c,
                         const int32_t at[3])
{
    int axis = old->info->kind == BW_MAC ? c : -1;
    double x[3], range[2], unused[2];
    if (axis >= 0 && axis == vel->block->grid->thin) return reach_node(old, c, at);
    node_displaced(vel, p, BACK, axis, at, x);
    double v = reach_value(old, c, x, range);
    if (!p->second) return v;
    node_displaced(vel, p, AHEAD, axis, at, x);
    struct room room = room_init(p->limit, vel->block);
    if (axis < 0 && !room_has(&room, x)) return reach_node(hat, c, at);
    v = reach_node(hat, c, at) + 0.5 * (reach_node(old, c, at) - reach_value(hat, c, x, unused));
    return p->clamp ? fmin(fmax(v, range[0]), range[1]) : v;
}

static void component_plain(const struct bw_block *b, const struct pass *p, const struct item *it, int c)
{
    const struct bw_view *out = &b->view[it->view_out];
    struct reach vel = reach_init(b, p, bw_port_field(p->stage, PORT_VEL), 0),
                 old = reach_init(b, p, it->field, it->view), hat = {0};
    if (p->second) hat = reach_init(b, p, it->hat, it->view_hat);
    int32_t n[3] = {b->n[0], b->n[1], b->n[2]}, at[3];
    n[c] += it->info->kind == BW_MAC;
    for (at[2] = 0; at[2] < n[2]; at[2]++)
        for (at[1] = 0; at[1] < n[1]; at[1]++)
            for (at[0] = 0; at[0] < n[0]; at[0]++) {
                vel.far = old.far = hat.far = false;
                double v = node_carry(p, &vel, &old, &hat, c, at);
                b->sum[0] += vel.far || old.far || hat.far;
                ptrdiff_t i = at[0] + at[1] * out->sy + at[2] * out->sz;
                if (it->info->precision == BW_F64P)
                    bw_f64(out, c)[i] = v;
                else
                    bw_f32(out, c)[i] = (float)v;
            }
}

void advect_block_plain(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    for (uint32_t q = 0; q < p->n_items; q++)
        for (int c = 0; c < (int)p->item[q].info->comps; c++) component_plain(b, p, &p->item[q], c);
}
