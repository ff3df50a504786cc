// SPDX-License-Identifier: Apache-2.0
/* Geometric multigrid for A p = b on the active tiles of a domain, A = -h²·Laplacian with cut faces: each one's flux
 * counts by its open share.
 *
 * Level 0 has the domain's tiles, level l+1 cells twice as wide; tiles always have 16³ (64²) cells, so 2×2×2 (2×2)
 * tiles meet in one until a single tile is left, whose occupied corner goes on shrinking to 2 cells. Memory: 8 bytes
 * (x, b) and 1 (kind) a cell, another 8 (diag, inv) in tiles that touch a boundary and 24 more (weights) in those with
 * cut faces, 1/7 (1/3) of that for the coarse levels; 24 more while a solve needs conjugate gradients or a solution in
 * double. */
#ifndef MULTIGRID_H
#define MULTIGRID_H

#include "mg_kernels.h"
#include <billow/plugin.h>

enum { MG_LEVELS = 32, MG_PAIRS = 8, MG_RANKS = 64, MG_BOTH = 2 };

/* A cell's kind, natural order inside a tile (x fastest): an unknown, how many of its neighbours are unknowns, and
 * how many lead to p = 0, at one cell's distance or, in still air (`rim`), farther. 0: no unknown. */
enum { MG_FLUID = 128 };
#define MG_KIND(fluid_sides, open_sides) (MG_FLUID | (fluid_sides) << 3 | (open_sides))
#define MG_FLUID_SIDES(kind) ((kind) >> 3 & 7)
#define MG_OPEN_SIDES(kind) ((kind)&7)

/// Memory that is kept from one set of tiles to the next while its size fits.
struct mg_buffer {
    void *data;
    size_t bytes;
};

/* Where a periodic axis ends inside a tile, the tile's own next plane stands for the first tile's first plane, and a
 * ghost tile for what lies before the first tile. */
struct mg_seam {
    int32_t axis, first, last, ghost; ///< tiles
    int32_t cells;                    ///< occupied in the last tile
};

/// One side of a tile, or an octant of its parent, that goes from rank to rank.
struct mg_piece {
    int32_t tile, side;
};

/// All such pieces that go out, and that come in, by the other rank, in an order that both know.
struct mg_freight {
    struct mg_piece *piece[2];
    int32_t first[2][MG_RANKS + 1]; ///< of each rank's
    char *parcel[2];
    struct mg_buffer memory;
};

/// Who has what of a level (multigrid_ranks.c).
struct mg_deal {
    const int32_t *owner; ///< by tile; NULL: all is here
    int32_t *mine;        ///< own tiles
    int64_t n_mine;
    struct mg_freight faces, down, up; ///< that others' tiles look at; octants of the level above, restricted; its x
    struct mg_buffer memory;
};

struct mg_level {
    int64_t count, n_ghost, n_coef, n_cut;
    int32_t cells[3];         ///< occupied box from the shifted origin, in cells of this level
    int32_t planes, rows;     ///< occupied ones of each tile
    int32_t periodic[3];      ///< 1: the axis is more than one cell long and leads round
    double width;             ///< of a cell, in level 0 cells
    int32_t (*coord)[3];      ///< tile coordinates, shifted
    int32_t (*near)[6];       ///< neighbour tile, or -1
    int32_t (*link)[6];       ///< tile that halves sweeps read: a neighbour, a ghost, or `count`, the tile of zeros
    int32_t *coef;            ///< index of the tile's coefficients, or -1: all cells and neighbours are unknowns
    int32_t *cut;             ///< index of the tile's weights, or -1: every face between unknowns is open
    int32_t *parent;          ///< coarse tile
    uint8_t *octant;          ///< its corner
    int32_t (*child)[8];      ///< fine tiles, or -1
    struct mg_tile *tile;     ///< each one's place in x, b and the coefficients
    int32_t *layer, n_layers; ///< 3D: first tile of each layer of tiles along axis 2, and the count
    double *partial;          ///< a number a tile, summed in their order
    double *square;           ///< the same a pair of planes of each tile: of the residual when it was last coarsened
    struct mg_seam *seam;
    int64_t n_seam;
    float *x, *b, *diag, *inv, *weight;
    uint8_t *fluid; ///< while building: natural order, 1 an unknown
    float *open;    ///< while building: p = 0 faces a cell, in faces of this level,
    float *give;    ///< and the sum of their conductances on level 0
    struct mg_deal deal;
    struct mg_buffer tables, cells_memory, coefs_memory, cuts_memory;
};

