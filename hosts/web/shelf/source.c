// SPDX-License-Identifier: Apache-2.0
#include "source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 200 }; ///< of the log

void source_init(struct source *s, struct bw_session *session)
{
    *s = (struct source){.session = session,
                         .kind = "cache",
                         .coarse = 1,
                         .since = INT64_MIN,
                         .log = json_array(),
                         .written = INT64_MIN};
    pthread_mutex_init(&s->lock, NULL);
}

void source_free(struct source *s)
{
    others_close(s);
    bw_cache_close(s->cache);
    for (int i = 0; i < SOURCE_MADE; i++) bw_snapshot_close(s->made[i]);
    for (int i = 0; i < 2; i++)
        if (s->look[i]) bw_bake_close(s->look[i]); // the last error stays where there is none
    if (s->preset) bw_bake_close(s->preset);
    json_decref(s->names);
    json_decref(s->progress);
    json_decref(s->log);
    free(s->what);
    free(s->title);
    free(s->folder);
    free(s->gone);
    free(s->ended);
    free(s->text);
    free(s->words);
    pthread_mutex_destroy(&s->lock);
}

static void text_set(char **at, const char *text)
{
    free(*at);
    *at = text ? strdup(text) : NULL;
}

/* ---- files ---- */

/// The bake's folder of FOLDER/vdb/NAME_####.vdb, else the folder of the files.
static char *folder_of(const char *pattern)
{
    char *folder = strdup(pattern), *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) *slash = '\0', slash = strrchr(folder, '/');
    if (slash && !strcmp(slash, "/vdb")) *slash = '\0';
    return folder;
}

static json_t *names_of(struct bw_cache *cache)
{
    char *text = bw_cache_describe(cache, 0);
    json_t *names = text ? json_loads(text, 0, NULL) : NULL;
    bw_text_free(text);
    return names;
}

/// Other files than before, under the lock.
static void files_take(struct source *s, struct bw_cache *cache, json_t *names)
{
    // fewer files: others may come under their names
    s->generation +=
        json_integer_value(json_object_get(names, "count")) < json_integer_value(json_object_get(s->names, "count"));
    bw_cache_close(s->cache);
    others_close(s);
    s->files++;
    json_decref(s->names);
    s->cache = cache;
    s->names = names;
    s->seq++;
    text_set(&s->gone, NULL);
    if (!s->is_bake) {
        s->first = json_integer_value(json_object_get(names, "first"));
        s->last = json_integer_value(json_object_get(names, "last"));
    }
    if (s->folder) return;
    s->folder = folder_of(json_string_value(json_object_get(names, "pattern")));
    text_set(&s->title, json_string_value(json_object_get(names, "name")));
}

static void gone_tell(struct source *s, const char *why)
{
    pthread_mutex_lock(&s->lock);
    const int had = !s->is_bake || (s->names && !s->bake); // a bake may write none
    if (had && (!s->gone || strcmp(s->gone, why))) {
        text_set(&s->gone, why);
        s->seq++;
    }
    pthread_mutex_unlock(&s->lock);
}

/// Look at the names again.
static enum bw_status files_look(struct source *s)
{
    struct bw_cache *cache;
    enum bw_status status = s->what ? bw_cache_open(s->session, s->what, &cache) : BW_ERR_IO;
    if (status) return status;
    json_t *names = names_of(cache);
    pthread_mutex_lock(&s->lock);
    const int same = !s->gone && json_equal(names, s->names);
    if (names && !same) files_take(s, cache, names);
    pthread_mutex_unlock(&s->lock);
    if (names && !same) return BW_OK;
    json_decref(names);
    bw_cache_close(cache);
    return BW_OK;
}

/// Where none runs here, what its folder says may have changed.
static void record_refresh(struct source *s)
{
    pthread_mutex_lock(&s->lock);
    s->seq += !s->bake && record_look(&s->record, s->folder);
    pthread_mutex_unlock(&s->lock);
}

void source_refresh(struct source *s)
{
    if (files_look(s)) gone_tell(s, bw_error_last()->sentence);
    record_refresh(s);
}

enum bw_status source_show_cache(struct source *s, const char *what)
{
    text_set(&s->what, what);
    enum bw_status status = files_look(s);
    if (!status) record_refresh(s);
    return status;
}

/* ---- a bake ---- */

enum bw_status source_show_bake(struct source *s, struct bw_bake *bake)
{
    struct bw_bake_facts f = {.size = sizeof f};
    enum bw_status status = bw_bake_facts(bake, &f);
    if (status) return status;
    text_set(&s->title, f.name);
    text_set(&s->what, f.out);
    text_set(&s->folder, f.out);
    s->bake = bake;
    s->is_bake = 1;
    s->first = f.first;
    s->last = f.last;
    return BW_OK;
}

