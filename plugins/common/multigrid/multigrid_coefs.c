// SPDX-License-Identifier: Apache-2.0
/* The matrix coefficients of a level: diagonals, and in tiles with cut faces the weights of all faces.
 *
 * A coarse cell is an unknown if any of its children is. Its off-diagonals are -1, as on level 0, or in tiles with cut
 * faces the mean of the four (two) fine faces' weights. Its diagonal is their sum plus the conductance of Dirichlet
 * faces (p = 0): the mean of its children's (Galerkin). The place where p is 0 stays as far beyond the boundary as on
 * level 0: half a *fine* cell, or what the exterior's boundary condition says (multigrid_exterior.c). */
#include "multigrid.h"
#include <string.h>

/// Coefficients of `level`, from the finer level `fine`.
struct build {
    struct multigrid *mg;
    struct mg_level *fine, *level; ///< `fine` NULL on level 0
};

/// Is the neighbour of a cell on a level an unknown?
static int side_is_fluid(const struct multigrid *mg, const struct mg_level *l, int64_t tile, const int32_t at[3],
                         int side)
{
    const uint8_t *fluid = l == mg->level ? mg->kind : l->fluid;
    int32_t to[3];
    const int64_t other = mg_neighbour_cell(mg, l, (int32_t)tile, at, side, to);
    return other >= 0 && fluid[other * MG_CELLS + mg_index(mg->shape.dim, to[0], to[1], to[2])];
}

/// All faces of a cell towards p = 0 together.
struct dirichlet {
    float area, conductance; ///< open area, in faces, and the sum of conductances
};

/// How much the conductance of an uncut cell's Dirichlet faces exceeds 1 each; negative towards the exterior.
static float exterior_excess(const struct multigrid *mg, int64_t tile, const int32_t at[3])
{
    float sum = 0;
    for (int s = 0; s < 2 * mg->shape.dim; s++) {
        const float c = mg_exterior_conductance(mg, tile, at, s);
        if (c > 0) sum += c - 1;
    }
    return sum;
}

static struct dirichlet cell_dirichlet(const struct multigrid *mg, int64_t tile, const int32_t at[3])
{
    const struct mg_level *l = mg->level;
    const int dim = mg->shape.dim;
    const int sides = MG_OPEN_SIDES(mg->kind[tile * MG_CELLS + mg_index(dim, at[0], at[1], at[2])]);
    const float *weight = mg_weights(l, tile);
    if (!sides) return (struct dirichlet){0};
    if (!weight) return (struct dirichlet){(float)sides, (float)sides + exterior_excess(mg, tile, at)};
    struct dirichlet out = {0};
    for (int s = 0; s < 2 * dim; s++) {
        if (side_is_fluid(mg, l, tile, at, s)) continue;
        const float w = weight[s * MG_CELLS + mg_colour_index(dim, at[0], at[1], at[2])],
                    c = mg_exterior_conductance(mg, tile, at, s);
        out.area += c > 0 ? w / c : w;
        out.conductance += w;
    }
    return out;
}

/// Adds the cells of one fine tile to its octant of a coarse one.
static void octant_gather(const struct build *b, int64_t fine, int octant, int64_t tile)
{
    const int dim = b->mg->shape.dim, edge = b->mg->shape.edge[0], half = edge / 2;
    const int first = b->fine == b->mg->level;
    const uint8_t *from = first ? b->mg->kind + fine * MG_CELLS : b->fine->fluid + fine * MG_CELLS;
    const float scale = dim == 3 ? 0.25f : 0.5f;
    const struct mg_level *to = b->level;
    for (int k = 0; k < (dim == 3 ? edge : 1); k++)
        for (int j = 0; j < edge; j++)
            for (int i = 0; i < edge; i++) {
                const int c = mg_index(dim, i, j, k);
                if (!from[c]) continue;
                const int64_t m =
                    tile * MG_CELLS + mg_index(dim, i / 2 + (octant & 1) * half, j / 2 + (octant >> 1 & 1) * half,
                                               k / 2 + (octant >> 2) * half);
                to->fluid[m] = 1;
                if (first ? !MG_OPEN_SIDES(from[c]) : b->fine->open_area[fine * MG_CELLS + c] == 0)
                    continue; // most cells
                const struct dirichlet out = first ? cell_dirichlet(b->mg, fine, (int32_t[]){i, j, k})
                                                   : (struct dirichlet){b->fine->open_area[fine * MG_CELLS + c],
                                                                        b->fine->conductance[fine * MG_CELLS + c]};
                to->open_area[m] += scale * out.area;
                to->conductance[m] += scale * out.conductance;
            }
}

