// SPDX-License-Identifier: Apache-2.0
#include "schedule.h"
#include "base/alloc.h"
#include "base/machine.h"
#include "base/transport.h"
#include "run/ranks/collective.h"
#include "run/ranks/rotation.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double MOST = 0.05; /* of the time, at an interval of seconds */
static const double MORE = 0.25; /* of the time so far, to the next one … */
static const double SOON = 0.1;  /* … in s, at least */

/* Seconds to the next one at `now`. Where old ones stay, a short bake has some, too. */
static double interval(const struct bw_chain *c, double now)
{
    const double every = c->preset->checkpoint_every;
    return c->preset->checkpoint_keep ? every : fmin(every, fmax(MORE * (now - c->schedule.began), SOON));
}

void schedule_begin(struct bw_chain *c)
{
    struct checkpoint_schedule *k = &c->schedule;
    const struct bw_preset *p = c->preset;
    char *obstacle = c->opt.out ? checkpoint_blocker(c) : NULL;
    k->able = c->opt.out && !obstacle && !c->partial && (p->checkpoint_every > 0 || p->checkpoint_frames > 0);
    if (obstacle) log_line(&c->log, BW_LOG_WARNING, NULL, obstacle);
    bw_free(obstacle);
    k->began = bw_seconds();
    k->due = p->checkpoint_every > 0 ? k->began + interval(c, k->began) : HUGE_VAL;
}

/* By several ranks: when all files before it are whole, for it lists them. */
static enum bw_status checkpoint_to_writer(struct bw_chain *c, int64_t substeps)
{
    const int32_t rank = c->ranks ? rotation_checkpoint_rank(c) : 0, own = c->ranks ? c->ranks->rank : 0;
    enum bw_status status = rotation_drain(c);
    struct checkpoint *p = NULL;
    if (status != BW_OK) return status;
    if (own == 0 || own == rank) p = checkpoint_take(c, substeps, own == 0);
    if (!p && (own == 0 || own == rank)) return log_status(&c->log);
    if (rank) status = checkpoint_transfer(c, p, rank);
    if (status == BW_OK && own == rank) {
        rotation_serve_snapshot(c, p->state);
        status = writer_checkpoint(&c->writer, p);
    } else checkpoint_free(p);
    return status == BW_OK && c->ranks ? rotation_serve(c, rank) : status;
}

static enum bw_status schedule_checkpoint(struct bw_chain *c, int64_t substeps)
{
    struct checkpoint_schedule *k = &c->schedule;
    double now = bw_seconds(), each = (double)k->nanoseconds * 1e-9 / (k->completed > 0 ? k->completed : 1);
    const enum bw_status status = checkpoint_to_writer(c, substeps);
    if (c->preset->checkpoint_every > 0) k->due = now + fmax(interval(c, now), each / MOST);
    schedule_add_seconds(k, bw_seconds() - now);
    return status;
}

/* Counted from the first frame and not from the last checkpoint, so that a resumed bake keeps the same ones; the writer
 * has two at most, since it takes no new frame before the one in front of the older is on disk. Where old ones stay,
 * the first frame has one, for whatever is to change later. */
static bool frames_due(const struct bw_chain *c)
{
    const int64_t every = c->preset->checkpoint_frames, made = c->clock.frame - c->preset->time.first + 1;
    return (every > 0 && made % every == 0) || (made == 1 && !c->preset->checkpoint_keep);
}

enum bw_status schedule_frame(struct bw_chain *c, bool early, bool last)
{
    struct checkpoint_schedule *k = &c->schedule;
    bool asked = c->opt.checkpoint && atomic_exchange(c->opt.checkpoint, 0);
    bool due = frames_due(c) || (bw_seconds() >= k->due && !writer_has_checkpoint(&c->writer));
    bool wanted = last ? !c->preset->frames_from : asked || due;
    return collective_first_decides(c, k->able && (early || wanted)) ? schedule_checkpoint(c, -1) : BW_OK;
}

enum bw_status schedule_stop(struct bw_chain *c, int64_t substeps)
{
    return collective_first_decides(c, c->schedule.able) ? schedule_checkpoint(c, substeps) : BW_OK;
}

/* ---- on the writer's thread ---- */

/* checkpoints/NAME_0040.bwck, of a frame in the making checkpoints/NAME_0040_s3.bwck. */
static char *checkpoint_name(const struct bw_chain *c, const struct checkpoint_clock *at)
{
    char part[32] = "";
    if (at->substeps >= 0) snprintf(part, sizeof part, "_s%lld", (long long)at->substeps);
    return bw_printf("checkpoints/%s_%04lld%s.bwck", c->preset->name, (long long)at->frame, part);
}

/* A disk without room for it is no reason to end: the older ones are there. */
static void file_lost(struct bw_chain *c, const char *name)
{
    char *text = bw_printf("the checkpoint %s could not be written: %s", name, strerror(errno));
    if (text) log_line(c->exporters.log, BW_LOG_WARNING, NULL, text);
    bw_free(text);
}

/* `whole`: it is under its name; else it was not worth ending the run. */
static enum bw_status file_write(struct bw_chain *c, struct checkpoint *p, const char *name, bool *whole)
{
    struct output *list = NULL;
    const struct output_owner by = {output_owner_bake.id, NULL, &p->clock.frame};
    const char *path = output_begin(c->exporters.outputs, &list, by, name, true);
    if (!path) return log_status(c->exporters.log);
    bool written = checkpoint_write(c, p, path);
    enum bw_status status = BW_OK;
    if (written) status = output_commit(c->exporters.outputs, &list, path);
    else file_lost(c, name);
    *whole = written && status == BW_OK;
    outputs_discard(&list);
    return status;
}

enum bw_status schedule_write(struct checkpoint *p, void *chain)
{
    struct bw_chain *c = chain;
    double began = bw_seconds();
    bool whole = false;
    if (outputs_holding(c->exporters.outputs))
        return BW_OK; // those of the bake before are worth more than half a frame
    char *name = checkpoint_name(c, &p->clock);
    enum bw_status status = name ? checkpoint_fill(c, p) : BW_ERR_MEMORY;
    if (status == BW_OK) status = file_write(c, p, name, &whole);
    if (whole) schedule_completed(c, name, p->clock.frame, bw_seconds() - began);
    bw_free(name);
    return status;
}

void schedule_report(struct bw_chain *c, double elapsed)
{
    const struct checkpoint_schedule *k = &c->schedule;
    double spent = (double)k->nanoseconds * 1e-9;
    if (!k->completed) return;
    char *text = bw_printf("%d checkpoint%s, %.3g s of %.3g s, most of it beside the simulation", (int)k->completed,
                           k->completed == 1 ? "" : "s", spent, elapsed);
    if (text) log_line(&c->log, BW_LOG_INFO, NULL, text);
    bw_free(text);
}
