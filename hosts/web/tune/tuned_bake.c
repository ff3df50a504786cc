// SPDX-License-Identifier: Apache-2.0
#include "tuned_bake.h"

#include "folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- callbacks ---- */

/// By the frames after the second, for the first ones take more than their own time; where there is none yet, at least.
static void pace_measure(struct tuned_bake *b, const struct bw_bake_progress *p)
{
    enum { FIRST = 2 };
    const int64_t warmup = p->total - (p->last - p->first + 1);
    const double frames = (double)(warmup + b->measure_frame - p->first + 1);
    if (p->frame_done && p->done == FIRST) b->first_s = p->elapsed;
    b->foretold_s = p->done > FIRST ? frames * (p->elapsed - b->first_s) / (p->done - FIRST + !p->frame_done)
                                    : frames * p->elapsed / (p->done + 1);
    b->frames_done = p->done;
    b->elapsed_s = p->elapsed;
}

static void on_progress(struct bw_bake *bake, const struct bw_bake_progress *p, void *user)
{
    struct tuned_bake *b = user;
    (void)bake;
    source_progress(b->source, p);
    pace_measure(b, p);
    if (p->frame_done && p->frame == b->measure_frame && !b->resumed) b->measured_s = p->elapsed;
}

static void on_frame(struct bw_bake *bake, struct bw_snapshot *snapshot, void *user)
{
    struct tuned_bake *b = user;
    struct bw_snapshot_facts f = {.size = sizeof f};
    (void)bake;
    if (!bw_snapshot_facts(snapshot, &f) && f.frame >= b->first) b->frames_made++;
    source_frame(b->source, snapshot, 1);
}

static void on_log(struct bw_bake *bake, int32_t level, const char *who, const char *text, void *user)
{
    struct tuned_bake *b = user;
    (void)bake;
    source_log(b->source, level, who, text);
}

/* ---- start ---- */

/// Show the preset's text and its changes with the source.
static void changes_describe(struct tuned_bake *b, const struct parsed_preset *p, double coarse)
{
    char *changes = preset_diff(b->baseline, p->values);
    source_set_preset(b->source, p->text, changes ? changes : "", coarse);
    free(changes);
}

/// A preview writes into a folder of its own, and only what the page reads: VDB files, the usual ones where the preset
/// writes none, and many checkpoints, from which later previews are resumed.
static enum bw_status bake_open(struct tuned_bake *b, const struct plan *plan, const struct parsed_preset *p)
{
    const char *const set[] = {"checkpoints.every=0 s", "checkpoints.frames=4", "checkpoints.keep=1000",
                               "export=[{vdb: {}}]"};
    struct bw_bake_options o = {.size = sizeof o, .preset = plan->path, .text = p->text, .user = b};
    char from[32];
    int32_t n = 0;
    while (p->mute[n]) n++;
    o.on_progress = on_progress;
    o.on_frame = on_frame;
    o.on_log = on_log;
    o.out = b->folder ? b->folder : "";
    o.mode = b->folder ? BW_BAKE_REPLACE : BW_BAKE_BESIDE;
    o.coarse = plan->coarse;
    o.warmup = 1;
    o.set = set;
    o.n_set = b->folder ? 3 + !p->caches : 0;
    if (b->folder && p->caches) {
        o.mute = (const char *const *)p->mute;
        o.n_mute = n;
    }
    if (b->resumed) {
        snprintf(from, sizeof from, "%lld", (long long)plan->first_changed);
        o.mode = BW_BAKE_RESUME;
        if (plan->base) o.from_frame = from;
    }
    return bw_bake_open(plan->sources->session, &o, &b->bake);
}

/// Errors are in bw_error_last.
static enum bw_status bake_start(struct tuned_bake *b, const struct plan *plan, const struct parsed_preset *p)
{
    struct bw_bake_facts f = {.size = sizeof f};
    enum bw_status status = bake_open(b, plan, p);
    if (!status) status = bw_bake_facts(b->bake, &f);
    if (!status) status = source_show_bake(b->source, b->bake);
    if (status) return status;
    b->first = f.first;
    b->measure_frame = f.first + (int64_t)(f.fps + 0.5) - 1;
    if (b->measure_frame > f.last) b->measure_frame = f.last;
    status = bw_bake_start(b->bake);
    if (status || !b->resumed) return status;
    source_refresh(b->source); // the first frames are the base's
    status = bw_bake_facts(b->bake, &f);
    if (!status) source_set_baked_from(b->source, f.resumed + 1);
    return status;
}

