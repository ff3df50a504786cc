// SPDX-License-Identifier: Apache-2.0
/* What a page shows: the files of a cache, or a bake's files and the frame that it has just made. */
#ifndef WEB_SOURCE_H
#define WEB_SOURCE_H

#include "record.h"
#include <billow/bake.h>
#include <jansson.h>
#include <pthread.h>

enum { SOURCE_MADE = 4 }; ///< frames that are held, as the writer holds them
enum { OTHERS = 4, OTHER_NAME = 64 };

/// Files of another domain of the same bake.
struct other {
    char label[OTHER_NAME];
    struct bw_cache *cache;
};

struct other_frame {
    char label[OTHER_NAME];
    struct bw_snapshot *snapshot;
};

struct source {
    struct bw_session *session;
    int32_t id, users, dropped; ///< the shelf's, under its lock
    const char *kind;           ///< "cache", "bake"; of a preset that is tuned "quick", "full"
    pthread_mutex_t lock;       ///< of all below
    struct bw_bake *look[2];    ///< how pictures show it, or NULL: its own way; what was before may still be in use
    struct bw_bake *preset;     ///< of a cache: that it was baked from, or NULL (outlined.c)
    int64_t preset_of;          ///< generation of its files
    char *text, *words;         ///< of a preset that is tuned: its text, and what was changed, or NULL
    double coarse;              ///< its voxels are so many times as large
    int64_t since;              ///< the frames before this one are another try's; INT64_MIN: none
    char *what;                 ///< what bw_cache_open takes; NULL: a bake that writes nothing
    char *title, *folder;       ///< folder: that holds metrics.csv, or NULL
    struct bw_cache *cache;
    struct other other[OTHERS]; ///< others.c: files beside these
    int others_known;
    int64_t files;        ///< how often `cache` has changed
    json_t *names;        ///< what bw_cache_describe said of it
    char *gone;           ///< why the files can't be had, or NULL
    struct record record; ///< of `folder`
    struct bw_bake *bake; ///< that runs, or NULL
    int is_bake;
    int64_t first, last, written;
    struct bw_snapshot *made[SOURCE_MADE]; ///< frames whose files are not written yet, the newest first; then NULL
    int64_t made_frame[SOURCE_MADE];
    json_t *progress, *log;
    char *ended;                    ///< what ended the bake, "" when nothing did; NULL: it has not ended
    int64_t generation, lines, seq; ///< of the files; of the log; of everything
};

void source_init(struct source *s, struct bw_session *session);
void source_free(struct source *s);
enum bw_status source_show_cache(struct source *s, const char *what);
enum bw_status source_show_bake(struct source *s, struct bw_bake *bake);
/// A bake that is gone on with in the folder that is shown. BW_ERR_USAGE: one runs there.
enum bw_status source_resume(struct source *s, struct bw_bake *bake);
/// The folder, new memory, and what it says of its bake. NULL: there is none that can be gone on with.
char *source_record(struct source *s, struct record *record);
/// The bake's callbacks.
void source_progress(struct source *s, const struct bw_bake_progress *p);
void source_frame(struct source *s, struct bw_snapshot *snapshot, int hold);
void source_log(struct source *s, int32_t level, const char *who, const char *text);
void source_end(struct source *s, const char *sentence);
/// Are there other files than before? It looks at names alone.
void source_refresh(struct source *s);

/// From now on pictures show it as those of `look`, which becomes its own, would.
void source_look(struct source *s, struct bw_bake *look);
/// Of a preset that is tuned: its text and what was changed in it.
void source_tell(struct source *s, const char *text, const char *words, double coarse);
void source_since(struct source *s, int64_t frame);
/// The bake that was to be shown does not begin.
void source_quit(struct source *s);
/// Its text, new memory, or NULL.
char *source_text(struct source *s);

/// A snapshot of a frame, to be closed. Errors are in bw_error_last.
enum bw_status source_snapshot(struct source *s, int64_t frame, struct bw_snapshot **snapshot);
/// Is there such a frame, as far as one knows?
int source_has(struct source *s, int64_t frame);
/// Changes with the files of a frame.
int64_t source_generation(struct source *s);
int64_t source_seq(struct source *s);
/// A frame to look around in, to be closed. Errors are in bw_error_last.
enum bw_status source_view(struct source *s, struct bw_snapshot *snapshot, struct bw_view **view);
/// outlined.c: bw_bake_outlines of what it is baked from, new memory (bw_text_free), or NULL: nobody knows.
char *source_outlines(struct source *s, int64_t frame);
/// outlined.c: particles of a frame's files, to be closed. Errors are in bw_error_last.
enum bw_status source_points(struct source *s, int64_t frame, struct bw_snapshot **points);
/// others.c: the same frame of the bake's other domains, where those lie in files of their own: how many; each is to be
/// closed.
int source_others(struct source *s, int64_t frame, struct other_frame out[OTHERS]);
void others_close(struct source *s);
/// Is there more than one domain among a snapshot's grids? Those of a bake have all.
int domains_count(const struct bw_snapshot_facts *f);
/// Does a bake of it run that is more than a try?
int source_runs(struct source *s);
/// Is the bake that was shown whole now, by what was gone on with from the page?
int source_whole(struct source *s);
/// All that a page has to know, new.
json_t *source_state(struct source *s, int with_log);
/// Path of a file of the bake's folder, new memory, or NULL.
char *source_path(struct source *s, const char *name);
/// All of the file, `most` bytes at most, new memory; NULL: there is none (`path` NULL, too), it is no file, or a link.
char *file_read(const char *path, size_t most, size_t *size);
/// Ask the bake that runs to stop, or to keep a checkpoint. 0: none runs.
int source_ask(struct source *s, enum bw_status (*ask)(struct bw_bake *bake));

#endif
