// SPDX-License-Identifier: Apache-2.0
#include "source.h"

#include "json_text.h"
#include "look/look_settings.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LOG = 200 }; ///< lines

void source_init(struct source *s, struct bw_session *session)
{
    *s = (struct source){.session = session,
                         .kind = "cache",
                         .coarse = 1,
                         .baked_from = INT64_MIN,
                         .log = json_array(),
                         .written = INT64_MIN};
    pthread_mutex_init(&s->lock, NULL);
}

void source_free(struct source *s)
{
    other_domains_close(s);
    bw_cache_close(s->cache);
    for (int i = 0; i < MAX_UNWRITTEN; i++) bw_snapshot_close(s->unwritten[i]);
    for (int i = 0; i < 2; i++)
        if (s->look_bake[i]) bw_bake_close(s->look_bake[i]); // the last error stays where there is none
    if (s->preset_bake) bw_bake_close(s->preset_bake);
    json_decref(s->listing);
    json_decref(s->progress);
    json_decref(s->log);
    free(s->cache_path);
    free(s->title);
    free(s->folder);
    free(s->files_error);
    free(s->ended);
    free(s->text);
    free(s->changes);
    free(s->note);
    pthread_mutex_destroy(&s->lock);
}

/// A preview, or a simulation that runs on: no bake that a person keeps.
static int is_tuned(const struct source *s) { return !strcmp(s->kind, "preview") || !strcmp(s->kind, "live"); }

static void string_set(char **at, const char *text)
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

/// Replace the listing and its cache, under the lock.
static void cache_replace(struct source *s, struct bw_cache *cache, json_t *names)
{
    // fewer files: a frame may come again under the same name
    s->generation +=
        json_integer_value(json_object_get(names, "count")) < json_integer_value(json_object_get(s->listing, "count"));
    bw_cache_close(s->cache);
    other_domains_close(s);
    s->cache_generation++;
    json_decref(s->listing);
    s->cache = cache;
    s->listing = names;
    s->revision++;
    string_set(&s->files_error, NULL);
    if (!s->is_bake) {
        s->first = json_integer_value(json_object_get(names, "first"));
        s->last = json_integer_value(json_object_get(names, "last"));
    }
    if (s->folder) return;
    s->folder = folder_of(json_string_value(json_object_get(names, "pattern")));
    string_set(&s->title, json_string_value(json_object_get(names, "name")));
}

/// Remember why the files cannot be read, unless a running bake has not written any.
static void files_error_set(struct source *s, const char *sentence)
{
    pthread_mutex_lock(&s->lock);
    const int expected = s->cache_path && (!s->is_bake || (s->listing && !s->bake)); // a bake may write none
    if (expected && (!s->files_error || strcmp(s->files_error, sentence))) {
        string_set(&s->files_error, sentence);
        s->revision++;
    }
    pthread_mutex_unlock(&s->lock);
}

/// List the files again; replace the cache where its listing has changed.
static enum bw_status files_refresh(struct source *s)
{
    struct bw_cache *cache;
    enum bw_status status = s->cache_path ? bw_cache_open(s->session, s->cache_path, &cache) : BW_ERR_IO;
    if (status) return status;
    json_t *names = json_from_text(bw_cache_describe(cache, 0));
    pthread_mutex_lock(&s->lock);
    const int same = !s->files_error && json_equal(names, s->listing);
    if (names && !same) cache_replace(s, cache, names);
    pthread_mutex_unlock(&s->lock);
    if (names && !same) return BW_OK;
    json_decref(names);
    bw_cache_close(cache);
    return BW_OK;
}

/// Read the folder's record again, unless the bake runs here.
static void record_refresh(struct source *s)
{
    pthread_mutex_lock(&s->lock);
    s->revision += !s->bake && bake_record_refresh(&s->record, s->folder);
    pthread_mutex_unlock(&s->lock);
}

void source_refresh(struct source *s)
{
    if (files_refresh(s)) files_error_set(s, bw_error_last()->sentence);
    record_refresh(s);
}

enum bw_status source_show_cache(struct source *s, const char *path)
{
    string_set(&s->cache_path, path);
    enum bw_status status = files_refresh(s);
    if (!status) record_refresh(s);
    return status;
}

/* ---- a bake ---- */

enum bw_status source_show_bake(struct source *s, struct bw_bake *bake)
{
    struct bw_bake_facts f = {.size = sizeof f};
    enum bw_status status = bw_bake_facts(bake, &f);
    if (status) return status;
    string_set(&s->title, f.name);
    string_set(&s->cache_path, f.out);
    string_set(&s->folder, f.out);
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
    string_set(&s->ended, NULL);
    json_decref(s->progress);
    s->progress = NULL;
    s->revision++;
    pthread_mutex_unlock(&s->lock);
    return BW_OK;
}

