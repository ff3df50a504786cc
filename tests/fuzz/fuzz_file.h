// SPDX-License-Identifier: Apache-2.0
/* Bytes as a file that lies in memory alone, for readers that want a path. */
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H

#include <stddef.h>

/// A path to a file of these bytes, good until the next call; NULL: there is no room.
const char *fuzz_file(const void *bytes, size_t n);

#endif