/// Connected sets of unknowns; those that touch no p = 0 have no unique solution, only one up to a constant.
struct mg_regions {
    int32_t *tile_first; ///< per tile: its first piece's index; count + 1 of them
    int32_t *piece;      ///< per piece: its region's first piece
    int32_t *label;      ///< per tile: index of its cell labels, or -1 when it is one piece
    uint8_t *labels;     ///< MG_CELLS each, natural order: piece within the tile
    double *sum, *cells; ///< per piece; a first piece holds its region's
    int64_t n_pieces, n_singular;
    uint8_t *open; ///< the same: touches p = 0
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

/// What levels that are dealt out have in common.
struct mg_ranks {
    int32_t rank, size;
    int32_t *slot; ///< scratch by tile of level 0
    int32_t face_cells;
    int16_t face_place[6][256], octant_place[MG_CELLS];
    struct mg_buffer slots;
    enum bw_status failed;
};

struct multigrid {
    struct bw_stage *stage;
    const struct mg_kernels *kernels;
    struct mg_shape shape;
    struct mg_level level[MG_LEVELS];
    int32_t n_levels;
    uint8_t *kind;    ///< MG_CELLS a tile of level 0
    uint8_t *has_cut; ///< a tile of level 0: 1 where a face is not wholly open though no wall of the box
    uint64_t *mark;   ///< a tile of level 0: the caller's, to see what has changed
    float (*rim)[6];  ///< the same: conductance of faces towards still air (multigrid_rim.c); 0: other sides
    struct mg_regions regions;
    struct mg_ranks ranks;
    struct mg_buffer kind_memory, extra_memory;
    double *sol;          ///< extra: solution in double,
    float *rhs, *dir, *q; ///< right-hand side, CG direction and its image
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
    double unbalanced; ///< share of the right-hand side (2-norm) that singular regions cannot take
};

/// Set axes and kernels from the stage's domain and host.
void mg_init(struct multigrid *mg, struct bw_stage *stage);
/// Make `kind`, `has_cut`, `mark` (contents undefined) and level 0's tables fit a topology; set kinds and cuts; call
/// mg_begin; set the weights of cut tiles; call mg_build. Errors: BW_ERR_MEMORY.
enum bw_status mg_fit(struct multigrid *mg, const struct bw_topology *topology);
/// Make room for level 0's cells and coefficients; the weights of cut tiles are 0. Errors: BW_ERR_MEMORY.
enum bw_status mg_begin(struct multigrid *mg);
/// Make coefficients, coarse levels and regions from `kind`. Errors: BW_ERR_MEMORY.
enum bw_status mg_build(struct multigrid *mg);
/// Solve with level 0's b (its mean is taken out where singular) for its x. Errors: BW_ERR_MEMORY, BW_ERR_CANCELLED.
enum bw_status mg_solve(struct multigrid *mg, const struct mg_options *options, struct mg_result *result);

/* Shared by the multigrid files. */

/// Have at least `bytes` in a buffer, contents undefined; gives much larger ones back. 0: out of memory.
int mg_buffer_fit(struct bw_stage *stage, struct mg_buffer *buffer, size_t bytes);
/// Place of cell (i, j, k) in a colour-split tile.
static inline int mg_place(int dim, int i, int j, int k)
{
    return dim == 3 ? k * 256 + ((i + j + k) & 1) * 128 + j * 8 + (i >> 1) : ((i + j) & 1) * 2048 + j * 32 + (i >> 1);
}
/// The weights of a tile, 6 × MG_CELLS, colour-split; NULL where nothing is cut.
static inline float *mg_weights(const struct mg_level *l, int64_t tile)
{
    return l->cut[tile] >= 0 ? l->weight + (int64_t)l->cut[tile] * 6 * MG_CELLS : NULL;
}
/// Are all cells of a level 0 tile unknowns with unknowns on all sides?
static inline int mg_tile_is_plain(const struct multigrid *mg, int64_t tile)
{
    const uint8_t *kind = mg->kind + tile * MG_CELLS;
    const uint8_t full = MG_KIND(2 * mg->shape.dim, 0);
    int plain = 1;
    for (int c = 0; c < MG_CELLS; c++) plain &= kind[c] == full;
    return plain;
}
/// Place of cell (i, j, k) in natural order.
static inline int mg_index(int dim, int i, int j, int k) { return dim == 3 ? (k * 16 + j) * 16 + i : j * 64 + i; }
/// Neighbour of a cell on a level: its tile (or -1) returned, `to` its local cell. A cell is not its own neighbour.
int32_t mg_step(const struct multigrid *mg, const struct mg_level *l, int32_t tile, const int32_t from[3], int side,
                int32_t to[3]);
/// After mg_fit, which leaves `rim` 0 and with it p = 0 beside inactive tiles: let still air be there.
void mg_find_rims(struct multigrid *mg, const struct bw_topology *topology);
/// Conductance of a level 0 cell's face if it leads to still air, else 0. The box cuts no tile on such a side.
static inline float mg_rim_at(const struct multigrid *mg, int64_t tile, const int32_t at[3], int side)
{
    return at[side >> 1] == (side & 1 ? mg->shape.edge[side >> 1] - 1 : 0) ? mg->rim[tile][side] : 0;
}
/// Make a level's diagonals and weights; `fine`: the level below, NULL for level 0, whose weights are set already.
void mg_coefficients(struct multigrid *mg, struct mg_level *fine, struct mg_level *level);
/// Find the regions. Errors: BW_ERR_MEMORY.
enum bw_status mg_find_regions(struct multigrid *mg);
/// One worker of a team at work on a solve. A crew of one has no team and no barrier.
struct mg_crew {
    struct multigrid *mg;
    struct bw_team *team;
    uint32_t rank, size;
};
static inline void mg_meet(const struct mg_crew *c)
{
    if (c->team) c->team->barrier(c->team);
}
/// Is a level dealt out over ranks?
static inline int mg_is_dealt(const struct mg_level *l) { return l->deal.owner != NULL; }
static inline int mg_has(const struct multigrid *mg, const struct mg_level *l, int64_t tile)
{
    return !l->deal.owner || l->deal.owner[tile] == mg->ranks.rank;
}
static inline int mg_is_mine(const struct multigrid *mg, int64_t tile) { return mg_has(mg, mg->level, tile); }
/// This worker's tiles of a level: a fixed range of those that are here, …
static inline int64_t mg_first(const struct mg_crew *c, const struct mg_level *l)
{
    return (mg_is_dealt(l) ? l->deal.n_mine : l->count) * c->rank / c->size;
}
static inline int64_t mg_end(const struct mg_crew *c, const struct mg_level *l)
{
    return (mg_is_dealt(l) ? l->deal.n_mine : l->count) * (c->rank + 1) / c->size;
}
/// … of which this is number n.
static inline int64_t mg_tile_of(const struct mg_level *l, int64_t n) { return mg_is_dealt(l) ? l->deal.mine[n] : n; }
/// The steps of a leg; first: a red half-sweep from x = 0; over: over-relaxed; coarsen: residual to the level above.
enum mg_op { MG_FIRST, MG_RELAX_RED, MG_RELAX_BLACK, MG_OVER_RED, MG_OVER_BLACK, MG_COARSEN, MG_REFINE };
/// Do `n` steps one after the other on all planes of a level. `coarse`: the level above, NULL: none. The residual's
/// squares go to `square`. All workers of the crew call it.
void mg_leg(const struct mg_crew *crew, const struct mg_level *level, const struct mg_level *coarse, const uint8_t *op,
            int n);
/// Copy what periodic seams want of a level 0 or other array of cells, `size` bytes each.
void mg_seams_refresh(const struct mg_crew *c, const struct mg_level *l, void *x, size_t size);
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
    for (int s = 0; s < 6; s++) t.side[s] = x + (int64_t)l->link[i][s] * MG_CELLS;
    return t;
}
/* ---- multigrid_ranks.c: where level 0 is whole here, none of it does anything ---- */