char *source_bake_record(struct source *s, struct bake_record *record)
{
    pthread_mutex_lock(&s->lock);
    const int can = !s->bake && s->record.present && !is_tuned(s);
    *record = s->record;
    char *folder = can ? strdup(s->folder) : NULL;
    pthread_mutex_unlock(&s->lock);
    return folder;
}

void source_progress(struct source *s, const struct bw_bake_progress *p)
{
    pthread_mutex_lock(&s->lock);
    json_decref(s->progress);
    s->progress = json_pack("{s:s, s:I, s:i, s:i, s:o, s:o, s:I, s:I}", "line", p->line, "frame", (json_int_t)p->frame,
                            "done", p->done, "total", p->total, "elapsed", json_number(p->elapsed), "divergence",
                            json_number(p->divergence), "cells", (json_int_t)p->cells, "memory", (json_int_t)p->memory);
    s->revision++;
    s->written = p->written;
    struct bw_snapshot *written[MAX_UNWRITTEN] = {0};
    for (int i = 0; s->cache && i < MAX_UNWRITTEN; i++) { // from now on their files are read
        if (!s->unwritten[i] || s->unwritten_frame[i] > s->written) continue;
        written[i] = s->unwritten[i];
        s->unwritten[i] = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < MAX_UNWRITTEN; i++) bw_snapshot_close(written[i]);
}

void source_frame(struct source *s, struct bw_snapshot *snapshot, int hold)
{
    struct bw_snapshot_facts f = {.size = sizeof f};
    if (!hold || bw_snapshot_facts(snapshot, &f) || bw_snapshot_hold(snapshot)) return;
    pthread_mutex_lock(&s->lock);
    struct bw_snapshot *oldest = s->unwritten[MAX_UNWRITTEN - 1];
    for (int i = MAX_UNWRITTEN - 1; i > 0; i--) {
        s->unwritten[i] = s->unwritten[i - 1];
        s->unwritten_frame[i] = s->unwritten_frame[i - 1];
    }
    s->unwritten[0] = snapshot;
    s->unwritten_frame[0] = f.frame;
    s->revision++;
    pthread_mutex_unlock(&s->lock);
    bw_snapshot_close(oldest);
}

void source_log(struct source *s, int32_t level, const char *who, const char *text)
{
    if (level < 1) return;
    pthread_mutex_lock(&s->lock);
    json_array_append_new(s->log, json_pack("[I, i, s, s]", (json_int_t)++s->log_lines, level, who, text));
    if (json_array_size(s->log) > MAX_LOG) json_array_remove(s->log, 0);
    s->revision++;
    pthread_mutex_unlock(&s->lock);
}

void source_end(struct source *s, const char *sentence)
{
    files_refresh(s);
    pthread_mutex_lock(&s->lock);
    s->bake = NULL;
    string_set(&s->ended, sentence ? sentence : "");
    s->revision++;
    pthread_mutex_unlock(&s->lock);
    record_refresh(s);
}

int source_is_complete(struct source *s)
{
    pthread_mutex_lock(&s->lock);
    const int complete = !s->bake && s->record.present && s->record.complete;
    pthread_mutex_unlock(&s->lock);
    return complete;
}

int source_is_baking(struct source *s)
{
    pthread_mutex_lock(&s->lock);
    const int runs = s->bake && !is_tuned(s);
    pthread_mutex_unlock(&s->lock);
    return runs;
}

int source_command(struct source *s, enum bw_status (*command)(struct bw_bake *bake))
{
    pthread_mutex_lock(&s->lock);
    const int runs = s->bake != NULL;
    if (runs) command(s->bake);
    pthread_mutex_unlock(&s->lock);
    return runs;
}

/* ---- a preset that is tuned ---- */

void source_set_look(struct source *s, struct bw_bake *look)
{
    pthread_mutex_lock(&s->lock);
    struct bw_bake *old = s->look_bake[1];
    s->look_bake[1] = s->look_bake[0];
    s->look_bake[0] = look;
    s->generation++;
    s->revision++;
    pthread_mutex_unlock(&s->lock);
    if (old) bw_bake_close(old);
}

void source_set_preset(struct source *s, const char *text, const char *changes, double coarse)
{
    pthread_mutex_lock(&s->lock);
    string_set(&s->text, text);
    string_set(&s->changes, changes);
    s->coarse = coarse;
    s->revision++;
    pthread_mutex_unlock(&s->lock);
}

void source_set_coarse(struct source *s, double coarse)
{
    pthread_mutex_lock(&s->lock);
    s->coarse = coarse;
    s->revision++;
    pthread_mutex_unlock(&s->lock);
}

void source_set_note(struct source *s, const char *note)
{
    pthread_mutex_lock(&s->lock);
    string_set(&s->note, note);
    s->revision++;
    pthread_mutex_unlock(&s->lock);
}

void source_drop_frames(struct source *s)
{
    struct bw_snapshot *dropped[MAX_UNWRITTEN];
    pthread_mutex_lock(&s->lock);
    memcpy(dropped, s->unwritten, sizeof dropped);
    memset(s->unwritten, 0, sizeof s->unwritten);
    s->generation++;
    s->revision++;
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < MAX_UNWRITTEN; i++) bw_snapshot_close(dropped[i]);
}

