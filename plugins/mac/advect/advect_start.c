// SPDX-License-Identifier: Apache-2.0
/* The first step of a velocity that is centred in time (advect_centred.c): no step before it says what pressure gives.
 * So a trial over a short part of the step says it, dt = span / PARTS:
 *
 *     a = A(u; dt) u                                 advected by itself
 *     c = PARTS ((P a - a) - (P u - u)) / 2          half of what pressure gives in the step
 * A flow that is given need not be free of divergence: what P takes away of that is no acceleration. A step that takes
 * c for 0 turns eddies as if nothing held them together: a ring with a core of two cells lost a sixth of its energy in
 * it. Costs two projections and one advection of the velocity, once a bake. Not where the air in inactive tiles moves:
 * c is 0 in the first step then. */
#include "advect_pass.h"

#define PARTS 16

enum { VIEW_TO, VIEW_FROM, VIEW_MORE };

/// to = own to + from * field + more * another.
struct mix {
    float own, from, more;
};

static void block_mix(const struct bw_block *b, void *user)
{
    const struct mix *m = user;
    const struct bw_view *to = &b->view[VIEW_TO], *from = &b->view[VIEW_FROM], *more = &b->view[VIEW_MORE];
    for (int c = 0; c < 3; c++)
        for (int32_t k = 0; k < b->n[2] + (c == 2 && b->high[2]); k++)
            for (int32_t j = 0; j < b->n[1] + (c == 1 && b->high[1]); j++) {
                float *t = bw_f32(to, c) + j * to->sy + k * to->sz;
                const float *f = bw_f32(from, c) + j * from->sy + k * from->sz;
                const float *q = bw_f32(more, c) + j * more->sy + k * more->sz;
                for (int32_t i = 0; i < b->n[0] + (c == 0 && b->high[0]); i++)
                    t[i] = m->own == 0 ? m->from * f[i] : m->own * t[i] + (m->from * f[i] + m->more * q[i]);
            }
}

static enum bw_status mix(struct pass *p, struct bw_field *to, struct bw_field *from, struct bw_field *more,
                          struct mix by)
{
    const uint32_t mode = by.own == 0 ? BW_WRITE_OWN : BW_UPDATE_OWN;
    const struct bw_access row[] = {
        [VIEW_TO] = {to, mode, 0}, [VIEW_FROM] = {from, BW_READ, 1}, [VIEW_MORE] = {more, BW_READ, 1}};
    return p->stage->host->sweep(p->stage,
                                 &(struct bw_sweep){.access = row, .n_access = 3, .body = block_mix, .user = &by});
}

/* carried: P u, then P u + a, then u - PARTS ((P a - a) - (P u - u)). */
static enum bw_status trial(struct pass *p, struct bw_stage *projection, const struct bw_project_api *api,
                            struct bw_field *carried, struct bw_field *other, double span)
{
    struct bw_stage *s = p->stage;
    enum bw_status st = mix(p, carried, p->vel, p->vel, (struct mix){0, 1, 0});
    if (st == BW_OK) st = api->project(projection, carried, s->dt);
    pass_fit(p, span / PARTS);
    if (st == BW_OK) st = pass_velocity(p, p->vel, other);
    if (st == BW_OK) st = mix(p, carried, other, other, (struct mix){1, 1, 0});
    if (st == BW_OK) st = api->project(projection, other, s->dt);
    if (st == BW_OK) st = mix(p, carried, other, p->vel, (struct mix){PARTS, -PARTS, 1 - PARTS});
    return st;
}

/* Scratch fields have still air around them. */
static bool has_wind(const struct bw_field_info *vel)
{
    return vel->background[0] != 0 || vel->background[1] != 0 || vel->background[2] != 0;
}

enum bw_status start_find(struct pass *p, struct bw_field *carried, double span, bool *known)
{
    struct bw_stage *s = p->stage;
    const struct bw_project_api *api;
    struct bw_stage *projection = projector_find(s, &api);
    enum bw_status st = projection ? pass_measure(p) : BW_OK;
    *known = projection && st == BW_OK && p->speed > 0 && !has_wind(s->host->field_info(p->vel));
    if (!*known) return st;
    struct bw_field *other = s->host->scratch_field(s, BW_MAC, BW_F32);
    if (!other) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for the first step's trial.");
    return trial(p, projection, api, carried, other, span);
}
