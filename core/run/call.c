// SPDX-License-Identifier: Apache-2.0
#include "run/ranks/collective.h"
#include "run/wire/levels.h"
#include "call.h"
#include "base/memory/account.h"
#include <math.h>
#include <stdio.h>

#define FRAME_SAME 1e-7 ///< frames, that are rounding

bool call_due(const struct bw_chain *c, const struct run_stage *s)
{
    const struct bw_preset_time *t = &c->preset->time;
    const double now = (double)t->first + c->clock.time * t->fps;
    const bool step = now < (double)c->clock.frame - FRAME_SAME; // else a frame is there, or the run begins
    if (step) return now > s->preset->frame_from - FRAME_SAME && now < s->preset->frame_to - FRAME_SAME;
    return now > s->preset->frame_from + FRAME_SAME && now < s->preset->frame_to + FRAME_SAME;
}

double call_step_end(const struct bw_chain *c, double end)
{
    const struct bw_preset_time *t = &c->preset->time;
    const double now = (double)t->first + c->clock.time * t->fps;
    double next = (double)t->first + end * t->fps - FRAME_SAME, until = end;
    for (int32_t i = 0; i < c->stages.n; i++) {
        const double edge[] = {c->stages.stage[i].preset->frame_from, c->stages.stage[i].preset->frame_to};
        for (int k = 0; k < 2; k++)
            if (edge[k] > now + FRAME_SAME && edge[k] < next)
                next = edge[k], until = (edge[k] - (double)t->first) / t->fps;
    }
    return until;
}

/* Bytes of all fields' tiles. */
static int64_t tiles_held(const struct bw_chain *c)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < c->preset->n_domains; i++)
        for (int wide = 0; wide < 2; wide++) bytes += bw_pool_held(c->domain[i]->pool[wide]);
    return bytes;
}

/* A larger voxel helps where tiles are most of what is held. */
enum bw_status call_no_memory(struct bw_chain *c, const char *what)
{
    const double held = (double)bw_account_bytes(c->account), limit = c->preset->memory_limit;
    char advice[120] = "";
    if (limit > 0 && (double)tiles_held(c) > held / 2)
        snprintf(advice, sizeof advice, " beside %lld active cells (a voxel of %.3g m may fit)",
                 (long long)(bw_chain_tiles(c) * BW_TILE_CELLS),
                 c->domain[0]->info.h * cbrt(fmax(1.3, 1.15 * held / limit)));
    return log_fail(&c->log, NULL, BW_ERR_MEMORY, "frame %lld: out of memory for %s%s", (long long)c->clock.frame, what,
                    advice);
}

enum bw_status call_status(struct bw_chain *c, const struct run_stage *s, enum bw_status status, const char *what)
{
    bool said = false;
    for (int32_t i = 0; i < c->stages.n; i++) { /* inside another's step, too: a projection called by it */
        said |= c->stages.stage[i].failed;
        if (status == BW_OK) status = c->stages.stage[i].fail_status; /* nobody may shrug a failure off */
    }
    if (s->failed && status < 0 && status != BW_ERR_CANCELLED) status = s->fail_status; /* as the sentence has it */
    if (status == BW_OK || status == BW_ERR_CANCELLED) return status;
    if (status == BW_ERR_MEMORY && !said) return call_no_memory(c, s->pub.id);
    if (status > 0 || status < BW_ERR_CANCELLED)
        return log_fail(&c->log, &s->preset->place, BW_ERR_PLUGIN, "%s: %s returned %d, which is no status", s->pub.id,
                        what, (int)status);
    if (!said) log_fail(&c->log, &s->preset->place, status, "%s: %s failed without saying why", s->pub.id, what);
    return status;
}

enum bw_status call_stage(struct bw_chain *c, struct run_stage *s, enum bw_status (*callback)(struct bw_stage *),
                          const char *what)
{
    enum bw_status status = collective_stage_begin(c, s);
    if (status == BW_OK && levels_refresh(s, c->workers) != BW_OK) status = call_no_memory(c, s->pub.id);
    if (status != BW_OK) return status;
    const struct where_was was = stage_enter(s, what);
    status = callback(&s->pub);
    stage_leave(s, &was);
    collective_stage_end(c);
    return call_status(c, s, status, what);
}

void call_clock(const struct bw_chain *c, struct run_stage *s, double dt)
{
    s->pub.time = c->clock.time;
    s->pub.dt = dt;
    s->pub.span = dt > 0 ? s->span : 0;
    s->pub.step = s->fresh ? 0 : c->clock.step;
    s->pub.frame = (double)c->preset->time.first + (c->clock.time + dt) * c->preset->time.fps;
}

enum bw_status call_checkpoint(struct bw_chain *c, struct run_stage *s, struct bw_archive *a)
{
    const struct bw_stage_desc *desc = s->pub.desc;
    enum bw_status status = BW_OK;
    if (desc->flags & BW_STAGE_PLAIN_STATE) status = a->bytes(a, "state", s->pub.state, desc->state_size);
    call_clock(c, s, 0);
    const struct where_was was = stage_enter(s, "checkpoint");
    if (status == BW_OK && desc->checkpoint) status = desc->checkpoint(&s->pub, a);
    stage_leave(s, &was);
    stage_scratch_end(s);
    return status == BW_ERR_MEMORY || status == BW_ERR_IO ? status : call_status(c, s, status, "checkpoint");
}