enum bw_status source_resume(struct source *s, struct bw_bake *bake)
{
    struct bw_bake_facts f = {.size = sizeof f};
    enum bw_status status = bw_bake_facts(bake, &f);
    if (status) return status;
    pthread_mutex_lock(&s->lock);
    s->bake = bake;
    s->is_bake = 1;
    s->first = f.first;
    s->last = f.last;
    text_set(&s->ended, NULL);
    json_decref(s->progress);
    s->progress = NULL;
    s->seq++;
    pthread_mutex_unlock(&s->lock);
    return BW_OK;
}

char *source_record(struct source *s, struct record *record)
{
    pthread_mutex_lock(&s->lock);
    const int can = !s->bake && s->record.known && strcmp(s->kind, "quick") != 0;
    *record = s->record;
    char *folder = can ? strdup(s->folder) : NULL;
    pthread_mutex_unlock(&s->lock);
    return folder;
}

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

void source_progress(struct source *s, const struct bw_bake_progress *p)
{
    pthread_mutex_lock(&s->lock);
    json_decref(s->progress);
    s->progress = json_pack("{s:s, s:I, s:i, s:i, s:o, s:o, s:I, s:I}", "line", p->line, "frame", (json_int_t)p->frame,
                            "done", p->done, "total", p->total, "elapsed", number(p->elapsed), "divergence",
                            number(p->divergence), "cells", (json_int_t)p->cells, "memory", (json_int_t)p->memory);
    s->seq++;
    s->written = p->written;
    struct bw_snapshot *over[SOURCE_MADE] = {0};
    for (int i = 0; s->cache && i < SOURCE_MADE; i++) { // their files are read from now on
        if (!s->made[i] || s->made_frame[i] > s->written) continue;
        over[i] = s->made[i];
        s->made[i] = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < SOURCE_MADE; i++) bw_snapshot_close(over[i]);
}

void source_frame(struct source *s, struct bw_snapshot *snapshot, int hold)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    if (!hold || bw_snapshot_facts(snapshot, &f) || bw_snapshot_hold(snapshot)) return;
    pthread_mutex_lock(&s->lock);
    struct bw_snapshot *oldest = s->made[SOURCE_MADE - 1];
    for (int i = SOURCE_MADE - 1; i > 0; i--) {
        s->made[i] = s->made[i - 1];
        s->made_frame[i] = s->made_frame[i - 1];
    }
    s->made[0] = snapshot;
    s->made_frame[0] = f.frame;
    s->seq++;
    pthread_mutex_unlock(&s->lock);
    bw_snapshot_close(oldest);
}

void source_log(struct source *s, int32_t level, const char *who, const char *text)
{
    if (level < 1) return;
    pthread_mutex_lock(&s->lock);
    json_array_append_new(s->log, json_pack("[I, i, s, s]", (json_int_t)++s->lines, level, who, text));
    if (json_array_size(s->log) > LINES) json_array_remove(s->log, 0);
    s->seq++;
    pthread_mutex_unlock(&s->lock);
}

void source_end(struct source *s, const char *sentence)
{
    files_look(s);
    pthread_mutex_lock(&s->lock);
    s->bake = NULL;
    text_set(&s->ended, sentence ? sentence : "");
    s->seq++;
    pthread_mutex_unlock(&s->lock);
    record_refresh(s);
}

int source_whole(struct source *s)
{
    pthread_mutex_lock(&s->lock);
    const int whole = !s->bake && s->record.known && s->record.complete;
    pthread_mutex_unlock(&s->lock);
    return whole;
}

int source_runs(struct source *s)
{
    pthread_mutex_lock(&s->lock);
    const int runs = s->bake && strcmp(s->kind, "quick") != 0;
    pthread_mutex_unlock(&s->lock);
    return runs;
}

int source_ask(struct source *s, enum bw_status (*ask)(struct bw_bake *bake))
{
    pthread_mutex_lock(&s->lock);
    const int runs = s->bake != NULL;
    if (runs) ask(s->bake);
    pthread_mutex_unlock(&s->lock);
    return runs;
}

/* ---- a preset that is tuned ---- */

void source_look(struct source *s, struct bw_bake *look)
{
    pthread_mutex_lock(&s->lock);
    struct bw_bake *old = s->look[1];
    s->look[1] = s->look[0];
    s->look[0] = look;
    s->generation++;
    s->seq++;
    pthread_mutex_unlock(&s->lock);
    if (old) bw_bake_close(old);
}

void source_tell(struct source *s, const char *text, const char *words, double coarse)
{
    pthread_mutex_lock(&s->lock);
    text_set(&s->text, text);
    text_set(&s->words, words);
    s->coarse = coarse;
    s->seq++;
    pthread_mutex_unlock(&s->lock);
}

void source_since(struct source *s, int64_t frame)
{
    pthread_mutex_lock(&s->lock);
    s->since = frame;
    s->seq++;
    pthread_mutex_unlock(&s->lock);
}