static void coarse_cells_gather(int64_t tile, uint32_t worker, void *user)
{
    const struct build *b = user;
    struct mg_level *l = b->level;
    (void)worker;
    if (mg_owns(b->mg, l, tile)) {
        memset(l->x + tile * MG_CELLS, 0, MG_CELLS * sizeof(float));
        memset(l->b + tile * MG_CELLS, 0, MG_CELLS * sizeof(float));
    }
    memset(l->fluid + tile * MG_CELLS, 0, MG_CELLS);
    memset(l->open_area + tile * MG_CELLS, 0, MG_CELLS * sizeof(float));
    memset(l->conductance + tile * MG_CELLS, 0, MG_CELLS * sizeof(float));
    for (int o = 0; o < 8; o++)
        if (l->child[tile][o] >= 0) octant_gather(b, l->child[tile][o], o, tile);
}

/// Weight of a face between two unknowns of a level: 0 where the neighbour is none.
static float face_weight(const struct multigrid *mg, const struct mg_level *l, int64_t tile, const int32_t at[3],
                         int side)
{
    const float *weight = mg_weights(l, tile);
    if (!side_is_fluid(mg, l, tile, at, side)) return 0;
    return weight ? weight[side * MG_CELLS + mg_colour_index(mg->shape.dim, at[0], at[1], at[2])] : 1;
}

/// Mean weight of the fine faces that make up one side of a coarse cell.
static float coarse_weight(const struct build *b, int64_t tile, const int32_t at[3], int side)
{
    const int dim = b->mg->shape.dim, axis = side >> 1, half = b->mg->shape.edge[0] / 2;
    float sum = 0;
    for (int e = 0; e < 1 << dim; e++) {
        if ((e >> axis & 1) != (side & 1)) continue;
        int32_t fine[3] = {0}, octant = 0;
        for (int a = 0; a < dim; a++) {
            octant |= (at[a] >= half) << a;
            fine[a] = 2 * (at[a] % half) + (e >> a & 1);
        }
        const int64_t child = b->level->child[tile][octant];
        const uint8_t *fluid = b->fine == b->mg->level ? b->mg->kind : b->fine->fluid;
        if (child >= 0 && fluid[child * MG_CELLS + mg_index(dim, fine[0], fine[1], fine[2])])
            sum += face_weight(b->mg, b->fine, child, fine, side);
    }
    return dim == 3 ? 0.25f * sum : 0.5f * sum;
}

/* Faces beyond which p is 0 at the distance L have the conductance W/(W/2 + L) each; L is the mean of level 0's. */
static double dirichlet_conductance(double width, double open, double give)
{
    return give > 0 ? width * open * give / (open + 0.5 * (width - 1) * give) : 0;
}

/* Symmetry: the face between a tile with cut faces and one without has the weight 1 in both. */
static float coarse_diag(const struct build *b, int32_t tile, const int32_t at[3])
{
    const struct mg_level *l = b->level;
    const int dim = b->mg->shape.dim, place = mg_colour_index(dim, at[0], at[1], at[2]);
    float *weight = mg_weights(l, tile);
    const int64_t cell = (int64_t)tile * MG_CELLS + mg_index(dim, at[0], at[1], at[2]);
    double d = dirichlet_conductance(l->width, (double)l->open_area[cell], (double)l->conductance[cell]);
    for (int s = 0; s < 2 * dim; s++) {
        int32_t to[3];
        const int64_t other = mg_neighbour_cell(b->mg, l, tile, at, s, to);
        if (other < 0 || !l->fluid[other * MG_CELLS + mg_index(dim, to[0], to[1], to[2])]) continue;
        const float w = weight && l->cut[other] >= 0 ? coarse_weight(b, tile, at, s) : 1;
        if (weight) weight[s * MG_CELLS + place] = w;
        d += (double)w;
    }
    return (float)d;
}

