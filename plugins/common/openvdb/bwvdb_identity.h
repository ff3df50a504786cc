// SPDX-License-Identifier: Apache-2.0
/* The id in a VDB file's header. OpenVDB draws a random one for every file; ours is made from the file's contents, so
 * that the same grids give the same bytes, and other grids another id. */
#ifndef BWVDB_IDENTITY_H
#define BWVDB_IDENTITY_H

#ifdef __cplusplus
extern "C" {
#endif

/// Replace the id of a VDB file that is written. 0, or an errno.
int bwvdb_identity_set(const char *path);

#ifdef __cplusplus
}
#endif
#endif
