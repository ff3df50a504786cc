// SPDX-License-Identifier: Apache-2.0
/* Builds the multigrid hierarchy: the tiles of each level, their neighbours, parents and children, and the arrays.
 * Their coefficients: multigrid_coefs.c. */
#include "multigrid.h"
#include <string.h>

static void level_arrays(struct mg_level *l, struct mg_arena *a)
{
    const size_t n = (size_t)l->count;
    l->coord = mg_arena_take(a, n * sizeof *l->coord);
    l->neighbour = mg_arena_take(a, n * sizeof *l->neighbour);
    l->read_tile = mg_arena_take(a, n * sizeof *l->read_tile);
    l->child = mg_arena_take(a, n * sizeof *l->child);
    l->coef = mg_arena_take(a, n * sizeof *l->coef);
    l->cut = mg_arena_take(a, n * sizeof *l->cut);
    l->parent = mg_arena_take(a, n * sizeof *l->parent);
    l->tile = mg_arena_take(a, n * sizeof *l->tile);
    l->layer = mg_arena_take(a, (n + (size_t)l->n_layers + 1) * sizeof *l->layer);
    l->partial_sum = mg_arena_take(a, n * sizeof *l->partial_sum);
    l->residual_square = mg_arena_take(a, n * MG_PAIRS * sizeof *l->residual_square);
    l->octant = mg_arena_take(a, n);
    l->seam = mg_arena_take(a, 3 * n * sizeof *l->seam);
}

static enum bw_status level_tables(struct multigrid *mg, struct mg_level *l)
{
    struct mg_arena a = {0};
    level_arrays(l, &a);
    if (!mg_buffer_reserve(mg->stage, &l->tables, a.used)) return BW_ERR_MEMORY;
    a = (struct mg_arena){l->tables.data, 0};
    level_arrays(l, &a);
    return BW_OK;
}

/* ---- tiles of level 0 -------------------------------------------------------------------------------------------- */

void mg_init(struct multigrid *mg, struct bw_stage *stage)
{
    const struct bw_domain_info *g = stage->grid;
    struct mg_shape *s = &mg->shape;
    mg->stage = stage;
    s->dim = g->thin < 0 ? 3 : 2;
    for (int a = 0, q = 0; a < 3; a++)
        if (a != g->thin) s->axis[q++] = a;
    s->axis[2] = g->thin < 0 ? 2 : g->thin;
    for (int q = 0; q < 3; q++) {
        const int a = s->axis[q];
        s->edge[q] = g->tile[a];
        s->cells[q] = g->n[a];
        s->periodic[q] = g->n[a] > 0 && a != g->thin && g->side[2 * a].kind == BW_PERIODIC;
    }
    const struct mg_kernels *k = mg_kernels_baseline;
    if (stage->host->simd == BW_SIMD_AVX2) k = mg_kernels_avx2;
    if (stage->host->simd == BW_SIMD_AVX512) k = mg_kernels_avx512;
    mg->kernels = k + (s->dim - 2);
}

static void level_bounds(struct multigrid *mg, const struct bw_topology *t, int32_t lo[3], int32_t hi[3])
{
    for (int q = 0; q < 3; q++) {
        const int a = mg->shape.axis[q];
        lo[q] = INT32_MAX, hi[q] = INT32_MIN;
        for (int64_t i = 0; i < t->count; i++) {
            if (t->coord[i][a] < lo[q]) lo[q] = t->coord[i][a];
            if (t->coord[i][a] > hi[q]) hi[q] = t->coord[i][a];
        }
        /* a periodic axis is coarsened as a whole, active or not */
        if (mg->shape.periodic[q]) lo[q] = 0, hi[q] = (mg->shape.cells[q] - 1) / mg->shape.edge[q];
    }
}

/// The size of a level's occupied box is known: which axes are periodic, how much of a tile is occupied.
static void level_extent(const struct multigrid *mg, struct mg_level *l)
{
    const int32_t *edge = mg->shape.edge;
    for (int q = 0; q < 3; q++) l->periodic[q] = mg->shape.periodic[q] && l->cells[q] > 1;
    l->planes = l->cells[2] < edge[2] ? l->cells[2] : edge[2];
    l->rows = l->cells[1] < edge[1] ? (l->cells[1] + 1) & ~1 : edge[1];
}

