// SPDX-License-Identifier: Apache-2.0
/* OpenVDB grids as shapes: a level set is a surface, a fog volume a mask of which 1 covers a cell whole. One grid of a
 * file, or of a numbered sequence of files, is copied into bricks (mesh.h), so that asking a place is as cheap as with
 * a mesh and needs no OpenVDB. All memory is the host's; only asking is allowed from any thread. */
#ifndef VOLUME_H
#define VOLUME_H

#include <common/shape/grid_pick.h>
#include <common/shape/mesh/mesh.h>

enum volume_form { VOLUME_AUTO, VOLUME_FOG, VOLUME_LEVEL_SET };

/// A volume's row in a parameter struct.
struct shape_volume {
    const char *file, *grid;
    bw_vec3 center, rotate;
    double scale, gain;
    int32_t up;   ///< 0: z, 1: y
    int32_t form; ///< enum volume_form
    int64_t offset;
    double speed;
    int32_t outside; ///< enum sequence_outside
};

/// A stage's volume: the bricks of the present file.
struct volume_source {
    struct mesh_volume bricks; ///< on voxel indices; of fog: 0.5 - value, so that 0 is where half a cell is covered
    struct box3 box;           ///< round the active voxels, in the file's units, z up
    double to_index[12];       ///< file's place, z up, to voxel index: row by row
    struct sequence sequence;
    struct grid_pick pick;
    int64_t number; ///< of the present file
    int empty;      ///< which holds no such grid
    int fog;
    int begun, ready;
    int blank; ///< no shape at present
};

/// Make the bricks of the file that belongs to s->frame. Errors are said: BW_ERR_IO, BW_ERR_PRESET (no such grid, not
/// a scalar, not a number), BW_ERR_LIMIT, BW_ERR_MEMORY.
enum bw_status volume_prepare(struct bw_stage *s, const struct shape_volume *p, struct volume_source *v);
/// Box round the active voxels of another file of the sequence, as in struct volume_source; left alone where it has no
/// such grid. Errors are said.
enum bw_status volume_file_box(struct bw_stage *s, const struct shape_volume *p, const char *path, struct box3 *box);
/// At x in the file's frame, z up. Level set: signed distance in the file's units; fog: 0.5 - value.
double volume_distance(const struct volume_source *v, const double x[3]);

#endif
