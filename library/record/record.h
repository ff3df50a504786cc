// SPDX-License-Identifier: Apache-2.0
/* What a bake leaves in its folder for the next one: bake.json, and, while it runs, bake.journal. */
#ifndef RECORD_H
#define RECORD_H

#include "preset/preset.h"
#include "run/output/files.h"
#include "run/registry/registry.h"
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>

/// Committed outputs that exporters announced.
struct bake_outputs {
    struct bake_output {
        char *what, *path;
    } * list;
    int32_t n;
};

void outputs_add(struct bake_outputs *o, const char *what, const char *path);
void outputs_free(struct bake_outputs *o);

/* ---- facts.c: sizes and sums ---- */

/// A file in a list: false while it is begun (NULL), {"bytes", "xxh3"} once it is whole, true where its sum is unknown
/// (bytes < 0).
json_t *facts_json(const struct file_facts *whole);
/// Bytes < 0: unknown.
struct file_facts facts_of(const json_t *file);
bool facts_whole(const json_t *file);

enum file_fault { FILE_GOOD, FILE_MISSING, FILE_SIZE, FILE_SUM, FILE_UNREADABLE };
/// What is wrong with the whole file `name` in `out`; `deep`: its bytes are read. `found`: bytes, < 0 when it is not
/// there.
enum file_fault file_fault(const char *out, const char *name, const json_t *file, bool deep, struct file_facts *found);
/// The whole files of a list that are not in `out` as they were written, a new array: {"name", "fault": "missing",
/// "size", "sum" or "unreadable", "words": "is missing"}. `deep`: their bytes are read, else only their sizes. That a
/// checkpoint is missing is nobody's loss but a resume's.
json_t *files_verify(json_t *files, const char *out, bool deep);
bool file_is_checkpoint(const char *name);
/// "vdb/a.vdb is missing, and 3 more files", of one or more of them. New memory.
char *faults_words(const json_t *bad);

/* ---- journal.c: bake.journal, the list of files while a bake runs ---- */

/// The file that lists those of the running bake.
struct bake_journal {
    pthread_mutex_t lock;
    bool runs;       ///< else all of it is void
    int fd, failed;  ///< failed: errno of the first line that could not be written; none follows it
    const char *out; ///< the folder's name, for sentences …
    int root;        ///< … and the folder itself, whatever lies under that name by now
    json_t *begun;   ///< files of this bake, while the list is still that of the bake before; else NULL
};

/// The files that the journal in `out` lists, by name below the folder, see facts_json; NULL when there is none.
json_t *journal_read(const char *out);
/// Where `out` lay when the bake in it began, new memory; NULL: it does not say.
char *journal_place(const char *out);
/// Start a journal in `out`, a text that holds until journal_end, with the whole files of `kept` (NULL: none). 0 after
/// a sentence in `d`.
int journal_begin(struct bake_journal *j, const char *out, json_t *kept, struct bw_diag *d);
/// Go on with the journal that lies in `out`, or, where none does, a new one of `files`: files of a new bake are begun
/// while those of the one before are all there. 0 with an error in `d`.
int journal_continue(struct bake_journal *j, const char *out, json_t *files, struct bw_diag *d);
/// After journal_continue: it begins anew with the whole files of `kept` and those that were begun since. 0 after a
/// sentence in `d`.
int journal_renew(struct bake_journal *j, json_t *kept, struct bw_diag *d);
/// Remove a whole file, and note that. Any thread.
void journal_drop(struct bake_journal *j, const char *name);
/// Note a file before it is begun (`whole` NULL), before it is whole under its own name, or when it is gone. 0, or an
/// errno: don't write it. Any thread.
int journal_add(struct bake_journal *j, const char *name, const struct file_facts *whole);
/// The files so far, as journal_read has them; NULL: they can't be read. Any thread.
json_t *journal_files(struct bake_journal *j);
/// Close it. It stays in the folder.
void journal_end(struct bake_journal *j);
enum folder_fate { FOLDER_HERE, FOLDER_MOVED, FOLDER_GONE };
/// Whether the folder is still there, under its own name or another; GONE: nothing can be written into it any more.
enum folder_fate journal_folder(const struct bake_journal *j);

/* ---- note.c ---- */

/// Begin the note `name`; NULL with an error in `d`.
FILE *note_begin(struct bake_journal *j, const char *name, struct bw_diag *d);
/// Close it and give it its name, or remove it; 0 with an error in `d`.
int note_end(struct bake_journal *j, const char *name, FILE *f, struct bw_diag *d);
/// Close it and remove it.
void note_discard(const struct bake_journal *j, const char *name, FILE *f);
/// Begin and end, with all that it says.
int note_write(struct bake_journal *j, const char *name, const char *text, struct bw_diag *d);

/* ---- record.c: bake.json ---- */

