// SPDX-License-Identifier: Apache-2.0
/* The coefficients of a level: diagonals, and in tiles with cut faces the weights of all faces.
 *
 * A coarse cell is an unknown if any of its children is. Its off-diagonals are -1, as on level 0, or in tiles with cut
 * faces the mean of the four (two) fine faces' weights; its diagonal is their sum and adds the p = 0 faces: the mean of
 * its children's (Galerkin), where p = 0 stays as far beyond the boundary as on level 0: half a *fine* cell, or as
 * still air has it (multigrid_rim.c). */
#include "multigrid.h"
#include <string.h>

/// One level at work.
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
    const int64_t other = mg_step(mg, l, (int32_t)tile, at, side, to);
    return other >= 0 && fluid[other * MG_CELLS + mg_index(mg->shape.dim, to[0], to[1], to[2])];
}

/// What all faces of a cell towards p = 0 make up.
struct outlet {
    float open, give; ///< faces, by their open shares, and conductance
};

/// How much more than 1 the conductance of a whole cell's faces towards p = 0 is (less, so negative).
static float rim_excess(const struct multigrid *mg, int64_t tile, const int32_t at[3])
{
    float sum = 0;
    for (int s = 0; s < 2 * mg->shape.dim; s++) {
        const float c = mg_rim_at(mg, tile, at, s);
        if (c > 0) sum += c - 1;
    }
    return sum;
}

static struct outlet cell_outlet(const struct multigrid *mg, int64_t tile, const int32_t at[3])
{
    const struct mg_level *l = mg->level;
    const int dim = mg->shape.dim;
    const int sides = MG_OPEN_SIDES(mg->kind[tile * MG_CELLS + mg_index(dim, at[0], at[1], at[2])]);
    const float *weight = mg_weights(l, tile);
    if (!sides) return (struct outlet){0};
    if (!weight) return (struct outlet){(float)sides, (float)sides + rim_excess(mg, tile, at)};
    struct outlet out = {0};
    for (int s = 0; s < 2 * dim; s++) {
        if (side_is_fluid(mg, l, tile, at, s)) continue;
        const float w = weight[s * MG_CELLS + mg_place(dim, at[0], at[1], at[2])], c = mg_rim_at(mg, tile, at, s);
        out.open += c > 0 ? w / c : w;
        out.give += w;
    }
    return out;
}

/// Adds the children of one fine tile to its corner of a coarse one.
static void corner_gather(const struct build *b, int64_t fine, int octant, int64_t tile)
{
    const int dim = b->mg->shape.dim, edge = b->mg->shape.edge[0], half = edge / 2;
    const int first = b->fine == b->mg->level;
    const uint8_t *from = first ? b->mg->kind + fine * MG_CELLS : b->fine->fluid + fine * MG_CELLS;
    const float share = dim == 3 ? 0.25f : 0.5f;
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
                if (first ? !MG_OPEN_SIDES(from[c]) : b->fine->open[fine * MG_CELLS + c] == 0) continue; // most cells
                const struct outlet out =
                    first ? cell_outlet(b->mg, fine, (int32_t[]){i, j, k})
                          : (struct outlet){b->fine->open[fine * MG_CELLS + c], b->fine->give[fine * MG_CELLS + c]};
                to->open[m] += share * out.open;
                to->give[m] += share * out.give;
            }
}

static void coarse_gather(int64_t tile, uint32_t worker, void *user)
{
    const struct build *b = user;
    struct mg_level *l = b->level;
    (void)worker;
    if (mg_has(b->mg, l, tile)) {
        memset(l->x + tile * MG_CELLS, 0, MG_CELLS * sizeof(float));
        memset(l->b + tile * MG_CELLS, 0, MG_CELLS * sizeof(float));
    }
    memset(l->fluid + tile * MG_CELLS, 0, MG_CELLS);
    memset(l->open + tile * MG_CELLS, 0, MG_CELLS * sizeof(float));
    memset(l->give + tile * MG_CELLS, 0, MG_CELLS * sizeof(float));
    for (int o = 0; o < 8; o++)
        if (l->child[tile][o] >= 0) corner_gather(b, l->child[tile][o], o, tile);
}

