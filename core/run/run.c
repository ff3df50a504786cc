// SPDX-License-Identifier: Apache-2.0
/* The loop: frames, substeps, activation, stages in order. */
#include "chain.h"
#include "base/alloc.h"
#include <math.h>
#include <string.h>

static bool in_window(const struct chain_stage *s, int64_t frame)
{
    return frame >= s->preset->frame_first && frame <= s->preset->frame_last;
}

static enum bw_status memory_fail(struct bw_chain *c)
{
    double need = (double)bw_pool_bytes() * 1.15, limit = c->preset->memory_limit;
    if (!(limit > 0)) return chain_fail(c, NULL, BW_ERR_MEMORY, "frame %lld: out of memory", (long long)c->frame);
    double h = c->domain[0]->info.h * cbrt(need / limit > 1.3 ? need / limit : 1.3);
    return chain_fail(
        c, NULL, BW_ERR_LIMIT,
        "frame %lld: the memory limit of %.3g GiB is reached with %lld active cells; a voxel of %.3g m or a higher "
        "limits.memory would fit",
        (long long)c->frame, limit / (1 << 30), (long long)(bw_chain_tiles(c) * BW_TILE_CELLS), h);
}

/* Status of a callback, with a sentence in every case. */
static enum bw_status stage_status(struct bw_chain *c, struct chain_stage *s, enum bw_status st, const char *what)
{
    bool said = false;
    for (int32_t i = 0; i < c->n_stages;
         i++) { /* a stage may have failed inside another's step: a projection called by it */
        said |= c->stage[i].failed;
        if (st == BW_OK) st = c->stage[i].fail_status; /* nobody may shrug a failure off */
    }
    if (s->failed && st < 0 && st != BW_ERR_CANCELLED) st = s->fail_status; /* as the sentence has it */
    if (st == BW_OK || st == BW_ERR_CANCELLED) return st;
    if (st == BW_ERR_MEMORY && !said) return memory_fail(c);
    if (st > 0 || st < BW_ERR_CANCELLED)
        return chain_fail(c, &s->preset->place, BW_ERR_PLUGIN, "%s: %s returned %d, which is no status", s->pub.id,
                          what, (int)st);
    if (!said) chain_fail(c, &s->preset->place, st, "%s: %s failed without saying why", s->pub.id, what);
    return st;
}

/* What a stage sees of the clock in callbacks before the step (dt = 0: no step is being made). */
static void clock_set(struct bw_chain *c, struct chain_stage *s, double dt)
{
    s->pub.time = c->time;
    s->pub.dt = dt;
    s->pub.step = c->step;
    s->pub.frame = (double)c->preset->time.first + (c->time + dt) * c->preset->time.fps;
}

static enum bw_status stages_init(struct bw_chain *c)
{
    for (int32_t i = 0; i < c->n_stages; i++) {
        struct chain_stage *s = &c->stage[i];
        if (s->initialised) continue;
        enum bw_status st = chain_stage_params(s, c->time);
        if (st != BW_OK) return st;
        clock_set(c, s, 0);
        s->initialised = true;
        if (s->pub.desc->init) st = stage_status(c, s, s->pub.desc->init(&s->pub), "init");
        chain_stage_scratch_end(s);
        if (st != BW_OK) return st;
    }
    return BW_OK;
}

/* ---- activation ---- */

static bool domain_has_alive(const struct bw_domain *d)
{
    for (const struct bw_field *f = d->fields; f; f = f->next)
        if (f->info.alive > 0) return true;
    return false;
}

static bool domain_has_activator(const struct bw_chain *c, int32_t domain)
{
    for (int32_t i = 0; i < c->n_stages; i++)
        if (c->stage[i].domain == domain && c->stage[i].pub.desc->activate) return true;
    return false;
}

static void want_all(struct bw_domain *d)
{
    int64_t lo[3] = {0, 0, 0}, hi[3];
    for (int a = 0; a < 3; a++) hi[a] = d->info.n[a] - 1;
    bw_domain_want_cells(d, lo, hi);
}

