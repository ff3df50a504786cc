// SPDX-License-Identifier: Apache-2.0
/* Parts of a check: the files of a sequence, each by itself and against those before it, and the bake's record. */
#ifndef CHECK_H
#define CHECK_H

#include "findings.h"
#include <jansson.h>
#include <stdint.h>

/// A grid of the sequence, as in the first file that has it.
struct grid_facts {
    char *name, *type;
    double matrix[12];
    int64_t files, empty; ///< number of files that have it; where it is empty
    int64_t since, gaps;  ///< number of empty files since the last one with values; of those between such
};

/// Facts of a sequence, from the files so far.
struct sequence_facts {
    struct findings *findings;
    const char *what, *host; ///< the cache as it was named; a host whose rules count, or NULL
    const char *stem;
    char *names;           ///< the first file's grids; NULL: none could be read yet
    char *hash;            ///< of the preset, by the record or the first file; updated at a recorded change
    const json_t *changes; ///< recorded by the bake, see bake_facts; NULL: none. Borrowed
    double fps;
    struct grid_facts *grid;
    int32_t n_grids;
};

struct bwvdb_file;
/* check_host.c */
/// Check an open file by the rules of s->host.
void host_check(struct sequence_facts *s, const char *path, struct bwvdb_file *f);

/* check_file.c */
/// Check a file; `number`: the frame by its name.
void file_check(struct sequence_facts *s, const char *path, int64_t number);
/// Findings that need all files.
void sequence_end(struct sequence_facts *s);
void sequence_free(struct sequence_facts *s);

/// First and last frame of a sequence.
struct range {
    const char *stem;
    int64_t first, last;
};

/* check_record.c */
/// By bake.json and bake.journal of `folder`, if any: is the bake finished, and has every file its checksum?
void record_check(struct findings *f, const char *folder, const struct range *sequence, size_t n);

#endif
