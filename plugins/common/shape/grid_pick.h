// SPDX-License-Identifier: Apache-2.0
/* The grid of a VDB file, or of a sequence of them, that a stage asks for. A frame in which nothing was there is often
 * written without the grid: that is an empty frame where another file of the sequence has it, and a wrong name where
 * none has. */
#ifndef GRID_PICK_H
#define GRID_PICK_H

#include <common/openvdb/bwvdb.h>
#include <common/sequence/sequence.h>

/// What has been found out already; zero to begin with.
struct grid_pick {
    int known; ///< another file has the grid
    int told;  ///< that there are several of one name
};

/// The index of grid `name` of `file`, which was opened from `path`, one of the files `pattern`; -1: the frame is
/// empty. Of several grids of one name the first is taken, and the others are told. Errors are said: BW_ERR_PRESET, no
/// file has it.
enum bw_status grid_pick(struct bw_stage *s, struct grid_pick *pick, const struct sequence *q, const char *pattern,
                         const char *path, const struct bwvdb_file *file, const char *name, int32_t *grid);

#endif