/* Cells that the flow may cross in the next step: what the CFL rule allows, or what a fixed step makes of the speed. */
static double flow_reach(struct bw_chain *c, int32_t domain)
{
    const struct bw_preset_time *t = &c->preset->time;
    double dt = t->dt > 0 ? t->dt : 1 / t->fps / (t->substeps_max > 0 ? t->substeps_max : 64), cells = t->cfl;
    for (int32_t i = 0; i < c->n_fields; i++) {
        const struct chain_field *f = &c->field[i];
        if (f->kind != BW_MAC || !f->advected || !f->field || f->field->domain != c->domain[domain]) continue;
        double speed = c->field[i].speed = bw_field_max_abs(f->field, c->workers);
        for (int a = 0; a < 3; a++) speed = fmax(speed, fabs(f->field->info.background[a]));
        cells = fmax(cells, speed * dt / f->field->domain->info.h);
    }
    return ceil(cells) + 2;
}

/* A domain in which nothing is ever alive keeps all that was once made active; one that nobody activates is all active. */
static enum bw_status domain_want(struct bw_chain *c, int32_t i)
{
    struct bw_domain *d = c->domain[i];
    if (bw_bounded(&d->info) && !domain_has_activator(c, i)) {
        want_all(d);
        return BW_OK;
    }
    if (!domain_has_alive(d)) {
        for (int64_t t = 0; t < d->topo->pub.count; t++) bw_domain_want(d, d->topo->coord[t]);
        return BW_OK;
    }
    return bw_domain_want_alive(d, flow_reach(c, i), c->workers);
}

static enum bw_status activate_all(struct bw_chain *c)
{
    enum bw_status st = BW_OK;
    for (int32_t i = 0; i < c->preset->n_domains && st == BW_OK; i++) st = domain_want(c, i);
    for (int32_t i = 0; i < c->n_stages && st == BW_OK; i++) {
        struct chain_stage *s = &c->stage[i];
        if (!s->pub.desc->activate || !in_window(s, c->frame)) continue;
        clock_set(c, s, 0);
        s->activating = true;
        st = stage_status(c, s, s->pub.desc->activate(&s->pub), "activate");
        s->activating = false;
        chain_stage_scratch_end(s);
        if (st != BW_OK) return st;
    }
    for (int32_t i = 0; i < c->preset->n_domains && st == BW_OK; i++) {
        st = bw_domain_commit(c->domain[i]);
        if (st != BW_OK) return memory_fail(c);
        if (domain_has_alive(c->domain[i]) && c->step > 0) {
            chain_metric(c, c->preset->domain[i].name, "dropped", c->domain[i]->dropped, BW_METRIC_SUM);
            c->domain[i]->dropped = 0;
        }
    }
    return st == BW_ERR_MEMORY ? memory_fail(c) : st;
}

static enum bw_status step_fields_clear(struct bw_chain *c)
{
    for (int32_t i = 0; i < c->n_fields; i++)
        if (c->field[i].field && c->field[i].lifetime == BW_STEP && bw_field_clear(c->field[i].field) != BW_OK)
            return memory_fail(c);
    return BW_OK;
}

/* ---- one step ---- */

static enum bw_status params_eval_all(struct bw_chain *c, double t)
{
    for (int32_t i = 0; i < c->n_stages; i++) {
        if (!bw_params_animated(c->stage[i].params)) continue;
        enum bw_status st = chain_stage_params(&c->stage[i], t);
        if (st != BW_OK) return st;
    }
    return BW_OK;
}