struct bake_facts {
    const char *out, *name, *hash, *simd;
    char build[24]; ///< hash of this library and of the plugins that the preset uses
    int64_t first, last;
    bool quick;
    json_t *builds; ///< the same of each file, by name
    json_t
        *parts; ///< what `hash` is made of: {"preset_hash": HASH, "exports": {ID: HASH}, "inputs": [[NAME, HASH], …]}
    json_t *changes; ///< of values in the middle: [{"after": FRAME, "from": HASH, "to": HASH, "values": TEXT}]
};

struct bake_record {
    json_t *root;        ///< bake.json; NULL: no bake has been here
    json_t *files;       ///< its files and the journal's that lie inside the folder, by name, see facts_json
    bool complete, lost; ///< lost: bake.json is gone or no JSON, but the bake's files may be there …
    const char *why;     ///< … and why it is: static or a text of the C library's
};

struct bake_record record_read(const char *out);
void record_free(struct bake_record *r);
/// What stands between `then`, of bake.json or a checkpoint, and going on with it: another flow, build or SIMD level,
/// an exporter of other values. One that is muted by now is no hindrance.
enum facts_difference { FACTS_SAME, FACTS_BUILD, FACTS_SIMD, FACTS_VALUES };
enum facts_difference facts_compare(const json_t *then, const struct bake_facts *f);
/// The preset_hash that the bake's first VDB file has; NULL: the record does not say.
const char *record_preset_hash(const struct bake_record *r);
/// {"hash", "build", "builds", "simd", "parts"}, into `to`.
void facts_put(json_t *to, const struct bake_facts *f);
/// 1 when the recorded bake was made from the same facts, whole or not; exporters may be muted by now.
int record_matches(const struct bake_record *r, const struct bake_facts *f);
/// How many files besides its notes are whole, as far as their sizes tell; `left`: how many are there and not empty,
/// with notes that took time to make: checkpoints, and the metrics of whole frames.
int32_t record_whole(const struct bake_record *r, const char *out, int32_t *left);
/// Is it one that the bake writes about itself?
bool file_is_note(const char *name);
/// Did the recorded bake write these frames?
bool record_has_frames(const struct bake_record *r, const struct bake_facts *f);
/// Did it begin with the same frame?
bool record_begins_alike(const struct bake_record *r, const struct bake_facts *f);
/// Is it a bake from the same facts, and of more frames, written or yet to be?
bool record_goes_beyond(const struct bake_record *r, const struct bake_facts *f);
/// See files_verify.
json_t *record_verify(const struct bake_record *r, const char *out, bool deep);
/// 1 when the recorded bake is whole, all its files are there with the sizes that were written, and it was made from
/// the same facts.
int record_up_to_date(const struct bake_record *r, const struct bake_facts *f);
/// Say in what the recorded bake differs from `resolved`, a line each.
void record_explain(const struct bake_record *r, const struct bake_facts *f, const struct bw_node *resolved, FILE *to);
/// Path in `out` that was announced as `what`, new memory, or NULL.
char *record_output(const struct bake_record *r, const char *out, const char *what);
/// Write bake.json, with the journal's files; 0 with an error in `d`.
int record_write(const struct bake_facts *f, const struct bake_outputs *o, struct bake_journal *j, int complete,
                 struct bw_diag *d);
/// Bytes of all files that the record lists.
double record_bytes(const struct bake_record *r, const char *out);

/* ---- strangers.c ---- */

struct bw_chain;
/// How many files in the folder, none of them in `r`, the chain would write or kept on; `first` names one, new memory
/// or NULL.
int32_t strangers_find(const struct bake_record *r, const struct bake_facts *f, struct bw_chain *c, char **first);
/// 1 when the names that the chain is to write are free for files, links not followed; 0 with an error in `d`.
int obstacles_check(const struct bake_facts *f, struct bw_chain *c, struct bw_diag *d);

/* ---- clear.c, build.c ---- */

/// Remove what the recorded bake left half-written, but for its log. 0 with an error in `d`.
int record_tidy(const struct bake_record *r, const char *out, struct bw_diag *d);
/// Remove what the recorded bake wrote, and nothing else; bake.json stays, and what has a name in `keep` (NULL:
/// nothing). 0 with an error in `d`.
int record_clear(const struct bake_record *r, const char *out, json_t *keep, struct bw_diag *d);
/// Is the stage or exporter in the preset, and enabled?
bool preset_uses(const struct bw_preset *p, const struct bw_entry *e);
/// Hash of the library (its file) and the plugins that `p` uses; and of each by itself, by its name, a new object.
json_t *build_hash(const struct bw_preset *p, const struct bw_registry *r, const char *library, char out[24]);

/* ---- difference.c ---- */

/// Print the values that differ, one a line, at most `max` of them; answers how many there are.
int32_t difference_print(FILE *f, const struct bw_node *before, const struct bw_node *after, int32_t max);

#endif
