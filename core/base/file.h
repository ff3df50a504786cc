// SPDX-License-Identifier: Apache-2.0
/* Files that are read from end to end. */
#ifndef BW_FILE_H
#define BW_FILE_H

#include "diag.h"
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { BW_FILE_MOST = 64 << 20 }; ///< bytes of a text

/// Open a file to read. Pipes, devices and folders are none: to open or to read them may never end. NULL: *why says
/// why, a text of the C library's or static.
FILE *bw_file_open(const char *path, const char **why);
/// Why no file of that kind is read, or NULL: it is a regular one.
const char *bw_file_kind_fault(mode_t mode);
/// Does the name end so, with something before it? In any case: files from Windows are called SMOKE.VDB.
bool bw_file_has_ending(const char *path, const char *ending);
/// All of an open file, a 0 behind it, new memory; NULL with errno: EFBIG where it is longer than `most`, ENOMEM, ….
char *bw_file_bytes(FILE *f, size_t most, size_t *bytes);
/// All of a text file, new memory; NULL after a sentence at `place` (NULL: it is about the file alone).
char *bw_file_text(const char *path, const struct bw_place *place, struct bw_diag *d);
/// The text of a file that is open, and is closed; `path` is its name in sentences.
char *bw_file_text_of(FILE *f, const char *path, const struct bw_place *place, struct bw_diag *d);

#endif