/// Weight of a face between two unknowns of a level: 0 where the neighbour is none.
static float face_weight(const struct multigrid *mg, const struct mg_level *l, int64_t tile, const int32_t at[3],
                         int side)
{
    const float *weight = mg_weights(l, tile);
    if (!side_is_fluid(mg, l, tile, at, side)) return 0;
    return weight ? weight[side * MG_CELLS + mg_place(mg->shape.dim, at[0], at[1], at[2])] : 1;
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

/* Of faces whose ghost cells' p = 0 is L from them, W/(W/2 + L) each; their mean L is what they have on level 0. */
static double outlet_conductance(double width, double open, double give)
{
    return give > 0 ? width * open * give / (open + 0.5 * (width - 1) * give) : 0;
}

/* Between a tile with cut faces and one without, both must say the same: 1. */
static float coarse_diag(const struct build *b, int32_t tile, const int32_t at[3])
{
    const struct mg_level *l = b->level;
    const int dim = b->mg->shape.dim, place = mg_place(dim, at[0], at[1], at[2]);
    float *weight = mg_weights(l, tile);
    const int64_t cell = (int64_t)tile * MG_CELLS + mg_index(dim, at[0], at[1], at[2]);
    double d = outlet_conductance(l->width, (double)l->open[cell], (double)l->give[cell]);
    for (int s = 0; s < 2 * dim; s++) {
        int32_t to[3];
        const int64_t other = mg_step(b->mg, l, tile, at, s, to);
        if (other < 0 || !l->fluid[other * MG_CELLS + mg_index(dim, to[0], to[1], to[2])]) continue;
        const float w = weight && l->cut[other] >= 0 ? coarse_weight(b, tile, at, s) : 1;
        if (weight) weight[s * MG_CELLS + place] = w;
        d += (double)w;
    }
    return (float)d;
}

static float fine_diag(const struct multigrid *mg, int64_t tile, int kind, const int32_t at[3], int place)
{
    const float *weight = mg_weights(mg->level, tile);
    if (!weight) {
        const int sides = MG_FLUID_SIDES(kind) + MG_OPEN_SIDES(kind);
        return (float)sides + (MG_OPEN_SIDES(kind) ? rim_excess(mg, tile, at) : 0);
    }
    float d = 0;
    for (int s = 0; s < 2 * mg->shape.dim; s++) d += weight[s * MG_CELLS + place];
    return d;
}

static void tile_diagonal(int64_t tile, uint32_t worker, void *user)
{
    const struct build *b = user;
    struct mg_level *l = b->level;
    const int dim = b->mg->shape.dim, edge = b->mg->shape.edge[0];
    (void)worker;
    const int elsewhere = !mg_has(b->mg, l, tile);
    if (l->coef[tile] < 0 || (elsewhere && (!b->fine || l->cut[tile] < 0)))
        return; // weights all have, for the next level
    const uint8_t *cell = (b->fine ? l->fluid : b->mg->kind) + tile * MG_CELLS;
    float *diag = l->diag + (int64_t)l->coef[tile] * MG_CELLS, *inv = l->inv + (int64_t)l->coef[tile] * MG_CELLS;
    for (int32_t k = 0; k < (dim == 3 ? edge : 1); k++)
        for (int32_t j = 0; j < edge; j++)
            for (int32_t i = 0; i < edge; i++) {
                const int kind = cell[mg_index(dim, i, j, k)], p = mg_place(dim, i, j, k);
                float d = 0;
                if (kind && b->fine) d = coarse_diag(b, (int32_t)tile, (int32_t[]){i, j, k});
                if (kind && !b->fine) d = fine_diag(b->mg, tile, kind, (int32_t[]){i, j, k}, p);
                diag[p] = d;
                inv[p] = d > 0 ? 1 / d : 0;
            }
}

void mg_coefficients(struct multigrid *mg, struct mg_level *fine, struct mg_level *level)
{
    struct build b = {mg, fine, level};
    if (fine) mg->stage->host->parallel_for(mg->stage, level->count, coarse_gather, &b);
    mg->stage->host->parallel_for(mg->stage, level->count, tile_diagonal, &b);
}
