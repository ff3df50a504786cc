// SPDX-License-Identifier: Apache-2.0
/* Domain decomposition of the multigrid over ranks, with halo exchange.
 *
 * The finest level, and coarser ones with enough tiles, are partitioned: each rank has x, b and coefficients of its own
 * tiles, and a halo of x, one face deep, exchanged after every sweep of a colour. Arrays are as long as in one process,
 * so a tile has the same index on every rank; untouched pages take no memory. Every rank has all kinds and weights. The
 * coarser levels are replicated: all ranks receive the residual restricted to the first of them and solve alike.
 * Numbers by tile are all-gathered and then added in their order, for the same bits on any number of ranks. */
#include "multigrid.h"
#include <common/ranks.h>
#include <string.h>

int mg_is_partitionable(const struct multigrid *mg)
{
    const struct mg_shape *s = &mg->shape;
    for (int q = 0; q < s->dim; q++)
        if (s->periodic[q] && s->cells[q] % s->edge[q]) return 0;
    return 1;
}

/// Index tables: the cells of each side's face, and of each octant of a coarse tile.
static void index_tables_make(struct multigrid *mg)
{
    struct mg_ranks *r = &mg->ranks;
    const struct mg_shape *s = &mg->shape;
    const int half = s->edge[0] / 2, deep = s->dim == 3 ? half : 1;
    r->face_cells = s->dim == 3 ? s->edge[0] * s->edge[0] : s->edge[0];
    for (int side = 0; side < 2 * s->dim; side++) {
        const int a = side >> 1, u = (a + 1) % s->dim, w = (a + 2) % 3;
        int n[2] = {0, r->face_cells / 2}; // red ones first
        int32_t at[3] = {0};
        at[a] = side & 1 ? s->edge[a] - 1 : 0;
        for (int j = 0; j < r->face_cells / s->edge[0]; j++)
            for (int i = 0; i < s->edge[0]; i++) {
                at[u] = i;
                if (s->dim == 3) at[w] = j;
                r->face_index[side][n[(at[0] + at[1] + at[2]) & 1]++] =
                    (int16_t)mg_colour_index(s->dim, at[0], at[1], at[2]);
            }
    }
    int16_t *to = r->octant_index;
    for (int o = 0; o < 1 << s->dim; o++)
        for (int k = 0; k < deep; k++)
            for (int j = 0; j < half; j++)
                for (int i = 0; i < half; i++)
                    *to++ = (int16_t)mg_colour_index(s->dim, i + (o & 1) * half, j + (o >> 1 & 1) * half,
                                                     k + (o >> 2) * half);
}

/* ---- lists of items to exchange ---------------------------------------------------------------------------------- */

/// A pass over a level's items: the first one counts them, the second one lists them.
struct listing {
    struct multigrid *mg;
    const struct mg_level *l, *coarse;
    struct mg_exchange *exchange;
    int32_t at[2][MG_RANKS];
    int fill;
};

static void item_add(struct listing *g, int from, int to, struct mg_item item)
{
    const int me = g->mg->ranks.rank;
    for (int in = 0; in < 2 && from != to; in++) {
        if ((in ? to : from) != me) continue;
        int32_t *at = &g->at[in][in ? from : to];
        if (g->fill) g->exchange->item[in][*at] = item;
        ++*at;
    }
}

static void halo_list(struct listing *g)
{
    const int32_t *owner = g->l->partition.owner;
    for (int64_t t = 0; t < g->l->count; t++)
        for (int s = 0; s < 2 * g->mg->shape.dim; s++) {
            const int32_t n = g->l->neighbour[t][s];
            if (n >= 0) item_add(g, owner[t], owner[n], (struct mg_item){(int32_t)t, s});
        }
}

static void restriction_list(struct listing *g)
{
    const struct mg_level *l = g->l;
    for (int64_t t = 0; t < l->count; t++)
        for (int r = 0; r < g->mg->ranks.size; r++)
            if (!mg_is_partitioned(g->coarse) || g->coarse->partition.owner[l->parent[t]] == r)
                item_add(g, l->partition.owner[t], r, (struct mg_item){(int32_t)t, 0});
}

