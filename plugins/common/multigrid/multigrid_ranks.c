// SPDX-License-Identifier: Apache-2.0
/* Levels over several ranks: of the finest, and of those above it that have enough tiles, each rank has x, b and
 * coefficients of its own tiles, and of the tiles beside them the face of x that its own look at, fetched anew after
 * every half-sweep of a colour. Arrays are as long as in one process, so that a tile stands at the same place
 * everywhere; what nobody touches takes no memory. Kinds and weights are everywhere. The coarser levels every rank
 * solves alike: what is restricted to the first of them goes to all. Numbers by tile go to all before they are added,
 * in their order. */
#include "multigrid.h"
#include <common/ranks.h>
#include <string.h>

int mg_is_dealable(const struct multigrid *mg)
{
    const struct mg_shape *s = &mg->shape;
    for (int q = 0; q < s->dim; q++)
        if (s->periodic[q] && s->cells[q] % s->edge[q]) return 0;
    return 1;
}

/// The cells of each side's face, and of each octant of a coarse tile.
static void places_make(struct multigrid *mg)
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
                r->face_place[side][n[(at[0] + at[1] + at[2]) & 1]++] = (int16_t)mg_place(s->dim, at[0], at[1], at[2]);
            }
    }
    int16_t *to = r->octant_place;
    for (int o = 0; o < 1 << s->dim; o++)
        for (int k = 0; k < deep; k++)
            for (int j = 0; j < half; j++)
                for (int i = 0; i < half; i++)
                    *to++ = (int16_t)mg_place(s->dim, i + (o & 1) * half, j + (o >> 1 & 1) * half, k + (o >> 2) * half);
}

/* ---- what goes from rank to rank --------------------------------------------------------------------------------- */

/// Going through a level's pieces: at first they are counted, then listed.
struct listing {
    struct multigrid *mg;
    const struct mg_level *l, *coarse;
    struct mg_freight *freight;
    int32_t at[2][MG_RANKS];
    int fill;
};

static void piece_meet(struct listing *g, int from, int to, struct mg_piece piece)
{
    const int me = g->mg->ranks.rank;
    for (int in = 0; in < 2 && from != to; in++) {
        if ((in ? to : from) != me) continue;
        int32_t *at = &g->at[in][in ? from : to];
        if (g->fill) g->freight->piece[in][*at] = piece;
        ++*at;
    }
}

static void faces_list(struct listing *g)
{
    const int32_t *owner = g->l->deal.owner;
    for (int64_t t = 0; t < g->l->count; t++)
        for (int s = 0; s < 2 * g->mg->shape.dim; s++) {
            const int32_t n = g->l->near[t][s];
            if (n >= 0) piece_meet(g, owner[t], owner[n], (struct mg_piece){(int32_t)t, s});
        }
}

static void down_list(struct listing *g)
{
    const struct mg_level *l = g->l;
    for (int64_t t = 0; t < l->count; t++)
        for (int r = 0; r < g->mg->ranks.size; r++)
            if (!mg_is_dealt(g->coarse) || g->coarse->deal.owner[l->parent[t]] == r)
                piece_meet(g, l->deal.owner[t], r, (struct mg_piece){(int32_t)t, 0});
}

static void up_list(struct listing *g)
{
    const struct mg_level *l = g->l;
    for (int64_t t = 0; t < l->count && mg_is_dealt(g->coarse); t++)
        piece_meet(g, g->coarse->deal.owner[l->parent[t]], l->deal.owner[t], (struct mg_piece){(int32_t)t, 0});
}

/* `values`: the most bytes of one piece. */
static enum bw_status freight_fit(struct listing g, void (*list)(struct listing *), size_t values)
{
    struct mg_freight *f = g.freight;
    memset(f->first, 0, sizeof f->first);
    list(&g);
    for (int in = 0; in < 2; in++)
        for (int32_t p = 0; p < g.mg->ranks.size; p++) f->first[in][p + 1] = f->first[in][p] + g.at[in][p];
    const size_t n[2] = {(size_t)f->first[0][g.mg->ranks.size], (size_t)f->first[1][g.mg->ranks.size]};
    if (!mg_buffer_fit(g.mg->stage, &f->memory, (n[0] + n[1]) * (values + sizeof **f->piece))) return BW_ERR_MEMORY;
    f->parcel[0] = f->memory.data;
    f->parcel[1] = f->parcel[0] + n[0] * values;
    f->piece[0] = (struct mg_piece *)(void *)(f->parcel[1] + n[1] * values);
    f->piece[1] = f->piece[0] + n[0];
    memcpy(g.at[0], f->first[0], sizeof g.at[0]);
    memcpy(g.at[1], f->first[1], sizeof g.at[1]);
    g.fill = 1;
    list(&g);
    return BW_OK;
}

/* ---- who has what ------------------------------------------------------------------------------------------------ */

enum { LEAST = 16 }; // tiles a rank: fewer are solved before they have been told of

