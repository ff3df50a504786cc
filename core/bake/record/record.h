// SPDX-License-Identifier: Apache-2.0
/* What a bake leaves in its folder for the next one: bake.json, and, while it runs, bake.journal. */
#ifndef RECORD_H
#define RECORD_H

#include "preset/preset.h"
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

/* ---- journal.c: bake.journal, the list of files while a bake runs ---- */

/// The files of the running bake, and the file that lists them.
struct bake_journal {
    pthread_mutex_t lock;
    json_t *files;  ///< by name below the folder: true once whole, false while begun; NULL: no bake runs
    int fd, failed; ///< failed: errno of the first line that could not be written; none follows it
};

/// The files that the journal in `out` lists, true for the whole ones; NULL when there is none.
json_t *journal_read(const char *out);
/// Start an empty journal in `out`; 0 after a sentence in `d`.
int journal_begin(struct bake_journal *j, const char *out, struct bw_diag *d);
/// Note a file before it is begun, or before it is whole under its own name. 0, or an errno: don't write it. Any
/// thread.
int journal_add(struct bake_journal *j, const char *name, int whole);
/// Close it, and remove it from `out`, whose bake.json tells all; NULL leaves it there.
void journal_end(struct bake_journal *j, const char *out);

/* ---- record.c: bake.json ---- */

struct bake_facts {
    const char *out, *name, *hash, *simd;
    char build[24]; ///< hash of this library and of the plugins that the preset uses
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
/// Say in what the recorded bake differs from `resolved`, a line each.
void record_explain(const struct bake_record *r, const struct bake_facts *f, const struct bw_node *resolved, FILE *to);
/// Path in `out` that was announced as `what`, new memory, or NULL.
char *record_output(const struct bake_record *r, const char *out, const char *what);
/// Remove what the recorded bake wrote and left half-written, and nothing else; bake.json stays. 0 after a sentence.
int record_clear(const struct bake_record *r, const char *out, struct bw_diag *d);
/// Write bake.json, with the journal's files; 0 after a sentence.
int record_write(const struct bake_facts *f, const struct bake_outputs *o, const struct bake_journal *j, int complete,
                 struct bw_diag *d);
/// Bytes of all files that the record lists.
double record_bytes(const struct bake_record *r, const char *out);
/// Hash of the library (its file) and the plugins that `p` uses.
void build_hash(const struct bw_preset *p, const struct bw_registry *r, const char *library, char out[24]);
/// Write `text` to `path` by way of a temporary name; 0 after a sentence in `d`.
int file_write(const char *path, const char *text, struct bw_diag *d);

/* ---- difference.c ---- */

/// Print the values that differ, one a line, at most `max` of them; answers how many there are.
int32_t difference_print(FILE *f, const struct bw_node *before, const struct bw_node *after, int32_t max);

#endif
