// SPDX-License-Identifier: Apache-2.0
/* The files of one sequence, each looked at by itself and beside those before it. */
#ifndef CHECK_FILE_H
#define CHECK_FILE_H

#include "findings.h"
#include <jansson.h>
#include <stdint.h>

/// What a grid is in the first file that has it.
struct grid_seen {
    char *name, *type;
    double matrix[12];
    int64_t files, empty; ///< that have it; where it is empty …
    int64_t since, gaps;  ///< … since it last held something; between such that do
};

/// What is known of a sequence so far.
struct sequence_seen {
    struct findings *findings;
    const char *stem;
    char *names; ///< the first file's grids; NULL: none could be read yet
    char *hash;  ///< of the preset that the record or the first file tells of, or to which values were changed since
    const json_t *changes; ///< that the bake has noted, as bake_facts has them; NULL: none. Borrowed
    double fps;
    struct grid_seen *grid;
    int32_t n_grids;
};

/// Look at a file, whose name has `number`.
void file_check(struct sequence_seen *s, const char *path, int64_t number);
/// What shows only when all have been looked at.
void sequence_end(struct sequence_seen *s);
void sequence_free(struct sequence_seen *s);

#endif
