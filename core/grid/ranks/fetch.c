// SPDX-License-Identifier: Apache-2.0
/* Halo exchange. All that one rank sends another goes in one parcel, packed by tiles and components in an order that
 * both know. */
#include "ranks.h"
#include "base/alloc.h"
#include <string.h>

static bool has_values(const struct bw_field *f)
{
    return f->src.topo->pub.count > 0 && f->src.data[0] && f->src.data[0][0];
}

static void tile_drop(struct bw_field *f, int64_t t)
{
    void *absent = f->domain->absent[f->elem == 8];
    for (uint32_t c = 0; c < f->info.comps; c++) {
        void **slot = &f->src.data[c][t];
        if (*slot == absent) continue;
        bw_pool_unref(*slot);
        bw_pool_ref(*slot = absent);
    }
}

void bw_ranks_drop_copies(struct bw_field *f)
{
    const struct bw_domain *d = f->domain;
    for (int64_t t = 0; t < d->topo->pub.count; t++) {
        f->holders[t] = d->partition->own[t];
        if (d->partition->owner[t] != d->ranks->rank) tile_drop(f, t);
    }
}

void bw_ranks_drop_unneeded(struct bw_field *f, const uint64_t *need)
{
    for (int64_t t = 0; has_values(f) && t < f->src.topo->pub.count; t++)
        if (!(need[t] >> f->domain->ranks->rank & 1)) tile_drop(f, t);
}

static void keep_in(struct bw_field *f, const uint64_t *keep)
{
    const struct bw_domain *d = f->domain;
    for (int64_t t = 0; has_values(f) && t < d->topo->pub.count; t++) {
        f->holders[t] &= keep[t] | d->partition->own[t];
        if (!(f->holders[t] >> d->ranks->rank & 1)) tile_drop(f, t);
    }
}

void bw_ranks_retain(struct bw_domain *d, const uint64_t *keep)
{
    for (struct bw_field *f = d->ranks ? d->fields : NULL; f; f = f->next) keep_in(f, keep);
}

/// Parcels to each rank and from each, and how many of their bytes are packed and unpacked.
struct parcels {
    struct bw_parcel out[BW_RANKS_MOST], in[BW_RANKS_MOST];
    size_t sent[BW_RANKS_MOST], taken[BW_RANKS_MOST];
};

static size_t boundary_faces_bytes(const struct bw_field *f, uint32_t c, int64_t t)
{
    if (f->info.kind != BW_MAC || f->src.topo->neighbour[t][2 * c + 1] >= 0) return 0;
    return bw_field_boundary_faces(&f->domain->info, (int)c) * f->elem;
}

static size_t tile_bytes(const struct bw_field *f, int64_t t)
{
    size_t bytes = (size_t)f->info.comps * BW_TILE_CELLS * f->elem;
    for (uint32_t c = 0; c < f->info.comps; c++) bytes += boundary_faces_bytes(f, c, t);
    return bytes;
}

static void tile_pack(const struct bw_field *f, int64_t t, char *to)
{
    for (uint32_t c = 0; c < f->info.comps; c++) {
        const size_t faces = boundary_faces_bytes(f, c, t);
        memcpy(to, f->src.data[c][t], (size_t)BW_TILE_CELLS * f->elem);
        to += (size_t)BW_TILE_CELLS * f->elem;
        if (faces && f->src.boundary_faces[c][t]) memcpy(to, f->src.boundary_faces[c][t], faces);
        to += faces;
    }
}

static enum bw_status tile_unpack(struct bw_field *f, int64_t t, const char *from)
{
    for (uint32_t c = 0; c < f->info.comps; c++) {
        const size_t faces = boundary_faces_bytes(f, c, t);
        void *block = bw_field_writable_tile(f, c, t);
        if (!block) return BW_ERR_MEMORY;
        memcpy(block, from, (size_t)BW_TILE_CELLS * f->elem);
        from += (size_t)BW_TILE_CELLS * f->elem;
        if (faces && !f->src.boundary_faces[c][t] && !(f->src.boundary_faces[c][t] = bw_alloc_aligned(faces)))
            return BW_ERR_MEMORY;
        if (faces) memcpy(f->src.boundary_faces[c][t], from, faces);
        from += faces;
    }
    return BW_OK;
}

enum { ROUND = 1 << 18 };
enum step { COUNT, PACK, UNPACK };

/* Where a round ends that begins with tile t: with as much as is ROUND for each rank. */
static int64_t round_end(const struct bw_field *f, const uint64_t *need, int64_t t)
{
    const struct bw_domain *d = f->domain;
    const uint64_t all = bw_ranks_everyone(d);
    const size_t most = ROUND * (size_t)d->ranks->size;
    for (size_t bytes = 0; t < d->topo->pub.count && bytes < most; t++)
        bytes += tile_bytes(f, t) * (size_t)__builtin_popcountll((need ? need[t] : all) & all & ~f->holders[t]);
    return t;
}

