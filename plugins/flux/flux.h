// SPDX-License-Identifier: Apache-2.0
/* Shared by the files of `flux`. */
#ifndef FLUX_H
#define FLUX_H

#include "flux_kernels.h"
#include <billow/plugin.h>

enum flux_mode { FLUX_EULER, FLUX_MASS_FLOW };
enum flux_gas_kind { GAS_IDEAL, GAS_ISOTHERMAL };
enum flux_display { DISPLAY_CELLS, DISPLAY_CORNERS };
enum { FLUX_HALO = 2, FLUX_SCALARS = 8 };

/// Constants of mode mass_flow, per unit step but for its rate.
struct flux_mass_flow {
    double rate; ///< unit steps a second
    int64_t neighbours;
    double diffusion, friction, damping, drain, bounce;
};

struct flux {
    int32_t mode, gas, riemann, limiter, display;
    double ambient_density, sound_speed, gamma, cfl, dt, damping, drain, friction, quiet;
    int64_t max_substeps;
    struct flux_mass_flow mass_flow;
};

enum flux_port { MASS, MOMENTUM, ENERGY, DENSITY, VEL, FORCE, SOLID, SOLID_VEL, WALL, CARRY, AGE, FLUX_PORTS };

/// A cell whose state is invalid: mass or pressure not above 0.
struct flux_invalid {
    int32_t cell[3], found;
    double mass, pressure;
};

/// What the check of the state found in a tile.
struct flux_tile {
    int32_t lo[3], hi[3];                 ///< cells that differ from the ambient gas, within the tile; lo > hi: none
    int32_t solid, wall;                  ///< 1: an obstacle in it or within FLUX_HALO cells; a wall between cells
    float solid_speed;                    ///< largest speed of an obstacle there, m/s
    struct flux_invalid invalid, in_wall; ///< the first invalid cell, and the first with excess gas inside an obstacle
};

/// Obstacles in or near a block: of all its tiles together.
struct flux_obstacles {
    int32_t solid, wall;
    float solid_speed;
};

struct flux_state {
    struct flux_tile *tile;
    int64_t capacity;     ///< tiles allocated
    double mass_in_walls; ///< excess mass inside obstacles at the last check, kg/m3·cells
    int64_t steps;        ///< substeps of the last step
};

/// One step. Views of `access`, in this order: mass, momentum, energy (euler), advected scalars, each to be
/// read; the same again to be written; solid, solid_vel, wall.
struct flux_task {
    struct bw_stage *s;
    const struct flux *p;
    struct flux_state *st;
    const struct flux_kernels *k;
    const struct mass_flow_kernels *mass_flow;
    const struct bw_tiles_api *tiles;
    struct flux_gas g;
    int32_t axis[3], dim; ///< axes that are longer than a cell
    struct bw_access access[2 * (FLUX_SCALARS + 3) + 3];
    uint32_t n_in, n_access;
    int32_t solid, solid_vel, wall, energy, scalars, n_scalars; ///< views: -1 where there is none
    int32_t halo;                                               ///< halo of a block in cells: FLUX_HALO, or fewer
    float ratio;                                                ///< dt/h, s/m
    float drain_factor, damping_factor;                         ///< exp(-rate dt): fraction left by drain and damping
    float pressure;                                             ///< ambient, Pa
    struct bw_field *smoke, *age;                               ///< NULL: not advected here, or nobody asks
    double smoke_most[2];                                       ///< the greatest age, s, and density
};

/// A block's cells in arrays of the same shape as the views that are read.
struct flux_shape {
    int32_t n[3], halo[3];
    ptrdiff_t step[3];
    size_t cells;     ///< from the first to the last, halos included, with what lies between in memory
    ptrdiff_t origin; ///< of cell (0, 0, 0)
};
/// `halo`: cells around the block that the view has, along axes that are not thin.
struct flux_shape flux_shape_of(const struct bw_block *b, const struct bw_view *v, int32_t halo);
static inline ptrdiff_t flux_at(const struct flux_shape *s, int j, int k) { return j * s->step[1] + k * s->step[2]; }

