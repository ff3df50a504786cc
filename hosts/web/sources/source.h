// SPDX-License-Identifier: Apache-2.0
/* One source of pictures: the files of a cache, or a bake with its files and the frames that it has just made. A mutex
 * guards it; what is read from files is read without it, so that a bake's callbacks never wait for a disk. */
#ifndef WEB_SOURCE_H
#define WEB_SOURCE_H

#include "bake_record.h"
#include <billow/bake.h>
#include <jansson.h>
#include <pthread.h>

enum { MAX_UNWRITTEN = 4 }; ///< frames that are held in memory: as many as the writer holds
enum { MAX_OTHER_DOMAINS = 4, DOMAIN_NAME = 64 };

/// Files of another domain of the same bake.
struct other_domain {
    char name[DOMAIN_NAME];
    struct bw_cache *cache;
};

struct other_domain_frame {
    char name[DOMAIN_NAME];
    struct bw_snapshot *snapshot;
};

struct source {
    struct bw_session *session;
    int32_t id, users, removed;   ///< of sources.c, under its lock; users: reference count
    const char *kind;             ///< "cache", "bake"; of a preset that is tuned "preview", "live", "full"
    pthread_mutex_t lock;         ///< of all below
    struct bw_bake *look_bake[2]; ///< whose look pictures have, and the one before, which may still be in use; or NULL
    struct bw_bake *preset_bake;  ///< source_preset.c: opened from the preset that a cache was baked from, or NULL
    int64_t preset_generation;    ///< of the files that it belongs to
    char *text, *changes, *note;  ///< of a preset that is tuned: its text, what was changed in it, a sentence; or NULL
    double coarse;                ///< its voxels are so many times as large
    int64_t baked_from;           ///< earlier frames were taken over from another preview; INT64_MIN: none were
    char *cache_path;             ///< what bw_cache_open takes; NULL: a bake that writes nothing
    char *title, *folder;         ///< folder: that holds metrics.csv, or NULL
    struct bw_cache *cache;
    struct other_domain other_domain[MAX_OTHER_DOMAINS]; ///< other_domains.c
    int other_domains_known;
    int64_t cache_generation;  ///< how often `cache` was replaced
    json_t *listing;           ///< the index of the cache: bw_cache_describe of it
    char *files_error;         ///< why the files cannot be read, or NULL
    struct bake_record record; ///< of `folder`
    struct bw_bake *bake;      ///< the running bake, or NULL
    int is_bake;
    int64_t first, last, written;                 ///< written: the last frame whose files are complete
    struct bw_snapshot *unwritten[MAX_UNWRITTEN]; ///< frames whose files are not complete, the newest first; then NULL
    int64_t unwritten_frame[MAX_UNWRITTEN];
    json_t *progress, *log;
    char *ended;                             ///< what ended the bake; "": nothing did; NULL: it has not ended
    int64_t generation, log_lines, revision; ///< counters: of changes of the files, of log lines, of all changes
};

void source_init(struct source *s, struct bw_session *session);
void source_free(struct source *s);
enum bw_status source_show_cache(struct source *s, const char *path);
enum bw_status source_show_bake(struct source *s, struct bw_bake *bake);
/// A bake that was resumed in the source's folder.
enum bw_status source_resume(struct source *s, struct bw_bake *bake);
/// The folder, from malloc, and its record. NULL: there is no bake that can be resumed.
char *source_bake_record(struct source *s, struct bake_record *record);
/// Callbacks of the bake. `hold`: keep the frame in memory until its files are written.
void source_progress(struct source *s, const struct bw_bake_progress *p);
void source_frame(struct source *s, struct bw_snapshot *snapshot, int hold);
void source_log(struct source *s, int32_t level, const char *who, const char *text);
/// The bake has ended; `sentence`: why, NULL: all frames are made.
void source_end(struct source *s, const char *sentence);
/// List the folder again, by names alone, and read the bake's record where it has changed.
void source_refresh(struct source *s);

/// Render pictures with the look of this bake, which the source closes.
void source_set_look(struct source *s, struct bw_bake *look);
/// Of a preset that is tuned: its text, what was changed in it, and the factor of its voxels.
void source_set_preset(struct source *s, const char *text, const char *changes, double coarse);
void source_set_coarse(struct source *s, double coarse);
/// A sentence about what was changed last; "": none.
void source_set_note(struct source *s, const char *note);
/// Of a simulation that starts anew: the frames in memory are none of it.
void source_drop_frames(struct source *s);
void source_set_baked_from(struct source *s, int64_t frame);
/// Forget a bake that could not be started.
void source_clear_bake(struct source *s);
/// The preset's text, from malloc, or NULL.
char *source_text(struct source *s);

/// A snapshot of a frame, to be closed. Errors are in bw_error_last.
enum bw_status source_snapshot(struct source *s, int64_t frame, struct bw_snapshot **snapshot);
/// Particles of a frame's files, to be closed. Errors are in bw_error_last.
enum bw_status source_points(struct source *s, int64_t frame, struct bw_snapshot **points);
/// A view of a snapshot, with the source's look and values over it (look_settings.h), to be closed. Errors are in
/// bw_error_last.
enum bw_status source_view(struct source *s, struct bw_snapshot *snapshot, const char *look, struct bw_view **view);
/// Is there such a frame, by the last listing?
int source_has_frame(struct source *s, int64_t frame);
/// Changes whenever the files of a frame may have changed.
int64_t source_generation(struct source *s);
/// Changes with everything that source_json tells.
int64_t source_revision(struct source *s);
/// source_preset.c: bw_bake_outlines of the preset that it was baked from (bw_text_free), or NULL: there is none.
char *source_outlines(struct source *s, int64_t frame);
/// other_domains.c: the same frame of the bake's other domains with files of their own: how many; each is to be closed.
int source_other_domains(struct source *s, int64_t frame, struct other_domain_frame out[MAX_OTHER_DOMAINS]);
void other_domains_close(struct source *s);
/// How many domains a snapshot's grids have: more than one in memory, one in files.
int domains_count(const struct bw_snapshot_facts *f);
/// Does a bake of it run that is none of a preset that is tuned?
int source_is_baking(struct source *s);
/// Are all frames made, also by a bake that was resumed from the page?
int source_is_complete(struct source *s);
/// The state that the page gets, new.
json_t *source_json(struct source *s, int with_log);
/// Path of a file in the bake's folder, from malloc, or NULL.
char *source_path(struct source *s, const char *name);
/// Stop the running bake, or write a checkpoint. 0: none runs.
int source_command(struct source *s, enum bw_status (*command)(struct bw_bake *bake));
/// A file's bytes, at most `most`, from malloc; NULL: there is none (also for `path` NULL), it is no file, or a link.
char *file_read(const char *path, size_t most, size_t *size);

#endif