enum bw_status mg_fit(struct multigrid *mg, const struct bw_topology *t)
{
    struct mg_level *l = &mg->level[0];
    int32_t lo[3], hi[3];
    level_bounds(mg, t, lo, hi);
    l->count = t->count;
    l->width = 1;
    l->n_layers = hi[2] - lo[2] + 1;
    if (level_tables(mg, l) != BW_OK) return BW_ERR_MEMORY;
    for (int q = 0; q < 3; q++) {
        const int a = mg->shape.axis[q], box = mg->shape.cells[q];
        l->cells[q] = (hi[q] - lo[q] + 1) * mg->shape.edge[q];
        if (box && box - lo[q] * mg->shape.edge[q] < l->cells[q]) l->cells[q] = box - lo[q] * mg->shape.edge[q];
        for (int64_t i = 0; i < t->count; i++) {
            l->coord[i][q] = t->coord[i][a] - lo[q];
            for (int s = 0; s < 2; s++) {
                const int32_t n = t->neighbour[i][2 * a + s];
                l->neighbour[i][2 * q + s] = n >= 0 && a != mg->stage->grid->thin && box != 1 ? n : -1;
            }
        }
    }
    level_extent(mg, l);
    const size_t n = (size_t)t->count;
    const size_t tile = MG_CELLS + sizeof *mg->mark + sizeof *mg->exterior + 1;
    if (!mg_buffer_reserve(mg->stage, &mg->kind_memory, n * tile)) return BW_ERR_MEMORY;
    mg->kind = mg->kind_memory.data;
    mg->mark = (uint64_t *)(mg->kind + n * MG_CELLS);
    mg->exterior = (float(*)[6])(mg->mark + n);
    mg->has_cut = (uint8_t *)(mg->exterior + n);
    memset(mg->exterior, 0, n * sizeof *mg->exterior);
    return mg_ranks_fit(mg);
}

/* ---- coarse tiles ------------------------------------------------------------------------------------------------ */

/// Hash table of tiles by coordinate, open addressing.
struct tile_map {
    int32_t *slot;
    uint64_t mask;
};

static enum bw_status map_init(struct tile_map *m, struct multigrid *mg, int64_t count)
{
    uint64_t size = 16;
    while (size < 2 * (uint64_t)count) size *= 2;
    m->mask = size - 1;
    m->slot = mg->stage->host->scratch(mg->stage, size * sizeof *m->slot);
    if (!m->slot) return BW_ERR_MEMORY;
    memset(m->slot, 0xff, size * sizeof *m->slot);
    return BW_OK;
}

/// The slot of coordinate c: holds its tile, or -1 where it would be inserted.
static int32_t *map_find(const struct tile_map *m, int32_t (*coord)[3], const int32_t c[3])
{
    uint64_t h = bw_mix64((uint64_t)(uint32_t)c[0] | (uint64_t)(uint32_t)c[1] << 21 | (uint64_t)(uint32_t)c[2] << 42);
    for (;; h++) {
        int32_t *s = &m->slot[h & m->mask];
        if (*s < 0 || !memcmp(coord[*s], c, sizeof coord[0])) return s;
    }
}

static void coarse_neighbours(const struct multigrid *mg, struct mg_level *m, const struct tile_map *map)
{
    for (int64_t i = 0; i < m->count; i++)
        for (int s = 0; s < 6; s++) {
            const int a = s >> 1;
            const int32_t last = (m->cells[a] - 1) / mg->shape.edge[a];
            int32_t c[3] = {m->coord[i][0], m->coord[i][1], m->coord[i][2]};
            c[a] += s & 1 ? 1 : -1;
            if (m->periodic[a]) c[a] = c[a] < 0 ? last : c[a] > last ? 0 : c[a];
            m->neighbour[i][s] = c[a] < 0 || c[a] > last ? -1 : *map_find(map, m->coord, c);
        }
}

