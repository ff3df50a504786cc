// SPDX-License-Identifier: Apache-2.0
/* Shared by the files of `flux`. */
#ifndef FLUX_H
#define FLUX_H

#include "flux_kernels.h"
#include <billow/plugin.h>

enum flux_mode { FLUX_EULER, FLUX_MASS_FLOW };
enum flux_gas_kind { GAS_IDEAL, GAS_ISOTHERMAL };
enum flux_display { DISPLAY_CELLS, DISPLAY_CORNERS };
enum { FLUX_HALO = 2, FLUX_CARRIED = 8 };

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

enum flux_port { MASS, MOMENTUM, ENERGY, DENSITY, VEL, FORCE, SOLID, SOLID_VEL, WALL, CARRY, FLUX_PORTS };

/// A cell that holds no gas.
struct flux_bad {
    int32_t cell[3], found;
    double mass, pressure;
};

/// What is known of a tile.
struct flux_tile {
    int32_t lo[3], hi[3];        ///< cells that differ from the ambient gas, within the tile; lo > hi: none
    int32_t solid, wall;         ///< 1: an obstacle in it or within FLUX_HALO cells; a wall between cells
    float moves;                 ///< how fast an obstacle moves there, m/s
    struct flux_bad bad, buried; ///< the first cell without mass or pressure, and with gas behind walls
};

/// What is near a block, of any of its tiles.
struct flux_near {
    int32_t solid, wall;
    float moves;
};

struct flux_state {
    struct flux_tile *tile;
    int64_t room;  ///< tiles that fit
    double behind; ///< excess mass behind walls, as last seen, kg/m3·cells
    int64_t steps; ///< substeps of the last step
};

/// One step. Views of `access`, in this order: mass, momentum, energy (euler), carried ones, each to be read; the same
/// again to be written; solid, solid_vel, wall.
struct flux_task {
    struct bw_stage *s;
    const struct flux *p;
    struct flux_state *st;
    const struct flux_kernels *k;
    const struct mass_flow_kernels *mass_flow;
    const struct bw_tiles_api *tiles;
    struct flux_gas g;
    int32_t axis[3], dim; ///< axes that are longer than a cell
    struct bw_access access[2 * (FLUX_CARRIED + 3) + 3];
    uint32_t n_in, n_access;
    int32_t solid, solid_vel, wall, energy, carried, n_carried; ///< views: -1 where there is none
    int32_t halo;     ///< cells round a block that sweeps read: FLUX_HALO, or fewer
    float ratio;      ///< dt/h, s/m
    float keep, calm; ///< share that drain and damping leave
    float pressure;   ///< ambient, Pa
};

/// A block's cells in arrays of the same shape as the views that are read.
struct flux_shape {
    int32_t n[3], halo[3];
    ptrdiff_t step[3];
    size_t cells;     ///< halos included
    ptrdiff_t origin; ///< of cell (0, 0, 0)
};
/// `halo`: cells around the block that the view has, along axes that are not thin.
struct flux_shape flux_shape_of(const struct bw_block *b, const struct bw_view *v, int32_t halo);
static inline ptrdiff_t flux_at(const struct flux_shape *s, int j, int k) { return j * s->step[1] + k * s->step[2]; }

/* shut_cells.c */
/// Where gas may be and pass, 1 or 0, in arrays of a block's shape; all NULL where no wall is near.
struct flux_walls {
    float *open;    ///< cells: 0 behind a wall
    float *pass[3]; ///< low faces along an axis of the domain: 0 where `wall` closes them; NULL where it closes none
    const struct bw_view *moves; ///< solid_vel, or NULL: nothing moves
};
/// Floats that they need, to be had from body_scratch; 0: no wall is near.
size_t flux_walls_room(const struct flux_task *t, const struct bw_block *b, const struct flux_shape *sh);
void flux_walls_fill(const struct flux_task *t, const struct bw_block *b, const struct flux_shape *sh, float *memory,
                     struct flux_walls *w);
/// May gas get from the cell at `c` to its neighbour at c + d, by any way along the axes?
int flux_walls_pass(const struct flux_walls *w, const ptrdiff_t step[3], ptrdiff_t c, const int d[3]);
/// How fast the obstacle at the low face of cell `c` along `axis` moves along it, m/s.
static inline double flux_walls_speed(const struct flux_walls *w, int axis, ptrdiff_t c)
{
    return w->moves ? (double)bw_f32(w->moves, axis)[c] : 0;
}
/* survey.c */
/// How far sweeps read: not across a plane, and obstacles only where there are any.
int flux_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user);
static inline void flux_reach_flat(const struct bw_block *b, int32_t reach[6])
{
    if (b->grid->thin >= 0) reach[2 * b->grid->thin] = reach[2 * b->grid->thin + 1] = 0;
}
struct flux_near flux_near_of(const struct flux_task *t, const struct bw_block *b);
/// Tiles a side that steps take at once: in 3D a wider block has far fewer cells round it for each of its own (halo 2:
/// 0.42, not 0.95), which pays for no longer lying in the second cache; in 2D there is nothing to be had.
static inline int32_t flux_block(const struct flux_task *t) { return t->dim == 3 ? 2 : 1; }

extern const struct bw_stage_desc flux_desc;

/* mass_flow.c */
/// BW_OK, or a sentence about a constant that cannot work.
enum bw_status flux_mass_flow_check(struct bw_stage *s);
enum bw_status flux_mass_flow_run(struct flux_task *t);
/// Unit steps that end within (from, to], s.
int64_t flux_mass_flow_steps(const struct flux *p, double from, double to);
/* euler.c, euler_block.c */
/// One substep of a block, at second order or first; max[0]: |u| + c over the axes, max[1]: least mass or pressure, <
/// 0.
void flux_euler_block(const struct bw_block *b, const struct flux_task *t, int first_order);
enum bw_status flux_euler_run(struct flux_task *t);
/* uncover.c */
/// Gives the cells that obstacles left the gas around them; after flux_look.
enum bw_status flux_uncover(struct flux_task *t);
/* push.c */
/// Pushes the gas by the field `force`, which is used up.
enum bw_status flux_push(struct flux_task *t);
/* output.c */
enum bw_status flux_output(struct flux_task *t);
/* survey.c */
/// Checks every cell; *signal: largest sum over axes of |u| + c, m/s. Fills t->st->tile.
enum bw_status flux_look(struct flux_task *t, double *signal);

#endif