/* walls.c */
/// Cells and faces open to the gas, 1 or 0, in arrays of a block's shape; all NULL where no wall is near.
struct flux_walls {
    float *open;    ///< cells: 0 inside an obstacle or beyond a closed side
    float *pass[3]; ///< low faces along an axis of the domain: 0 where `wall` closes them; NULL where it closes none
    const struct bw_view *solid_vel; ///< NULL: obstacles are at rest
};
/// Floats of memory for flux_walls_fill; 0: no wall is near.
size_t flux_walls_size(const struct flux_task *t, const struct bw_block *b, const struct flux_shape *sh);
void flux_walls_fill(const struct flux_task *t, const struct bw_block *b, const struct flux_shape *sh, float *memory,
                     struct flux_walls *w);
/// Is the neighbour at c + d connected to the cell at `c`, by any path along the axes?
int flux_walls_pass(const struct flux_walls *w, const ptrdiff_t step[3], ptrdiff_t c, const int d[3]);
/// Velocity along `axis` of the obstacle at the low face of cell `c`, m/s.
static inline double flux_walls_speed(const struct flux_walls *w, int axis, ptrdiff_t c)
{
    return w->solid_vel ? (double)bw_f32(w->solid_vel, axis)[c] : 0;
}
/* check_state.c */
/// Halo of sweeps: none across the thin axis; obstacles are read only where there are any.
int flux_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user);
static inline void flux_reach_flat(const struct bw_block *b, int32_t reach[6])
{
    if (b->grid->thin >= 0) reach[2 * b->grid->thin] = reach[2 * b->grid->thin + 1] = 0;
}
struct flux_obstacles flux_obstacles_near(const struct flux_task *t, const struct bw_block *b);
/// Tiles along an edge of a sweep's block. In 3D a wider block has fewer halo cells for each of its own (halo 2: 0.42,
/// not 0.95), which outweighs that it no longer fits in the second-level cache; in 2D it gains nothing.
static inline int32_t flux_block(const struct flux_task *t) { return t->dim == 3 ? 2 : 1; }

extern const struct bw_stage_desc flux_desc;

/* mass_flow.c */
/// Reports constants that are not stable or not allowed. Errors: BW_ERR_PRESET.
enum bw_status flux_mass_flow_check(struct bw_stage *s);
enum bw_status flux_mass_flow_run(struct flux_task *t);
/// Unit steps that end within (from, to], s.
int64_t flux_mass_flow_steps(const struct flux *p, double from, double to);
/* euler.c, euler_block.c */
/// One substep of a block, at second or first order. max[0]: largest sum over axes of |u| + c; max[1]: minus the least
/// mass or pressure relative to the ambient gas.
void flux_euler_block(const struct bw_block *b, const struct flux_task *t, int first_order);
enum bw_status flux_euler_run(struct flux_task *t);
/* fresh_cells.c */
/// Fills cells that a moving obstacle uncovered with the gas around them; after flux_check_state.
enum bw_status flux_fill_fresh_cells(struct flux_task *t);
/* body_force.c */
/// Applies the body force of the step, the field `force`, to momentum and energy.
enum bw_status flux_apply_force(struct flux_task *t);
/* ageing.c */
/// The age times the smoke, before it is advected, and back, a step older; nothing where nobody asks.
enum bw_status flux_weigh_age(struct flux_task *t);
enum bw_status flux_age(struct flux_task *t);
/* output.c */
enum bw_status flux_output(struct flux_task *t);
/* check_state.c */
/// Checks that mass and pressure are positive in every cell, and fills t->st->tile. *signal: the wave speed for the CFL
/// condition, the largest sum over axes of |u| + c, m/s.
enum bw_status flux_check_state(struct flux_task *t, double *signal);

#endif
