// SPDX-License-Identifier: Apache-2.0
/* What the files of `billow bake` share: what was asked, what is known, and how progress is told. */
#ifndef BW_BAKE_H
#define BW_BAKE_H

#include "cli.h"
#include "run/run.h"
#include <jansson.h>
#include <pthread.h>

/* ---- progress.c: the live line, the log, the events ---- */

/// A committed output that an exporter announced.
struct bake_output {
    char *what, *path;
};

/// The files of the running bake, and the file that lists them.
struct bake_journal {
    pthread_mutex_t lock;
    json_t *files;  ///< by name below the folder: true once whole, false while begun; NULL: no bake runs
    int fd, failed; ///< failed: errno of the first line that could not be written; none follows it
};

struct bake_progress {
    pthread_mutex_t lock; ///< exporters log and announce from the writer thread
    int json, live;       ///< events on stdout; or one line rewritten on stderr
    int line_shown;
    FILE *log;
    double pace;       ///< s a frame, recent frames weigh more
    double last_drawn; ///< s, monotonic
    struct bake_output *output;
    int32_t n_outputs;
    struct bake_journal journal;
};

void progress_init(struct bake_progress *p, int json);
void progress_free(struct bake_progress *p);
/// Point the callbacks of `o` at `p`.
void progress_attach(struct bake_progress *p, struct bw_run_options *o);
/// End the live line, so that words can follow.
void progress_break(struct bake_progress *p);
/// The last path announced as `what`, or NULL.
const char *progress_output(const struct bake_progress *p, const char *what);
/// Print one event with --json; takes `event` (an object) in any case.
void event_print(const struct bake_progress *p, const char *name, json_t *event);

/* ---- journal.c: bake.journal, the list of files while a bake runs ---- */

/// The files that the journal in `out` lists, true for the whole ones; NULL when there is none.
json_t *journal_read(const char *out);
/// Start an empty journal in `out`; 0 after a sentence in `d`.
int journal_begin(struct bake_journal *j, const char *out, struct bw_diag *d);
/// Note a file before it is begun, or before it is whole under its own name. 0, or an errno: do not write. Any thread.
int journal_add(struct bake_journal *j, const char *name, int whole);
/// Close it, and remove it from `out`, whose bake.json tells all; NULL leaves it there.
void journal_end(struct bake_journal *j, const char *out);

/* ---- record.c: bake.json, the note a bake leaves for the next one ---- */

struct bake_facts {
    const char *out, *name, *hash, *simd;
    char build[24]; ///< hash of this program and of the plugins that the preset uses
    int64_t first, last;
};

struct bake_record {
    json_t *root;  ///< bake.json; NULL: no bake has been here
    json_t *files; ///< its files and the journal's that lie inside the folder, as in bake_journal
    int complete;
};

struct bake_record record_read(const char *out);
void record_free(struct bake_record *r);
/// 1 when the recorded bake was made from the same facts, whole or not.
int record_matches(const struct bake_record *r, const struct bake_facts *f);
/// How many files besides its notes it wrote that are still there.
int32_t record_whole(const struct bake_record *r, const char *out);
/// 1 when the recorded bake is whole, all its files are there, and it was made from the same facts.
int record_up_to_date(const struct bake_record *r, const struct bake_facts *f);
/// Say on stderr in what the recorded bake differs from `resolved`.
void record_explain(const struct bake_record *r, const struct bake_facts *f, const struct bw_node *resolved);
/// Path in `out` that was announced as `what`, new memory, or NULL.
char *record_output(const struct bake_record *r, const char *out, const char *what);
/// Remove what the recorded bake wrote and left half-written, and nothing else; bake.json stays. 0 after a sentence.
int record_clear(const struct bake_record *r, const char *out, struct bw_diag *d);
/// Write bake.json, with the journal's files; 0 after a sentence.
int record_write(const struct bake_facts *f, const struct bake_progress *p, int complete, struct bw_diag *d);
/// Bytes of all files that the record lists.
double record_bytes(const struct bake_record *r, const char *out);
/// Hash of the program and the plugins that `p` uses.
void build_hash(const struct bw_preset *p, const struct bw_registry *r, char out[24]);

/* ---- difference.c ---- */

/// Print the values that differ, one a line, at most `max` of them; answers how many there are.
int32_t difference_print(FILE *f, const struct bw_node *before, const struct bw_node *after, int32_t max);

/* ---- source.c: frames that come from files, or from another bake ---- */

/// What of a bake concerns the bake that it goes on from (`frames_from: {bake: …}`).
struct source_wish {
    const struct bw_preset *preset;
    const char *out; ///< this bake's folder; the other one lies beside it
    uint32_t threads;
    int quick, dry_run;
};

/// Make the other bake, unless it is up to date. *setting: the --set that names its files, new memory; NULL with
/// `dry_run` when there are none yet.
enum bw_status source_make(const struct source_wish *w, char **setting, struct bw_diag *d);
/// BW_ERR_USAGE when `out` holds the files that frames come from: read and written over, they would be neither.
enum bw_status source_check(const struct bw_preset *p, const char *out, struct bw_diag *d);

/* ---- closing.c: estimates before, commands after ---- */

/// Memory, disk and wiring on stdout.
void estimate_print(const struct bw_chain *c, const struct bw_preset *p, const char *out);
/// BW_ERR_LIMIT and a sentence when a full box would not fit into the limit or the machine.
enum bw_status estimate_check(const struct bw_chain *c, const struct bw_preset *p, struct bw_diag *d);
/// Memory of the machine (or of the container), bytes.
double machine_memory(void);
/// Bytes free on the disk that holds `path` (or its nearest existing parent).
double disk_free(const char *path);
/// How to go on: what to open, what to type.
void closing_print(const struct bake_progress *p, const struct bake_facts *f);

#endif
