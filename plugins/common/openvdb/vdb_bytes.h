// SPDX-License-Identifier: Apache-2.0
/* A file's bytes one after another, never beyond its end: what comes from outside is looked at here before any library
 * may act on it. The first failure stays, and everything after it reads as 0. Numbers are little-endian. */
#ifndef VDB_BYTES_H
#define VDB_BYTES_H

#include "bwvdb.h"

#include <stdbool.h>

enum { VDB_BYTES_MOST = 1 << 16 }; ///< that one call takes

struct vdb_bytes {
    const char *path;
    int64_t size, at; ///< of the file; the next byte
    bool bad;         ///< something was wrong, and `error` says what
    struct bwvdb_error *error;

    /* ---- its own ---- */
    const unsigned char *memory; ///< instead of a file
    int fd;
    int64_t from, have; ///< bytes of the file in `buffer`
    unsigned char buffer[VDB_BYTES_MOST];
};

/// Open a regular file: a pipe, a folder or a device is refused and never waited for. vdb_bytes_close() afterwards,
/// whatever comes back. false: `bad`, and the error names the path.
bool vdb_bytes_open(struct vdb_bytes *b, const char *path, struct bwvdb_error *error);
/// The same of bytes in memory, which stay the caller's.
void vdb_bytes_memory(struct vdb_bytes *b, const void *bytes, size_t n, const char *path, struct bwvdb_error *error);
void vdb_bytes_close(struct vdb_bytes *b);

/// Say what is wrong, with path and place; only the first time. Returns false.
bool vdb_bytes_fail(struct vdb_bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// The next n <= VDB_BYTES_MOST bytes, good until the next call; NULL: the file has not so many.
const unsigned char *vdb_bytes_take(struct vdb_bytes *b, size_t n);
/// The next n bytes, however many, into `out`; false: the file has not so many.
bool vdb_bytes_copy(struct vdb_bytes *b, void *out, size_t n);
/// Step over n bytes; false: the file has not so many.
bool vdb_bytes_skip(struct vdb_bytes *b, uint64_t n);
uint8_t vdb_bytes_u8(struct vdb_bytes *b);
uint32_t vdb_bytes_u32(struct vdb_bytes *b);
int64_t vdb_bytes_i64(struct vdb_bytes *b);
/// A string with its length before it; as much of it as fits comes with a 0 behind.
void vdb_bytes_string(struct vdb_bytes *b, char *out, size_t room);

#endif
