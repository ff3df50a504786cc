// SPDX-License-Identifier: Apache-2.0
/* Pressure projection: the sweeps of mac.project between fields on the grid and the multigrid's arrays. */
#ifndef PROJECT_H
#define PROJECT_H

#include "exterior/far_field.h"
#include "open_flux.h"
#include <common/multigrid/multigrid.h>

enum { EXTRAPOLATE_HALO = 3 }; ///< cells of the flow that project_extrapolate reads around a block

/// One projection, as the bodies of its sweeps see it. View numbers are -1 where there is no such field.
struct projection {
    struct multigrid *mg;
    const struct bw_tiles_api *tiles;
    struct bw_domain *domain;
    const struct bw_topology *topology;
    const struct mg_result *result;
    const struct open_flux *open; ///< NULL: not kept
    const struct bw_field *flow;  ///< the one to project
    const struct far_field *far;
    uint8_t *near_solid; ///< by tile: an obstacle may cut its faces
    int same;            ///< tiles are those of the last solve
    double rhs;          ///< right-hand side per net outflow of a cell's faces: -density h/dt, Pa s/m
    double source;       ///< the same per expansion: density h²/dt, Pa s
    double gradient;     ///< velocity per pressure difference: dt/(density h), m/(s Pa)
    int32_t vel, out, pressure, divergence, solid, solid_vel, around, grip;
};

/* ---- project_cell_kinds.c ---- */

/// Is side `s` of a tile a wall of the box (closed or inflow)?
int project_side_is_wall(const struct projection *t, const struct bw_block *b, int64_t tile, int s);
/// Does an obstacle cut or close any face of a block's tile?
int project_is_cut(const struct projection *t, const struct bw_block *b);
/// Has a 3D tile the constant stencil: unknowns only, with open faces to unknowns on all sides?
int project_is_plain(const struct projection *t, int64_t tile);
/// Sets near_solid, a byte a tile, from `solid`. Errors: BW_ERR_MEMORY.
enum bw_status project_find_solid_tiles(struct bw_stage *s, struct projection *t, const struct bw_field *solid);
/// Sets the kinds of a tile's cells (fluid or not) and whether faces are cut. max[0] = 1 where something changed since
/// the last call (unless `same`: always), infinite when out of memory. Reads solid (halo CUT_HALO).
void project_cell_kinds(const struct bw_block *b, void *user);
/// Sets the face weights of cut tiles: open area fractions. Reads solid (halo CUT_HALO).
void project_face_weights(const struct bw_block *b, void *user);
/// Reach of all sweeps but project_extrapolate's: tiles without cut faces do without solid and solid_vel; of vel, only
/// the high faces count, and plain tiles read them in the next ones.
int project_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user);

/* ---- project_div_grad.c ---- */

/// Right-hand side and first guess. Reads vel, solid_vel (halo 1), divergence, pressure.
void project_rhs(const struct bw_block *b, void *user);
/// Subtracts the pressure gradient from vel (halo 1), sets walls, stores the pressure. Writes `out`, a tile's own
/// faces; updates pressure; reads solid_vel (halo 1), divergence. max[0] = largest |div vel - divergence| of a fluid
/// cell after it, 1/s; infinite when out of memory.
void project_subtract_gradient(const struct bw_block *b, void *user);

/* ---- extrapolate.c, sealed.c ---- */

/// Extrapolates the velocity into obstacles (extrapolate.c). Updates vel; reads it as `around` (halo EXTRAPOLATE_HALO),
/// solid (halo EXTRAPOLATE_HALO + CUT_HALO), solid_vel and grip (halo 1). Tiles without obstacles read none of them.
void project_extrapolate(const struct bw_block *b, void *user);
int project_extrapolate_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user);

/// The sealed region whose sources are most out of balance.
struct sealed {
    double cells; ///< 0: there is none
    double rate;  ///< 1/s: mean expansion, subtracted everywhere in it
    double at[3]; ///< centroid, m
};
/// From the right-hand side, before the solve. Errors: BW_ERR_MEMORY.
enum bw_status project_find_sealed(struct bw_stage *s, const struct projection *t, struct sealed *out);

#endif
