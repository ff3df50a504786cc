// SPDX-License-Identifier: Apache-2.0
/* Output fields of `flux`: `density`, the excess mass over the ambient gas, never below 0, at cells or resampled to
 * their low corners; and `vel`, at faces. */
#include "flux.h"
#include <math.h>

/// View numbers of this sweep.
enum { OUT_MASS, OUT_MOMENTUM, OUT_DENSITY, OUT_VEL, OUT_ROWS };

static double excess(const struct flux_task *t, const struct bw_view *v, ptrdiff_t at)
{
    return bw_get(v, 0, at) - t->p->ambient_density;
}

/* Mean over the gas cells around the low corner of a cell, as mass_flow's article draws it: exact for a linear
 * field. */
static double corner_mean(const struct flux_task *t, const struct bw_block *b, const struct bw_view *solid,
                          ptrdiff_t at)
{
    const struct bw_view *v = &b->view[OUT_MASS];
    const ptrdiff_t step[3] = {1, v->sy, v->sz};
    double sum = 0, count = 0;
    for (int e = 0; e < 1 << t->dim; e++) {
        ptrdiff_t cell = at;
        for (int a = 0; a < t->dim; a++) cell -= e >> a & 1 ? step[t->axis[a]] : 0;
        if (solid && bw_f32(solid, 0)[cell] < 0) continue;
        sum += excess(t, v, cell);
        count++;
    }
    return count > 0 ? sum / count : 0;
}

static void density_fill(const struct flux_task *t, const struct bw_block *b, const struct bw_view *solid)
{
    const struct bw_view *v = &b->view[OUT_MASS], *out = &b->view[OUT_DENSITY];
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) {
                const ptrdiff_t at = i + j * v->sy + k * v->sz;
                const double value = t->p->display == DISPLAY_CORNERS ? corner_mean(t, b, solid, at) : excess(t, v, at);
                const int behind = solid && bw_f32(solid, 0)[at] < 0;
                bw_f32(out, 0)[i + j * out->sy + k * out->sz] = behind ? 0 : (float)fmax(value, 0);
            }
}

/// Obstacles and walls near a block, NULL where there are none.
struct closed {
    const struct bw_view *solid, *solid_vel, *wall;
};

/* Mean momentum over mean mass of the two cells at a face; the obstacle's velocity where one of them is inside. */
static float face_velocity(const struct bw_block *b, const struct closed *q, int axis, ptrdiff_t at, ptrdiff_t step)
{
    const struct bw_view *m = &b->view[OUT_MASS], *p = &b->view[OUT_MOMENTUM];
    const ptrdiff_t low = at - step;
    if (q->wall && bw_f32(q->wall, axis)[at] >= 0.5f) return 0;
    if (q->solid && (bw_f32(q->solid, 0)[at] < 0 || bw_f32(q->solid, 0)[low] < 0))
        return q->solid_vel ? bw_f32(q->solid_vel, axis)[at] : 0;
    const double mass = bw_get(m, 0, at) + bw_get(m, 0, low);
    return mass > 0 ? (float)((bw_get(p, axis, at) + bw_get(p, axis, low)) / mass) : 0;
}

static void faces_fill(const struct bw_block *b, const struct closed *q, int axis)
{
    const struct bw_view *m = &b->view[OUT_MASS], *out = &b->view[OUT_VEL];
    const ptrdiff_t step = axis == 0 ? 1 : axis == 1 ? m->sy : m->sz;
    const int n[3] = {b->n[0] + (axis == 0), b->n[1] + (axis == 1), b->n[2] + (axis == 2)}, last = b->grid->n[axis];
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) {
                const int x[3] = {i, j, k}, face = b->lo[axis] + x[axis];
                const int edge = last > 0 && ((face == 0 && b->grid->side[2 * axis].kind == BW_CLOSED) ||
                                              (face == last && b->grid->side[2 * axis + 1].kind == BW_CLOSED));
                bw_f32(out, axis)[i + j * out->sy + k * out->sz] =
                    axis == b->grid->thin || edge ? 0 : face_velocity(b, q, axis, i + j * m->sy + k * m->sz, step);
            }
}

static void output_body(const struct bw_block *b, void *user)
{
    const struct flux_task *t = user;
    const struct flux_obstacles near = flux_obstacles_near(t, b);
    const struct closed q = {near.solid ? &b->view[t->solid] : NULL,
                             near.solid_speed > 0 ? &b->view[t->solid_vel] : NULL,
                             near.wall ? &b->view[t->wall] : NULL};
    density_fill(t, b, q.solid);
    for (int a = 0; a < 3; a++) faces_fill(b, &q, a);
}

/* All fields that are read have the same halo, so that one index fits all. */
enum bw_status flux_output(struct flux_task *t)
{
    struct bw_stage *s = t->s;
    struct bw_access access[OUT_ROWS + 3] = {{bw_port_field(s, MASS), BW_READ, 1},
                                             {bw_port_field(s, MOMENTUM), BW_READ, 1},
                                             {bw_port_field(s, DENSITY), BW_WRITE, 0},
                                             {bw_port_field(s, VEL), BW_WRITE, 0}};
    int32_t *const view[3] = {&t->solid, &t->solid_vel, &t->wall};
    const enum flux_port port[3] = {SOLID, SOLID_VEL, WALL};
    uint32_t n = OUT_ROWS;
    for (int i = 0; i < 3; i++) {
        if (*view[i] < 0) continue;
        access[n] = (struct bw_access){bw_port_field(s, port[i]), BW_READ, 1};
        *view[i] = (int32_t)n++;
    }
    return s->host->sweep(
        s, &(struct bw_sweep){.access = access, .n_access = n, .body = output_body, .user = t, .reach = flux_reach});
}
