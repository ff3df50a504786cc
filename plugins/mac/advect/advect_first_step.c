// SPDX-License-Identifier: Apache-2.0
/* The first step of a velocity that is centred in time (advect_centred.c). There is no step before it to take the
 * pressure's increment from, so a trial over a short part of the step finds it, dt = span / PARTS:
 *
 *     a = A(u; dt) u                                 advected by itself
 *     c = PARTS ((P a - a) - (P u - u)) / 2          half of the pressure's increment in the step
 * The initial flow need not be free of divergence: what P removes of that is no acceleration. With c = 0 eddies would
 * turn without centripetal force: a ring with a core of two cells lost a sixth of its energy in the first step. Costs
 * two projections and one advection of the velocity, once a bake. Where the exterior moves, c is 0 in the first
 * step. */
#include "advect_pass.h"
#include <common/stage_find.h>

#define PARTS 16

/* advected: P u, then P u + a, then u - PARTS ((P a - a) - (P u - u)). */
static enum bw_status trial(struct pass *p, struct bw_stage *projection, const struct bw_project_api *api,
                            struct bw_field *advected, struct bw_field *other, double span)
{
    struct bw_stage *s = p->stage;
    enum bw_status st = flow_axpy(s, advected, 0, p->vel, 1);
    if (st == BW_OK) st = api->project(projection, advected, s->dt);
    pass_fit(p, span / PARTS);
    if (st == BW_OK) st = pass_velocity(p, p->vel, other);
    if (st == BW_OK) st = flow_axpy(s, advected, 1, other, 1);
    if (st == BW_OK) st = api->project(projection, other, s->dt);
    if (st == BW_OK) st = flow_axpy(s, advected, PARTS, other, -PARTS);
    if (st == BW_OK) st = flow_axpy(s, advected, 1, p->vel, 1 - PARTS);
    return st;
}

enum bw_status first_step_acceleration(struct pass *p, struct bw_field *advected, double span, bool *known)
{
    struct bw_stage *s = p->stage;
    const void *api = NULL;
    struct bw_stage *projection = stage_in_domain(s, BW_PROJECT, &api);
    enum bw_status st = projection ? pass_measure(p) : BW_OK;
    *known = projection && st == BW_OK && p->speed.most > 0 && !exterior_has_wind(s->host->field_info(p->vel));
    if (!*known) return st;
    struct bw_field *other = s->host->scratch_field(s, BW_MAC, BW_F32);
    if (!other) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for the first step's trial.");
    return trial(p, projection, api, advected, other, span);
}