void source_quit(struct source *s)
{
    pthread_mutex_lock(&s->lock);
    s->bake = NULL;
    pthread_mutex_unlock(&s->lock);
}

char *source_text(struct source *s)
{
    pthread_mutex_lock(&s->lock);
    char *text = s->text ? strdup(s->text) : NULL;
    pthread_mutex_unlock(&s->lock);
    return text;
}

/* ---- what is asked of it ---- */

enum bw_status source_view(struct source *s, struct bw_snapshot *snapshot, struct bw_view **view)
{
    pthread_mutex_lock(&s->lock);
    struct bw_bake *look = s->look[0];
    pthread_mutex_unlock(&s->lock);
    return bw_view_open_as(snapshot, look, view);
}

/// What is read from files is read without the lock, which the bake wants. A cache that is closed meanwhile is told as
/// one that has no such frame.
static enum bw_status frame_find(struct source *s, int64_t frame, struct bw_snapshot **snapshot)
{
    *snapshot = NULL;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < SOURCE_MADE && !*snapshot; i++)
        if (s->made[i] && s->made_frame[i] == frame && bw_snapshot_hold(s->made[i]) == BW_OK) *snapshot = s->made[i];
    struct bw_cache *cache = s->cache;
    pthread_mutex_unlock(&s->lock);
    return *snapshot ? BW_OK : cache ? bw_cache_frame(cache, frame, snapshot) : BW_ERR_USAGE;
}

enum bw_status source_snapshot(struct source *s, int64_t frame, struct bw_snapshot **snapshot)
{
    enum bw_status status = frame_find(s, frame, snapshot);
    if (status != BW_ERR_USAGE || files_look(s)) return status; // a file that is new?
    return frame_find(s, frame, snapshot);
}

int source_has(struct source *s, int64_t frame)
{
    json_t *range;
    size_t n;
    int has = 0;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < SOURCE_MADE; i++) has |= s->made[i] && s->made_frame[i] == frame;
    json_array_foreach (json_object_get(s->names, "ranges"), n, range)
        has |= frame >= json_integer_value(json_array_get(range, 0)) &&
               frame <= json_integer_value(json_array_get(range, 1));
    pthread_mutex_unlock(&s->lock);
    return has;
}

int64_t source_generation(struct source *s)
{
    pthread_mutex_lock(&s->lock);
    const int64_t generation = s->generation;
    pthread_mutex_unlock(&s->lock);
    return generation;
}

int64_t source_seq(struct source *s)
{
    pthread_mutex_lock(&s->lock);
    const int64_t seq = s->seq;
    pthread_mutex_unlock(&s->lock);
    return seq;
}

json_t *source_state(struct source *s, int with_log)
{
    pthread_mutex_lock(&s->lock);
    json_t *ranges = json_object_get(s->names, "ranges");
    json_t *state = json_pack("{s:i, s:s, s:s?, s:f, s:s?, s:b, s:b, s:s?, s:s?, s:I, s:I, s:O?, s:O?, s:I, s:I}", "id",
                              s->id, "kind", s->kind, "words", s->words, "coarse", s->coarse, "title", s->title, "bake",
                              s->is_bake, "running", s->bake != NULL, "ended", s->ended, "gone", s->gone, "first",
                              (json_int_t)s->first, "last", (json_int_t)s->last, "ranges", ranges, "progress",
                              s->progress, "generation", (json_int_t)s->generation, "seq", (json_int_t)s->seq);
    json_object_set_new(state, "log", with_log ? json_incref(s->log) : json_array());
    json_t *made = json_array();
    for (int i = 0; i < SOURCE_MADE; i++)
        if (s->made[i]) json_array_append_new(made, json_integer(s->made_frame[i]));
    json_object_set_new(state, "made", made);
    json_object_set_new(state, "since", s->since > INT64_MIN ? json_integer(s->since) : json_null());
    json_object_set_new(state, "record", s->bake || !strcmp(s->kind, "quick") ? json_null() : record_tell(&s->record));
    json_object_set_new(state, "written", s->written > INT64_MIN ? json_integer(s->written) : json_null());
    json_t *copy = json_deep_copy(state); // the log goes on
    json_decref(state);
    pthread_mutex_unlock(&s->lock);
    return copy;
}

char *source_path(struct source *s, const char *name)
{
    char *path = NULL;
    pthread_mutex_lock(&s->lock);
    if (s->folder && (path = malloc(strlen(s->folder) + strlen(name) + 2))) sprintf(path, "%s/%s", s->folder, name);
    pthread_mutex_unlock(&s->lock);
    return path;
}

char *file_read(const char *path, size_t most, size_t *size)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    char *folder = slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
    char *text = folder && path ? bw_folder_read(folder, slash ? slash + 1 : path, most, size) : NULL;
    free(folder);
    return text;
}
