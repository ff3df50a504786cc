// SPDX-License-Identifier: Apache-2.0
/* The id in a VDB file's header. OpenVDB draws a random one for every file; ours is made from the file's contents, so
 * that the same grids give the same bytes, and other grids another id. */
#ifndef VDB_IDENTITY_H
#define VDB_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the header has it: after 8 bytes of magic, the format's version and the library's two (4 each), and a byte that
 * says whether the file has an index. */
enum { VDB_ID_AT = 21, VDB_ID_LENGTH = 36 };

/// Of what a file is, one part after another, its id left out.
struct vdb_identity_maker;
/// NULL: out of memory.
struct vdb_identity_maker *vdb_identity_begin(void);
void vdb_identity_add(struct vdb_identity_maker *m, const void *data, size_t bytes);
/// The id of all that; no 0 at its end. The maker is gone. `id` NULL: nobody asks any more.
void vdb_identity_end(struct vdb_identity_maker *m, char id[VDB_ID_LENGTH]);

enum vdb_identity { VDB_IDENTITY_GOOD, VDB_IDENTITY_FOREIGN, VDB_IDENTITY_DAMAGED };
/// Is the file what was written? FOREIGN: its id is not one of ours, or it can't be read, and nothing is known.
enum vdb_identity vdb_identity_check(const char *path);

#ifdef __cplusplus
}
#endif
#endif
