// SPDX-License-Identifier: Apache-2.0
/* Geometric multigrid for the Poisson equation A p = b on the active tiles of a domain. A = -h²·Laplacian; the flux
 * through a cut face is weighted by the face's open area fraction.
 *
 *     multigrid.c               V-cycles, conjugate gradients (CG), double precision
 *     multigrid_levels.c        the hierarchy: tiles, neighbours and arrays of each level
 *     multigrid_coefs.c         matrix coefficients of each level
 *     multigrid_sweeps.c        red/black Gauss–Seidel sweeps, restriction and prolongation over a level, cache-blocked
 *     multigrid_regions.c       connected components of the unknowns; null space of those without Dirichlet faces
 *     multigrid_exterior.c      boundary condition beyond the active tiles
 *     multigrid_ranks.c         partition over ranks, halo exchange
 *     mg_kernels.c              all of the above that runs per cell, on one tile
 *
 * Level 0 has the domain's tiles; cells of level l+1 are twice as wide. Tiles always have 16³ (2D: 64²) cells: 2×2×2
 * (2×2) tiles merge into one until one is left, whose occupied corner is coarsened further, to 2 cells. Memory: 8 bytes
 * (x, b) and 1 (kind) a cell, another 8 (diag, inv) in tiles that touch a boundary and 24 more (weights) in those with
 * cut faces, 1/7 (1/3) of that for the coarse levels; 24 more while a solve uses CG or a solution in double. */
#ifndef MULTIGRID_H
#define MULTIGRID_H

#include "mg_kernels.h"
#include <billow/plugin.h>

enum { MG_LEVELS = 32, MG_PAIRS = 8, MG_RANKS = 64, MG_BOTH = 2 };

/* A cell's kind, natural order inside a tile (x fastest): fluid (an unknown), the number of its faces to other
 * unknowns, and the number of its open faces, beyond which p is 0: one cell away or, in the exterior, farther. 0: no
 * unknown. */
enum { MG_FLUID = 128 };
#define MG_KIND(fluid_sides, open_sides) (MG_FLUID | (fluid_sides) << 3 | (open_sides))
#define MG_FLUID_SIDES(kind) ((kind) >> 3 & 7)
#define MG_OPEN_SIDES(kind) ((kind)&7)

/// Memory that is reused for the next set of tiles while its size fits.
struct mg_buffer {
    void *data;
    size_t bytes;
};

/* Ghost cells where a periodic axis ends inside a tile: the last tile's next plane copies the first tile's first plane,
 * and a ghost tile holds what lies before the first tile. */
struct mg_seam {
    int32_t axis, first, last, ghost; ///< tiles
    int32_t cells;                    ///< occupied in the last tile
};

/// One item of an exchange between ranks: a side of a tile, or a tile's octant of its parent.
struct mg_item {
    int32_t tile, side;
};

/// A halo exchange: the items to send [0] and to receive [1], sorted by the other rank; both ranks know the order.
struct mg_exchange {
    struct mg_item *item[2];
    int32_t first[2][MG_RANKS + 1]; ///< each rank's first item
    char *buffer[2];
    struct mg_buffer memory;
};

/// Partition of a level's tiles over ranks (multigrid_ranks.c).
struct mg_partition {
    const int32_t *owner; ///< rank by tile; NULL: not partitioned, all tiles are local
    int32_t *own;         ///< this rank's tiles
    int64_t n_own;
    struct mg_exchange halo;                      ///< faces that other ranks' tiles read
    struct mg_exchange restriction, prolongation; ///< octants of the coarser level: its b, its x
    struct mg_buffer memory;
};

