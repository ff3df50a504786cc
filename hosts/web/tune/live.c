// SPDX-License-Identifier: Apache-2.0
#include "live.h"

#include "clock.h"
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEFAULT_RATE = 6e6;  ///< cells of the full box a second and core, until it is measured
static const double TARGET = 12;         ///< steps a second, so that pictures of them have a share of the time
static const double LEAST = 8;           ///< below it is too slow
static const double MEASURED_S = 1.5;    ///< s without waiting after which it is measured at the latest
static const double MAX_COARSE = 6;      ///< factor of the voxels
static const long IDLE_POLL = 200000000; ///< ns between looks at whether a page is open
enum { MEASURED = 16, MAX_WIDER = 2, FRAMES = 1000000 };

struct live {
    struct sources *sources;
    struct events *events;
    const char *path;
    struct source *source; ///< or NULL, before the first preset
    struct bw_bake *bake;  ///< NULL: it has ended
    char *text, *flow;     ///< of the preset that runs
    json_t *first_values;  ///< of the preset as it was opened
    int64_t first;         ///< frame
    double fps, coarse;
    int flat, wider;         ///< wider: how often the voxels became wider for being too slow
    int begun;               ///< its pace was measured since it started
    double wanted;           ///< factor of the voxels for the next start; 0: as it is
    int frames, steps;       ///< of the bake's thread: made since it last measured, at most MEASURED …
    double seconds;          ///< … in so many, without waiting
    _Atomic double measured; ///< steps a second; 0: not yet
    pthread_mutex_t lock;    ///< of the following
    pthread_cond_t wake;
    int paused, stop;
    double due; ///< when the next frame is
};

/* ---- callbacks of the bake ---- */

static void on_progress(struct bw_bake *bake, const struct bw_bake_progress *p, void *user)
{
    struct live *l = user;
    (void)bake;
    source_progress(l->source, p);
    if (!p->frame_done) return;
    l->steps += p->substeps;
    l->seconds += p->seconds;
    if (++l->frames < MEASURED && l->seconds < MEASURED_S) return;
    if (l->seconds > 0) l->measured = l->steps / l->seconds;
    l->frames = l->steps = 0;
    l->seconds = 0;
}

/// Wait until the next frame is due, it is not paused, and a page is open.
static void pace_wait(struct live *l)
{
    pthread_mutex_lock(&l->lock);
    l->due = fmax(l->due + 1 / l->fps, clock_seconds(CLOCK_MONOTONIC));
    while (!l->stop) {
        const int waits = l->paused || !events_count(l->events);
        const double left = l->due - clock_seconds(CLOCK_MONOTONIC);
        if (!waits && left <= 0) break;
        const struct timespec until = deadline_after(waits ? IDLE_POLL : (long)(1e9 * fmin(left, 1)));
        pthread_cond_timedwait(&l->wake, &l->lock, &until);
    }
    pthread_mutex_unlock(&l->lock);
}

static void on_frame(struct bw_bake *bake, struct bw_snapshot *snapshot, void *user)
{
    struct live *l = user;
    (void)bake;
    source_frame(l->source, snapshot, 1);
    pace_wait(l);
}

static void on_log(struct bw_bake *bake, int32_t level, const char *who, const char *text, void *user)
{
    struct live *l = user;
    (void)bake;
    source_log(l->source, level, who, text);
}

/* ---- start and stop ---- */

/// Open the bake of a text: of what runs, and of values that it takes.
static enum bw_status bake_open(struct live *l, const char *text, struct bw_bake **bake)
{
    char frames[64];
    snprintf(frames, sizeof frames, "time.frames=%lld-%lld", (long long)l->first, (long long)l->first + FRAMES);
    const char *const set[] = {"time.warmup=0", frames};
    const struct bw_bake_options o = {.size = sizeof o,
                                      .preset = l->path,
                                      .text = text,
                                      .set = set,
                                      .n_set = 2,
                                      .coarse = l->coarse,
                                      .user = l,
                                      .on_progress = on_progress,
                                      .on_frame = on_frame,
                                      .on_log = on_log};
    return bw_bake_open(l->sources->session, &o, bake);
}

static void bake_end(struct live *l, const char *sentence)
{
    source_end(l->source, sentence);
    bw_bake_close(l->bake);
    l->bake = NULL;
}

void live_stop(struct live *l)
{
    if (!l || !l->bake) return;
    pthread_mutex_lock(&l->lock);
    l->stop = 1;
    pthread_cond_broadcast(&l->wake);
    pthread_mutex_unlock(&l->lock);
    bw_bake_cancel(l->bake);
    bw_bake_cancel(l->bake); // twice: at once
    bw_bake_wait(l->bake, -1);
    bake_end(l, "another change came");
}

/// From the first frame; the page tells why it can't.
static void bake_start(struct live *l)
{
    l->stop = 0;
    l->frames = l->steps = 0;
    l->seconds = l->due = 0;
    l->measured = 0;
    l->begun = 0;
    if (l->wanted > 0) source_set_coarse(l->source, l->coarse = l->wanted);
    l->wanted = 0;
    source_drop_frames(l->source);
    if (!bake_open(l, l->text, &l->bake) && !source_resume(l->source, l->bake) && !bw_bake_start(l->bake)) return;
    char *why = strdup(bw_error_last()->sentence);
    bake_end(l, why ? why : "out of memory");
    free(why);
}

