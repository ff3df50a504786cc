// SPDX-License-Identifier: Apache-2.0
/* The file of a checkpoint, format billow.checkpoint/2 (docs/checkpoint.md): sections by name, each packed by zstd and
 * with a checksum of its own, then an end section that counts them. */
#ifndef CHECKPOINT_FILE_H
#define CHECKPOINT_FILE_H

#include "base/diag.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/// Pieces of memory that make a section together.
struct checkpoint_piece {
    const void *data;
    size_t bytes;
};

struct checkpoint_writer;
/// Begin a file at `path`. NULL, with errno.
struct checkpoint_writer *checkpoint_create(const char *path);
/// Who has the blocks of pieces that come without `data`, asked for one after the other; NULL, with errno: it failed.
void checkpoint_set_source(struct checkpoint_writer *w, const void *(*block)(size_t piece, void *user), void *user);
/// Add a section. false, with errno; every later call fails as well.
bool checkpoint_add(struct checkpoint_writer *w, const char *name, const struct checkpoint_piece *piece, size_t n);
/// The end section; the file is closed in any case. false, with errno: it is not whole.
bool checkpoint_close(struct checkpoint_writer *w);

struct checkpoint_reader;
/// Open one and check its head. NULL after a sentence in `d`.
struct checkpoint_reader *checkpoint_open(const char *path, struct bw_diag *d);
/// The next section: its name (valid until the next call) and size. 1; 0: the end, all of them are whole; -1 after a
/// sentence.
int checkpoint_next(struct checkpoint_reader *r, const char **name, size_t *bytes, struct bw_diag *d);
/// Unpack the section of the last checkpoint_next, in pieces, one after the other, `bytes` of it. false after a
/// sentence. What is left when the next section is asked for is skipped.
bool checkpoint_read(struct checkpoint_reader *r, void *data, size_t bytes, struct bw_diag *d);
void checkpoint_reader_free(struct checkpoint_reader *r);

#endif
