// SPDX-License-Identifier: Apache-2.0
/* Files of a folder that somebody else may have made. A name is followed part by part from the folder's descriptor:
 * no link and no ".." leads out of it. Only regular files are opened, without waiting, and no more is read than the
 * kind of record can need. */
#ifndef INSIDE_H
#define INSIDE_H

#include "base/file.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    INSIDE_RECORD_MOST = BW_FILE_MOST, ///< bytes of bake.json, resolved.yaml, wedge.json
    INSIDE_JOURNAL_MOST = 512 << 20,   ///< bytes of bake.journal: a long line twice for each of two million files
};

/// The regular file `name` below `folder`, open for reading; -1: *why is a static text or one of the C library's.
int file_inside_open(const char *folder, const char *name, const char **why);
/// Whether something of that name is there, a link that leads nowhere too.
bool file_inside_exists(const char *folder, const char *name);
/// The folder `name` below `folder`, to be listed; -1 with errno: ENOTDIR where it is a link.
int file_inside_folder(const char *folder, const char *name);
/// All of a file, a 0 behind it, new memory; NULL: *why says why. `bytes` may be NULL.
char *file_inside_read(const char *folder, const char *name, size_t most, size_t *bytes, const char **why);
/// The same of a text, as bw_file_text() has it; NULL after a sentence.
char *file_inside_text(const char *folder, const char *name, struct bw_diag *d);

#endif
