// SPDX-License-Identifier: Apache-2.0
/* The sweeps of mac.project: between fields on the grid and the multigrid's own arrays. */
#ifndef PROJECT_H
#define PROJECT_H

#include "exterior/far_field.h"
#include "open_flux.h"
#include <common/multigrid/multigrid.h>

enum { EXTEND_HALO = 3 }; ///< cells of the flow that project_extend looks at around a block

/// What the bodies need. View numbers are -1 where a field is not there.
struct task {
    struct multigrid *mg;
    const struct bw_tiles_api *tiles;
    struct bw_domain *domain;
    const struct bw_topology *topology;
    const struct mg_result *result;
    const struct open_flux *open; ///< NULL: not wanted
    const struct bw_field *flow;  ///< that is projected
    const struct far_field *far;
    uint8_t *near;   ///< by tile: an obstacle may cut its faces
    int same;        ///< the tiles are those of the last solve
    double rhs;      ///< right-hand side per net outflow of a cell's faces: -density h/dt, Pa s/m
    double source;   ///< the same per expansion: density h²/dt, Pa s
    double gradient; ///< velocity per pressure difference: dt/(density h), m/(s Pa)
    int32_t vel, out, pressure, divergence, solid, solid_vel, around, grip;
};

/* ---- project_kinds.c ---- */

/// Is side `s` of a tile a wall of the box (closed or inflow)?
int project_side_is_wall(const struct task *t, const struct bw_block *b, int64_t tile, int s);
/// Does any face of a block's tile lie in or on an obstacle?
int project_is_cut(const struct task *t, const struct bw_block *b);
/// Are all of a tile's cells and those next to them unknowns with whole faces between them?
int project_is_plain(const struct task *t, int64_t tile);
/// Sets task.near, an array of a byte a tile, from `solid`. Errors: BW_ERR_MEMORY.
enum bw_status project_find_near(struct bw_stage *s, struct task *t, const struct bw_field *solid);
/// Sorts a tile's cells into unknowns and not, and says whether faces are cut; max[0] = 1 where something changed since
/// the last call (unless `same`: always), infinite when out of memory. Reads solid (halo CUT_HALO).
void project_kinds(const struct bw_block *b, void *user);
/// Gives cut tiles their weights. Reads solid (halo CUT_HALO).
void project_weights(const struct bw_block *b, void *user);
/// Reach of all sweeps but project_extend's: tiles without cut faces do without solid and solid_vel; of vel, only the
/// high faces count, and plain tiles look for them in the next ones.
int project_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user);

/* ---- project_sweeps.c ---- */

/// Right-hand side and first guess. Reads vel, solid_vel (halo 1), divergence, pressure.
void project_rhs(const struct bw_block *b, void *user);
/// Takes the pressure's gradient from vel (halo 1), sets walls, hands the pressure out. Writes `out`, a tile's own
/// faces; updates pressure; reads solid_vel (halo 1), divergence. max[0] = largest |div vel - divergence| of a fluid
/// cell after it, 1/s; infinite when out of memory.
void project_correct(const struct bw_block *b, void *user);

/* ---- extend.c, sealed.c ---- */

/// Extends the flow into obstacles (extend.c). Updates vel; reads it as `around` (halo EXTEND_HALO), solid (halo
/// EXTEND_HALO + CUT_HALO), solid_vel and grip (halo 1). Tiles without obstacles do without all.
void project_extend(const struct bw_block *b, void *user);
int project_extend_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user);

/// The sealed region that leaves most of what is asked for undone.
struct sealed {
    double cells; ///< 0: there is none
    double rate;  ///< 1/s: expansion that is left out everywhere in it
    double at[3]; ///< its middle, m
};
/// From the right-hand side, before the solve. Errors: BW_ERR_MEMORY.
enum bw_status project_sealed(struct bw_stage *s, const struct task *t, struct sealed *out);

#endif