struct mg_level {
    int64_t count, n_ghost, n_coef, n_cut;
    int32_t cells[3];        ///< occupied box from the shifted origin, in cells of this level
    int32_t planes, rows;    ///< occupied ones of each tile
    int32_t periodic[3];     ///< 1: the axis is more than one cell long and leads round
    double width;            ///< of a cell, in level 0 cells
    int32_t (*coord)[3];     ///< tile coordinates, shifted
    int32_t (*neighbour)[6]; ///< tile, or -1
    int32_t (*read_tile)[6]; ///< tile that sweeps read there: the neighbour, a ghost, or `count`, the tile of zeros
    int32_t *coef; ///< index of the tile's coefficients, or -1: constant stencil, all cells and neighbours are unknowns
    int32_t *cut;  ///< index of the tile's weights, or -1: every face between unknowns is open
    int32_t *parent;          ///< coarse tile
    uint8_t *octant;          ///< its corner
    int32_t (*child)[8];      ///< fine tiles, or -1
    struct mg_tile *tile;     ///< each one's place in x, b and the coefficients
    int32_t *layer, n_layers; ///< 3D: first tile of each layer of tiles along axis 2, and the count
    double *partial_sum;      ///< by tile, added up in order
    double *residual_square;  ///< by tile and pair of planes: of the residual last restricted
    struct mg_seam *seam;
    int64_t n_seam;
    float *x, *b, *diag, *inv, *weight;
    uint8_t *fluid;     ///< while building: natural order, 1 an unknown
    float *open_area;   ///< while building: area of a cell's Dirichlet (p = 0) faces, in faces of this level,
    float *conductance; ///< and the sum of their conductances on level 0
    struct mg_partition partition;
    struct mg_buffer tables, cells_memory, coefs_memory, cuts_memory;
};

/* Connected components of the unknowns ("regions"), found as the components within each tile ("pieces"), merged. A
 * region without Dirichlet faces (p = 0) is singular: pure Neumann, its solution is unique up to a constant. */
struct mg_regions {
    int32_t *tile_first; ///< per tile: its first piece's index; count + 1 of them
    int32_t *piece;      ///< per piece: its region's first piece
    int32_t *label;      ///< per tile: index of its cell labels, or -1 when it is one piece
    uint8_t *labels;     ///< MG_CELLS each, natural order: piece within the tile
    double *sum, *cells; ///< per piece; a region's first piece holds the region's
    int64_t n_pieces, n_singular;
    uint8_t *open; ///< the same: 1: has a Dirichlet face
    struct mg_buffer memory, label_memory;
};

/// How a domain's axes map onto the solver's; constant.
struct mg_shape {
    int32_t dim;      ///< 2 or 3
    int32_t axis[3];  ///< domain axis of solver axis 0, 1, 2; the thin one last
    int32_t edge[3];  ///< cells of a tile along the solver's axes
    int32_t cells[3]; ///< of the box, 0: none
    int32_t periodic[3];
};

/// What all partitioned levels share.
struct mg_ranks {
    int32_t rank, size;
    int32_t *slot; ///< scratch by tile of level 0
    int32_t face_cells;
    int16_t face_index[6][256], octant_index[MG_CELLS];
    struct mg_buffer slots;
    enum bw_status failed;
};

struct multigrid {
    struct bw_stage *stage;
    const struct mg_kernels *kernels;
    struct mg_shape shape;
    struct mg_level level[MG_LEVELS];
    int32_t n_levels;
    uint8_t *kind;        ///< MG_CELLS a tile of level 0
    uint8_t *has_cut;     ///< a tile of level 0: 1 where a face is not wholly open though no wall of the box
    uint64_t *mark;       ///< a tile of level 0: the caller's, to see what has changed
    float (*exterior)[6]; ///< the same: conductance of faces towards the exterior (multigrid_exterior.c); else 0
    struct mg_regions regions;
    struct mg_ranks ranks;
    struct mg_buffer kind_memory, extra_memory;
    double *solution;     ///< extra: in double,
    float *rhs, *dir, *q; ///< right-hand side, CG search direction p and A p
};

enum mg_method { MG_AUTO, MG_VCYCLE, MG_CG };