/// Not where an axis leads round inside a tile.
int mg_is_dealable(const struct multigrid *mg);
/// Ask who has which tile of level 0; after `near` is known. Errors: BW_ERR_MEMORY.
enum bw_status mg_ranks_fit(struct multigrid *mg);
/// Deal out the level above one, if there is enough of it. Errors: BW_ERR_MEMORY.
enum bw_status mg_ranks_deal(struct multigrid *mg, struct mg_level *fine, struct mg_level *coarse);
/// Rows by tile, or by slot, of which each rank has set its own, go to all; by piece of the regions; kinds. Errors:
/// BW_ERR_MEMORY.
enum bw_status mg_share(struct multigrid *mg, void *rows, const int32_t *slot, size_t bytes);
enum bw_status mg_share_pieces(struct multigrid *mg, void *rows, size_t bytes);
enum bw_status mg_share_kinds(struct multigrid *mg);
/// The faces of x (`size` bytes a value) that others' tiles look at: MG_RED, MG_BLACK or MG_BOTH. All workers call it.
void mg_halo(const struct mg_crew *c, const struct mg_level *l, void *x, size_t size, int colours);
/// `each` numbers a tile.
void mg_share_numbers(const struct mg_crew *c, double *number, size_t each);
/// What was restricted to the level above comes to who has that; what it solved comes to who has the children.
void mg_share_restricted(const struct mg_crew *c, const struct mg_level *l, const struct mg_level *coarse);
void mg_share_solved(const struct mg_crew *c, const struct mg_level *l, const struct mg_level *coarse);
/// Take each singular region's mean out of a level 0 array: one of the two, the other NULL. All workers call it.
void mg_remove_means(const struct mg_crew *c, float *narrow, double *wide);

#endif
