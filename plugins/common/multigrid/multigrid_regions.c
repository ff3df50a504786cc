// SPDX-License-Identifier: Apache-2.0
/* Finds the connected components of the unknowns ("regions") and removes means from the singular ones. A region without
 * Dirichlet faces (p = 0) is singular: its equations have a solution only if its right-hand side sums to 0, and then
 * any constant may be added. A flood fill inside each tile labels its pieces (one, but for tiles cut by an obstacle); a
 * union-find then merges the pieces across tile faces. */
#include "multigrid.h"
#include <common/union_find.h>
#include <string.h>

enum { MAX_PIECES = 255 }; // further pieces of a tile have the last label: their mean is common

/// One tile's cells and, where faces are cut, their weights.
struct tile_cells {
    const struct mg_shape *shape;
    const uint8_t *kind;
    const float *weight; ///< NULL: all open
};

static struct tile_cells tile_cells_of(const struct multigrid *mg, int64_t tile)
{
    return (struct tile_cells){&mg->shape, mg->kind + tile * MG_CELLS, mg_weights(mg->level, tile)};
}

/// Is the face of cell c (natural order) on that side open?
static int face_is_open(const struct tile_cells *v, int c, int side)
{
    const int edge = v->shape->edge[0];
    return !v->weight ||
           v->weight[side * MG_CELLS + mg_colour_index(v->shape->dim, c % edge, c / edge % edge, c / edge / edge)] > 0;
}

/// Flood fill from cell c, natural order; `label` 0: not visited.
static void flood_fill(const struct tile_cells *v, uint8_t *label, int16_t *stack, int c, int piece)
{
    const struct mg_shape *s = v->shape;
    const uint8_t *kind = v->kind;
    const int step[3] = {1, s->edge[0], s->edge[0] * s->edge[1]};
    int n = 0;
    label[c] = (uint8_t)piece;
    stack[n++] = (int16_t)c;
    while (n) {
        const int at = stack[--n];
        for (int a = 0; a < s->dim; a++) {
            const int x = at / step[a] % s->edge[a];
            for (int d = -1; d <= 1; d += 2) {
                const int to = at + d * step[a];
                if (x + d < 0 || x + d >= s->edge[a] || !kind[to] || label[to]) continue;
                if (!face_is_open(v, at, 2 * a + (d > 0))) continue;
                label[to] = (uint8_t)piece;
                stack[n++] = (int16_t)to;
            }
        }
    }
}

/// Labels one tile's cells 1 …; returns the number of pieces.
static int tile_label(const struct tile_cells *v, uint8_t *label, int16_t *stack)
{
    int n = 0;
    memset(label, 0, MG_CELLS);
    for (int c = 0; c < MG_CELLS; c++)
        if (v->kind[c] && !label[c]) {
            if (n < MAX_PIECES) n++;
            flood_fill(v, label, stack, c, n);
        }
    return n;
}

static int tile_has_holes(const struct tile_cells *v)
{
    int holes = v->weight != NULL;
    for (int c = 0; c < MG_CELLS; c++) holes |= !v->kind[c];
    return holes;
}

static int64_t piece_at(const struct mg_regions *r, int64_t tile, int cell)
{
    if (r->label[tile] < 0) return r->tile_first[tile];
    return r->tile_first[tile] + r->labels[(int64_t)r->label[tile] * MG_CELLS + cell] - 1;
}

