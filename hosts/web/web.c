// SPDX-License-Identifier: Apache-2.0
/* The module: what is shown, the threads that draw it, the server, and a clock that tells pages what is new. */
#include "web.h"

#include "http/server.h"
#include "save/save_media.h"
#include "tune/tune.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct bw_web {
    struct shelf shelf;
    struct source *bake; ///< of the bake that is shown, or NULL
    struct tune *tune;   ///< or NULL
    struct views views;
    struct queue queue;
    struct recorder recorder;
    struct server server;
    struct resumes resumes;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int stop, ticks;
    pthread_t clock;
    int has_clock;
};

/* ---- the clock ---- */

static const long TICK = 200000000; ///< ns: how often pages hear what is new
enum { LOOK_TICKS = 10, ALIVE_TICKS = 10 };

/// 0: the end.
static int clock_wait(struct bw_web *w)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TICK;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&w->lock);
    while (!w->stop && !pthread_cond_timedwait(&w->wake, &w->lock, &until)) continue;
    const int goes_on = !w->stop;
    pthread_mutex_unlock(&w->lock);
    return goes_on;
}

static void *clock_run(void *web)
{
    struct bw_web *w = web;
    while (clock_wait(w)) {
        w->ticks++;
        if (w->server.daemon) connection_limit_expire(&w->server.connection_limit);
        if (!events_count(&w->server.events)) continue; // nobody looks: nothing is done
        if (w->ticks % LOOK_TICKS == 0) shelf_refresh(&w->shelf);
        events_publish(&w->server.events, w->ticks % ALIVE_TICKS == 0);
    }
    return NULL;
}

static int clock_start(struct bw_web *w)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return w->has_clock = !pthread_create(&w->clock, NULL, clock_run, w);
}

static void clock_stop(struct bw_web *w)
{
    pthread_mutex_lock(&w->lock);
    w->stop = 1;
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
    if (w->has_clock) pthread_join(w->clock, NULL);
    pthread_cond_destroy(&w->wake);
}

/* ---- open and close ---- */

static void web_close(struct bw_web *w)
{
    if (!w) return;
    clock_stop(w);
    queue_stop(&w->queue);
    resumes_stop(&w->resumes);
    server_stop(&w->server);
    recorder_cancel(&w->recorder);
    resumes_free(&w->resumes);
    tune_close(w->tune);
    views_free(&w->views);
    shelf_free(&w->shelf);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/// Signals are for the program's own threads.
static void signals_block(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

static enum bw_status web_start(struct bw_web *w, const struct bw_web_options *o, char *why, size_t why_size)
{
    const int drawing = queue_start(&w->queue, &w->shelf, &w->views, &w->recorder, o->gentle);
    w->server = (struct server){.shelf = &w->shelf,
                                .queue = &w->queue,
                                .resumes = &w->resumes,
                                .plotter = o->plotter ? o->plotter : BW_PLOTTER};
    enum bw_status status = server_start(&w->server, o->listen ? o->listen : "127.0.0.1", o->port, why, why_size);
    const int ticking = clock_start(w);
    if (status || (drawing && ticking)) return status;
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
    shelf_init(&w->shelf, session);
    views_init(&w->views);
    resumes_init(&w->resumes, &w->shelf, &w->server.events);
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
    struct source *s = shelf_add(&w->shelf, "cache");
    if (!s) return BW_ERR_MEMORY;
    source_tell(s, NULL, what, 1); // two may have one name
    const enum bw_status status = source_show_cache(s, what);
    if (status) shelf_drop(&w->shelf, s); // and the sentence stays
    shelf_give(&w->shelf, s);
    return status;
}

static enum bw_status web_show_bake(struct bw_web *w, struct bw_bake *b)
{
    w->bake = shelf_add(&w->shelf, "bake"); // in use until the end
    return w->bake ? source_show_bake(w->bake, b) : BW_ERR_MEMORY;
}

static enum bw_status web_tune(struct bw_web *w, const char *preset)
{
    w->tune = tune_open(&w->shelf, preset);
    w->server.tune = w->tune;
    return w->tune ? BW_OK : bw_error_last()->status ? bw_error_last()->status : BW_ERR;
}

static void web_progress(struct bw_web *w, const struct bw_bake_progress *p) { source_progress(w->bake, p); }
/// A bake that the page goes on with wants it open as well.
static int32_t web_viewers(struct bw_web *w) { return events_count(&w->server.events) + resumes_count(&w->resumes); }
static int32_t web_whole(struct bw_web *w) { return w->bake && source_whole(w->bake); }
static void web_end(struct bw_web *w, const char *sentence) { source_end(w->bake, sentence); }

/// A frame that nobody looks at is not held, which would make the run copy what it writes to.
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
    .whole = web_whole,
    .viewers = web_viewers,
    .close = web_close,
};
