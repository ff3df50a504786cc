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

/* carried: P u, then P u + a, then u - PARTS ((P a - a) - (P u - u)). */
static enum bw_status trial(struct pass *p, struct bw_stage *projection, const struct bw_project_api *api,
                            struct bw_field *carried, struct bw_field *other, double span)
{
    struct bw_stage *s = p->stage;
    enum bw_status st = flow_mix(s, carried, 0, p->vel, 1);
    if (st == BW_OK) st = api->project(projection, carried, s->dt);
    pass_fit(p, span / PARTS);
    if (st == BW_OK) st = pass_velocity(p, p->vel, other);
    if (st == BW_OK) st = flow_mix(s, carried, 1, other, 1);
    if (st == BW_OK) st = api->project(projection, other, s->dt);
    if (st == BW_OK) st = flow_mix(s, carried, PARTS, other, -PARTS);
    if (st == BW_OK) st = flow_mix(s, carried, 1, p->vel, 1 - PARTS);
    return st;
}

enum bw_status start_find(struct pass *p, struct bw_field *carried, double span, bool *known)
{
    struct bw_stage *s = p->stage;
    const struct bw_project_api *api;
    struct bw_stage *projection = projector_find(s, &api);
    enum bw_status st = projection ? pass_measure(p) : BW_OK;
    *known = projection && st == BW_OK && p->speed.most > 0 && !flow_has_wind(s->host->field_info(p->vel));
    if (!*known) return st;
    struct bw_field *other = s->host->scratch_field(s, BW_MAC, BW_F32);
    if (!other) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for the first step's trial.");
    return trial(p, projection, api, carried, other, span);
}