static void prolongation_list(struct listing *g)
{
    const struct mg_level *l = g->l;
    for (int64_t t = 0; t < l->count && mg_is_partitioned(g->coarse); t++)
        item_add(g, g->coarse->partition.owner[l->parent[t]], l->partition.owner[t], (struct mg_item){(int32_t)t, 0});
}

/* Allocates and lists an exchange. `values`: the most bytes of one item. */
static enum bw_status exchange_make(struct listing g, void (*list)(struct listing *), size_t values)
{
    struct mg_exchange *f = g.exchange;
    memset(f->first, 0, sizeof f->first);
    list(&g);
    for (int in = 0; in < 2; in++)
        for (int32_t p = 0; p < g.mg->ranks.size; p++) f->first[in][p + 1] = f->first[in][p] + g.at[in][p];
    const size_t n[2] = {(size_t)f->first[0][g.mg->ranks.size], (size_t)f->first[1][g.mg->ranks.size]};
    if (!mg_buffer_reserve(g.mg->stage, &f->memory, (n[0] + n[1]) * (values + sizeof **f->item))) return BW_ERR_MEMORY;
    f->buffer[0] = f->memory.data;
    f->buffer[1] = f->buffer[0] + n[0] * values;
    f->item[0] = (struct mg_item *)(void *)(f->buffer[1] + n[1] * values);
    f->item[1] = f->item[0] + n[0];
    memcpy(g.at[0], f->first[0], sizeof g.at[0]);
    memcpy(g.at[1], f->first[1], sizeof g.at[1]);
    g.fill = 1;
    list(&g);
    return BW_OK;
}

/* ---- partition --------------------------------------------------------------------------------------------------- */

enum { MIN_TILES = 16 }; // a rank: fewer are solved faster than exchanged

/// Lists own tiles and the halo, by `owner`.
static enum bw_status partition_finish(struct multigrid *mg, struct mg_level *l)
{
    const struct listing g = {.mg = mg, .l = l, .exchange = &l->partition.halo};
    l->partition.n_own = 0;
    for (int64_t i = 0; i < l->count; i++)
        if (mg_owns(mg, l, i)) l->partition.own[l->partition.n_own++] = (int32_t)i;
    return exchange_make(g, halo_list, (size_t)mg->ranks.face_cells * sizeof(double));
}

enum bw_status mg_ranks_fit(struct multigrid *mg)
{
    struct mg_ranks *r = &mg->ranks;
    struct mg_level *l = mg->level;
    l->partition.owner = mg_is_partitionable(mg) ? ranks_owners(mg->stage, &r->rank, &r->size) : NULL;
    r->failed = BW_OK;
    if (!l->partition.owner) return BW_OK;
    if (!r->face_cells) index_tables_make(mg);
    if (!mg_buffer_reserve(mg->stage, &l->partition.memory, (size_t)l->count * sizeof *l->partition.own))
        return BW_ERR_MEMORY;
    l->partition.own = l->partition.memory.data;
    return partition_finish(mg, l);
}

static int coarse_is_partitionable(const struct multigrid *mg, const struct mg_level *coarse)
{
    int can = coarse->count >= (int64_t)MIN_TILES * mg->ranks.size;
    for (int q = 0; q < mg->shape.dim; q++) can &= !coarse->periodic[q] || !(coarse->cells[q] % mg->shape.edge[q]);
    return can;
}

/* A tile's owner is that of its first child. */
static enum bw_status coarse_partition(struct multigrid *mg, const struct mg_level *fine, struct mg_level *l)
{
    const size_t n = (size_t)l->count;
    if (!mg_buffer_reserve(mg->stage, &l->partition.memory, 2 * n * sizeof *l->partition.own)) return BW_ERR_MEMORY;
    l->partition.own = l->partition.memory.data;
    int32_t *owner = l->partition.own + n;
    for (int64_t i = 0; i < l->count; i++) {
        int o = 0;
        while (l->child[i][o] < 0) o++;
        owner[i] = fine->partition.owner[l->child[i][o]];
    }
    l->partition.owner = owner;
    return partition_finish(mg, l);
}

