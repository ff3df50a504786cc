// SPDX-License-Identifier: Apache-2.0
/* The parts of potential: parameters and the velocity (potential.c), walls and sources of cells (wall_masks.c), balance
 * of sources (balance.c), Schaefer's relaxation (relax.c), and the steady multigrid solve (steady.c). */
#ifndef POTENTIAL_H
#define POTENTIAL_H

#include "mask_table.h"
#include <billow/plugin.h>

enum potential_mode { POTENTIAL_MULTIGRID, POTENTIAL_RELAXATION };
enum potential_obstacles { OBSTACLES_CUT, OBSTACLES_CELLS };
enum potential_balance { BALANCE_OPEN, BALANCE_SPREAD, BALANCE_NEAREST, BALANCE_REJECT };
enum { TILE_CELLS = 4096, ALL_WALLS = 63 };

struct potential_relaxation {
    double w, spread;
    int64_t iterations;
    int32_t as_printed;
};

struct potential {
    int32_t mode, balance, whole, obstacles;
    double tolerance;
    int64_t max_iterations;
    struct potential_relaxation relaxation;
};

enum potential_port { PHI, SOURCE, VEL, SOLID, WALL, POTENTIAL_PORTS };

/// Walls and sources of all cells: tiles as in the topology, cells in the order of a tile's storage (x fastest).
struct cell_data {
    int64_t count, capacity;
    uint64_t version;
    uint8_t *walls;   ///< a bit per side, as in the table
    double *given;    ///< sources of the field and of inflow sides, 1/s
    double *source;   ///< the same after balance.c, 1/s
    uint8_t *sourced; ///< a tile: 1 where it holds any
    uint64_t *mark;   ///< a tile: of the obstacles that cut it
    uint8_t *plain;   ///< a tile: 1 where no cell has a wall but those across a plane
    int32_t built, changed;
};

/// One step.
struct potential_task {
    struct bw_stage *s;
    const struct potential *p;
    struct cell_data *l;
    const struct bw_tiles_api *tiles;
    const struct bw_topology *topology;
    int32_t dim, base;   ///< base: walls of a cell that has none but across a plane
    int32_t cut;         ///< 1: obstacles cut cells
    int32_t solid, wall; ///< views of walls_update()'s sweep, -1: none
    int32_t source;
    struct table table;
    double strength; ///< of the relaxation's source per source: w h², or 1 as printed
    double gradient; ///< velocity per difference of the potential, 1/m
};

extern const struct bw_stage_desc potential_desc;

/// Index of cell (i, j, k) in a tile.
static inline int potential_at(const struct bw_domain_info *d, int i, int j, int k)
{
    return i + d->tile[0] * (j + d->tile[1] * k);
}

/* wall_masks.c */
/// Tile and cell next to a cell; the tile may be BW_TILE_INACTIVE or BW_TILE_OUTSIDE.
int64_t potential_next(const struct potential_task *t, int64_t tile, const int32_t cell[3], int side, int32_t to[3]);
/// Updates walls and sources of all cells; t->l->changed: any differ from the last step's.
enum bw_status walls_update(struct potential_task *t);
/* balance.c */
/// Balances the sources of each sealed region to a sum of zero, by `balance`. Errors, said: BW_ERR_PRESET.
enum bw_status sources_balance(struct potential_task *t);
/* relax.c */
/// So many iterations of the relaxation from the last step's potential.
enum bw_status relax_run(struct potential_task *t, int64_t iterations);
/* steady.c */
struct steady;
/// Solves for the steady potential by multigrid: the limit of the relaxation.
enum bw_status steady_run(struct potential_task *t, struct steady **state);

#endif
