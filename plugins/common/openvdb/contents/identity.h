// SPDX-License-Identifier: Apache-2.0
/* The id in a VDB file's header. OpenVDB draws a random one for every file; ours is made from the file's contents, so
 * that the same grids give the same bytes, and other grids another id. */
#ifndef VDB_IDENTITY_H
#define VDB_IDENTITY_H

#ifdef __cplusplus
extern "C" {
#endif

/// Replace the id of a VDB file that is written. 0, or an errno.
int vdb_identity_set(const char *path);

enum vdb_identity { VDB_IDENTITY_GOOD, VDB_IDENTITY_FOREIGN, VDB_IDENTITY_DAMAGED };
/// Is the file what was written? FOREIGN: its id is not one of ours, or it can't be read, and nothing is known.
enum vdb_identity vdb_identity_check(const char *path);

#ifdef __cplusplus
}
#endif
#endif
