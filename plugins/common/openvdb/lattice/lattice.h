// SPDX-License-Identifier: Apache-2.0
/* Any grid on a lattice of cubes along the axes, z up, in metres: as it is where it lies so, else resampled. A grid
 * that is turned by quarters or mirrored keeps its values; one that is turned otherwise, stretched, or in a frustum is
 * read trilinearly on cubes as small as its voxels. */
#ifndef VDB_LATTICE_H
#define VDB_LATTICE_H

#include <common/openvdb/bwvdb.h>

/// What a file says of its world.
struct vdb_facts {
    double fps;          ///< 0: it does not say
    double scale;        ///< units to a metre, 1 where nothing is said
    int y_up;            ///< y points up; Houdini's files are so where they say nothing else
    int ours;            ///< written by Billow
    double flame_kelvin; ///< of the bake's hottest flames; 0: it does not say
};
void vdb_facts_read(const struct bwvdb_file *f, struct vdb_facts *facts);

/// A place or direction of a file, z up: its (x, y, z) is (x, -z, y) where y points up in it.
static inline void vdb_turn_up(int y_up, const double file[3], double out[3])
{
    out[0] = file[0];
    out[1] = y_up ? -file[2] : file[1];
    out[2] = y_up ? file[1] : file[2];
}
/// And back.
static inline void vdb_turn_back(int y_up, const double z_up[3], double out[3])
{
    out[0] = z_up[0];
    out[1] = y_up ? z_up[2] : z_up[1];
    out[2] = y_up ? -z_up[1] : z_up[2];
}
/// The world box of a grid's active voxels, z up, in the file's units; `reach`: half a voxel more, as far as
/// interpolation reaches. Without active voxels lo is +∞, hi -∞.
void vdb_box(const struct bwvdb_info *g, int y_up, int reach, double lo[3], double hi[3]);

/// Cell (i,j,k) spans origin + [i,i+1]·h × …; its centre is where a voxel is.
struct vdb_lattice {
    double h, origin[3]; ///< m, z up
    int32_t lo[3], n[3]; ///< cells round the active voxels; n all 0: there are none
    int direct;          ///< cells are voxels: nothing is resampled …
    int32_t off[3];      ///< … and the index of a cell's voxel is so much more than its own
    int y_up;            ///< of the file
    int turn;            ///< vectors are directions, and turned with it; others stay as they are
    double scale;        ///< of the file
};
/// Where a grid lies, by y_up and scale of `facts`. A staggered one needs a cell more on the low sides: `faces` makes
/// it so, and values at the centres are read.
void vdb_lattice_of(const struct bwvdb_info *g, const struct vdb_facts *facts, int faces, struct vdb_lattice *l);
/// Make cells of h, origin, y_up, turn and scale `direct` where they are the voxels of that grid.
void vdb_lattice_fit(const struct bwvdb_info *g, struct vdb_lattice *l);
/// Values of the cells lo … lo+n-1 of a loaded grid, as bwvdb_read_box() has them; directions are turned z up. Of
/// outside as much is read as there is: the background.
enum bwvdb_status vdb_lattice_read(const struct bwvdb_file *f, int32_t grid, const struct vdb_lattice *l,
                                   const int32_t lo[3], const int32_t n[3], float *const out[3],
                                   struct bwvdb_error *error);

#endif
