// SPDX-License-Identifier: Apache-2.0
/* The divergence-free flux through cut faces, as mac.project made it, for flux-form advection of conserved quantities.
 * Faces that are not cut have the flux of the current velocity. */
#ifndef OPEN_FLUX_H
#define OPEN_FLUX_H

#include <billow/plugin.h>
#include <math.h>

#define OPEN_FLUX_AS_IT_IS NAN ///< marks a face that is not cut: its flux is the velocity

/// The tiles with cut faces, in the order of the topology.
struct open_flux {
    int64_t count, capacity;
    int32_t (*coord)[3];
    float *through; ///< three blocks of open_flux_size() a tile
    int32_t *slot;  ///< by tile of this step, -1: none; while the projection runs
};

/// Floats of one component in a tile: low faces, and the high ones of the last cells.
int64_t open_flux_size(const struct bw_domain_info *g);
/// Allocate for the tiles whose `cut` is not negative. Errors: BW_ERR_MEMORY.
enum bw_status open_flux_begin(struct open_flux *o, struct bw_stage *s, const struct bw_topology *t,
                               const int32_t *cut);
/// Store a block's faces: component a of cell (i,j,k) is at f[a][i*step[0] + j*step[1] + k*step[2]].
void open_flux_store(const struct open_flux *o, const struct bw_block *b, int64_t tile, float *const f[3],
                     const ptrdiff_t step[3]);
/// Component a at the faces of the tile at a coordinate, m/s over whole faces: the flux of the open part and of the
/// obstacle's together; OPEN_FLUX_AS_IT_IS. Cell (0,0,0), x fastest, one cell more along each axis than the tile. NULL:
/// no face is cut.
const float *open_flux_at(const struct open_flux *o, const struct bw_domain_info *g, const int32_t coord[3], int a);
enum bw_status open_flux_checkpoint(struct open_flux *o, struct bw_stage *s, struct bw_archive *a);

#define OPEN_FLUX "mac.open_flux/2"
/// Offered by mac.project to the stages of its module.
struct open_flux_api {
    /// [main] Of the stage's last projection; NULL: none yet.
    const struct open_flux *(*last)(const struct bw_stage *projection);
};

#endif