/* All tiles from `from` to `to` - 1 that move, in the same order everywhere. */
static enum bw_status field_walk(struct bw_field *f, const uint64_t *need, int64_t from, int64_t to, struct parcels *q,
                                 enum step step)
{
    const struct bw_domain *d = f->domain;
    const int32_t me = d->ranks->rank;
    const uint64_t all = bw_ranks_everyone(d);
    for (int64_t t = from; t < to; t++) {
        const uint64_t want = (need ? need[t] : all) & all & ~f->holders[t];
        const int32_t owner = d->partition->owner[t];
        if (!want) continue;
        const bool receives = want >> me & 1;
        const size_t bytes = owner == me || receives ? tile_bytes(f, t) : 0;
        for (int32_t r = 0; r < d->ranks->size && owner == me; r++) {
            if (!(want >> r & 1)) continue;
            if (step == COUNT) q->out[r].bytes += bytes;
            if (step == PACK) tile_pack(f, t, (char *)q->out[r].data + q->sent[r]);
            q->sent[r] += step == PACK ? bytes : 0;
        }
        if (receives && step == COUNT) q->in[owner].bytes += bytes;
        if (step != UNPACK) continue;
        if (receives && tile_unpack(f, t, (char *)q->in[owner].data + q->taken[owner]) != BW_OK) return BW_ERR_MEMORY;
        q->taken[owner] += receives ? bytes : 0;
        f->holders[t] |= want;
    }
    return BW_OK;
}

static const uint64_t *need_of(const struct bw_domain *d, enum bw_fetch_to need, uint64_t *first)
{
    if (need == BW_FETCH_HALO) return d->partition->near;
    for (int64_t t = 0; need == BW_FETCH_FIRST_RANK && t < d->topo->pub.count; t++) first[t] = 1;
    return need == BW_FETCH_FIRST_RANK ? first : NULL;
}

static void parcels_exchange(const struct bw_domain *d, struct parcels *q)
{
    struct bw_parcel out[BW_RANKS_MOST], in[BW_RANKS_MOST];
    int32_t n_out = 0, n_in = 0;
    for (int32_t r = 0; r < d->ranks->size; r++) {
        q->out[r].rank = q->in[r].rank = r;
        if (q->out[r].bytes) out[n_out++] = q->out[r];
        if (q->in[r].bytes) in[n_in++] = q->in[r];
    }
    d->ranks->exchange(d->ranks, out, n_out, in, n_in);
}

/* Grow the transport's buffer to `bytes` at least. NULL: out of memory. */
static char *buffer_reserve(struct bw_transport *t, size_t bytes)
{
    if (t->buffer_bytes >= bytes) return t->buffer;
    bw_free(t->buffer);
    t->buffer = bw_alloc_aligned(bytes);
    t->buffer_bytes = t->buffer ? bytes : 0;
    return t->buffer;
}

/* Parcels of a round, one after the other, each on a cache line. */
static enum bw_status parcels_place(struct bw_transport *t, struct parcels *q)
{
    size_t all = 0;
    for (int32_t r = 0; r < t->size; r++) all += (q->out[r].bytes + 63) / 64 * 64 + (q->in[r].bytes + 63) / 64 * 64;
    char *at = all ? buffer_reserve(t, all) : NULL;
    if (all && !at) return BW_ERR_MEMORY;
    for (int32_t r = 0; r < t->size; r++)
        for (int in = 0; in < 2; in++) {
            struct bw_parcel *p = in ? &q->in[r] : &q->out[r];
            p->data = p->bytes ? at : NULL;
            if (p->bytes) at += (p->bytes + 63) / 64 * 64;
        }
    return BW_OK;
}

static enum bw_status fetch_round(struct bw_field *f, const uint64_t *need, int64_t from, int64_t to)
{
    const struct bw_domain *d = f->domain;
    struct parcels q = {.sent = {0}};
    enum bw_status status = field_walk(f, need, from, to, &q, COUNT);
    if (status == BW_OK) status = parcels_place(d->ranks, &q);
    if (status == BW_OK) status = field_walk(f, need, from, to, &q, PACK);
    if (status == BW_OK) parcels_exchange(d, &q);
    return status == BW_OK ? field_walk(f, need, from, to, &q, UNPACK) : status;
}

/* In rounds, for parcels take as much memory as the tiles in them. */
static enum bw_status fetch(struct bw_field *f, const uint64_t *need)
{
    enum bw_status status = BW_OK;
    for (int64_t t = 0, end; has_values(f) && t < f->domain->topo->pub.count && status == BW_OK; t = end) {
        end = round_end(f, need, t);
        status = fetch_round(f, need, t, end);
    }
    return status;
}

enum bw_status bw_ranks_fetch(struct bw_domain *d, struct bw_field *const *field, int32_t n, enum bw_fetch_to need)
{
    if (!d->ranks || !n || !d->topo->pub.count) return BW_OK;
    uint64_t *first = bw_calloc(((size_t)d->topo->pub.count + 1) * sizeof *first);
    enum bw_status status = first ? BW_OK : BW_ERR_MEMORY;
    for (int32_t i = 0; i < n && status == BW_OK; i++) status = fetch(field[i], need_of(d, need, first));
    bw_free(first);
    return status;
}

enum bw_status bw_ranks_fetch_masked(struct bw_field *f, const uint64_t *need)
{
    return f->domain->ranks ? fetch(f, need) : BW_OK;
}

enum bw_status bw_ranks_fetch_tiles(struct bw_field *f, const int32_t *tile, int64_t n, int32_t to)
{
    uint64_t *need = bw_calloc(((size_t)f->src.topo->pub.count + 1) * sizeof *need);
    if (!need) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < (tile ? n : f->src.topo->pub.count); i++) need[tile ? tile[i] : i] = (uint64_t)1 << to;
    keep_in(f, need);
    const enum bw_status status = fetch(f, need);
    bw_free(need);
    return status;
}

enum bw_status bw_ranks_fetch_all_fields(struct bw_domain *d, enum bw_fetch_to need)
{
    enum bw_status status = BW_OK;
    for (struct bw_field *f = d->fields; d->ranks && f && status == BW_OK; f = f->next)
        status = bw_ranks_fetch(d, &f, 1, need);
    return status;
}
