// SPDX-License-Identifier: Apache-2.0
/* Any grid on a lattice of cubes along the axes, z up, in metres: as it is where it lies so, else resampled. A grid
 * that is turned by quarters or mirrored keeps its values; one that is turned otherwise, stretched, or in a frustum is
 * read trilinearly on cubes as small as its voxels. */
#ifndef VDB_LATTICE_H
#define VDB_LATTICE_H

#include <common/openvdb/bwvdb.h>

/// What a file says of its world.
struct vdb_facts {
    double fps;   ///< 0: it does not say
    double scale; ///< units to a metre, 1 where nothing is said
    int y_up;     ///< y points up; Houdini's files are so where they say nothing else
    int ours;     ///< written by Billow
};
void vdb_facts_read(const struct bwvdb_file *f, struct vdb_facts *facts);
/// Does a text name y as the axis that points up?
int vdb_axis_is_y(const char *text);

/// Cell (i,j,k) spans origin + [i,i+1]·h × …; its centre is where a voxel is.
struct vdb_lattice {
    double h, origin[3]; ///< m, z up
    int32_t lo[3], n[3]; ///< cells round the active voxels; n all 0: there are none
    int direct;          ///< cells are the voxels of the same index: nothing is resampled
    int y_up;            ///< of the file
    int turn;            ///< vectors are directions, and turned with it; others stay as they are
    double scale;        ///< of the file
};
/// Where a grid lies, by y_up and scale of `facts`. A staggered one needs a cell more on the low sides: `faces` makes
/// it so, and values at the centres are read.
void vdb_lattice_of(const struct bwvdb_info *g, const struct vdb_facts *facts, int faces, struct vdb_lattice *l);
/// Values of the cells lo … lo+n-1 of a loaded grid, as bwvdb_read_box() has them; directions are turned z up. Of
/// outside as much is read as there is: the background.
enum bwvdb_status vdb_lattice_read(const struct bwvdb_file *f, int32_t grid, const struct vdb_lattice *l,
                                   const int32_t lo[3], const int32_t n[3], float *const out[3],
                                   struct bwvdb_error *error);

#endif