struct mg_options {
    double tolerance; ///< of the residual's 2-norm, relative to the right-hand side's
    int32_t max_cycles;
    int32_t method; ///< enum mg_method
    int32_t warm;   ///< 1: x holds a first guess
};

struct mg_result {
    int32_t cycles; ///< V-cycles
    int32_t converged, grew;
    int32_t used_cg, used_double;
    double residual;   ///< recomputed from the solution, relative
    double unbalanced; ///< part of the right-hand side (2-norm, relative) outside the range of A: singular regions
};

/// Set axes and kernels from the stage's domain and host.
void mg_init(struct multigrid *mg, struct bw_stage *stage);
/// Step 1 of a new matrix: allocate level 0's tables for a topology. `kind`, `has_cut`, `mark` are undefined then; the
/// caller sets kinds and cuts, calls mg_begin, sets the weights of cut tiles, calls mg_build. Errors: BW_ERR_MEMORY.
enum bw_status mg_fit(struct multigrid *mg, const struct bw_topology *topology);
/// Step 2: allocate level 0's cells and coefficients; the weights of cut tiles are 0. Errors: BW_ERR_MEMORY.
enum bw_status mg_begin(struct multigrid *mg);
/// Step 3: coefficients, coarse levels and regions, from kinds and weights. Errors: BW_ERR_MEMORY.
enum bw_status mg_build(struct multigrid *mg);
/// Solve A x = b on level 0; b loses its mean in singular regions. Errors: BW_ERR_MEMORY, BW_ERR_CANCELLED.
enum bw_status mg_solve(struct multigrid *mg, const struct mg_options *options, struct mg_result *result);

/* Shared by the multigrid files. */

