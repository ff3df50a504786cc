// SPDX-License-Identifier: Apache-2.0
/* A shot is exposed once, for its hottest flames. A bake cannot see frames to come, so they are metered by what feeds
 * them: over all frames, the largest temperature that a law of combustion gives the fuel and heat of a source. This
 * depends on the preset alone: resumed bakes, ranges of frames, ranks and previews of files have the same exposure. */
#include "flame_meter.h"
#include "base/alloc.h"

#include <math.h>
#include <string.h>

enum { FRAMES = 500 }; ///< that are looked at, at most

/// What a stage offers.
struct part {
    struct run_stage *stage;
    const struct bw_source_api *source;         ///< or NULL
    const struct bw_combustion_api *combustion; ///< or NULL
};

/// What gas a source gives.
struct gas {
    double fuel, excess, flame;
};

static bool is_due(const struct run_stage *s, double frame)
{
    return frame > s->preset->frame_from && frame <= s->preset->frame_to;
}

static double flames_hottest(const struct part *part, int32_t n, double frame, const struct gas *gas)
{
    double most = 0;
    for (int32_t i = 0; i < n; i++) {
        struct run_stage *s = part[i].stage;
        if (!part[i].combustion || !is_due(s, frame)) continue;
        const struct where_was was = stage_enter(s, "kelvin");
        most = fmax(most, part[i].combustion->kelvin(&s->pub, gas->fuel, gas->excess));
        stage_leave(s, &was);
    }
    return most;
}

static struct gas source_gas(const struct part *part)
{
    struct run_stage *s = part->stage;
    const struct where_was was = stage_enter(s, "amount");
    const struct gas gas = {part->source->amount(&s->pub, "fuel"), part->source->amount(&s->pub, "temperature"),
                            part->source->amount(&s->pub, "flame")};
    stage_leave(s, &was);
    return gas;
}

/// At a frame: what burns, and what sources give that glows by itself.
static double frame_hottest(const struct bw_chain *c, const struct part *part, int32_t n, double frame)
{
    double most = 0;
    for (int32_t i = 0; i < n; i++) {
        if (!part[i].source || !is_due(part[i].stage, frame)) continue;
        const struct gas gas = source_gas(&part[i]);
        if (gas.fuel > 0) most = fmax(most, flames_hottest(part, n, frame, &gas));
        if (gas.flame > 0 && gas.excess > 0) most = fmax(most, c->bake.ambient + gas.excess);
    }
    return most;
}

static int32_t parts_find(struct bw_chain *c, struct part *part)
{
    int32_t n = 0;
    for (int32_t i = 0; i < c->stages.n; i++) {
        struct run_stage *s = &c->stages.stage[i];
        const struct part one = {s, stage_extension(s, BW_SOURCE), stage_extension(s, BW_COMBUSTION)};
        if (one.source || one.combustion) part[n++] = one;
    }
    return n;
}

/// Of stages at a time, s; errors are those of a time that is not now.
static void parts_eval(const struct part *part, int32_t n, double time)
{
    struct bw_diag ignored = {0};
    for (int32_t i = 0; i < n; i++)
        if (bw_params_animated(part[i].stage->params))
            bw_params_eval(part[i].stage->params, time, 0, part[i].stage->param_mem[0], &ignored);
    bw_diag_free(&ignored);
}

enum bw_status flame_meter(struct bw_chain *c)
{
    const struct bw_preset_time *t = &c->preset->time;
    const double begin = (double)bw_preset_begin(t), frames = (double)t->last - begin;
    const double step = fmax(1, frames / FRAMES);
    const struct gas pure = {.fuel = 1};
    struct part *part = bw_calloc((size_t)c->stages.n * sizeof *part + 1);
    if (!part) return log_fail(&c->log, NULL, BW_ERR_MEMORY, "out of memory for the flames' meter");
    const int32_t n = parts_find(c, part);
    c->flame_kelvin = 0;
    for (double frame = begin; n && frame <= (double)t->last; frame += step) {
        parts_eval(part, n, (frame - (double)t->first) / t->fps);
        c->flame_kelvin = fmax(c->flame_kelvin, frame_hottest(c, part, n, frame));
    }
    parts_eval(part, n, c->clock.time);
    if (!(c->flame_kelvin > 0)) c->flame_kelvin = flames_hottest(part, n, (double)t->last, &pure);
    bw_free(part);
    return BW_OK;
}