/// Resume from the base's last checkpoint before the first changed frame. 0: there is none, and nothing has begun.
static int bake_resume_from_base(struct tuned_bake *b, const struct plan *plan, const struct parsed_preset *p)
{
    if (!plan->base || !b->folder) return 0;
    b->resumed = 1;
    if (folder_clone(plan->base->folder, b->folder) && !bake_start(b, plan, p)) {
        b->frames_made = 1; // those of the base
        return 1;
    }
    source_clear_bake(b->source);
    bw_bake_close(b->bake);
    b->bake = NULL;
    b->resumed = 0;
    folder_remove(b->folder);
    return 0;
}

/// Close the bake; `sentence` says why it ended, NULL: all frames are made.
static void bake_end(struct tuned_bake *b, const char *sentence)
{
    source_end(b->source, sentence);
    bw_bake_close(b->bake);
    b->bake = NULL;
}

struct tuned_bake *tuned_bake_start(const struct plan *plan, struct parsed_preset *p)
{
    struct tuned_bake *b = calloc(1, sizeof *b);
    if (b) b->source = sources_add(plan->sources, plan->folder ? "preview" : "full");
    if (!b || !b->source) {
        free(b);
        parsed_preset_free(p);
        return NULL;
    }
    if (plan->folder && (b->folder = malloc(strlen(plan->folder) + 16)))
        sprintf(b->folder, "%s/%d", plan->folder, (int)b->source->id);
    const double fewer = pow(plan->coarse, p->flat ? 2 : 3);
    b->cells = p->cells / fewer;
    b->work = p->work / fewer;
    b->baseline = json_deep_copy(plan->baseline);
    changes_describe(b, p, plan->coarse);
    b->values = json_incref(p->values);
    if (!bake_resume_from_base(b, plan, p) && bake_start(b, plan, p)) {
        char *why = strdup(bw_error_last()->sentence);
        bake_end(b, why ? why : "out of memory");
        free(why);
    }
    b->flow = p->flow;
    p->flow = NULL;
    source_set_look(b->source, p->look);
    p->look = NULL;
    parsed_preset_free(p);
    return b;
}

int tuned_bake_resume(struct tuned_bake *b, const struct plan *plan, struct parsed_preset *p)
{
    const int resumed = b->resumed;
    b->resumed = 1; // its time does not measure the machine
    if (!bake_open(b, plan, p) && !source_resume(b->source, b->bake) && !bw_bake_start(b->bake)) {
        tuned_bake_set_look(b, p);
        return 1;
    }
    source_clear_bake(b->source);
    bw_bake_close(b->bake);
    b->bake = NULL;
    b->resumed = resumed;
    return 0;
}

int tuned_bake_poll(struct tuned_bake *b)
{
    if (!b->bake) return 1;
    const int status = bw_bake_wait(b->bake, 0);
    if (status == 1) return 0;
    char *why = status ? strdup(bw_error_last()->sentence) : NULL;
    b->complete = !status;
    bake_end(b, why);
    free(why);
    return 1;
}

void tuned_bake_cancel(struct tuned_bake *b)
{
    if (!b->bake) return;
    bw_bake_cancel(b->bake);
    bw_bake_cancel(b->bake); // twice: without a checkpoint
    bw_bake_wait(b->bake, -1);
    bake_end(b, "another change came");
}

void tuned_bake_set_look(struct tuned_bake *b, struct parsed_preset *p)
{
    changes_describe(b, p, b->source->coarse);
    source_set_look(b->source, p->look);
    p->look = NULL;
    parsed_preset_free(p);
}

void tuned_bake_free(struct sources *sources, struct tuned_bake *b)
{
    if (!b) return;
    tuned_bake_cancel(b);
    sources_remove(sources, b->source);
    sources_release(sources, b->source);
    if (b->folder) folder_remove(b->folder);
    json_decref(b->baseline);
    json_decref(b->values);
    free(b->folder);
    free(b->flow);
    free(b);
}
