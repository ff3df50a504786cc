// SPDX-License-Identifier: Apache-2.0
/* A file's bytes, all at once: for formats that are read whole. */
#ifndef FILE_H
#define FILE_H

#include <billow/plugin.h>

/// A file in the host's memory, a 0 behind it; file_free() gives it back.
struct file_bytes {
    char *text;
    size_t n;
};

/// Read the file at `path`: a regular one, for a pipe, a folder or a device is refused and never waited for. Errors are
/// said, with the path: BW_ERR_IO (absent, unreadable, empty, no file). BW_ERR_MEMORY.
enum bw_status file_read(struct bw_stage *s, const char *path, struct file_bytes *out);
/// Where its text begins: behind a byte-order mark of UTF-8. UTF-16 is refused by name: BW_ERR_IO, said.
enum bw_status file_text_begin(struct bw_stage *s, const char *path, const struct file_bytes *f, char **text);
/// Nothing read is allowed.
void file_free(struct bw_stage *s, struct file_bytes *f);

#endif