/// Tiles of m, the next coarser level of l: in the order of their first children, so still sorted by plane.
static enum bw_status coarse_tiles(struct multigrid *mg, struct mg_level *l, struct mg_level *m)
{
    struct tile_map map;
    int32_t(*coord)[3] = mg->stage->host->scratch(mg->stage, (size_t)l->count * sizeof *coord);
    if (!coord || map_init(&map, mg, l->count) != BW_OK) return BW_ERR_MEMORY;
    m->count = 0;
    for (int64_t i = 0; i < l->count; i++) {
        const int32_t c[3] = {l->coord[i][0] / 2, l->coord[i][1] / 2, l->coord[i][2] / 2};
        int32_t *slot = map_find(&map, coord, c);
        if (*slot < 0) {
            memcpy(coord[m->count], c, sizeof c);
            *slot = (int32_t)m->count++;
        }
        l->parent[i] = *slot;
        l->octant[i] = (uint8_t)((l->coord[i][0] & 1) | (l->coord[i][1] & 1) << 1 | (l->coord[i][2] & 1) << 2);
    }
    m->n_layers = (l->n_layers + 1) / 2;
    if (level_tables(mg, m) != BW_OK) return BW_ERR_MEMORY;
    memcpy(m->coord, coord, (size_t)m->count * sizeof *coord);
    memset(m->child, 0xff, (size_t)m->count * sizeof *m->child);
    for (int64_t i = 0; i < l->count; i++) m->child[l->parent[i]][l->octant[i]] = (int32_t)i;
    for (int q = 0; q < 3; q++) m->cells[q] = (l->cells[q] + 1) / 2;
    m->width = 2 * l->width;
    level_extent(mg, m);
    coarse_neighbours(mg, m, &map);
    return BW_OK;
}

/* ---- seams and ghosts -------------------------------------------------------------------------------------------- */

/// Finds the periodic seams, and which tile a sweep reads beyond each side.
static void level_ghosts(const struct multigrid *mg, struct mg_level *l)
{
    l->n_seam = l->n_ghost = 0;
    for (int64_t i = 0; i < l->count; i++)
        for (int s = 0; s < 6; s++)
            l->read_tile[i][s] = l->neighbour[i][s] < 0 ? (int32_t)l->count : l->neighbour[i][s];
    for (int a = 0; a < mg->shape.dim; a++) {
        const int32_t rest = l->cells[a] % mg->shape.edge[a];
        for (int64_t i = 0; i < l->count && l->periodic[a] && rest; i++) {
            const int32_t last = l->neighbour[i][2 * a];
            if (l->coord[i][a] != 0 || last < 0) continue;
            const int32_t ghost = (int32_t)(l->count + 1 + l->n_ghost++);
            l->seam[l->n_seam++] = (struct mg_seam){a, (int32_t)i, last, ghost, rest};
            l->read_tile[i][2 * a] = ghost;
            l->read_tile[last][2 * a + 1] = (int32_t)l->count;
        }
    }
}

/* ---- cells and coefficients: which tiles have them --------------------------------------------------------------- */

static int coarse_is_constant(const struct multigrid *mg, const struct mg_level *fine, const struct mg_level *l,
                              int64_t tile)
{
    for (int o = 0; o < 1 << mg->shape.dim; o++)
        if (l->child[tile][o] < 0 || fine->coef[l->child[tile][o]] >= 0) return 0;
    return 1;
}

static int coarse_is_cut(const struct multigrid *mg, const struct mg_level *fine, const struct mg_level *l,
                         int64_t tile)
{
    for (int o = 0; o < 1 << mg->shape.dim; o++)
        if (l->child[tile][o] >= 0 && fine->cut[l->child[tile][o]] >= 0) return 1;
    return 0;
}

static void level_coefs(const struct multigrid *mg, const struct mg_level *fine, struct mg_level *l)
{
    l->n_coef = l->n_cut = 0;
    for (int64_t i = 0; i < l->count; i++) {
        l->cut[i] = (fine ? coarse_is_cut(mg, fine, l, i) : mg->has_cut[i]) ? (int32_t)l->n_cut++ : -1;
        const int constant = l->cut[i] < 0 && (fine ? coarse_is_constant(mg, fine, l, i) : mg_tile_is_constant(mg, i));
        l->coef[i] = constant ? -1 : (int32_t)l->n_coef++;
    }
}

