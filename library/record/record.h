// SPDX-License-Identifier: Apache-2.0
/* The record of a bake in its output folder: bake.json, and, while it runs, bake.journal. */
#ifndef RECORD_H
#define RECORD_H

#include "preset/preset.h"
#include "run/output/files.h"
#include "run/registry/registry.h"
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>

/// Finished outputs (movie, picture, cache, particles) as exporters announced them.
struct bake_outputs {
    struct bake_output {
        char *what, *path;
    } * list;
    int32_t n;
};

void outputs_add(struct bake_outputs *o, const char *what, const char *path);
void outputs_free(struct bake_outputs *o);

/* ---- checksums.c ---- */

/// Entry of a file list: false while the file is being written (NULL), {"bytes", "xxh3"} when it is complete, true when
/// it is complete and its checksum unknown (bytes < 0).
json_t *file_entry_json(const struct file_facts *whole);
/// The entry's size and checksum; bytes < 0: unknown.
struct file_facts file_entry_facts(const json_t *file);
bool file_entry_is_whole(const json_t *file);

enum file_fault { FILE_GOOD, FILE_MISSING, FILE_SIZE, FILE_SUM, FILE_UNREADABLE };
/// What is wrong with the complete file `name` in `out`; `deep`: verify the checksum, too. `found`: its size, < 0 when
/// it is missing.
enum file_fault file_fault(const char *out, const char *name, const json_t *file, bool deep, struct file_facts *found);
/// Verify the complete files of a list against `out`. Returns a new array of the damaged ones: {"name", "fault":
/// "missing", "size", "sum" or "unreadable", "words": "is missing"}. `deep`: verify checksums, else only sizes. Missing
/// checkpoints do not count: only a resume would need them.
json_t *files_verify(json_t *files, const char *out, bool deep);
bool file_is_checkpoint(const char *name);
/// "vdb/a.vdb is missing, and 3 more files", of a non-empty array. New memory.
char *faults_message(const json_t *bad);

/* ---- journal.c: bake.journal, the list of files while a bake runs ---- */

/// The open journal of a running bake.
struct bake_journal {
    pthread_mutex_t lock;
    bool runs;       ///< else all of it is void
    int fd, failed;  ///< failed: errno of the first line that could not be written; none follows it
    const char *out; ///< the folder's path, for messages
    int root;        ///< descriptor of the folder, even if it was moved since
    json_t *begun;   ///< files of this bake, while the list is still that of the bake before; else NULL
};

/// The files that the journal in `out` lists, by name below the folder, see file_entry_json; NULL when there is none.
json_t *journal_read(const char *out);
/// The absolute path of `out` when its bake began, new memory; NULL: unknown.
char *journal_folder_path(const char *out);
/// Start a journal in `out`, which must outlive it, with the complete files of `kept` (NULL: none). 0 with an error in
/// `d`.
int journal_begin(struct bake_journal *j, const char *out, json_t *kept, struct bw_diag *d);
/// Append to the journal in `out`, or start one with `files`: for a new bake while the previous one's files are still
/// there. 0 with an error in `d`.
int journal_continue(struct bake_journal *j, const char *out, json_t *files, struct bw_diag *d);
/// After journal_continue: restart it with the complete files of `kept` and those begun since. 0 with an error in `d`.
int journal_renew(struct bake_journal *j, json_t *kept, struct bw_diag *d);
/// Remove a complete file, and record that. Any thread.
void journal_remove_file(struct bake_journal *j, const char *name);
/// Record a file: before it is begun (`whole` NULL), before it takes its final name, or after its removal. 0, or an
/// errno: the file must not be written. Any thread.
int journal_add(struct bake_journal *j, const char *name, const struct file_facts *whole);
/// The files so far, as journal_read has them; NULL: they can't be read. Any thread.
json_t *journal_files(struct bake_journal *j);
/// Close it. It stays in the folder.
void journal_end(struct bake_journal *j);
enum folder_fate { FOLDER_HERE, FOLDER_MOVED, FOLDER_GONE };
/// Is the folder still there, under its name or another? GONE: it was removed, nothing can be written into it.
enum folder_fate journal_folder_fate(const struct bake_journal *j);

/* ---- metadata_file.c: resolved.yaml, bake.log, bake.json, written atomically ---- */

/// Open `name` for writing under a temporary name; NULL with an error in `d`.
FILE *metadata_open(struct bake_journal *j, const char *name, struct bw_diag *d);
/// Close it and rename it to its name, or remove it; 0 with an error in `d`.
int metadata_commit(struct bake_journal *j, const char *name, FILE *f, struct bw_diag *d);
/// Close it and remove it.
void metadata_discard(const struct bake_journal *j, const char *name, FILE *f);
/// Open, write and commit.
int metadata_write(struct bake_journal *j, const char *name, const char *text, struct bw_diag *d);
/// The text of resolved.yaml after `heading`, from malloc; NULL: out of memory.
char *resolved_yaml_text(const struct bw_node *resolved, const char *heading);

/* ---- record.c: bake.json ---- */

