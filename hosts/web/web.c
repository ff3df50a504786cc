// SPDX-License-Identifier: Apache-2.0
/* The module's entry points: they own the sources, the view cache, the job queue, the HTTP server, and a timer thread
 * that refreshes the sources and publishes their state on the event stream.
 *
 * http/     server, authorization, routes, responses, event stream
 * render/   query strings, the job queue, pictures, probe
 * look/     values over the look of a cache, for its renders
 * overlay/  particles, outlines, tiles for the page to draw
 * save/     pictures and movies that the page uploads
 * sources/  caches and bakes that are shown, the view cache
 * resume/   bakes that are resumed from the page
 * tune/     the preset that is tuned: parsing, previews, saving
 * page/     the page itself: HTML, CSS, JavaScript */
#include "web.h"

#include "clock.h"
#include "http/server.h"
#include "save/save_media.h"
#include "tune/tune.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct bw_web {
    struct sources sources;
    struct source *bake; ///< of the bake that is shown, or NULL
    struct tune *tune;   ///< or NULL
    struct view_cache views;
    struct queue queue;
    struct recorder recorder;
    struct server server;
    struct resumes resumes;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int stop, ticks;
    _Atomic long tick; ///< ns
    pthread_t timer;
    int has_timer;
};

/* ---- the timer ---- */

static const long TICK = 200000000, LIVE_TICK = 40000000; ///< ns between events at least
enum { REFRESH_TICKS = 10, KEEPALIVE_TICKS = 10 };

/// Sleep for a tick. 0: the module is being closed.
static int timer_wait(struct bw_web *w)
{
    const struct timespec until = deadline_after(w->tick);
    pthread_mutex_lock(&w->lock);
    while (!w->stop && !pthread_cond_timedwait(&w->wake, &w->lock, &until)) continue;
    const int open = !w->stop;
    pthread_mutex_unlock(&w->lock);
    return open;
}

static void *timer_run(void *web)
{
    struct bw_web *w = web;
    while (timer_wait(w)) {
        w->ticks++;
        if (w->server.daemon) connection_limit_expire(&w->server.connection_limit);
        if (!events_count(&w->server.events)) continue; // no page is open: no file is looked at
        if (w->ticks % REFRESH_TICKS == 0) sources_refresh(&w->sources);
        events_publish(&w->server.events, w->ticks % KEEPALIVE_TICKS == 0);
    }
    return NULL;
}

static int timer_start(struct bw_web *w)
{
    cond_init_monotonic(&w->wake);
    return w->has_timer = !pthread_create(&w->timer, NULL, timer_run, w);
}

static void timer_stop(struct bw_web *w)
{
    pthread_mutex_lock(&w->lock);
    w->stop = 1;
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
    if (w->has_timer) pthread_join(w->timer, NULL);
    pthread_cond_destroy(&w->wake);
}

/* ---- open and close ---- */

static void web_close(struct bw_web *w)
{
    if (!w) return;
    timer_stop(w);
    queue_stop(&w->queue);
    resumes_stop(&w->resumes);
    tune_stop(w->tune);
    server_stop(&w->server);
    recorder_cancel(&w->recorder);
    resumes_free(&w->resumes);
    tune_close(w->tune);
    view_cache_free(&w->views);
    sources_free(&w->sources);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/// The module's threads take no signals: the program's do.
static void signals_block(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

static enum bw_status web_start(struct bw_web *w, const struct bw_web_options *o, char *why, size_t why_size)
{
    const int has_workers = queue_start(&w->queue, &w->sources, &w->views, &w->recorder, o->gentle);
    w->server = (struct server){.sources = &w->sources,
                                .queue = &w->queue,
                                .resumes = &w->resumes,
                                .plotter = o->plotter ? o->plotter : BW_PLOTTER};
    enum bw_status status = server_start(&w->server, o->listen ? o->listen : "127.0.0.1", o->port, why, why_size);
    const int has_timer = timer_start(w);
    if (status || (has_workers && has_timer)) return status;
    snprintf(why, why_size, "out of memory for the page's threads");
    return BW_ERR_MEMORY;
}

static enum bw_status web_open(struct bw_session *session, const struct bw_web_options *o, struct bw_web **web,
                               char *why, size_t why_size)
{
    struct bw_web *w = calloc(1, sizeof *w);
    sigset_t before;
    *web = NULL;
    if (!w) return snprintf(why, why_size, "out of memory"), BW_ERR_MEMORY;
    pthread_mutex_init(&w->lock, NULL);
    w->tick = TICK;
    sources_init(&w->sources, session);
    view_cache_init(&w->views);
    resumes_init(&w->resumes, &w->sources, &w->server.events);
    signals_block(&before);
    enum bw_status status = web_start(w, o, why, why_size);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status) web_close(w);
    else *web = w;
    return status;
}

static const char *web_address(const struct bw_web *w) { return w->server.address; }

/* ---- what is shown ---- */

static enum bw_status web_show_cache(struct bw_web *w, const char *what)
{
    struct source *s = sources_add(&w->sources, "cache");
    if (!s) return BW_ERR_MEMORY;
    source_set_preset(s, NULL, what, 1); // two caches may have the same title
    const enum bw_status status = source_show_cache(s, what);
    if (status) sources_remove(&w->sources, s); // bw_error_last stays
    sources_release(&w->sources, s);
    return status;
}

static enum bw_status web_show_bake(struct bw_web *w, struct bw_bake *b)
{
    w->bake = sources_add(&w->sources, "bake"); // never released: the callbacks use it
    return w->bake ? source_show_bake(w->bake, b) : BW_ERR_MEMORY;
}

static enum bw_status web_tune(struct bw_web *w, const char *preset, int32_t live)
{
    w->tune = tune_open(&w->sources, &w->server.events, preset, live);
    w->tick = live ? LIVE_TICK : TICK;
    w->server.tune = w->tune;
    return w->tune ? BW_OK : bw_error_last()->status ? bw_error_last()->status : BW_ERR;
}

static void web_progress(struct bw_web *w, const struct bw_bake_progress *p) { source_progress(w->bake, p); }
/// Open pages, and bakes that were resumed from one: they keep the program running.
static int32_t web_viewers(struct bw_web *w) { return events_count(&w->server.events) + resumes_count(&w->resumes); }
static int32_t web_complete(struct bw_web *w) { return w->bake && source_is_complete(w->bake); }
static void web_end(struct bw_web *w, const char *sentence) { source_end(w->bake, sentence); }

/// Hold the frame only while a page is open: the solver copies a tile that it changes while it is held.
static void web_frame(struct bw_web *w, struct bw_snapshot *snapshot)
{
    source_frame(w->bake, snapshot, events_count(&w->server.events) > 0);
}

static void web_log(struct bw_web *w, int32_t level, const char *who, const char *text)
{
    source_log(w->bake, level, who, text);
}

__attribute__((visibility("default"))) const struct bw_web_calls bw_web_calls = {
    .size = sizeof bw_web_calls,
    .open = web_open,
    .address = web_address,
    .show_cache = web_show_cache,
    .show_bake = web_show_bake,
    .tune = web_tune,
    .progress = web_progress,
    .frame = web_frame,
    .log = web_log,
    .end = web_end,
    .complete = web_complete,
    .viewers = web_viewers,
    .close = web_close,
};
