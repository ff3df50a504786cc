// SPDX-License-Identifier: Apache-2.0
/* What VDB grids hold, and in what two of them differ, for those who judge finished caches. Grids are loaded
 * (bwvdb_load) before; vectors count by their length. */
#ifndef VDB_CONTENTS_H
#define VDB_CONTENTS_H

#include <common/openvdb/bwvdb.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Of a grid's active voxels.
struct vdb_contents {
    int64_t active;
    int64_t bad;              ///< values that are no finite numbers
    int32_t bad_at[3];        ///< one of them
    double least, most, mean; ///< of the others; 0 when there are none
};
/// Errors: BWVDB_ERR_USAGE (no such grid, or not loaded).
enum bwvdb_status vdb_contents_find(const struct bwvdb_file *f, int32_t grid, struct vdb_contents *out,
                                    struct bwvdb_error *error);

/// Voxel by voxel of the same index, whatever the transforms are.
struct vdb_difference {
    int64_t only_a, only_b; ///< active in one of them alone
    int64_t either, differ; ///< active in any; of those, whose values differ
    double most, mean;      ///< difference of values, over `either`; INFINITY where one of two is no number
    int32_t at[3];          ///< where it is largest
    double a, b;            ///< the values there
};
/// Errors: BWVDB_ERR_USAGE (no such grid, or not loaded, or of two types).
enum bwvdb_status vdb_difference_find(const struct bwvdb_file *a, int32_t grid_a, const struct bwvdb_file *b,
                                      int32_t grid_b, struct vdb_difference *out, struct bwvdb_error *error);

#ifdef __cplusplus
}
#endif
#endif