/* ---- a preset ---- */

/// The factor of the voxels, in quarters, by which a frame takes 1 / TARGET s.
static double coarse_choose(const struct live *l, const struct parsed_preset *p)
{
    const double rate = DEFAULT_RATE * fmin((double)l->sources->cores, 16);
    const double k = pow(p->cells * TARGET / rate, p->flat ? 1.0 / 2 : 1.0 / 3);
    return fmin(fmax(ceil(4 * k) / 4, 1), MAX_COARSE);
}

/// Set values of what runs. 0: they can't change while it runs, and bw_error_last says which.
static int values_set(struct live *l, const char *text)
{
    struct bw_bake *values = NULL;
    enum bw_status status = bake_open(l, text, &values);
    if (!status) status = bw_bake_set_values(l->bake, values);
    char *why = status ? strdup(bw_error_last()->sentence) : NULL;
    bw_bake_close(values);
    char *note = why ? malloc(strlen(why) + 32) : NULL;
    if (note) sprintf(note, "%s: it has started anew", why);
    source_set_note(l->source, note ? note : "");
    free(note);
    free(why);
    return !status;
}

static void facts_take(struct live *l, struct parsed_preset *p)
{
    struct bw_bake_facts f = {.size = sizeof f};
    if (!bw_bake_facts(p->look, &f)) l->first = f.first, l->fps = f.fps;
    l->flat = p->flat;
}

/// Its text, flow and look.
static void preset_take(struct live *l, struct parsed_preset *p)
{
    char *changes = preset_diff(l->first_values, p->values);
    source_set_preset(l->source, p->text, changes ? changes : "", l->coarse);
    free(changes);
    free(l->text);
    free(l->flow);
    l->text = p->text;
    l->flow = p->flow;
    p->text = p->flow = NULL;
    source_set_look(l->source, p->look);
    p->look = NULL;
    if (!l->first_values) l->first_values = json_incref(p->values);
    parsed_preset_free(p);
}

void live_show(struct live *l, struct parsed_preset *p)
{
    if (!l->source && !(l->source = sources_add(l->sources, "live"))) {
        parsed_preset_free(p);
        return;
    }
    sources_set_current(l->sources, l->source->id);
    const int same = l->bake && l->flow && !strcmp(l->flow, p->flow);
    if (same) source_set_note(l->source, "");
    if (same || (l->bake && values_set(l, p->text))) {
        preset_take(l, p);
        return;
    }
    live_stop(l);
    facts_take(l, p);
    const double coarse = coarse_choose(l, p);
    if (!(coarse <= l->coarse && l->wider)) l->coarse = coarse, l->wider = 0, l->wanted = 0;
    preset_take(l, p);
    bake_start(l);
}

void live_restart(struct live *l)
{
    if (!l->source || !l->text) return;
    source_set_note(l->source, "");
    live_stop(l);
    bake_start(l);
    live_pause(l, 0);
}

/// Where it is too slow wider voxels: at once where it has just begun, else when it is started anew.
static void pace_check(struct live *l)
{
    const double rate = l->measured;
    char note[160];
    if (!(rate > 0)) return;
    const int young = !l->begun;
    l->measured = 0;
    l->begun = 1;
    if (rate >= LEAST || l->wanted > 0 || l->wider >= MAX_WIDER || l->coarse >= MAX_COARSE) return;
    l->wider++;
    l->wanted = fmin(ceil(4 * l->coarse * pow(TARGET / rate, l->flat ? 1.0 / 2 : 1.0 / 3)) / 4, MAX_COARSE);
    snprintf(note, sizeof note,
             young ? "%.2g steps a second are too few: it has started anew in wider voxels"
                   : "%.2g steps a second are too few: Restart takes wider voxels",
             rate);
    source_set_note(l->source, note);
    if (!young) return;
    live_stop(l);
    bake_start(l);
}

int live_poll(struct live *l)
{
    if (!l->bake) return 0;
    const int status = bw_bake_wait(l->bake, 0);
    if (status == 1) return pace_check(l), 1;
    char *why = status ? strdup(bw_error_last()->sentence) : NULL;
    bake_end(l, why);
    free(why);
    return 0;
}

void live_pause(struct live *l, int on)
{
    pthread_mutex_lock(&l->lock);
    l->paused = on;
    pthread_cond_broadcast(&l->wake);
    pthread_mutex_unlock(&l->lock);
}

struct live *live_open(struct sources *sources, struct events *events, const char *path)
{
    struct live *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    *l = (struct live){.sources = sources, .events = events, .path = path, .fps = 24, .coarse = 1};
    pthread_mutex_init(&l->lock, NULL);
    cond_init_monotonic(&l->wake);
    return l;
}

void live_free(struct live *l)
{
    if (!l) return;
    live_stop(l);
    if (l->source) sources_remove(l->sources, l->source);
    sources_release(l->sources, l->source);
    pthread_cond_destroy(&l->wake);
    pthread_mutex_destroy(&l->lock);
    json_decref(l->first_values);
    free(l->text);
    free(l->flow);
    free(l);
}
