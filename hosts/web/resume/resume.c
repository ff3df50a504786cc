// SPDX-License-Identifier: Apache-2.0
#include "resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 1000000 }; ///< frames

/* ---- callbacks ---- */

static void on_progress(struct bw_bake *bake, const struct bw_bake_progress *p, void *user)
{
    const struct resume *r = user;
    (void)bake;
    source_progress(r->source, p);
}

static void on_frame(struct bw_bake *bake, struct bw_snapshot *snapshot, void *user)
{
    const struct resume *r = user;
    (void)bake;
    source_frame(r->source, snapshot, events_count(r->all->events) > 0);
}

static void on_log(struct bw_bake *bake, int32_t level, const char *who, const char *text, void *user)
{
    const struct resume *r = user;
    (void)bake;
    source_log(r->source, level, who, text);
}

/* ---- one ---- */

/// The thread: run the bake to its end.
static void *resume_run(void *resume)
{
    struct resume *r = resume;
    const int bad = bw_bake_start(r->bake) || bw_bake_wait(r->bake, -1);
    char *why = bad ? strdup(bw_error_last()->sentence) : NULL;
    source_end(r->source, bad && !why ? "out of memory" : why);
    free(why);
    pthread_mutex_lock(&r->all->lock);
    r->finished = 1;
    pthread_mutex_unlock(&r->all->lock);
    return NULL;
}

static void resume_free(struct resume *r)
{
    bw_bake_close(r->bake);
    sources_release(r->all->sources, r->source);
    *r = (struct resume){.all = r->all};
}

static enum bw_status bake_open(struct resume *r, const struct bake_record *record, const char *folder, int64_t last)
{
    char frames[64], preset[4200];
    struct bw_bake_options o = {.size = sizeof o, .mode = BW_BAKE_RESUME, .out = folder, .user = r};
    snprintf(frames, sizeof frames, "%lld-%lld", (long long)record->first, (long long)last);
    snprintf(preset, sizeof preset, "%s/resolved.yaml", folder);
    char *text = bw_folder_read(folder, "resolved.yaml", 64 << 20, NULL);
    if (!text) return BW_ERR_IO;
    o.preset = preset;
    o.text = text;
    if (last) o.frames = frames;
    if (*record->simd) o.simd = record->simd;
    o.on_progress = on_progress;
    o.on_frame = on_frame;
    o.on_log = on_log;
    const enum bw_status status = bw_bake_open(r->all->sources->session, &o, &r->bake);
    bw_text_free(text);
    return status;
}

/// Start the thread. NULL: it runs; else the sentence that says why not.
static const char *resume_start(struct resume *r, const struct bake_record *record, const char *folder, int64_t last)
{
    static const char no_thread[] = "out of memory for a thread";
    if (!r->source || bake_open(r, record, folder, last) || source_resume(r->source, r->bake))
        return bw_error_last()->sentence;
    if (!pthread_create(&r->thread, NULL, resume_run, r)) return NULL;
    source_end(r->source, no_thread);
    return no_thread;
}

/* ---- all ---- */

void resumes_init(struct resumes *r, struct sources *sources, struct events *events)
{
    *r = (struct resumes){.sources = sources, .events = events};
    pthread_mutex_init(&r->lock, NULL);
    for (int i = 0; i < MAX_RESUMES; i++) r->slot[i].all = r;
}

/// A free slot, under the lock; those of finished bakes are freed. NULL: all are in use.
static struct resume *slot_find(struct resumes *all)
{
    struct resume *unused = NULL;
    for (int i = 0; i < MAX_RESUMES && !all->stop; i++) {
        struct resume *r = &all->slot[i];
        if (r->source && r->finished) {
            pthread_join(r->thread, NULL);
            resume_free(r);
        }
        if (!r->source) unused = r;
    }
    return unused;
}

char *resume_begin(struct resumes *all, struct source *s, int64_t last)
{
    struct bake_record record;
    char *folder = source_bake_record(s, &record), *why;
    if (!folder) return strdup("there is no bake here that can be resumed");
    pthread_mutex_lock(&all->lock);
    struct resume *r = slot_find(all);
    const char *bad = "that cannot be its last frame";
    if (!last || (last >= record.first && last - record.first <= MAX_FRAMES))
        bad = r ? NULL : "too many bakes run here";
    if (!bad) {
        r->source = sources_acquire(all->sources, s->id);
        bad = resume_start(r, &record, folder, last);
    }
    why = bad ? strdup(bad) : NULL;
    if (bad && r) resume_free(r);
    pthread_mutex_unlock(&all->lock);
    free(folder);
    return why;
}

int32_t resumes_count(struct resumes *all)
{
    int32_t n = 0;
    pthread_mutex_lock(&all->lock);
    for (int i = 0; i < MAX_RESUMES; i++) n += all->slot[i].source && !all->slot[i].finished;
    pthread_mutex_unlock(&all->lock);
    return n;
}

void resumes_stop(struct resumes *all)
{
    pthread_mutex_lock(&all->lock);
    all->stop = 1;
    pthread_mutex_unlock(&all->lock);
    for (int i = 0; i < MAX_RESUMES; i++)
        if (all->slot[i].source) bw_bake_cancel(all->slot[i].bake);
    for (int i = 0; i < MAX_RESUMES; i++) {
        if (!all->slot[i].source) continue;
        pthread_join(all->slot[i].thread, NULL);
        resume_free(&all->slot[i]);
    }
}

void resumes_free(struct resumes *all) { pthread_mutex_destroy(&all->lock); }