/// Unites the pieces that are connected across one side of a tile; for two tiles of one piece, one face is enough.
static void side_unite(struct multigrid *mg, int64_t tile, int side)
{
    const struct mg_shape *s = &mg->shape;
    const struct mg_level *l = mg->level;
    struct mg_regions *r = &mg->regions;
    const int axis = side >> 1, a = (axis + 1) % 3, b = (axis + 2) % 3;
    const int32_t rest = l->cells[axis] - l->coord[tile][axis] * s->edge[axis];
    const struct tile_cells v = tile_cells_of(mg, tile);
    int32_t at[3] = {0}, to[3];
    at[axis] = !(side & 1) ? 0 : rest < s->edge[axis] ? rest - 1 : s->edge[axis] - 1;
    for (at[b] = 0; at[b] < s->edge[b]; at[b]++)
        for (at[a] = 0; at[a] < s->edge[a]; at[a]++) {
            const int c = mg_index(s->dim, at[0], at[1], at[2]);
            if (!v.kind[c] || !face_is_open(&v, c, side)) continue;
            const int64_t other = mg_neighbour_cell(mg, l, (int32_t)tile, at, side, to);
            const int d = mg_index(s->dim, to[0], to[1], to[2]);
            if (other < 0 || !mg->kind[other * MG_CELLS + d]) continue;
            union_join(r->piece, piece_at(r, tile, c), piece_at(r, other, d));
            if (r->label[tile] < 0 && r->label[other] < 0) return;
        }
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/// One worker's memory for a flood fill.
struct flood {
    uint8_t label[MG_CELLS];
    int16_t stack[MG_CELLS];
};

struct find {
    struct multigrid *mg;
    struct flood *flood; ///< one a worker
    int32_t *pieces;     ///< per tile
};

static void tile_count(int64_t tile, uint32_t worker, void *user)
{
    const struct find *f = user;
    const struct tile_cells v = tile_cells_of(f->mg, tile);
    struct flood *flood = &f->flood[worker];
    f->pieces[tile] = tile_has_holes(&v) ? tile_label(&v, flood->label, flood->stack) : 1;
}

/// A tile of one piece: its number of cells, and whether it has a Dirichlet face.
static void single_piece_measure(struct mg_regions *r, int64_t tile, const uint8_t *kind)
{
    const int32_t p = r->tile_first[tile];
    int32_t cells = 0;
    uint8_t sides = 0;
    for (int c = 0; c < MG_CELLS; c++) {
        cells += kind[c] != 0;
        sides |= kind[c];
    }
    if (cells == 0) return; // no piece: tile_first is another tile's
    r->cells[p] = cells;
    r->open[p] = MG_OPEN_SIDES(sides) != 0;
}

/// Labels a tile; each piece's number of cells, and whether it has a Dirichlet face.
static void tile_measure(int64_t tile, uint32_t worker, void *user)
{
    const struct find *f = user;
    struct mg_regions *r = &f->mg->regions;
    const struct tile_cells v = tile_cells_of(f->mg, tile);
    if (r->label[tile] < 0) {
        single_piece_measure(r, tile, v.kind);
        return;
    }
    tile_label(&v, r->labels + (int64_t)r->label[tile] * MG_CELLS, f->flood[worker].stack);
    for (int c = 0; c < MG_CELLS; c++) {
        if (!v.kind[c]) continue;
        const int64_t p = piece_at(r, tile, c);
        r->cells[p] += 1;
        r->open[p] |= MG_OPEN_SIDES(v.kind[c]) != 0;
    }
}

static enum bw_status regions_allocate(struct multigrid *mg, const int32_t *pieces)
{
    struct mg_regions *r = &mg->regions;
    const size_t n = (size_t)mg->level->count;
    size_t labelled = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        total += (size_t)pieces[i];
        labelled += pieces[i] > 1;
    }
    const size_t bytes = total * (2 * sizeof(double) + sizeof(int32_t) + 1) + (2 * n + 1) * sizeof(int32_t);
    if (!mg_buffer_reserve(mg->stage, &r->memory, bytes) ||
        !mg_buffer_reserve(mg->stage, &r->label_memory, labelled * MG_CELLS))
        return BW_ERR_MEMORY;
    memset(r->memory.data, 0, bytes);
    r->sum = r->memory.data;
    r->cells = r->sum + total;
    r->piece = (int32_t *)(r->cells + total);
    r->tile_first = r->piece + total;
    r->label = r->tile_first + n + 1;
    r->open = (uint8_t *)(r->label + n);
    r->labels = r->label_memory.data;
    r->n_pieces = (int64_t)total;
    int32_t next = 0;
    for (size_t i = 0; i < n; i++) {
        r->tile_first[i + 1] = r->tile_first[i] + pieces[i];
        r->label[i] = pieces[i] > 1 ? next++ : -1;
    }
    return BW_OK;
}

/// Points pieces to their region's first piece, which gets the region's cells and whether it is open.
static void regions_merge(struct mg_regions *r)
{
    r->n_singular = 0;
    for (int64_t p = 0; p < r->n_pieces; p++) {
        const int64_t root = union_root(r->piece, p);
        r->piece[p] = (int32_t)root;
        if (root == p) continue;
        r->cells[root] += r->cells[p];
        r->open[root] |= r->open[p];
    }
    for (int64_t p = 0; p < r->n_pieces; p++) r->n_singular += r->piece[p] == p && !r->open[p];
}

enum bw_status mg_find_regions(struct multigrid *mg)
{
    const struct bw_host *host = mg->stage->host;
    struct mg_regions *r = &mg->regions;
    const int64_t n = mg->level->count;
    struct find f = {mg, host->scratch(mg->stage, host->workers * sizeof *f.flood),
                     host->scratch(mg->stage, (size_t)n * sizeof *f.pieces)};
    if (!f.flood || !f.pieces) return BW_ERR_MEMORY;
    host->parallel_for(mg->stage, n, tile_count, &f);
    if (regions_allocate(mg, f.pieces) != BW_OK) return BW_ERR_MEMORY;
    for (int64_t p = 0; p < r->n_pieces; p++) r->piece[p] = (int32_t)p;
    host->parallel_for(mg->stage, n, tile_measure, &f);
    for (int64_t i = 0; i < n; i++)
        for (int side = 0; side < 2 * mg->shape.dim; side++)
            if (mg->level->neighbour[i][side] >= 0) side_unite(mg, i, side);
    regions_merge(r);
    return BW_OK;
}

