// SPDX-License-Identifier: Apache-2.0
/* Level 0 over several ranks: each has x, b and coefficients of its own tiles, and of the tiles beside them the face of
 * x that its own look at, fetched anew after every half-sweep of a colour. Arrays are as long as in one process, so
 * that a tile stands at the same place everywhere; what nobody touches takes no memory. Kinds and weights are
 * everywhere, and with them all coarser levels, which every rank solves alike: what is restricted to level 1 goes to
 * all. Numbers by tile go to all before they are added, in their order. */
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

/* Faces between tiles of two ranks, in an order that both know; at first they are counted. */
static void faces_list(struct multigrid *mg, int fill)
{
    struct mg_ranks *r = &mg->ranks;
    int32_t at[2][MG_RANKS] = {{0}};
    memcpy(at[0], r->first[0], sizeof at[0]);
    memcpy(at[1], r->first[1], sizeof at[1]);
    for (int64_t t = 0; t < mg->level->count; t++)
        for (int s = 0; s < 2 * mg->shape.dim; s++) {
            const int32_t n = mg->level->near[t][s];
            if (n < 0 || r->owner[t] == r->owner[n]) continue;
            const int in = r->owner[n] == r->rank, other = r->owner[in ? t : n];
            if (!in && r->owner[t] != r->rank) continue;
            if (fill) r->face[in][at[in][other]] = (struct mg_face){(int32_t)t, s};
            at[in][other]++;
        }
    for (int in = 0; in < 2 && !fill; in++)
        for (int32_t p = 0; p < r->size; p++) r->first[in][p + 1] = r->first[in][p] + at[in][p];
}

enum bw_status mg_ranks_fit(struct multigrid *mg)
{
    struct mg_ranks *r = &mg->ranks;
    const size_t n = (size_t)mg->level->count;
    r->owner = mg_is_dealable(mg) ? ranks_owners(mg->stage, &r->rank, &r->size) : NULL;
    r->failed = BW_OK;
    if (!r->owner) return BW_OK;
    if (!r->face_cells) places_make(mg);
    memset(r->first, 0, sizeof r->first);
    faces_list(mg, 0);
    const size_t faces[2] = {(size_t)r->first[0][r->size], (size_t)r->first[1][r->size]};
    const size_t values = (faces[0] + faces[1]) * (size_t)r->face_cells * sizeof(double);
    const size_t octants = n * (MG_CELLS >> mg->shape.dim) * sizeof(float);
    const size_t lists = (faces[0] + faces[1]) * sizeof *r->face[0] + n * sizeof *r->mine;
    if (!mg_buffer_fit(mg->stage, &r->memory, values + octants + lists)) return BW_ERR_MEMORY;
    r->parcel[0] = r->memory.data;
    r->parcel[1] = r->parcel[0] + faces[0] * (size_t)r->face_cells * sizeof(double);
    r->octant = (float *)(r->parcel[0] + values);
    r->face[0] = (struct mg_face *)(r->octant + octants / sizeof(float));
    r->face[1] = r->face[0] + faces[0];
    r->mine = (int32_t *)(r->face[1] + faces[1]);
    faces_list(mg, 1);
    r->n_mine = 0;
    for (size_t i = 0; i < n; i++)
        if (r->owner[i] == r->rank) r->mine[r->n_mine++] = (int32_t)i;
    return BW_OK;
}

enum bw_status mg_share(struct multigrid *mg, void *rows, const int32_t *slot, size_t bytes)
{
    const enum bw_status status = mg->ranks.owner ? ranks_share(mg->stage, rows, slot, bytes) : BW_OK;
    if (status != BW_OK) mg->ranks.failed = status;
    return status;
}

enum bw_status mg_share_pieces(struct multigrid *mg, void *rows, size_t bytes)
{
    const struct mg_regions *r = &mg->regions;
    enum bw_status status = BW_OK;
    int32_t *slot = mg->ranks.owner ? mg->ranks.slot : NULL;
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
    uint8_t *plain = mg->ranks.owner ? mg->stage->host->scratch(mg->stage, n) : NULL;
    if (!mg->ranks.owner) return BW_OK;
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

static void faces_copy(struct mg_ranks *r, char *x, size_t size, int in, int first, int n)
{
    for (int32_t f = 0; f < r->first[in][r->size]; f++) {
        char *at = x + (size_t)r->face[in][f].tile * MG_CELLS * size, *parcel = r->parcel[in] + (size_t)(f * n) * size;
        const int16_t *place = r->face_place[r->face[in][f].side] + first;
        for (int i = 0; i < n; i++) {
            if (in) memcpy(at + (size_t)place[i] * size, parcel + (size_t)i * size, size);
            else memcpy(parcel + (size_t)i * size, at + (size_t)place[i] * size, size);
        }
    }
}

static void faces_exchange(struct multigrid *mg, size_t face)
{
    struct mg_ranks *r = &mg->ranks;
    const struct bw_ranks_api *api = mg->stage->host->extension(BW_RANKS);
    struct bw_parcel parcel[2][MG_RANKS];
    int32_t n[2] = {0};
    for (int in = 0; in < 2; in++)
        for (int32_t p = 0; p < r->size; p++) {
            const size_t faces = (size_t)(r->first[in][p + 1] - r->first[in][p]);
            char *data = r->parcel[in] + (size_t)r->first[in][p] * face;
            if (faces) parcel[in][n[in]++] = (struct bw_parcel){.rank = p, .data = data, .bytes = faces * face};
        }
    api->exchange(mg->stage, parcel[0], n[0], parcel[1], n[1]);
}

void mg_halo(const struct mg_crew *c, void *x, size_t size, int colours)
{
    struct mg_ranks *r = &c->mg->ranks;
    if (!r->owner) return;
    const int half = r->face_cells / 2, first = colours == MG_BLACK ? half : 0,
              n = colours == MG_BOTH ? 2 * half : half;
    if (c->rank == 0) {
        faces_copy(r, x, size, 0, first, n);
        faces_exchange(c->mg, (size_t)n * size);
        faces_copy(r, x, size, 1, first, n);
    }
    mg_meet(c);
}

void mg_share_numbers(const struct mg_crew *c, double *number, size_t each)
{
    if (!c->mg->ranks.owner) return;
    if (c->rank == 0) mg_share(c->mg, number, NULL, each * sizeof *number);
    mg_meet(c);
}

void mg_share_coarse(const struct mg_crew *c, const struct mg_level *coarse)
{
    struct multigrid *mg = c->mg;
    const struct mg_level *l = mg->level;
    const size_t cells = MG_CELLS >> mg->shape.dim;
    if (!mg->ranks.owner || !coarse) return;
    for (int64_t n = 0; n < 2 * l->count && c->rank == 0; n++) {
        const int64_t i = n % l->count;
        float *b = coarse->b + (int64_t)l->parent[i] * MG_CELLS, *row = mg->ranks.octant + (size_t)i * cells;
        const int16_t *place = mg->ranks.octant_place + l->octant[i] * cells;
        if (n == l->count) mg_share(mg, mg->ranks.octant, NULL, cells * sizeof *row);
        if (mg_is_mine(mg, i) != (n < l->count)) continue;
        for (size_t m = 0; m < cells; m++) {
            if (n < l->count) row[m] = b[place[m]];
            else b[place[m]] = row[m];
        }
    }
    mg_meet(c);
}
