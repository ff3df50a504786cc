// SPDX-License-Identifier: Apache-2.0
#include "particle_velocity.h"
#include "base/alloc.h"
#include "grid/grid.h"
#include "run/call.h"
#include <string.h>

/* The first stage that moves them answers. */
static enum bw_status velocity_ask(struct bw_chain *c, struct bw_particles *p, float *velocity)
{
    enum bw_status status = BW_OK;
    for (int32_t i = 0, found = 0; i < c->stages.n && !found && status == BW_OK; i++) {
        struct run_stage *s = &c->stages.stage[i];
        const struct bw_motion_api *api = s->ended ? NULL : stage_extension(s, BW_MOTION);
        if (!api) continue;
        call_clock(c, s, 0);
        const struct where_was was = stage_enter(s, "velocity");
        found = api->moves(&s->pub, p);
        if (found) status = api->velocity(&s->pub, p, velocity);
        stage_leave(s, &was);
        stage_scratch_end(s);
        status = call_status(c, s, status, "velocity");
    }
    return status;
}

/* Where a snapshot wants it; NULL: it has no such row. */
static float *velocity_row(const struct bw_snapshot_particles *p)
{
    for (uint32_t r = 0; r < p->n_attributes; r++) {
        const struct bw_attribute *row = &p->attributes[r];
        if (!strcmp(row->name, "velocity") && row->precision == BW_F32 && row->comps == 3)
            return (float *)(intptr_t)p->data[r];
    }
    return NULL;
}

enum bw_status particle_velocity_add(struct bw_chain *c, struct chain_snapshot *s)
{
    static const struct bw_attribute velocity = {"velocity", BW_F32, 3, "m/s"};
    enum bw_status status = BW_OK;
    uint32_t k = 0;
    for (int32_t i = 0; i < c->fields.n && status == BW_OK; i++) {
        struct bw_particles *p = c->fields.field[i].particles;
        if (!p || !bw_particles_has(p, &velocity)) {
            k += p != NULL;
            continue;
        }
        float *own = s ? NULL : bw_calloc(3 * (size_t)bw_particles_table.count(p) * sizeof *own + 1);
        float *to = s ? velocity_row(&s->particles[k++]) : own;
        status = to ? velocity_ask(c, p, to) : call_no_memory(c, "the speeds of particles");
        bw_free(own);
    }
    return status;
}