void source_set_baked_from(struct source *s, int64_t frame)
{
    pthread_mutex_lock(&s->lock);
    s->baked_from = frame;
    s->revision++;
    pthread_mutex_unlock(&s->lock);
}

void source_clear_bake(struct source *s)
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

/* ---- frames ---- */

enum bw_status source_view(struct source *s, struct bw_snapshot *snapshot, const char *look, struct bw_view **view)
{
    char why[200];
    json_t *settings = *look ? look_settings(look, why) : NULL;
    const size_t n = json_array_size(settings);
    const char **set = calloc(n + 1, sizeof *set);
    for (size_t i = 0; set && i < n; i++) set[i] = json_string_value(json_array_get(settings, i));
    pthread_mutex_lock(&s->lock);
    struct bw_bake *bake = s->look_bake[0];
    pthread_mutex_unlock(&s->lock);
    enum bw_status status = set ? bw_view_open_as(snapshot, bake, set, (int32_t)n, view) : BW_ERR_MEMORY;
    free((void *)set);
    json_decref(settings);
    return status;
}

/// A frame in memory, else of the files; of a simulation that runs on the newest, where that one has gone. Files are
/// read without the lock; a cache that is closed meanwhile answers that it has no such frame.
static enum bw_status frame_acquire(struct source *s, int64_t frame, struct bw_snapshot **snapshot)
{
    *snapshot = NULL;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < MAX_UNWRITTEN && !*snapshot; i++)
        if (s->unwritten[i] && s->unwritten_frame[i] == frame && bw_snapshot_hold(s->unwritten[i]) == BW_OK)
            *snapshot = s->unwritten[i];
    struct bw_snapshot *newest = s->unwritten[0];
    if (!*snapshot && newest && !strcmp(s->kind, "live") && bw_snapshot_hold(newest) == BW_OK) *snapshot = newest;
    struct bw_cache *cache = s->cache;
    pthread_mutex_unlock(&s->lock);
    return *snapshot ? BW_OK : cache ? bw_cache_frame(cache, frame, snapshot) : BW_ERR_USAGE;
}

enum bw_status source_snapshot(struct source *s, int64_t frame, struct bw_snapshot **snapshot)
{
    enum bw_status status = frame_acquire(s, frame, snapshot);
    if (status != BW_ERR_USAGE || files_refresh(s)) return status; // the file may be new
    return frame_acquire(s, frame, snapshot);
}

enum bw_status source_points(struct source *s, int64_t frame, struct bw_snapshot **points)
{
    *points = NULL;
    pthread_mutex_lock(&s->lock);
    struct bw_cache *cache = s->cache;
    pthread_mutex_unlock(&s->lock);
    return cache ? bw_cache_points(cache, frame, points) : BW_ERR_IO;
}

int source_has_frame(struct source *s, int64_t frame)
{
    json_t *range;
    size_t n;
    int has = 0;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < MAX_UNWRITTEN; i++) has |= s->unwritten[i] && s->unwritten_frame[i] == frame;
    json_array_foreach (json_object_get(s->listing, "ranges"), n, range)
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

int64_t source_revision(struct source *s)
{
    pthread_mutex_lock(&s->lock);
    const int64_t revision = s->revision;
    pthread_mutex_unlock(&s->lock);
    return revision;
}

json_t *source_json(struct source *s, int with_log)
{
    pthread_mutex_lock(&s->lock);
    json_t *ranges = json_object_get(s->listing, "ranges");
    json_t *state =
        json_pack("{s:i, s:s, s:s?, s:f, s:s?, s:b, s:b, s:s?, s:s?, s:I, s:I, s:O?, s:O?, s:I, s:I}", "id", s->id,
                  "kind", s->kind, "changes", s->changes, "coarse", s->coarse, "title", s->title, "bake", s->is_bake,
                  "running", s->bake != NULL, "ended", s->ended, "error", s->files_error, "first", (json_int_t)s->first,
                  "last", (json_int_t)s->last, "ranges", ranges, "progress", s->progress, "generation",
                  (json_int_t)s->generation, "revision", (json_int_t)s->revision);
    json_object_set_new(state, "log", with_log ? json_incref(s->log) : json_array());
    json_t *unwritten = json_array();
    for (int i = 0; i < MAX_UNWRITTEN; i++)
        if (s->unwritten[i]) json_array_append_new(unwritten, json_integer(s->unwritten_frame[i]));
    json_object_set_new(state, "note", json_string(s->note ? s->note : ""));
    json_object_set_new(state, "unwritten", unwritten);
    json_object_set_new(state, "baked_from", s->baked_from > INT64_MIN ? json_integer(s->baked_from) : json_null());
    json_object_set_new(state, "record", s->bake || is_tuned(s) ? json_null() : bake_record_json(&s->record));
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
