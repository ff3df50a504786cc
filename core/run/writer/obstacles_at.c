// SPDX-License-Identifier: Apache-2.0
/* Obstacles of a frame that is baked already: from parameters alone, of a chain that never runs. */
#include "obstacle_shapes.h"
#include "run/call.h"

/* Parameters at the frame's end, as its step had them. */
static enum bw_status obstacles_set(struct bw_chain *c, int64_t frame)
{
    enum bw_status status = BW_OK;
    c->clock.frame = frame;
    c->clock.time = (double)(frame - c->preset->time.first) / c->preset->time.fps;
    for (int32_t i = 0; i < c->stages.n && status == BW_OK; i++)
        if (stage_extension(&c->stages.stage[i], BW_OBSTACLE))
            status = stage_params(&c->stages.stage[i], c->clock.time);
    return status;
}

struct chain_snapshot *bw_chain_obstacles_at(struct bw_chain *c, int64_t frame, struct bw_diag *d)
{
    c->log.diag = d;
    enum bw_status status = obstacles_set(c, frame);
    struct chain_snapshot *s = status == BW_OK ? snapshot_take(c, frame) : NULL;
    if (s) status = obstacle_shapes_add(c, s, BW_OBSTACLE_PLACED);
    c->log.diag = NULL;
    if (s && status == BW_OK) return s;
    snapshot_free(s);
    if (d->status == BW_OK) bw_diag_error(d, NULL, BW_ERR_MEMORY, "out of memory for obstacles");
    return NULL;
}
