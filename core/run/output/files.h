// SPDX-License-Identifier: Apache-2.0
/* Files below a folder, reached from its descriptor part by part: no link on the way is followed, so that no name and
 * no link leads a write out of it. */
#ifndef FILES_H
#define FILES_H

#include <stdbool.h>
#include <stdint.h>

enum { FILE_UNKNOWN = -1, FILE_GONE = -2 }; ///< of its bytes
enum { FILE_UNWANTED = -1 };                ///< an answer to a file's name: it is removed, and all is well

/// What tells a file's bytes from others.
struct file_facts {
    int64_t bytes; ///< or FILE_UNKNOWN: no sum either; FILE_GONE: it was removed
    uint64_t xxh3; ///< XXH3, 64 bits, of all of them
};

/// Whether `name` stays below a folder, whatever lies there: relative, and no part of it is "..".
bool file_name_is_inside(const char *name);
/// Why `name` can be no output's, to go behind "NAME, which"; NULL: it can.
const char *file_name_fault(const char *name);
/// The last part of a name.
const char *file_base(const char *name);
/// The temporary name of `name`, beside it: "vdb/.a.vdb.part". New memory, or NULL.
char *file_temporary(const char *name);
/// The folder, made with all above it where it is not there; the last part may be a link. -1 with errno.
int file_root_open(const char *path);
/// The folder that `name` lies in, below the folder `root`; `make`: what is not there is made. -1 with errno: ENOTDIR
/// where something else than a folder, such as a link, is in the way.
int file_folder_open(int root, const char *name, bool make);
/// A new and empty file for writing, in place of whatever had the name but a folder. -1 with errno.
int file_create(int folder, const char *base);
/// Flush the regular file `from` to disk, and tell its facts; false with errno.
bool file_settle(int folder, const char *from, struct file_facts *facts);
/// Give it its name, and flush the folder, so that the name survives a power cut; false with errno.
bool file_rename(int folder, const char *from, const char *to);
/// Facts of what `fd` reads from its beginning; false with errno.
bool file_measure(int fd, struct file_facts *facts);

#endif