/// Allocates x, b, coefficients, and what is only used while building.
static enum bw_status level_cells(struct multigrid *mg, struct mg_level *l)
{
    const size_t tile = MG_CELLS * sizeof(float), n = (size_t)l->count, all = n + 1 + (size_t)l->n_ghost;
    if (!mg_buffer_reserve(mg->stage, &l->cells_memory, (all + n) * tile)) return BW_ERR_MEMORY;
    if (!mg_buffer_reserve(mg->stage, &l->coefs_memory, 2 * (size_t)l->n_coef * tile)) return BW_ERR_MEMORY;
    l->x = l->cells_memory.data;
    l->b = l->x + all * MG_CELLS;
    l->diag = l->coefs_memory.data;
    l->inv = l->n_coef ? l->diag + (size_t)l->n_coef * MG_CELLS : NULL;
    const size_t weights = 6 * (size_t)l->n_cut * tile;
    if (!mg_buffer_reserve(mg->stage, &l->cuts_memory, weights)) return BW_ERR_MEMORY;
    l->weight = l->cuts_memory.data;
    for (int64_t i = 0; i < l->count; i++) // other ranks' are received
        if (l->cut[i] >= 0 && (l != mg->level || mg_owns_tile(mg, i)))
            memset(l->weight + (int64_t)l->cut[i] * 6 * MG_CELLS, 0, 6 * tile);
    memset(l->x + n * MG_CELLS, 0, (all - n) * tile);
    if (l == mg->level) return BW_OK;
    l->fluid = mg->stage->host->scratch(mg->stage, n * MG_CELLS);
    l->open_area = mg->stage->host->scratch(mg->stage, n * tile);
    l->conductance = mg->stage->host->scratch(mg->stage, n * tile);
    return l->fluid && l->open_area && l->conductance ? BW_OK : BW_ERR_MEMORY;
}

/// `fine`: the next finer level, NULL for level 0.
static enum bw_status level_begin(struct multigrid *mg, const struct mg_level *fine, struct mg_level *l)
{
    level_ghosts(mg, l);
    level_coefs(mg, fine, l);
    return level_cells(mg, l);
}

enum bw_status mg_begin(struct multigrid *mg)
{
    const enum bw_status status = mg_allgather_kinds(mg);
    return status == BW_OK ? level_begin(mg, NULL, mg->level) : status;
}

/// The tables of sweeps: layers of tiles (tiles are sorted by them) and each tile's pointers.
static void level_finish(struct mg_level *l)
{
    for (int64_t i = 0, z = 0; i <= l->count; i++)
        for (; z <= (i < l->count ? l->coord[i][2] : l->n_layers); z++) l->layer[z] = (int32_t)i;
    for (int64_t i = 0; i < l->count; i++) l->tile[i] = mg_tile_at(l, l->x, l->b, i);
    memset(l->residual_square, 0,
           (size_t)l->count * MG_PAIRS * sizeof *l->residual_square); // unoccupied pairs of planes stay 0
}

enum bw_status mg_build(struct multigrid *mg)
{
    int n = 1;
    if (mg->level->n_cut && mg_allgather(mg, mg->level->weight, mg->level->cut, 6 * MG_CELLS * sizeof(float)) != BW_OK)
        return BW_ERR_MEMORY;
    mg_coefficients(mg, NULL, mg->level);
    for (; n < MG_LEVELS; n++) {
        struct mg_level *fine = &mg->level[n - 1], *l = &mg->level[n];
        if (fine->cells[0] <= 2 && fine->cells[1] <= 2 && fine->cells[2] <= 2) break;
        if (coarse_tiles(mg, fine, l) != BW_OK || mg_ranks_partition(mg, fine, l) != BW_OK) return BW_ERR_MEMORY;
        if (level_begin(mg, fine, l) != BW_OK) return BW_ERR_MEMORY;
        mg_coefficients(mg, fine, l);
    }
    mg->n_levels = n;
    for (int l = 0; l < n; l++) level_finish(&mg->level[l]);
    return mg_find_regions(mg);
}
