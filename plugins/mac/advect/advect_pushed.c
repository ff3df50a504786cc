// SPDX-License-Identifier: Apache-2.0
/* The flow as it was before stages pushed it in this step (common/flow/push.h): what mac.advect carries all but the
 * velocity along, where a projection is to come that has not balanced the push yet. It is as if the push came after
 * mac.advect: only the velocity carries it, and itself along it.
 *
 * Where no projection is in the chain the push is all there will be, and it counts at once. */
#include "advect_pass.h"
#include "project/open_flux.h"

/* Steps that the projections of the stage's domain have made in this run; -1: there is none. */
static int64_t projections_made(struct bw_stage *s)
{
    int64_t made = -1;
    struct bw_stage *found;
    const void *table = NULL;
    for (uint32_t k = 0; (found = s->host->find_stage(s, OPEN_FLUX, k, &table)); k++)
        if (found->domain == s->domain)
            made = (made < 0 ? 0 : made) + ((const struct open_flux_api *)table)->steps(found);
    return made;
}

const struct bw_stage *pushed_by(struct bw_stage *s, const struct bw_field *vel)
{
    const struct bw_writer_api *api = s->host->extension(BW_WRITER);
    const struct bw_stage *by = api && projections_made(s) > 0 ? api->last(vel) : NULL;
    return by && by->desc->extension && by->desc->extension(OPEN_FLUX) ? NULL : by;
}

/* A stage that comes after mac.advect finds that it has run. What was kept and never used was for one that does not run
 * in these frames: no more is kept, for nobody would give its memory back. */
enum bw_status pushed_begin(struct pushed *u, struct bw_stage *s, struct bw_field *vel, int64_t step)
{
    const int64_t made = projections_made(s);
    if (u->ran >= step || u->kept > u->ran || made < 0) return BW_OK;
    *u = (struct pushed){s->host->scratch_field(s, BW_MAC, BW_F32), step, u->ran, made, pushed_by(s, vel)};
    if (!u->vel) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for the flow before it is pushed.");
    return flow_mix(s, u->vel, 0, vel, 1);
}

const struct pushed *pushed_take(struct pushed *u, struct bw_stage *s)
{
    u->ran = s->step;
    return u->kept == s->step && u->projections == projections_made(s) ? u : NULL;
}