/* The same where all neighbours are in the tile, and no face is cut. */
static float coarse_diag_inside(const struct mg_level *l, int64_t cell, const int32_t step[3], int dim)
{
    double d = dirichlet_conductance(l->width, (double)l->open_area[cell], (double)l->conductance[cell]);
    for (int s = 0; s < 2 * dim; s++) d += l->fluid[cell + (s & 1 ? step[s >> 1] : -step[s >> 1])];
    return (float)d;
}

static float fine_diag(const struct multigrid *mg, int64_t tile, int kind, const int32_t at[3], int place)
{
    const float *weight = mg_weights(mg->level, tile);
    if (!weight) {
        const int sides = MG_FLUID_SIDES(kind) + MG_OPEN_SIDES(kind);
        return (float)sides + (MG_OPEN_SIDES(kind) ? exterior_excess(mg, tile, at) : 0);
    }
    float d = 0;
    for (int s = 0; s < 2 * mg->shape.dim; s++) d += weight[s * MG_CELLS + place];
    return d;
}

/// Cells from 1 to end - 1 along each axis have all their neighbours in the tile: a period may end within it.
struct inside {
    int32_t end[3];
};

static struct inside inside_of(const struct multigrid *mg, const struct mg_level *l, int64_t tile)
{
    struct inside is = {{0}};
    for (int a = 0; a < mg->shape.dim; a++) {
        const int32_t edge = mg->shape.edge[a], left = l->cells[a] - l->coord[tile][a] * edge;
        is.end[a] = (l->periodic[a] && left < edge ? left : edge) - 1;
    }
    return is;
}

static int is_inside(const struct inside *is, int dim, int32_t i, int32_t j, int32_t k)
{
    return i > 0 && i < is->end[0] && j > 0 && j < is->end[1] && (dim < 3 || (k > 0 && k < is->end[2]));
}

static void tile_diagonal(int64_t tile, uint32_t worker, void *user)
{
    const struct build *b = user;
    struct mg_level *l = b->level;
    const int dim = b->mg->shape.dim, edge = b->mg->shape.edge[0];
    (void)worker;
    const int remote = !mg_owns(b->mg, l, tile);
    if (l->coef[tile] < 0 || (remote && (!b->fine || l->cut[tile] < 0)))
        return; // every rank has all weights, for the next level
    const uint8_t *cell = (b->fine ? l->fluid : b->mg->kind) + tile * MG_CELLS;
    float *diag = l->diag + (int64_t)l->coef[tile] * MG_CELLS, *inv = l->inv + (int64_t)l->coef[tile] * MG_CELLS;
    const int32_t step[3] = {1, mg_index(dim, 0, 1, 0), mg_index(dim, 0, 0, 1)};
    const struct inside is = inside_of(b->mg, l, tile);
    for (int32_t k = 0; k < (dim == 3 ? edge : 1); k++)
        for (int32_t j = 0; j < edge; j++)
            for (int32_t i = 0; i < edge; i++) {
                const int kind = cell[mg_index(dim, i, j, k)], p = mg_colour_index(dim, i, j, k);
                float d = 0;
                if (kind && b->fine && l->cut[tile] < 0 && is_inside(&is, dim, i, j, k))
                    d = coarse_diag_inside(l, tile * MG_CELLS + mg_index(dim, i, j, k), step, dim);
                else if (kind && b->fine) d = coarse_diag(b, (int32_t)tile, (int32_t[]){i, j, k});
                if (kind && !b->fine) d = fine_diag(b->mg, tile, kind, (int32_t[]){i, j, k}, p);
                diag[p] = d;
                inv[p] = d > 0 ? 1 / d : 0;
            }
}

void mg_coefficients(struct multigrid *mg, struct mg_level *fine, struct mg_level *level)
{
    struct build b = {mg, fine, level};
    if (fine) mg->stage->host->parallel_for(mg->stage, level->count, coarse_cells_gather, &b);
    mg->stage->host->parallel_for(mg->stage, level->count, tile_diagonal, &b);
}