enum bw_status mg_ranks_partition(struct multigrid *mg, struct mg_level *fine, struct mg_level *coarse)
{
    const size_t octant = (MG_CELLS >> mg->shape.dim) * sizeof(float);
    struct listing g = {.mg = mg, .l = fine, .coarse = coarse, .exchange = &fine->partition.restriction};
    coarse->partition.owner = NULL;
    if (!mg_is_partitioned(fine)) return BW_OK;
    if (coarse_is_partitionable(mg, coarse) && coarse_partition(mg, fine, coarse) != BW_OK) return BW_ERR_MEMORY;
    const enum bw_status status = exchange_make(g, restriction_list, octant);
    g.exchange = &fine->partition.prolongation;
    return status == BW_OK ? exchange_make(g, prolongation_list, octant) : status;
}

enum bw_status mg_allgather(struct multigrid *mg, void *rows, const int32_t *slot, size_t bytes)
{
    const enum bw_status status = mg_is_partitioned(mg->level) ? ranks_allgather(mg->stage, rows, slot, bytes) : BW_OK;
    if (status != BW_OK) mg->ranks.failed = status;
    return status;
}

enum bw_status mg_allgather_pieces(struct multigrid *mg, void *rows, size_t bytes)
{
    const struct mg_regions *r = &mg->regions;
    enum bw_status status = BW_OK;
    int32_t *slot = mg_is_partitioned(mg->level) ? mg->ranks.slot : NULL;
    for (int32_t k = 0, more = slot != NULL; more && status == BW_OK; k++) {
        more = 0;
        for (int64_t t = 0; t < mg->level->count; t++) {
            const int32_t exists = r->tile_first[t] + k < r->tile_first[t + 1];
            slot[t] = exists ? r->tile_first[t] + k : -1;
            more |= exists;
        }
        if (more) status = mg_allgather(mg, rows, slot, bytes);
    }
    return status;
}

enum bw_status mg_allgather_kinds(struct multigrid *mg)
{
    const size_t n = (size_t)mg->level->count;
    uint8_t *constant = mg_is_partitioned(mg->level) ? mg->stage->host->scratch(mg->stage, n) : NULL;
    if (!mg_is_partitioned(mg->level)) return BW_OK;
    if (!mg_buffer_reserve(mg->stage, &mg->ranks.slots, n * sizeof *mg->ranks.slot) || !constant) return BW_ERR_MEMORY;
    mg->ranks.slot = mg->ranks.slots.data;
    for (size_t i = 0; i < n; i++) constant[i] = mg_owns_tile(mg, (int64_t)i) && mg_tile_is_constant(mg, (int64_t)i);
    enum bw_status status = mg_allgather(mg, constant, NULL, 1);
    if (status == BW_OK) status = mg_allgather(mg, mg->has_cut, NULL, 1);
    for (size_t i = 0; i < n; i++) {
        mg->ranks.slot[i] = constant[i] ? -1 : (int32_t)i;
        if (constant[i]) memset(mg->kind + i * MG_CELLS, MG_KIND(2 * mg->shape.dim, 0), MG_CELLS);
    }
    return status == BW_OK ? mg_allgather(mg, mg->kind, mg->ranks.slot, MG_CELLS) : status;
}

/* ---- while solving ----------------------------------------------------------------------------------------------- */

/// Packs n values into a buffer, or with `in` unpacks them.
static void values_pack(char *at, char *buffer, const int16_t *index, int n, size_t size, int in)
{
    if (size == sizeof(float)) {
        float *x = (float *)(void *)at, *p = (float *)(void *)buffer;
        for (int i = 0; i < n; i++) {
            if (in) x[index[i]] = p[i];
            else p[i] = x[index[i]];
        }
        return;
    }
    for (int i = 0; i < n; i++) {
        char *x = at + (size_t)index[i] * size, *p = buffer + (size_t)i * size;
        memcpy(in ? x : p, in ? p : x, size);
    }
}

