// SPDX-License-Identifier: Apache-2.0
/* Is a VDB file one that OpenVDB may be given? Its reader believes whatever sizes a file tells, and writes past its
 * buffers or asks for gigabytes where they lie; so the file's structure is walked first, in bounded memory and in one
 * pass over the file, and every size compared with what it must be. */
#ifndef VDB_CHECK_H
#define VDB_CHECK_H

#include "vdb_bytes.h"

/// The header, the list of grids, and each grid's metadata and transform: all that opening the file reads. *stream: it
/// was written as a stream, without a list; of such a one the header alone. Errors: BWVDB_ERR_IO, with path and byte.
enum bwvdb_status vdb_check_head(const char *path, bool *stream, struct bwvdb_error *error);
/// The trees of all grids of numbers and vectors too: all that loading such grids reads.
/// Errors: BWVDB_ERR_IO, BWVDB_ERR_MEMORY.
enum bwvdb_status vdb_check_trees(const char *path, struct bwvdb_error *error);

/// The same two, of an open file.
bool vdb_check(struct vdb_bytes *b, bool trees, bool *stream);

/// A grid of the list.
struct vdb_grid {
    char type[64];
    bool instance, half;  ///< has another grid's tree; 16-bit floats
    uint32_t compression; ///< enum vdb_compression
    int64_t end;          ///< where the list says that the grid ends
};
enum vdb_compression { VDB_ZIP = 1, VDB_ACTIVE_MASK = 2, VDB_BLOSC = 4 };

/* ---- vdb_tree.c ---- */

/// Bytes of a value of a tree's type, in a file as whole and as half floats; 0: such trees are never read.
size_t vdb_tree_value(const char *type, size_t *half);
/// Walk a grid's tree; the next byte is its first. false: something is wrong, and said.
bool vdb_tree_check(struct vdb_bytes *b, const struct vdb_grid *g);
/// A chunk that Blosc packed, n bytes of it from here on: its own sizes agree with n, and it unpacks to at least
/// `least` and at most `most` bytes.
bool vdb_blosc_check(struct vdb_bytes *b, uint64_t n, uint64_t least, uint64_t most);

#endif
