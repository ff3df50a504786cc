// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700
#include "attempt.h"

#include "since.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- folders ---- */

static int entry_remove(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    remove(path);
    return 0;
}

void folder_remove(const char *folder) { nftw(folder, entry_remove, 16, FTW_DEPTH | FTW_PHYS); }

/* ---- callbacks ---- */

static void on_progress(struct bw_bake *bake, const struct bw_bake_progress *p, void *user)
{
    struct attempt *a = user;
    (void)bake;
    source_progress(a->source, p);
    if (p->frame_done && p->frame == a->second && !a->resumed) a->seconds = p->elapsed;
}

static void on_frame(struct bw_bake *bake, struct bw_snapshot *snapshot, void *user)
{
    struct attempt *a = user;
    (void)bake;
    a->frames++;
    source_frame(a->source, snapshot, 1);
}

static void on_log(struct bw_bake *bake, int32_t level, const char *who, const char *text, void *user)
{
    struct attempt *a = user;
    (void)bake;
    source_log(a->source, level, who, text);
}

/* ---- life ---- */

static void attempt_tell(struct attempt *a, const struct reading *g, double coarse)
{
    char *words = changes_words(a->before, g->values);
    source_set_preset(a->source, g->text, words ? words : "", coarse);
    free(words);
}

/// Only what the page reads is written, in a folder of its own; of a preset that writes no VDB files the usual ones.
/// Checkpoints are many, for what is changed later on.
static enum bw_status bake_open(struct attempt *a, const struct plan *plan, const struct reading *g)
{
    const char *const set[] = {"checkpoints.every=0 s", "checkpoints.frames=4", "checkpoints.keep=1000",
                               "export=[{vdb: {}}]"};
    struct bw_bake_options o = {.size = sizeof o, .preset = plan->path, .text = g->text, .user = a};
    char from[32];
    int32_t n = 0;
    while (g->mute[n]) n++;
    o.on_progress = on_progress;
    o.on_frame = on_frame;
    o.on_log = on_log;
    o.out = a->folder ? a->folder : "";
    o.mode = a->folder ? BW_BAKE_REPLACE : BW_BAKE_BESIDE;
    o.coarse = plan->coarse;
    o.set = set;
    o.n_set = a->folder ? 3 + !g->caches : 0;
    if (a->folder && g->caches) {
        o.mute = (const char *const *)g->mute;
        o.n_mute = n;
    }
    if (a->resumed) {
        snprintf(from, sizeof from, "%lld", (long long)plan->since);
        o.mode = BW_BAKE_RESUME;
        if (plan->base) o.from_frame = from;
    }
    return bw_bake_open(plan->session, &o, &a->bake);
}

/// Errors are in bw_error_last.
static enum bw_status bake_begin(struct attempt *a, const struct plan *plan, const struct reading *g)
{
    struct bw_bake_facts f = {.size = sizeof f};
    enum bw_status status = bake_open(a, plan, g);
    if (!status) status = bw_bake_facts(a->bake, &f);
    if (!status) status = source_show_bake(a->source, a->bake);
    if (status) return status;
    a->second = f.first + (int64_t)(f.fps + 0.5) - 1;
    if (a->second > f.last) a->second = f.last;
    status = bw_bake_start(a->bake);
    if (status || !a->resumed) return status;
    source_refresh(a->source); // its first frames are there already
    status = bw_bake_facts(a->bake, &f);
    if (!status) source_set_baked_from(a->source, f.resumed + 1);
    return status;
}

/// From the last checkpoint before what was changed. 0: there is none that is good, and nothing has begun.
static int bake_go_on(struct attempt *a, const struct plan *plan, const struct reading *g)
{
    if (!plan->base || !a->folder) return 0;
    a->resumed = 1;
    if (since_folder(plan->base->folder, a->folder) && !bake_begin(a, plan, g)) {
        a->frames = 1; // some are there
        return 1;
    }
    source_clear_bake(a->source);
    bw_bake_close(a->bake);
    a->bake = NULL;
    a->resumed = 0;
    folder_remove(a->folder);
    return 0;
}

static void attempt_end(struct attempt *a, const char *sentence)
{
    source_end(a->source, sentence);
    bw_bake_close(a->bake);
    a->bake = NULL;
}

struct attempt *attempt_begin(const struct plan *plan, struct reading *g)
{
    struct attempt *a = calloc(1, sizeof *a);
    if (a) a->source = sources_add(plan->sources, plan->folder ? "preview" : "full");
    if (!a || !a->source) {
        free(a);
        reading_free(g);
        return NULL;
    }
    if (plan->folder && (a->folder = malloc(strlen(plan->folder) + 16)))
        sprintf(a->folder, "%s/%d", plan->folder, (int)a->source->id);
    a->work = g->work / (g->flat ? plan->coarse * plan->coarse : plan->coarse * plan->coarse * plan->coarse);
    a->before = json_deep_copy(plan->before);
    attempt_tell(a, g, plan->coarse);
    a->values = json_incref(g->values);
    if (!bake_go_on(a, plan, g) && bake_begin(a, plan, g)) {
        char *why = strdup(bw_error_last()->sentence);
        attempt_end(a, why ? why : "out of memory");
        free(why);
    }
    a->flow = g->flow;
    g->flow = NULL;
    source_set_look(a->source, g->look);
    g->look = NULL;
    reading_free(g);
    return a;
}

int attempt_again(struct attempt *a, const struct plan *plan, struct reading *g)
{
    const int resumed = a->resumed;
    a->resumed = 1; // its seconds tell nothing
    if (!bake_open(a, plan, g) && !source_resume(a->source, a->bake) && !bw_bake_start(a->bake)) {
        attempt_look(a, g);
        return 1;
    }
    source_clear_bake(a->source);
    bw_bake_close(a->bake);
    a->bake = NULL;
    a->resumed = resumed;
    return 0;
}

int attempt_over(struct attempt *a)
{
    if (!a->bake) return 1;
    const int status = bw_bake_wait(a->bake, 0);
    if (status == 1) return 0;
    char *why = status ? strdup(bw_error_last()->sentence) : NULL;
    a->whole = !status;
    attempt_end(a, why);
    free(why);
    return 1;
}

void attempt_stop(struct attempt *a)
{
    if (!a->bake) return;
    bw_bake_cancel(a->bake);
    bw_bake_cancel(a->bake); // at once: what it made is small
    bw_bake_wait(a->bake, -1);
    attempt_end(a, "another change came");
}

void attempt_look(struct attempt *a, struct reading *g)
{
    attempt_tell(a, g, a->source->coarse);
    source_set_look(a->source, g->look);
    g->look = NULL;
    reading_free(g);
}

void attempt_free(struct sources *sources, struct attempt *a)
{
    if (!a) return;
    attempt_stop(a);
    sources_remove(sources, a->source);
    sources_release(sources, a->source);
    if (a->folder) folder_remove(a->folder);
    json_decref(a->before);
    json_decref(a->values);
    free(a->folder);
    free(a->flow);
    free(a);
}