/// Cuts memory into arrays, each on a cache line; `memory` NULL: only counts `used` bytes.
struct mg_arena {
    char *memory;
    size_t used;
};
static inline void *mg_arena_take(struct mg_arena *a, size_t bytes)
{
    void *p = a->memory ? a->memory + a->used : NULL;
    a->used += (bytes + 63) / 64 * 64;
    return p;
}
/// Allocate at least `bytes` in a buffer, contents undefined; a much larger one is reallocated. 0: out of memory.
static inline int mg_buffer_reserve(struct bw_stage *stage, struct mg_buffer *buffer, size_t bytes)
{
    if (bytes <= buffer->bytes && bytes >= buffer->bytes / 4) return 1;
    stage->host->release(stage, buffer->data);
    const size_t size = bytes + bytes / 8 + 64;
    buffer->data = stage->host->alloc(stage, size);
    buffer->bytes = buffer->data ? size : 0;
    return buffer->data != NULL;
}
/// Index of cell (i, j, k) in a tile with separate red and black halves.
static inline int mg_colour_index(int dim, int i, int j, int k)
{
    return dim == 3 ? k * 256 + ((i + j + k) & 1) * 128 + j * 8 + (i >> 1) : ((i + j) & 1) * 2048 + j * 32 + (i >> 1);
}
/// The weights of a tile, 6 × MG_CELLS, colour-split; NULL where nothing is cut.
static inline float *mg_weights(const struct mg_level *l, int64_t tile)
{
    return l->cut[tile] >= 0 ? l->weight + (int64_t)l->cut[tile] * 6 * MG_CELLS : NULL;
}
/// Has a level 0 tile the constant stencil: unknowns only, with unknowns on all sides?
static inline int mg_tile_is_constant(const struct multigrid *mg, int64_t tile)
{
    const uint8_t *kind = mg->kind + tile * MG_CELLS;
    const uint8_t full = MG_KIND(2 * mg->shape.dim, 0);
    int constant = 1;
    for (int c = 0; c < MG_CELLS; c++) constant &= kind[c] == full;
    return constant;
}
/// Index of cell (i, j, k) in natural order.
static inline int mg_index(int dim, int i, int j, int k) { return dim == 3 ? (k * 16 + j) * 16 + i : j * 64 + i; }
/// Neighbour of a cell on a level: its tile (or -1) returned, `to` its local cell. A cell is not its own neighbour.
static inline int32_t mg_neighbour_cell(const struct multigrid *mg, const struct mg_level *l, int32_t tile,
                                        const int32_t from[3], int side, int32_t to[3])
{
    const int axis = side >> 1, edge = mg->shape.edge[axis];
    for (int a = 0; a < 3; a++) to[a] = from[a];
    to[axis] += side & 1 ? 1 : -1;
    const int32_t at = l->coord[tile][axis] * edge + to[axis];
    if (l->periodic[axis] && (at < 0 || at >= l->cells[axis])) {
        to[axis] = at < 0 ? (l->cells[axis] - 1) % edge : 0;
        return l->neighbour[tile][side];
    }
    if (to[axis] >= 0 && to[axis] < edge) return tile;
    to[axis] = to[axis] < 0 ? edge - 1 : 0;
    return l->neighbour[tile][side];
}
/// After mg_fit, which leaves `exterior` 0 and with it p = 0 beside inactive tiles and open sides: set the exterior's
/// boundary condition.
void mg_find_exterior(struct multigrid *mg, const struct bw_topology *topology);
/// Is the box a channel: do walls lie on both of its sides along some axis?
int mg_is_channel(const struct multigrid *mg);
/// Cells of a level 0 tile along an axis: fewer than its edge where the box cuts it.
static inline int32_t mg_tile_cells(const struct multigrid *mg, int64_t tile, int axis)
{
    const int32_t edge = mg->shape.edge[axis], left = mg->level->cells[axis] - mg->level->coord[tile][axis] * edge;
    return left < edge ? left : edge;
}
/// Conductance of a level 0 cell's face if it leads to the exterior, else 0.
static inline float mg_exterior_conductance(const struct multigrid *mg, int64_t tile, const int32_t at[3], int side)
{
    return at[side >> 1] == (side & 1 ? mg_tile_cells(mg, tile, side >> 1) - 1 : 0) ? mg->exterior[tile][side] : 0;
}
/// Compute a level's diagonals and weights; `fine`: the next finer one, NULL for level 0, whose weights are set
/// already.
void mg_coefficients(struct multigrid *mg, struct mg_level *fine, struct mg_level *level);
/// Find the regions. Errors: BW_ERR_MEMORY.
enum bw_status mg_find_regions(struct multigrid *mg);
/// One worker of the team that solves. A single worker has no team and needs no barrier.
struct mg_worker {
    struct multigrid *mg;
    struct bw_team *team;
    uint32_t rank, size;
};
static inline void mg_barrier(const struct mg_worker *c)
{
    if (c->team) c->team->barrier(c->team);
}
/// Is a level partitioned over ranks?
static inline int mg_is_partitioned(const struct mg_level *l) { return l->partition.owner != NULL; }
/// Does this rank own a tile of a level; of level 0?
static inline int mg_owns(const struct multigrid *mg, const struct mg_level *l, int64_t tile)
{
    return !l->partition.owner || l->partition.owner[tile] == mg->ranks.rank;
}
static inline int mg_owns_tile(const struct multigrid *mg, int64_t tile) { return mg_owns(mg, mg->level, tile); }
/// This worker's tiles of a level: numbers begin … end - 1 of this rank's, …
static inline int64_t mg_worker_begin(const struct mg_worker *c, const struct mg_level *l)
{
    return (mg_is_partitioned(l) ? l->partition.n_own : l->count) * c->rank / c->size;
}
static inline int64_t mg_worker_end(const struct mg_worker *c, const struct mg_level *l)
{
    return (mg_is_partitioned(l) ? l->partition.n_own : l->count) * (c->rank + 1) / c->size;
}
/// … of which this is number n.
static inline int64_t mg_worker_tile(const struct mg_level *l, int64_t n)
{
    return mg_is_partitioned(l) ? l->partition.own[n] : n;
}
/// Operations on a level. MG_RED_FROM_ZERO: red sweep from x = 0; SOR: over-relaxed; MG_RESTRICT: the residual to the
/// coarser level's b; MG_PROLONGATE: adds the coarser level's x.
enum mg_op { MG_RED_FROM_ZERO, MG_RELAX_RED, MG_RELAX_BLACK, MG_SOR_RED, MG_SOR_BLACK, MG_RESTRICT, MG_PROLONGATE };
/// Do `n` operations one after the other on a level. `coarse`: the next coarser level, NULL: none. The squares of the
/// restricted residual go to `residual_square`. All workers of the team call it.
void mg_sweeps(const struct mg_worker *worker, const struct mg_level *level, const struct mg_level *coarse,
               const uint8_t *op, int n);
