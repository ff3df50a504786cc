// SPDX-License-Identifier: Apache-2.0
/* Files as bytes, and text of other encodings as UTF-8. */
#ifndef BYTES_H
#define BYTES_H

#include "build.h"

/// All of a file, a 0 behind it; freed by who asks. NULL: it is missing, empty, or no regular file, and that is said.
char *bytes_read(struct mesh_build *b, const char *path, size_t *n);
/// Bytes that are UTF-16 become UTF-8, in new memory that is freed by who asks; NULL: they are not, or it failed.
char *bytes_from_utf16(struct mesh_build *b, const char *text, size_t *n);

#endif