/// `owner` has been set: own tiles, and faces.
static enum bw_status deal_finish(struct multigrid *mg, struct mg_level *l)
{
    const struct listing g = {.mg = mg, .l = l, .freight = &l->deal.faces};
    l->deal.n_mine = 0;
    for (int64_t i = 0; i < l->count; i++)
        if (mg_has(mg, l, i)) l->deal.mine[l->deal.n_mine++] = (int32_t)i;
    return freight_fit(g, faces_list, (size_t)mg->ranks.face_cells * sizeof(double));
}

enum bw_status mg_ranks_fit(struct multigrid *mg)
{
    struct mg_ranks *r = &mg->ranks;
    struct mg_level *l = mg->level;
    l->deal.owner = mg_is_dealable(mg) ? ranks_owners(mg->stage, &r->rank, &r->size) : NULL;
    r->failed = BW_OK;
    if (!l->deal.owner) return BW_OK;
    if (!r->face_cells) places_make(mg);
    if (!mg_buffer_fit(mg->stage, &l->deal.memory, (size_t)l->count * sizeof *l->deal.mine)) return BW_ERR_MEMORY;
    l->deal.mine = l->deal.memory.data;
    return deal_finish(mg, l);
}

static int coarse_is_dealable(const struct multigrid *mg, const struct mg_level *coarse)
{
    int whole = coarse->count >= (int64_t)LEAST * mg->ranks.size;
    for (int q = 0; q < mg->shape.dim; q++) whole &= !coarse->periodic[q] || !(coarse->cells[q] % mg->shape.edge[q]);
    return whole;
}

/* Each tile goes to who has the first of its children. */
static enum bw_status coarse_deal(struct multigrid *mg, const struct mg_level *fine, struct mg_level *l)
{
    const size_t n = (size_t)l->count;
    if (!mg_buffer_fit(mg->stage, &l->deal.memory, 2 * n * sizeof *l->deal.mine)) return BW_ERR_MEMORY;
    l->deal.mine = l->deal.memory.data;
    int32_t *owner = l->deal.mine + n;
    for (int64_t i = 0; i < l->count; i++) {
        int o = 0;
        while (l->child[i][o] < 0) o++;
        owner[i] = fine->deal.owner[l->child[i][o]];
    }
    l->deal.owner = owner;
    return deal_finish(mg, l);
}

enum bw_status mg_ranks_deal(struct multigrid *mg, struct mg_level *fine, struct mg_level *coarse)
{
    const size_t octant = (MG_CELLS >> mg->shape.dim) * sizeof(float);
    struct listing g = {.mg = mg, .l = fine, .coarse = coarse, .freight = &fine->deal.down};
    coarse->deal.owner = NULL;
    if (!mg_is_dealt(fine)) return BW_OK;
    if (coarse_is_dealable(mg, coarse) && coarse_deal(mg, fine, coarse) != BW_OK) return BW_ERR_MEMORY;
    const enum bw_status status = freight_fit(g, down_list, octant);
    g.freight = &fine->deal.up;
    return status == BW_OK ? freight_fit(g, up_list, octant) : status;
}

enum bw_status mg_share(struct multigrid *mg, void *rows, const int32_t *slot, size_t bytes)
{
    const enum bw_status status = mg_is_dealt(mg->level) ? ranks_share(mg->stage, rows, slot, bytes) : BW_OK;
    if (status != BW_OK) mg->ranks.failed = status;
    return status;
}

enum bw_status mg_share_pieces(struct multigrid *mg, void *rows, size_t bytes)
{
    const struct mg_regions *r = &mg->regions;
    enum bw_status status = BW_OK;
    int32_t *slot = mg_is_dealt(mg->level) ? mg->ranks.slot : NULL;
    for (int32_t k = 0, more = slot != NULL; more && status == BW_OK; k++) {
        more = 0;
        for (int64_t t = 0; t < mg->level->count; t++) {
            const int32_t there = r->tile_first[t] + k < r->tile_first[t + 1];
            slot[t] = there ? r->tile_first[t] + k : -1;
            more |= there;
        }
        if (more) status = mg_share(mg, rows, slot, bytes);
    }
    return status;
}

enum bw_status mg_share_kinds(struct multigrid *mg)
{
    const size_t n = (size_t)mg->level->count;
    uint8_t *plain = mg_is_dealt(mg->level) ? mg->stage->host->scratch(mg->stage, n) : NULL;
    if (!mg_is_dealt(mg->level)) return BW_OK;
    if (!mg_buffer_fit(mg->stage, &mg->ranks.slots, n * sizeof *mg->ranks.slot) || !plain) return BW_ERR_MEMORY;
    mg->ranks.slot = mg->ranks.slots.data;
    for (size_t i = 0; i < n; i++) plain[i] = mg_is_mine(mg, (int64_t)i) && mg_tile_is_plain(mg, (int64_t)i);
    enum bw_status status = mg_share(mg, plain, NULL, 1);
    if (status == BW_OK) status = mg_share(mg, mg->has_cut, NULL, 1);
    for (size_t i = 0; i < n; i++) {
        mg->ranks.slot[i] = plain[i] ? -1 : (int32_t)i;
        if (plain[i]) memset(mg->kind + i * MG_CELLS, MG_KIND(2 * mg->shape.dim, 0), MG_CELLS);
    }
    return status == BW_OK ? mg_share(mg, mg->kind, mg->ranks.slot, MG_CELLS) : status;
}