/* ---- means ------------------------------------------------------------------------------------------------------- */

struct means {
    const struct multigrid *mg;
    float *f32; ///< one of the two
    double *f64;
};

static double value_at(const struct means *m, int64_t at) { return m->f64 ? m->f64[at] : (double)m->f32[at]; }

static void value_subtract(const struct means *m, int64_t at, double by)
{
    if (m->f64) m->f64[at] -= by;
    else m->f32[at] -= (float)by;
}

/// Index of cell c (natural order) of a tile in a red/black array.
static int64_t index_of(const struct means *m, int64_t tile, int c)
{
    const struct mg_shape *s = &m->mg->shape;
    const int edge = s->edge[0];
    return tile * MG_CELLS + mg_colour_index(s->dim, c % edge, c / edge % edge, c / edge / edge);
}

/// Sums a tile's values by piece.
static void tile_sum(const struct means *m, int64_t tile)
{
    const struct mg_regions *r = &m->mg->regions;
    for (int32_t p = r->tile_first[tile]; p < r->tile_first[tile + 1]; p++) r->sum[p] = 0;
    if (r->tile_first[tile] == r->tile_first[tile + 1]) return;
    if (r->label[tile] >= 0) {
        const uint8_t *label = r->labels + (int64_t)r->label[tile] * MG_CELLS;
        for (int c = 0; c < MG_CELLS; c++)
            if (label[c]) r->sum[r->tile_first[tile] + label[c] - 1] += value_at(m, index_of(m, tile, c));
        return;
    }
    double sum[8] = {0};
    for (int c = 0; c < MG_CELLS; c += 8)
        for (int s = 0; s < 8; s++) sum[s] += value_at(m, tile * MG_CELLS + c + s);
    r->sum[r->tile_first[tile]] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/// Subtracts the regions' means from a tile's values.
static void tile_subtract(const struct means *m, int64_t tile)
{
    const struct mg_regions *r = &m->mg->regions;
    const struct mg_level *l = m->mg->level;
    const int32_t first = r->tile_first[tile];
    if (first == r->tile_first[tile + 1]) return;
    if (r->label[tile] >= 0) {
        const uint8_t *label = r->labels + (int64_t)r->label[tile] * MG_CELLS;
        for (int c = 0; c < MG_CELLS; c++)
            if (label[c]) value_subtract(m, index_of(m, tile, c), r->sum[r->piece[first + label[c] - 1]]);
        return;
    }
    const double by = r->sum[r->piece[first]];
    const float *inv = l->coef[tile] >= 0 ? l->inv + (int64_t)l->coef[tile] * MG_CELLS : NULL;
    for (int64_t at = tile * MG_CELLS, c = 0; c < MG_CELLS; c++, at++) {
        if (!inv || inv[c] > 0) value_subtract(m, at, by);
        else value_subtract(m, at, value_at(m, at)); // a cell with no neighbour at all
    }
}

/// Turns the pieces' sums into their regions' means; 0 where the region is not singular.
static void region_means(const struct mg_regions *r)
{
    for (int64_t p = 0; p < r->n_pieces; p++)
        if (r->piece[p] != p) r->sum[r->piece[p]] += r->sum[p];
    for (int64_t p = 0; p < r->n_pieces; p++)
        if (r->piece[p] == p) r->sum[p] = r->open[p] ? 0 : r->sum[p] / r->cells[p];
}

void mg_remove_means(const struct mg_worker *c, float *f32, double *f64)
{
    const struct means m = {c->mg, f32, f64};
    const struct mg_level *l = c->mg->level;
    if (!c->mg->regions.n_singular) return;
    for (int64_t n = mg_worker_begin(c, l), end = mg_worker_end(c, l); n < end; n++) tile_sum(&m, mg_worker_tile(l, n));
    mg_barrier(c);
    if (c->rank == 0) mg_allgather_pieces(c->mg, c->mg->regions.sum, sizeof *c->mg->regions.sum);
    if (c->rank == 0) region_means(&c->mg->regions);
    mg_barrier(c);
    for (int64_t n = mg_worker_begin(c, l), end = mg_worker_end(c, l); n < end; n++)
        tile_subtract(&m, mg_worker_tile(l, n));
    mg_barrier(c);
}