struct bake_facts {
    const char *out, *name, *hash, *simd;
    char build[24]; ///< hash of this library and the plugins that the preset uses
    int64_t first, last;
    bool quick;
    json_t *builds; ///< the same of each file, by name
    json_t
        *parts; ///< what `hash` is made of: {"preset_hash": HASH, "exports": {ID: HASH}, "inputs": [[NAME, HASH], …]}
    json_t *changes; ///< of values on resumes: [{"after": FRAME, "from": HASH, "to": HASH, "values": TEXT}]
};

struct bake_record {
    json_t *root;    ///< bake.json; NULL: no bake has been here
    json_t *files;   ///< its files and the journal's that lie inside the folder, by name, see file_entry_json
    bool complete;   ///< the bake reached its last frame
    bool lost;       ///< bake.json is missing or no JSON, though the bake's files may be there
    const char *why; ///< the reason: static, or a text of the C library's
};

struct bake_record record_read(const char *out);
void record_free(struct bake_record *r);
/// Why a bake can't be resumed from `then`, of bake.json or a checkpoint: other values, build or SIMD level. Exporters
/// that are muted since don't matter.
enum facts_difference { FACTS_SAME, FACTS_BUILD, FACTS_SIMD, FACTS_VALUES };
enum facts_difference bake_facts_compare(const json_t *then, const struct bake_facts *f);
/// The preset_hash that the bake's first VDB file has; NULL: the record does not say.
const char *record_preset_hash(const struct bake_record *r);
/// {"hash", "build", "builds", "simd", "parts"}, into `to`.
void bake_facts_put(json_t *to, const struct bake_facts *f);
/// 1 when the recorded bake has the same facts, finished or not; exporters may be muted since.
int record_matches(const struct bake_record *r, const struct bake_facts *f);
/// How many files besides metadata are complete, by their sizes. `left`: how many results exist and are not empty,
/// checkpoints and the metrics of complete frames included.
int32_t record_count_whole(const struct bake_record *r, const char *out, int32_t *left);
/// Is it metadata (resolved.yaml, logs, tables) or a checkpoint, not a result?
bool file_is_metadata(const char *name);
/// Did the recorded bake write these frames?
bool record_has_frames(const struct bake_record *r, const struct bake_facts *f);
/// Did it begin with the same frame?
bool record_same_first_frame(const struct bake_record *r, const struct bake_facts *f);
/// Has it the same facts, and more frames?
bool record_has_more_frames(const struct bake_record *r, const struct bake_facts *f);
/// See files_verify.
json_t *record_verify(const struct bake_record *r, const char *out, bool deep);
/// 1 when the recorded bake is whole, all its files are there with the sizes that were written, and it was made from
/// the same facts.
int record_up_to_date(const struct bake_record *r, const struct bake_facts *f);
/// Print the differences between the recorded bake and `resolved`, a line each.
void record_explain(const struct bake_record *r, const struct bake_facts *f, const struct bw_node *resolved, FILE *to);
/// Path in `out` that was announced as `what`, new memory, or NULL.
char *record_output(const struct bake_record *r, const char *out, const char *what);
/// Write bake.json, with the journal's files; 0 with an error in `d`.
int record_write(const struct bake_facts *f, const struct bake_outputs *o, struct bake_journal *j, int complete,
                 struct bw_diag *d);
/// Bytes of all files that the record lists.
double record_bytes(const struct bake_record *r, const char *out);

/* ---- unrecorded_files.c ---- */

struct bw_chain;
/// How many files in the folder, none of them in `r`, the chain would overwrite or continue as a sequence; `first`
/// names one, new memory or NULL.
int32_t unrecorded_files_find(const struct bake_record *r, const struct bake_facts *f, struct bw_chain *c,
                              char **first);
/// Is no output path blocked by a folder, or by a link or file in place of its folder? 0 with an error in `d`.
int output_paths_check(const struct bake_facts *f, struct bw_chain *c, struct bw_diag *d);

/* ---- remove_files.c, build_hash.c ---- */

/// Remove the recorded bake's temporary files, but for its log. 0 with an error in `d`.
int record_remove_partial(const struct bake_record *r, const char *out, struct bw_diag *d);
/// Remove the recorded bake's files, and nothing else, except bake.json and those in `keep` (may be NULL). 0 with an
/// error in `d`.
int record_remove_files(const struct bake_record *r, const char *out, json_t *keep, struct bw_diag *d);
/// Is the stage or exporter in the preset, and enabled?
bool preset_uses(const struct bw_preset *p, const struct bw_entry *e);
/// Hash over the files of the library and of the plugins that `p` uses. Returns the hash of each by name, a new object.
json_t *build_hash(const struct bw_preset *p, const struct bw_registry *r, const char *library, char out[24]);

/* ---- preset_diff.c ---- */

/// Print the values that differ, one a line, at most `max` of them; returns how many there are.
int32_t preset_diff_print(FILE *f, const struct bw_node *before, const struct bw_node *after, int32_t max);

#endif
