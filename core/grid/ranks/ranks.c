// SPDX-License-Identifier: Apache-2.0
/* Who has which tile. Tiles are dealt out in groups of 2×2×2, which wide sweeps take
 * as one, along a curve that keeps neighbours together (Morton's), in equal shares. */
#include "ranks.h"
#include "base/alloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- dealing out ---- */

struct group {
    uint64_t key;
    int64_t tile;
};

static uint64_t bits_spread(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

static uint64_t group_key(const int32_t c[3])
{
    uint64_t key = 0;
    for (int a = 0; a < 3; a++) key |= bits_spread((uint64_t)((c[a] >> 1) + (1 << 20))) << a;
    return key;
}

static int group_order(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->tile < y->tile ? -1 : x->tile > y->tile;
}

static void owners_set(struct bw_deal *deal, const struct group *g, int64_t n, int32_t ranks)
{
    for (int64_t i = 0, first = 0; i < n; i++) {
        if (i && g[i].key != g[i - 1].key) first = i;
        const int32_t r = (int32_t)(first * ranks / n);
        deal->owner[g[i].tile] = r;
        deal->own[g[i].tile] = (uint64_t)1 << r;
    }
}

/* Where a periodic axis ends inside a tile, halos reach over more than one. */
static bool wraps_inside(const struct bw_domain_info *d)
{
    for (int a = 0; a < 3; a++)
        if (bw_bounded(d) && d->side[2 * a].kind == BW_PERIODIC && d->n[a] % d->tile[a]) return true;
    return false;
}

static void near_set(struct bw_deal *deal, const struct bw_topo *t, const struct bw_domain_info *d)
{
    const bool wraps = wraps_inside(d);
    for (int64_t i = 0; i < t->pub.count; i++) {
        uint64_t near = wraps ? UINT64_MAX : 0;
        for (int e = 0; e < 27 && !wraps; e++) {
            const int32_t c[3] = {t->coord[i][0] + e % 3 - 1, t->coord[i][1] + e / 3 % 3 - 1,
                                  t->coord[i][2] + e / 9 - 1};
            const int64_t at = bw_topo_find(t, d, c);
            if (at >= 0) near |= deal->own[at];
        }
        deal->near[i] = near;
    }
}

void bw_ranks_undeal(struct bw_deal *deal)
{
    if (!deal) return;
    bw_free(deal->owner);
    bw_free(deal->own);
    bw_free(deal->near);
    bw_free(deal->mine);
    bw_free(deal);
}

struct bw_deal *bw_ranks_deal(const struct bw_topo *t, const struct bw_domain_info *d, int32_t ranks, int32_t rank)
{
    const size_t n = (size_t)t->pub.count;
    struct bw_deal *deal = bw_calloc(sizeof *deal);
    struct group *g = bw_calloc((n + 1) * sizeof *g);
    if (deal) {
        deal->owner = bw_calloc((n + 1) * sizeof *deal->owner);
        deal->own = bw_calloc((n + 1) * sizeof *deal->own);
        deal->near = bw_calloc((n + 1) * sizeof *deal->near);
        deal->mine = bw_calloc((n + 1) * sizeof *deal->mine);
    }
    if (!deal || !g || !deal->owner || !deal->own || !deal->near || !deal->mine) {
        bw_ranks_undeal(deal);
        bw_free(g);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) g[i] = (struct group){group_key(t->coord[i]), (int64_t)i};
    qsort(g, n, sizeof *g, group_order);
    owners_set(deal, g, (int64_t)n, ranks);
    near_set(deal, t, d);
    for (size_t i = 0; i < n; i++)
        if (deal->owner[i] == rank) deal->mine[deal->n_mine++] = (int64_t)i;
    bw_free(g);
    return deal;
}

/* ---- joining ---- */

static void *nan_block(struct bw_pool *pool, uint32_t elem)
{
    void *b = bw_pool_get(pool);
    for (int i = 0; b && i < BW_TILE_CELLS; i++) {
        if (elem == 4) ((float *)b)[i] = NAN;
        else ((double *)b)[i] = NAN;
    }
    return b;
}

enum bw_status bw_ranks_join(struct bw_domain *d, struct bw_transport *t)
{
    d->ranks = t;
    d->deal = bw_ranks_deal(d->topo, &d->info, t->size, t->rank);
    for (int i = 0; i < 2; i++)
        if (!(d->absent[i] = nan_block(d->pool[i], i ? 8 : 4))) return BW_ERR_MEMORY;
    for (struct bw_field *f = d->fields; f; f = f->next) {
        if (!(f->here = bw_calloc(((size_t)d->topo->pub.count + 1) * sizeof *f->here))) return BW_ERR_MEMORY;
        bw_ranks_same(f);
    }
    return d->deal ? BW_OK : BW_ERR_MEMORY;
}

void bw_ranks_leave(struct bw_domain *d)
{
    for (int i = 0; i < 2; i++) bw_pool_unref(d->absent[i]);
    bw_ranks_undeal(d->deal);
    d->deal = NULL;
    d->ranks = NULL;
}

/* ---- arrays by tile ---- */

static int64_t row_at(const int32_t *slot, int64_t tile) { return slot ? slot[tile] : tile; }

enum bw_status bw_ranks_share(struct bw_domain *d, void *rows, const int32_t *slot, size_t bytes)
{
    if (!d->ranks || !d->topo->pub.count) return BW_OK;
    const int64_t tiles = d->topo->pub.count;
    size_t size[BW_RANKS_MOST] = {0}, at[BW_RANKS_MOST] = {0}, sum = 0;
    for (int64_t t = 0; t < tiles; t++)
        if (row_at(slot, t) >= 0) size[d->deal->owner[t]] += bytes;
    for (int32_t r = 0; r < d->ranks->size; r++) at[r] = sum, sum += size[r];
    char *mine = bw_alloc_aligned(size[d->ranks->rank] + 1), *all = bw_alloc_aligned(sum + 1), *to = mine;
    for (int64_t i = 0; mine && all && i < d->deal->n_mine; i++) {
        const int64_t row = row_at(slot, d->deal->mine[i]);
        if (row < 0) continue;
        memcpy(to, (char *)rows + (size_t)row * bytes, bytes);
        to += bytes;
    }
    if (mine && all) d->ranks->gather(d->ranks, mine, size, all);
    for (int64_t t = 0; mine && all && t < tiles; t++) {
        const int64_t row = row_at(slot, t);
        if (row < 0) continue;
        memcpy((char *)rows + (size_t)row * bytes, all + at[d->deal->owner[t]], bytes);
        at[d->deal->owner[t]] += bytes;
    }
    const enum bw_status status = mine && all ? BW_OK : BW_ERR_MEMORY;
    bw_free(mine);
    bw_free(all);
    return status;
}