/// Fill the ghost cells of periodic seams in an array of cells, `size` bytes each.
void mg_seams_refresh(const struct mg_worker *c, const struct mg_level *l, void *x, size_t size);
/// Tile i of a level, with the array x (laid out like the level's) and right-hand side b (or NULL).
static inline struct mg_tile mg_tile_at(const struct mg_level *l, float *x, const float *b, int64_t i)
{
    struct mg_tile t = {.x = x + i * MG_CELLS, .planes = l->planes, .rows = l->rows};
    t.b = b ? b + i * MG_CELLS : NULL;
    if (l->coef[i] >= 0) {
        t.diag = l->diag + (int64_t)l->coef[i] * MG_CELLS;
        t.inv = l->inv + (int64_t)l->coef[i] * MG_CELLS;
    }
    t.weight = mg_weights(l, i);
    for (int s = 0; s < 6; s++) t.side[s] = x + (int64_t)l->read_tile[i][s] * MG_CELLS;
    return t;
}
/* ---- multigrid_ranks.c: no-ops where level 0 is not partitioned ---- */

/// Can level 0 be partitioned? Not where a periodic axis ends inside a tile.
int mg_is_partitionable(const struct multigrid *mg);
/// Partition level 0 as the host does; `neighbour` is set. Errors: BW_ERR_MEMORY.
enum bw_status mg_ranks_fit(struct multigrid *mg);
/// Partition a coarser level, if it has enough tiles. Errors: BW_ERR_MEMORY.
enum bw_status mg_ranks_partition(struct multigrid *mg, struct mg_level *fine, struct mg_level *coarse);
/// All-gather: rows by tile, or by slot, of which each rank has set its own; rows by piece of the regions; kinds.
/// Errors: BW_ERR_MEMORY.
enum bw_status mg_allgather(struct multigrid *mg, void *rows, const int32_t *slot, size_t bytes);
enum bw_status mg_allgather_pieces(struct multigrid *mg, void *rows, size_t bytes);
enum bw_status mg_allgather_kinds(struct multigrid *mg);
/// Halo exchange of x (`size` bytes a value), cells of colour MG_RED, MG_BLACK or MG_BOTH. All workers call it.
void mg_halo_exchange(const struct mg_worker *c, const struct mg_level *l, void *x, size_t size, int colours);
/// All-gather of `each` numbers a tile.
void mg_allgather_numbers(const struct mg_worker *c, double *number, size_t each);
/// Send restricted residuals to the owners of the coarser tiles; send corrections back to the owners of the finer ones.
void mg_exchange_restricted(const struct mg_worker *c, const struct mg_level *l, const struct mg_level *coarse);
void mg_exchange_corrections(const struct mg_worker *c, const struct mg_level *l, const struct mg_level *coarse);
/// Subtract each singular region's mean from a level 0 array: one of the two, the other NULL. All workers call it.
void mg_remove_means(const struct mg_worker *c, float *f32, double *f64);

#endif
