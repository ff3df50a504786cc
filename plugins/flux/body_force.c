// SPDX-License-Identifier: Apache-2.0
/* Body force: applies the acceleration field `force` once a step. Along each axis a cell has the mean acceleration of
 * its two faces; its momentum grows by dt times mass times that, its energy by the change of kinetic energy. */
#include "flux.h"

enum { VIEW_FORCE, VIEW_MASS, VIEW_MOMENTUM, VIEW_ENERGY };

struct force_task {
    double dt;  ///< s
    int energy; ///< 1: there is an energy field
};

static double value(const struct bw_block *b, int view, int axis, const int32_t at[3])
{
    const struct bw_view *v = &b->view[view];
    return bw_get(v, axis, at[0] + at[1] * v->sy + at[2] * v->sz);
}

static void cell_apply_force(const struct bw_block *b, const struct force_task *p, int axis, const int32_t at[3])
{
    const struct bw_view *m = &b->view[VIEW_MOMENTUM], *e = &b->view[VIEW_ENERGY];
    const ptrdiff_t place = at[0] + at[1] * m->sy + at[2] * m->sz;
    const double mass = value(b, VIEW_MASS, 0, at), was = bw_get(m, axis, place);
    int32_t up[3] = {at[0], at[1], at[2]};
    up[axis]++;
    const double acceleration = 0.5 * (value(b, VIEW_FORCE, axis, at) + value(b, VIEW_FORCE, axis, up));
    if (!(mass > 0) || acceleration == 0) return;
    const double now = was + p->dt * mass * acceleration;
    bw_put(m, axis, place, now);
    if (p->energy) bw_put(e, 0, place, bw_get(e, 0, place) + 0.5 * (now * now - was * was) / mass);
}

static void block_apply_force(const struct bw_block *b, void *user)
{
    int32_t at[3];
    for (int axis = 0; axis < 3; axis++)
        for (at[2] = 0; at[2] < b->n[2] && axis != b->grid->thin; at[2]++)
            for (at[1] = 0; at[1] < b->n[1]; at[1]++)
                for (at[0] = 0; at[0] < b->n[0]; at[0]++) cell_apply_force(b, user, axis, at);
}

enum bw_status flux_apply_force(struct flux_task *t)
{
    struct bw_stage *s = t->s;
    const struct bw_writer_api *writer = s->host->extension(BW_WRITER);
    struct bw_field *force = bw_port_field(s, FORCE);
    struct force_task p = {s->span, t->energy >= 0};
    if (writer && !writer->last(force)) return BW_OK;
    const struct bw_access access[] = {[VIEW_FORCE] = {force, BW_READ_LAST, 1},
                                       [VIEW_MASS] = {bw_port_field(s, MASS), BW_READ, 0},
                                       [VIEW_MOMENTUM] = {bw_port_field(s, MOMENTUM), BW_UPDATE, 0},
                                       [VIEW_ENERGY] = {bw_port_field(s, ENERGY), BW_UPDATE, 0}};
    return s->host->sweep(
        s, &(struct bw_sweep){.access = access, .n_access = p.energy ? 4 : 3, .body = block_apply_force, .user = &p});
}