/* The CFL rule over every advected velocity, and what the stages themselves can take. */
static enum bw_status longest_step(struct bw_chain *c, double *longest)
{
    double dt = HUGE_VAL;
    for (int32_t i = 0; i < c->n_fields; i++) {
        struct chain_field *f = &c->field[i];
        if (f->kind != BW_MAC || !f->advected || !f->field) continue;
        double m = f->speed >= 0 ? f->speed : bw_field_max_abs(f->field, c->workers);
        f->speed = -1;
        if (m < 0) return memory_fail(c);
        if (m > 0) dt = fmin(dt, c->preset->time.cfl * f->field->domain->info.h / m);
    }
    for (int32_t i = 0; i < c->n_stages; i++) {
        struct chain_stage *s = &c->stage[i];
        if (!s->pub.desc->max_dt || (s->pub.desc->flags & BW_STAGE_SUBSTEPS) || !in_window(s, c->frame)) continue;
        clock_set(c, s, 0);
        double one = s->pub.desc->max_dt(&s->pub);
        chain_stage_scratch_end(s);
        enum bw_status st = stage_status(c, s, BW_OK, "max_dt");
        if (st != BW_OK) return st;
        if (!(one > 0))
            return chain_fail(c, &s->preset->place, BW_ERR_PLUGIN, "%s: max_dt answered %g s", s->pub.id, one);
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
    enum bw_status st = longest_step(c, &longest);
    if (st != BW_OK) return st;
    longest = fmin(longest, frame_dt / (t->substeps_min > 0 ? t->substeps_min : 1) * (1 + 1e-9));
    double shortest = frame_dt / (t->substeps_max > 0 ? t->substeps_max : 64);
    if (longest < shortest) {
        chain_metric(c, "run", "cfl_exceeded", shortest / longest, BW_METRIC_MAX);
        longest = shortest;
    }
    double n = ceil(remaining / longest - 1e-6);
    *dt = remaining / (n < 1 ? 1 : n);
    return BW_OK;
}

/* Fields are watched by the sweeps that write them; particles here, after the stage that moved them. */
static enum bw_status particles_watch(struct bw_chain *c, const struct chain_stage *s)
{
    for (uint32_t i = 0; i < s->pub.desc->n_ports; i++) {
        const struct bw_particles *p = s->bound[i].particles;
        const char *attribute = NULL;
        int64_t id = p && chain_port(s, i).access != BW_READ ? bw_particles_bad(p, &attribute) : -1;
        if (id < 0) continue;
        return chain_fail(c, &s->preset->place, BW_ERR_DIVERGED,
                          "frame %lld: %s: \"%s\" of particle %lld of \"%s\" is not a number", (long long)c->frame,
                          s->pub.id, attribute, (long long)id, bw_particles_name(p));
    }
    return BW_OK;
}

static enum bw_status stages_step(struct bw_chain *c, double dt, bool setup)
{
    for (int32_t i = 0; i < c->n_stages; i++) {
        struct chain_stage *s = &c->stage[i];
        if (!in_window(s, c->frame) || (setup && !(s->pub.desc->flags & BW_STAGE_SETUP))) continue;
        if (c->opt.cancel && *c->opt.cancel) return BW_ERR_CANCELLED;
        double t0 = chain_seconds();
        clock_set(c, s, dt);
        enum bw_status st = stage_status(c, s, s->pub.desc->step(&s->pub), "step");
        s->pub.dt = 0;
        chain_stage_scratch_end(s);
        if (st == BW_OK) st = particles_watch(c, s);
        s->seconds += chain_seconds() - t0;
        if (st != BW_OK) return st;
    }
    return BW_OK;
}

static enum bw_status substep(struct bw_chain *c, double remaining, double frame_dt, double *made)
{
    enum bw_status st = params_eval_all(c, c->time);
    if (st == BW_OK) st = activate_all(c);
    if (st == BW_OK) st = step_fields_clear(c);
    double dt = 0;
    if (st == BW_OK) st = choose_dt(c, remaining, frame_dt, &dt);
    if (st != BW_OK) return st;
    c->step++;
    st = params_eval_all(c, c->time + dt);
    if (st == BW_OK) st = stages_step(c, dt, false);
    *made = dt;
    c->time += dt;
    c->progress.substeps++;
    c->progress.cells = bw_chain_tiles(c) * BW_TILE_CELLS;
    if (st == BW_OK && c->opt.on_substep) c->opt.on_substep(&c->progress, c->opt.user);
    return st;
}

static enum bw_status outputs_settle(struct bw_chain *c, int all)
{
    for (int32_t i = 0; i < c->n_stages; i++) {
        enum bw_status st = chain_outputs_commit(c, &c->stage[i].outputs, all);
        if (st != BW_OK) return st;
    }
    return BW_OK;
}

/* Initial conditions: stages flagged for set-up act once with dt = 0. */
static enum bw_status setup(struct bw_chain *c)
{
    c->step = 0;
    enum bw_status st = activate_all(c);
    if (st == BW_OK) st = step_fields_clear(c);
    return st == BW_OK ? stages_step(c, 0, true) : st;
}

static enum bw_status frame_advance(struct bw_chain *c)
{
    double fps = c->preset->time.fps, end = (double)(c->frame - c->preset->time.first) / fps;
    enum bw_status st = BW_OK;
    for (double remaining = end - c->time; st == BW_OK && remaining > 1e-9 / fps; remaining = end - c->time) {
        double made = 0;
        st = substep(c, remaining, 1 / fps, &made);
    }
    c->time = end; /* no drift over thousands of frames */
    return st;
}

static enum bw_status frame_finish(struct bw_chain *c, double began)
{
    const struct bw_preset_time *t = &c->preset->time;
    c->progress.frame = c->frame;
    c->progress.done++;
    c->progress.memory = chain_resident_bytes();
    c->progress.cells = bw_chain_tiles(c) * BW_TILE_CELLS;
    c->progress.divergence = chain_metric_largest(c, "divergence");
    c->progress.residual = chain_metric_largest(c, "residual");
    c->progress.iterations = chain_metric_largest(c, "iterations");
    enum bw_status st = BW_OK;
    if (c->frame >= t->write_first && c->frame <= t->write_last) st = chain_write_frame(c, c->frame);
    c->progress.seconds = chain_seconds() - began;
    if (st == BW_OK && c->frame >= t->write_first) st = chain_metrics_frame_end(c, c->frame);
    if (st == BW_OK) st = outputs_settle(c, 0);
    if (st == BW_OK && c->opt.on_frame) c->opt.on_frame(&c->progress, c->opt.user);
    return st;
}

static enum bw_status frames_run(struct bw_chain *c)
{
    const struct bw_preset_time *t = &c->preset->time;
    double start = chain_seconds();
    int64_t from = t->first - t->warmup, to = t->write_last;
    c->progress = (struct bw_progress){.first = t->write_first,
                                       .last = t->write_last,
                                       .total = (int32_t)(to - from + 1),
                                       .divergence = NAN,
                                       .residual = NAN,
                                       .iterations = NAN};
    if (c->opt.max_frames && to - from + 1 > c->opt.max_frames) to = from + c->opt.max_frames - 1;
    c->time = -(double)t->warmup / t->fps;
    c->frame = from;
    enum bw_status st = stages_init(c);
    if (st == BW_OK) st = chain_exporters_start(c);
    for (c->frame = from; c->frame <= to && st == BW_OK; c->frame++) {
        double began = chain_seconds();
        chain_metrics_frame_begin(c);
        c->progress.substeps = 0;
        st = c->frame == from ? setup(c) : frame_advance(c);
        c->progress.elapsed = chain_seconds() - start;
        if (st == BW_OK) st = frame_finish(c, began);
        if (st == BW_OK && c->preset->time_limit > 0 && c->progress.elapsed > c->preset->time_limit && c->frame < to)
            st = chain_fail(c, NULL, BW_ERR_LIMIT, "frame %lld: the time limit of %g s is reached", (long long)c->frame,
                            c->preset->time_limit);
        if (st == BW_OK && c->opt.cancel && *c->opt.cancel && c->frame < to) st = BW_ERR_CANCELLED;
    }
    return st;
}

enum bw_status bw_chain_check(struct bw_chain *c, struct bw_diag *d)
{
    if (c->ran) return bw_diag_error(d, NULL, BW_ERR_USAGE, "a chain runs once: make a new one");
    c->ran = true;
    c->diag = d;
    c->frame = c->preset->time.first - c->preset->time.warmup;
    c->time = -(double)c->preset->time.warmup / c->preset->time.fps;
    enum bw_status st = stages_init(c);
    c->diag = NULL;
    return st;
}

enum bw_status bw_chain_run(struct bw_chain *c, struct bw_diag *d)
{
    if (c->ran) return bw_diag_error(d, NULL, BW_ERR_USAGE, "a chain runs once: make a new one");
    c->ran = true;
    c->diag = d;
    bw_pool_limit((int64_t)fmin(c->preset->memory_limit, 9e18));
    enum bw_status st = frames_run(c);
    enum bw_status end = chain_exporters_finish(c, st == BW_OK);
    if (st == BW_OK) st = end;
    if (st == BW_OK) st = outputs_settle(c, 1);
    bw_pool_limit(0);
    if (st != BW_OK && st != BW_ERR_CANCELLED && d->status == BW_OK)
        bw_diag_error(d, NULL, st, "the run stopped without saying why");
    c->diag = NULL;
    return st;
}
