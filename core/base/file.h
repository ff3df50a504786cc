// SPDX-License-Identifier: Apache-2.0
/* Files that are read from end to end. */
#ifndef BW_FILE_H
#define BW_FILE_H

#include <stdio.h>

/// Open a file to read. Pipes, devices and folders are none: to open or to read them may never end. NULL: *why says
/// why, a text of the C library's or static.
FILE *bw_file_open(const char *path, const char **why);

#endif