/* ---- while solving ----------------------------------------------------------------------------------------------- */

static void values_copy(char *at, char *parcel, const int16_t *place, int n, size_t size, int in)
{
    if (size == sizeof(float)) {
        float *x = (float *)(void *)at, *p = (float *)(void *)parcel;
        for (int i = 0; i < n; i++) {
            if (in) x[place[i]] = p[i];
            else p[i] = x[place[i]];
        }
        return;
    }
    for (int i = 0; i < n; i++) {
        char *x = at + (size_t)place[i] * size, *p = parcel + (size_t)i * size;
        memcpy(in ? x : p, in ? p : x, size);
    }
}

static void freight_send(struct multigrid *mg, struct mg_freight *f, size_t values)
{
    const struct bw_ranks_api *api = mg->stage->host->extension(BW_RANKS);
    struct bw_parcel parcel[2][MG_RANKS];
    int32_t n[2] = {0};
    for (int in = 0; in < 2; in++)
        for (int32_t p = 0; p < mg->ranks.size; p++) {
            const size_t pieces = (size_t)(f->first[in][p + 1] - f->first[in][p]);
            char *data = f->parcel[in] + (size_t)f->first[in][p] * values;
            if (pieces) parcel[in][n[in]++] = (struct bw_parcel){.rank = p, .data = data, .bytes = pieces * values};
        }
    api->exchange(mg->stage, parcel[0], n[0], parcel[1], n[1]);
}

static void faces_copy(struct multigrid *mg, const struct mg_freight *f, char *x, size_t size, int in, int first, int n)
{
    for (int32_t i = 0; i < f->first[in][mg->ranks.size]; i++) {
        const struct mg_piece *p = &f->piece[in][i];
        values_copy(x + (size_t)p->tile * MG_CELLS * size, f->parcel[in] + (size_t)i * (size_t)n * size,
                    mg->ranks.face_place[p->side] + first, n, size, in);
    }
}

void mg_halo(const struct mg_crew *c, const struct mg_level *l, void *x, size_t size, int colours)
{
    if (!mg_is_dealt(l)) return;
    const int half = c->mg->ranks.face_cells / 2, first = colours == MG_BLACK ? half : 0,
              n = colours == MG_BOTH ? 2 * half : half;
    struct mg_freight faces = l->deal.faces;
    if (c->rank == 0) {
        faces_copy(c->mg, &faces, x, size, 0, first, n);
        freight_send(c->mg, &faces, (size_t)n * size);
        faces_copy(c->mg, &faces, x, size, 1, first, n);
    }
    mg_meet(c);
}

void mg_share_numbers(const struct mg_crew *c, double *number, size_t each)
{
    if (!mg_is_dealt(c->mg->level)) return;
    if (c->rank == 0) mg_share(c->mg, number, NULL, each * sizeof *number);
    mg_meet(c);
}

/* Octants of the level above in the array x of it, by the tiles below them. */
static void octants_copy(struct multigrid *mg, const struct mg_level *l, const struct mg_freight *f, float *x, int in)
{
    const int cells = MG_CELLS >> mg->shape.dim;
    for (int32_t i = 0; i < f->first[in][mg->ranks.size]; i++) {
        const int32_t t = f->piece[in][i].tile;
        values_copy((char *)(x + (int64_t)l->parent[t] * MG_CELLS),
                    f->parcel[in] + (size_t)i * (size_t)cells * sizeof *x,
                    mg->ranks.octant_place + l->octant[t] * cells, cells, sizeof *x, in);
    }
}

static void octants_share(const struct mg_crew *c, const struct mg_level *l, const struct mg_freight *f, float *x)
{
    struct mg_freight freight = *f;
    if (c->rank == 0) {
        octants_copy(c->mg, l, &freight, x, 0);
        freight_send(c->mg, &freight, (MG_CELLS >> c->mg->shape.dim) * sizeof *x);
        octants_copy(c->mg, l, &freight, x, 1);
    }
    mg_meet(c);
}

void mg_share_restricted(const struct mg_crew *c, const struct mg_level *l, const struct mg_level *coarse)
{
    if (coarse) octants_share(c, l, &l->deal.down, coarse->b);
}

void mg_share_solved(const struct mg_crew *c, const struct mg_level *l, const struct mg_level *coarse)
{
    if (mg_is_dealt(coarse)) octants_share(c, l, &l->deal.up, coarse->x);
}