static void exchange_run(struct multigrid *mg, struct mg_exchange *f, size_t values)
{
    const struct bw_ranks_api *api = mg->stage->host->extension(BW_RANKS);
    struct bw_parcel parcel[2][MG_RANKS];
    int32_t n[2] = {0};
    for (int in = 0; in < 2; in++)
        for (int32_t p = 0; p < mg->ranks.size; p++) {
            const size_t items = (size_t)(f->first[in][p + 1] - f->first[in][p]);
            char *data = f->buffer[in] + (size_t)f->first[in][p] * values;
            if (items) parcel[in][n[in]++] = (struct bw_parcel){.rank = p, .data = data, .bytes = items * values};
        }
    api->exchange(mg->stage, parcel[0], n[0], parcel[1], n[1]);
}

static void halo_pack(struct multigrid *mg, const struct mg_exchange *f, char *x, size_t size, int in, int first, int n)
{
    for (int32_t i = 0; i < f->first[in][mg->ranks.size]; i++) {
        const struct mg_item *p = &f->item[in][i];
        values_pack(x + (size_t)p->tile * MG_CELLS * size, f->buffer[in] + (size_t)i * (size_t)n * size,
                    mg->ranks.face_index[p->side] + first, n, size, in);
    }
}

void mg_halo_exchange(const struct mg_worker *c, const struct mg_level *l, void *x, size_t size, int colours)
{
    if (!mg_is_partitioned(l)) return;
    const int half = c->mg->ranks.face_cells / 2, first = colours == MG_BLACK ? half : 0,
              n = colours == MG_BOTH ? 2 * half : half;
    struct mg_exchange halo = l->partition.halo;
    if (c->rank == 0) {
        halo_pack(c->mg, &halo, x, size, 0, first, n);
        exchange_run(c->mg, &halo, (size_t)n * size);
        halo_pack(c->mg, &halo, x, size, 1, first, n);
    }
    mg_barrier(c);
}

void mg_allgather_numbers(const struct mg_worker *c, double *number, size_t each)
{
    if (!mg_is_partitioned(c->mg->level)) return;
    if (c->rank == 0) mg_allgather(c->mg, number, NULL, each * sizeof *number);
    mg_barrier(c);
}

/* Octants of an array x of the coarser level, by the finer tiles under them. */
static void octants_pack(struct multigrid *mg, const struct mg_level *l, const struct mg_exchange *f, float *x, int in)
{
    const int cells = MG_CELLS >> mg->shape.dim;
    for (int32_t i = 0; i < f->first[in][mg->ranks.size]; i++) {
        const int32_t t = f->item[in][i].tile;
        values_pack((char *)(x + (int64_t)l->parent[t] * MG_CELLS),
                    f->buffer[in] + (size_t)i * (size_t)cells * sizeof *x,
                    mg->ranks.octant_index + l->octant[t] * cells, cells, sizeof *x, in);
    }
}

static void octants_exchange(const struct mg_worker *c, const struct mg_level *l, const struct mg_exchange *f, float *x)
{
    struct mg_exchange exchange = *f;
    if (c->rank == 0) {
        octants_pack(c->mg, l, &exchange, x, 0);
        exchange_run(c->mg, &exchange, (MG_CELLS >> c->mg->shape.dim) * sizeof *x);
        octants_pack(c->mg, l, &exchange, x, 1);
    }
    mg_barrier(c);
}

void mg_exchange_restricted(const struct mg_worker *c, const struct mg_level *l, const struct mg_level *coarse)
{
    if (coarse) octants_exchange(c, l, &l->partition.restriction, coarse->b);
}

void mg_exchange_corrections(const struct mg_worker *c, const struct mg_level *l, const struct mg_level *coarse)
{
    if (mg_is_partitioned(coarse)) octants_exchange(c, l, &l->partition.prolongation, coarse->x);
}
