// SPDX-License-Identifier: Apache-2.0
/* The loop: frames, substeps, activation, stages in order. */
#include "activation.h"
#include "base/memory/account.h"
#include "base/machine.h"
#include "call.h"
#include "checkpoint/schedule.h"
#include "flame_meter.h"
#include "step_facts.h"
#include "run/ranks/collective.h"
#include "run/ranks/rotation.h"
#include "run/wire/levels.h"
#include "run/wire/ports.h"
#include "run/writer/exporter_time.h"
#include "run/writer/particle_velocity.h"
#include "run/writer/obstacle_tiles.h"
#include <math.h>
#include <string.h>

/* Log the preset reader's notes: what it assumed, such as a curve's up axis. */
static void notes_log(struct bw_chain *c)
{
    char line[400];
    for (const char *at = c->preset->notes; at && *at; at += strcspn(at, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        log_line(&c->log, BW_LOG_INFO, "curve", line);
    }
}

static enum bw_status stages_init(struct bw_chain *c)
{
    notes_log(c);
    for (int32_t i = 0; i < c->stages.n; i++) {
        struct run_stage *s = &c->stages.stage[i];
        if (s->initialised) continue;
        enum bw_status status = stage_params(s, c->clock.time);
        if (status != BW_OK) return status;
        call_clock(c, s, 0);
        s->initialised = true;
        if (s->pub.desc->init) status = call_stage(c, s, s->pub.desc->init, "init");
        stage_scratch_end(s);
        if (status != BW_OK) return status;
    }
    return BW_OK;
}

static bool asked(const _Atomic int *flag) { return flag && *flag; }

/* ---- one step ---- */

static enum bw_status params_eval_all(struct bw_chain *c, double t)
{
    for (int32_t i = 0; i < c->stages.n; i++) {
        if (!bw_params_animated(c->stages.stage[i].params)) continue;
        enum bw_status status = stage_params(&c->stages.stage[i], t);
        if (status != BW_OK) return status;
    }
    return BW_OK;
}

/* The largest speed of inflow and moving walls, m/s along an axis: in the first step the gas itself may be at rest. */
static double sides_speed(const struct bw_domain_info *d)
{
    double most = 0;
    for (int side = 0; side < 6; side++) {
        const struct bw_side *s = &d->side[side];
        const int all = s->kind == BW_INFLOW || (s->kind == BW_CLOSED && s->no_slip);
        for (int a = 0; a < 3 && side >> 1 != d->thin; a++)
            if (all || (s->kind == BW_CLOSED && a == side >> 1)) most = fmax(most, fabs(s->velocity[a]));
    }
    return most;
}

/* The longest stable time step: the CFL condition of every advected velocity and of the box's sides, and each stage's
 * max_dt. */
static enum bw_status longest_step(struct bw_chain *c, double *longest)
{
    double dt = HUGE_VAL;
    for (int32_t i = 0; i < c->fields.n; i++) {
        struct run_field *f = &c->fields.field[i];
        if (f->kind != BW_MAC || !f->advected || !f->field) continue;
        double m = f->speed >= 0 ? f->speed : bw_field_max_abs(f->field, c->workers);
        f->speed = -1;
        if (m < 0) return call_no_memory(c, "the largest speed");
        m = fmax(m, sides_speed(&f->field->domain->info));
        if (m > 0) dt = fmin(dt, c->preset->time.cfl * f->field->domain->info.h / m);
    }
    for (int32_t i = 0; i < c->stages.n; i++) {
        struct run_stage *s = &c->stages.stage[i];
        if (!s->pub.desc->max_dt || (s->pub.desc->flags & BW_STAGE_SUBSTEPS) || !call_due(c, s)) continue;
        call_clock(c, s, 0);
        enum bw_status status = collective_stage_begin(c, s);
        if (status == BW_OK && levels_refresh(s, c->workers) != BW_OK) status = call_no_memory(c, s->pub.id);
        if (status != BW_OK) return status;
        const struct where_was was = stage_enter(s, "max_dt");
        double one = s->pub.desc->max_dt(&s->pub);
        stage_leave(s, &was);
        stage_scratch_end(s);
        status = call_status(c, s, BW_OK, "max_dt");
        if (status != BW_OK) return status;
        if (!(one > 0))
            return log_fail(&c->log, &s->preset->place, BW_ERR_PLUGIN, "%s: max_dt answered %g s", s->pub.id, one);
        dt = fmin(dt, one);
    }
    *longest = dt;
    return BW_OK;
}

/* Equal parts of what remains of the frame, within the preset's bounds. */
static enum bw_status choose_dt(struct bw_chain *c, double remaining, double frame_dt, double *dt)
{
    const struct bw_preset_time *t = &c->preset->time;
    if (t->dt > 0) {
        *dt = t->dt < remaining * (1 - 1e-9) ? t->dt : remaining;
        return BW_OK;
    }
    double longest = HUGE_VAL;
    const int fixed = t->substeps_min > 0 && t->substeps_min == t->substeps_max; // whatever the flow's speed
    enum bw_status status = fixed ? BW_OK : longest_step(c, &longest);
    if (status != BW_OK) return status;
    longest = fmin(longest, frame_dt / (t->substeps_min > 0 ? t->substeps_min : 1) * (1 + 1e-9));
    double shortest = frame_dt / (t->substeps_max > 0 ? t->substeps_max : 64);
    if (longest < shortest) {
        metrics_add(&c->metrics, "run", "cfl_exceeded", shortest / longest, BW_METRIC_MAX);
        longest = shortest;
    }
    double n = ceil(remaining / longest - 1e-6);
    *dt = remaining / (n < 1 ? 1 : n);
    return BW_OK;
}

/* NaN check of particles, after the stage that moved them. Of fields the sweep that writes them checks. */
static enum bw_status particles_check_finite(struct bw_chain *c, const struct run_stage *s)
{
    for (uint32_t i = 0; i < s->pub.desc->n_ports; i++) {
        const struct bw_particles *p = s->bound[i].particles;
        const char *attribute = NULL;
        int64_t id = p && port_row(s, i).access != BW_READ ? bw_particles_first_nonfinite(p, &attribute) : -1;
        if (id < 0) continue;
        return log_fail(&c->log, &s->preset->place, BW_ERR_DIVERGED,
                        "frame %lld: %s: \"%s\" of particle %lld of \"%s\" is not a number", (long long)c->clock.frame,
                        s->pub.id, attribute, (long long)id, bw_particles_name(p));
    }
    return BW_OK;
}

/// ALL: make a step; SETUP: set up those with BW_STAGE_SETUP; FRESH: of these, those that the checkpoint lacks.
enum stages_which { STAGES_ALL, STAGES_SETUP, STAGES_FRESH };

static enum bw_status stages_step(struct bw_chain *c, double dt, enum stages_which which)
{
    for (int32_t i = 0; i < c->stages.n; i++) {
        struct run_stage *s = &c->stages.stage[i];
        if (!call_due(c, s) || (which != STAGES_ALL && !(s->pub.desc->flags & BW_STAGE_SETUP))) continue;
        if (which == STAGES_FRESH && !s->fresh) continue;
        if (asked(c->opt.cancel)) return BW_ERR_CANCELLED;
        double t0 = bw_seconds();
        call_clock(c, s, dt);
        enum bw_status status = call_stage(c, s, s->pub.desc->step, "step");
        s->pub.dt = 0;
        stage_growth_watch(s);
        stage_scratch_end(s);
        if (status == BW_OK) status = particles_check_finite(c, s);
        s->seconds += bw_seconds() - t0;
        if (status != BW_OK) return status;
    }
    return BW_OK;
}

/* After a resume with other values: set up the stages that the checkpoint lacks, once, as before a run's first step. */
static enum bw_status fresh_setup(struct bw_chain *c)
{
    bool any = false;
    for (int32_t i = 0; i < c->stages.n; i++) any |= c->stages.stage[i].fresh;
    if (!any) return BW_OK;
    enum bw_status status = stages_step(c, 0, STAGES_FRESH);
    for (int32_t i = 0; i < c->stages.n; i++) c->stages.stage[i].fresh = false;
    for (int32_t i = 0; i < c->fields.n; i++) c->fields.field[i].speed = -1;
    return status == BW_OK ? step_fields_clear(c) : status;
}

/* Update progress.written, the last frame whose files are all on disk: exporters finish later than the frame's stages.
 * */
static void written_update(struct bw_chain *c)
{
    if (c->ranks && c->collective.any) c->progress.written = c->collective.written;
    if (!c->ranks && writer_needs_frames(&c->writer))
        c->progress.written = writer_written(&c->writer, c->progress.written);
}

static void substep_report(struct bw_chain *c)
{
    written_update(c);
    if (c->opt.on_substep) c->opt.on_substep(&c->progress, c->opt.user);
}

static enum bw_status substep(struct bw_chain *c, double remaining, double frame_dt, double *made)
{
    c->where.substep = c->progress.substeps + 1;
    if (c->opt.before_step) c->opt.before_step(c->opt.user);
    enum bw_status status = params_eval_all(c, c->clock.time);
    if (status == BW_OK) status = activation_run(c);
    if (status == BW_OK) status = step_fields_clear(c);
    if (status == BW_OK) status = fresh_setup(c);
    double dt = 0;
    if (status == BW_OK) status = choose_dt(c, remaining, frame_dt, &dt);
    if (status != BW_OK) return status;
    c->clock.step++;
    status = params_eval_all(c, c->clock.time + dt);
    if (status == BW_OK) status = step_lengths_find(c, dt);
    if (status == BW_OK) status = stages_step(c, dt, STAGES_ALL);
    *made = dt;
    c->clock.time += dt;
    c->progress.substeps++;
    c->progress.cells = bw_chain_tiles(c) * BW_TILE_CELLS;
    if (status == BW_OK) substep_report(c);
    return status;
}

static enum bw_status outputs_settle(struct bw_chain *c, bool all)
{
    for (int32_t i = 0; i < c->stages.n; i++) {
        enum bw_status status = outputs_commit(&c->outputs, &c->stages.stage[i].outputs, all);
        if (status != BW_OK) return status;
    }
    return BW_OK;
}

/* Initial conditions: stages flagged for set-up act once with dt = 0. */
static enum bw_status setup(struct bw_chain *c)
{
    c->clock.step = 0;
    enum bw_status status = activation_run(c);
    if (status == BW_OK) status = step_fields_clear(c);
    return status == BW_OK ? stages_step(c, 0, STAGES_SETUP) : status;
}

static enum bw_status frame_advance(struct bw_chain *c)
{
    double fps = c->preset->time.fps, end = (double)(c->clock.frame - c->preset->time.first) / fps;
    enum bw_status status = BW_OK;
    for (double remaining = end - c->clock.time; status == BW_OK && remaining > 1e-9 / fps;
         remaining = end - c->clock.time) {
        double made = 0;
        status = rotation_poll(c);
        if (status != BW_OK) break;
        if (asked(c->opt.stop)) {
            status = collective_snapshot_begin(c);
            if (status == BW_OK) status = schedule_stop(c, c->progress.substeps);
            if (status == BW_OK) status = rotation_drain(c);
            return status == BW_OK ? BW_ERR_CANCELLED : status;
        }
        status = substep(c, call_step_end(c, end) - c->clock.time, 1 / fps, &made);
    }
    c->clock.time = end; /* no drift over thousands of frames */
    return status;
}

/* ---- what leaves the loop ---- */

static enum bw_status frame_write(struct bw_chain *c)
{
    const bool motion = collective_first_decides(c, writer_needs_frames(&c->writer) && c->exporters.motion);
    const uint32_t parts = writer_needs_frames(&c->writer) ? rotation_parts(c) : 0;
    if (!parts) return motion ? particle_velocity_add(c, NULL) : BW_OK;
    struct chain_snapshot *s = snapshot_take(c, c->clock.frame);
    enum bw_status status = s && motion ? particle_velocity_add(c, s) : BW_OK;
    if (s && status == BW_OK && c->exporters.outlines) status = obstacle_tiles_add(c, s);
    if (s) s->parts = parts;
    if (s && status == BW_OK) rotation_serve_snapshot(c, s);
    if (s && status == BW_OK) return writer_frame(&c->writer, s);
    snapshot_free(s);
    if (s) return status;
    return log_fail(&c->log, NULL, BW_ERR_MEMORY, "out of memory for the snapshot of frame %lld",
                    (long long)c->clock.frame);
}

/* Hand a snapshot of the frame to the writer, after the files of the frame before are written. */
static enum bw_status frame_to_writer(struct bw_chain *c)
{
    enum bw_status status = rotation_drain(c);
    if (status == BW_OK) status = frame_write(c);
    return status == BW_OK ? rotation_serve_frame(c) : status;
}

static enum bw_status writer_end(struct bw_chain *c, bool complete)
{
    int64_t before = c->progress.written;
    enum bw_status status = writer_finish(&c->writer, complete);
    if (!c->ranks) c->progress.written = writer_written(&c->writer, before);
    written_update(c);
    if (c->progress.written != before && c->opt.on_substep) c->opt.on_substep(&c->progress, c->opt.user);
    for (int32_t i = 0; i < c->exporters.n_announced && c->opt.on_output; i++) {
        const struct announcement *a = &c->exporters.announced[i];
        if (a->what) c->opt.on_output(a->what, a->path, c->opt.user);
    }
    return status;
}

static void metrics_begin(struct bw_chain *c)
{
    metrics_frame_begin(&c->metrics);
    metrics_frame_begin(&c->timings);
    for (int32_t i = 0; i < c->stages.n; i++) c->stages.stage[i].seconds = 0;
}

static enum bw_status metrics_end(struct bw_chain *c)
{
    const struct bw_progress *p = &c->progress;
    char first[120];
    for (int32_t i = 0; i < c->stages.n; i++) {
        const struct run_stage *s = &c->stages.stage[i];
        if (s->initialised) metrics_add(&c->timings, s->pub.id, "seconds", s->seconds, BW_METRIC_LAST);
    }
    exporter_time_row(&c->exporters, &c->timings);
    snprintf(first, sizeof first, "%lld,%.9g,%d,%lld", (long long)c->clock.frame, c->clock.time, p->substeps,
             (long long)p->cells);
    enum bw_status status = metrics_frame_end(&c->metrics, first);
    snprintf(first, sizeof first, "%lld,%.4f,%lld", (long long)c->clock.frame, p->seconds, (long long)p->memory);
    return status == BW_OK ? metrics_frame_end(&c->timings, first) : status;
}

/* Of whole frames, however the bake ended. */
static enum bw_status metrics_write(struct bw_chain *c)
{
    enum bw_status status = metrics_settle(&c->metrics), other = metrics_settle(&c->timings);
    return status == BW_OK ? other : status;
}

/* ---- frames ---- */

static enum bw_status frame_finish(struct bw_chain *c, double began)
{
    const struct bw_preset_time *t = &c->preset->time;
    c->progress.frame = c->clock.frame;
    c->progress.done++;
    for (int32_t i = 0; i < c->stages.n; i++) c->stage_seconds += c->stages.stage[i].seconds;
    c->progress.memory = bw_resident_bytes();
    c->progress.exporter = exporter_time_most(&c->exporters, &c->progress.exporter_seconds);
    c->progress.cells = bw_chain_tiles(c) * BW_TILE_CELLS;
    c->progress.divergence = metrics_largest(&c->metrics, "divergence");
    c->progress.residual = metrics_largest(&c->metrics, "residual");
    c->progress.iterations = metrics_largest(&c->metrics, "iterations");
    enum bw_status status = collective_snapshot_begin(c);
    collective_metrics(c);
    if (status == BW_OK && c->clock.frame >= t->write_first && c->clock.frame <= t->write_last)
        status = frame_to_writer(c);
    c->progress.seconds = bw_seconds() - began;
    if (status == BW_OK && c->clock.frame >= t->write_first) status = metrics_end(c);
    if (status == BW_OK) status = outputs_settle(c, false);
    const bool whole =
        !writer_needs_frames(&c->writer) && c->clock.frame >= t->write_first; // else the writer sees to it
    if (status == BW_OK && whole && outputs_holding(&c->outputs)) status = outputs_release(&c->outputs);
    if (status != BW_OK) return status; // what is written by now is told at the end
    written_update(c);
    if (!writer_needs_frames(&c->writer) && c->clock.frame >= t->write_first) c->progress.written = c->clock.frame;
    if (c->opt.on_frame) c->opt.on_frame(&c->progress, c->opt.user);
    return BW_OK;
}

/* One frame, or what is left of it: `resumed`, some of its substeps are made. */
static enum bw_status frame_run(struct bw_chain *c, bool resumed, double start)
{
    double began = bw_seconds();
    if (!resumed) metrics_begin(c);
    if (!resumed) c->progress.substeps = 0;
    c->where.frame = c->clock.frame;
    c->where.substep = 0;
    bool first = c->clock.frame == bw_preset_begin(&c->preset->time);
    enum bw_status status = first ? setup(c) : frame_advance(c);
    c->progress.elapsed = bw_seconds() - start;
    return status == BW_OK ? frame_finish(c, began) : status;
}

/* Whether the run ends with this frame, before its time: no error yet. */
static bool ends_early(const struct bw_chain *c)
{
    double limit = c->preset->time_limit;
    return asked(c->opt.stop) || asked(c->opt.cancel) || (limit > 0 && c->progress.elapsed > limit);
}

static enum bw_status early_status(struct bw_chain *c)
{
    if (asked(c->opt.stop) || asked(c->opt.cancel)) return BW_ERR_CANCELLED;
    return log_fail(&c->log, NULL, BW_ERR_LIMIT, "frame %lld: the time limit of %g s is reached",
                    (long long)c->clock.frame, c->preset->time_limit);
}

/* The clock before the first frame, or where the checkpoint has it. */
static enum bw_status run_begin(struct bw_chain *c, int64_t from, bool *resumed)
{
    struct checkpoint_clock at;
    enum bw_status status = collective_begin(c);
    if (status == BW_OK && c->ranks) status = rotation_begin(c);
    if (status == BW_OK) status = stages_init(c);
    if (status == BW_OK && rotation_has_writer(c)) status = writer_prepare(&c->writer, c->clock.time, c->bake.workers);
    if (status == BW_OK && c->opt.resume) status = checkpoint_restore(c, c->opt.resume, &at);
    if (status == BW_OK) status = flame_meter(c);
    if (status == BW_OK && rotation_has_writer(c)) status = writer_start(&c->writer);
    schedule_begin(c);
    if (status != BW_OK || !c->opt.resume) return status;
    *resumed = at.substeps >= 0;
    c->clock = (struct run_clock){at.time, at.step, *resumed ? at.frame : at.frame + 1};
    c->progress.substeps = *resumed ? (int32_t)at.substeps : 0;
    c->progress.done = (int32_t)(c->clock.frame - from);
    if (c->clock.frame > c->progress.first) c->progress.written = c->clock.frame - 1;
    return BW_OK;
}

static enum bw_status frames_run(struct bw_chain *c)
{
    const struct bw_preset_time *t = &c->preset->time;
    double start = bw_seconds();
    int64_t from = bw_preset_begin(t), to = t->write_last;
    bool resumed = false;
    c->progress = (struct bw_progress){.first = t->write_first,
                                       .last = t->write_last,
                                       .total = (int32_t)(to - from + 1),
                                       .written = t->write_first - 1,
                                       .divergence = NAN,
                                       .residual = NAN,
                                       .iterations = NAN};
    if (c->opt.max_frames && to - from + 1 > c->opt.max_frames) to = from + c->opt.max_frames - 1;
    if (c->partial && to > c->until) to = c->until;
    c->clock.time = 0 - t->warmup / t->fps; // not -0
    c->clock.frame = from;
    c->where.frame = from;
    enum bw_status status = run_begin(c, from, &resumed);
    for (; c->clock.frame <= to && status == BW_OK; c->clock.frame++) {
        status = frame_run(c, resumed, start);
        resumed = false;
        if (status != BW_OK) break;
        status = rotation_poll(c);
        bool early = c->clock.frame < to && ends_early(c), last = c->clock.frame == to;
        if (status == BW_OK) status = schedule_frame(c, early, last);
        if (status == BW_OK && (early || last)) status = rotation_drain(c);
        if (status == BW_OK && early) status = early_status(c);
    }
    return status;
}

/* Charge this thread's memory to the chain's account, up to the preset's limit. */
static struct bw_account *memory_begin(struct bw_chain *c)
{
    bw_account_limit(c->account, (int64_t)fmin(c->preset->memory_limit, 9e18));
    return bw_account_use(c->account);
}

static void memory_end(struct bw_chain *c, struct bw_account *before)
{
    bw_account_limit(c->account, 0);
    bw_account_use(before);
}

enum bw_status bw_chain_check(struct bw_chain *c, struct bw_diag *d)
{
    if (c->ran) return bw_diag_error(d, NULL, BW_ERR_USAGE, "a chain runs once: make a new one");
    c->ran = true;
    c->bake.checks = 1;
    c->log.diag = d;
    c->clock.frame = bw_preset_begin(&c->preset->time);
    c->clock.time = 0 - c->preset->time.warmup / c->preset->time.fps;
    struct bw_account *const before = memory_begin(c);
    enum bw_status status = stages_init(c);
    if (status == BW_OK && c->opt.out) status = exporters_start(&c->exporters, c->clock.time);
    memory_end(c, before);
    c->log.diag = NULL;
    return status;
}

void bw_chain_resume(struct bw_chain *c, const char *path, bool changed)
{
    c->opt.resume = path;
    c->opt.changed = changed;
}

enum bw_status bw_chain_run(struct bw_chain *c, struct bw_diag *d)
{
    if (c->ran) return bw_diag_error(d, NULL, BW_ERR_USAGE, "a chain runs once: make a new one");
    c->ran = true;
    c->log.diag = d;
    struct bw_account *const before = memory_begin(c);
    enum bw_status status = c->opt.out ? outputs_open(&c->outputs) : BW_OK;
    if (status == BW_OK) status = frames_run(c);
    collective_end(c);
    enum bw_status end = metrics_write(c);
    if (status == BW_OK) status = end;
    end = writer_end(c, status == BW_OK);
    exporter_time_report(&c->exporters, c->stage_seconds);
    schedule_report(c, c->progress.elapsed);
    if (status == BW_OK) status = end;
    if (status == BW_OK) status = outputs_settle(c, true);
    if (status == BW_OK) status = outputs_release(&c->outputs);
    outputs_drop(&c->outputs);
    if (status != BW_OK && status != BW_ERR_CANCELLED && d->status == BW_OK)
        bw_diag_error(d, NULL, status, "the run stopped without saying why");
    memory_end(c, before);
    c->log.diag = NULL;
    return status;
}
