// SPDX-License-Identifier: Apache-2.0
/* The partition: recursive coordinate bisection of groups of 2×2×2 tiles, which wide sweeps treat as one, by their
 * measured cost. Fewer tiles lie at the parts' boundaries than along a space-filling curve (scaling.md). Results have
 * the same bytes for every partition, so it may depend on measured time. */
#include "ranks.h"
#include "base/alloc.h"
#include <billow/rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- recursive bisection ---- */

enum { FAR = 1 << 20 }; // coordinates are nearer

/// A tile and its group, which always has one owner.
struct item {
    uint64_t key;
    double cost;
    int64_t tile;
    int32_t group[3];
};

static int item_order(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->tile < y->tile ? -1 : x->tile > y->tile;
}

static bool same_group(const struct item *a, const struct item *b)
{
    return !memcmp(a->group, b->group, sizeof a->group);
}

/// The axis along which they reach farthest, the last one of several.
static int axis_longest(const struct item *i, int64_t n)
{
    int longest = 0;
    int32_t most = -1;
    for (int a = 0; a < 3; a++) {
        int32_t lo = INT32_MAX, hi = INT32_MIN;
        for (int64_t k = 0; k < n; k++) {
            lo = i[k].group[a] < lo ? i[k].group[a] : lo;
            hi = i[k].group[a] > hi ? i[k].group[a] : hi;
        }
        if (n && hi - lo >= most) most = hi - lo, longest = a;
    }
    return longest;
}

/// Where to cut n items, between two groups and with as near to that share of their cost before it as can be.
static int64_t cut_find(const struct item *i, int64_t n, double share)
{
    double all = 0, before = 0;
    int64_t due = 0;
    for (int64_t k = 0; k < n; k++) all += i[k].cost;
    while (due < n && before + i[due].cost <= all * share) before += i[due++].cost;
    int64_t lo = due, hi = due;
    while (lo > 0 && lo < n && same_group(&i[lo], &i[lo - 1])) lo--;
    while (hi > 0 && hi < n && same_group(&i[hi], &i[hi - 1])) hi++;
    return due - lo < hi - due ? lo : hi;
}

/* In halves across the longest axis, as many ranks to each as there are tiles for. */
static void owners_set(struct bw_partition *partition, struct item *i, int64_t n, int32_t first, int32_t ranks)
{
    for (int64_t k = 0; k < n && ranks == 1; k++) {
        partition->owner[i[k].tile] = first;
        partition->own[i[k].tile] = (uint64_t)1 << first;
    }
    if (ranks == 1) return;
    const int a = axis_longest(i, n), b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2;
    for (int64_t k = 0; k < n; k++) {
        const int32_t *g = i[k].group;
        i[k].key = (uint64_t)(g[a] + FAR) << 42 | (uint64_t)(g[b] + FAR) << 21 | (uint64_t)(g[c] + FAR);
    }
    qsort(i, (size_t)n, sizeof *i, item_order);
    const int64_t cut = cut_find(i, n, (double)(ranks / 2) / ranks);
    owners_set(partition, i, cut, first, ranks / 2);
    owners_set(partition, i + cut, n - cut, first + ranks / 2, ranks - ranks / 2);
}

/* Where a periodic axis ends inside a tile, halos reach over more than one. */
static bool wraps_inside(const struct bw_domain_info *d)
{
    for (int a = 0; a < 3; a++)
        if (bw_bounded(d) && d->side[2 * a].kind == BW_PERIODIC && d->n[a] % d->tile[a]) return true;
    return false;
}

static void near_set(struct bw_partition *partition, const struct bw_topo *t, const struct bw_domain_info *d)
{
    const bool wraps = wraps_inside(d);
    for (int64_t i = 0; i < t->pub.count; i++) {
        uint64_t near = wraps ? UINT64_MAX : 0;
        for (int e = 0; e < 27 && !wraps; e++) {
            const int32_t c[3] = {t->coord[i][0] + e % 3 - 1, t->coord[i][1] + e / 3 % 3 - 1,
                                  t->coord[i][2] + e / 9 - 1};
            const int64_t at = bw_topo_find(t, d, c);
            if (at >= 0) near |= partition->own[at];
        }
        partition->near[i] = near;
    }
}

void bw_partition_free(struct bw_partition *partition)
{
    if (!partition) return;
    bw_free(partition->owner);
    bw_free(partition->own);
    bw_free(partition->near);
    bw_free(partition->cost);
    bw_free(partition->mine);
    bw_free(partition);
}

struct bw_partition *bw_partition_create(const struct bw_topo *t, const struct bw_domain_info *d, const double *cost,
                                         int32_t ranks, int32_t rank)
{
    const size_t n = (size_t)t->pub.count;
    struct bw_partition *partition = bw_calloc(sizeof *partition);
    struct item *g = bw_calloc((n + 1) * sizeof *g);
    if (partition) {
        partition->owner = bw_calloc((n + 1) * sizeof *partition->owner);
        partition->own = bw_calloc((n + 1) * sizeof *partition->own);
        partition->near = bw_calloc((n + 1) * sizeof *partition->near);
        partition->cost = bw_calloc((n + 1) * sizeof *partition->cost);
        partition->mine = bw_calloc((n + 1) * sizeof *partition->mine);
    }
    if (!partition || !g || !partition->owner || !partition->own || !partition->near || !partition->cost ||
        !partition->mine) {
        bw_partition_free(partition);
        bw_free(g);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        partition->cost[i] = cost ? cost[i] : 1;
        g[i] = (struct item){
            0, partition->cost[i], (int64_t)i, {t->coord[i][0] >> 1, t->coord[i][1] >> 1, t->coord[i][2] >> 1}};
    }
    owners_set(partition, g, (int64_t)n, 0, ranks);
    near_set(partition, t, d);
    for (size_t i = 0; i < n; i++)
        if (partition->owner[i] == rank) partition->mine[partition->n_mine++] = (int64_t)i;
    bw_free(g);
    return partition;
}

/* ---- what tiles cost ---- */

static const double IMBALANCE = 1.1; ///< largest over mean time: below it tiles stay where they are
static const double LEAST = 0.2;     ///< s, mean time: less is too short a measurement

void bw_partition_rebalance(struct bw_partition *partition, int64_t tiles, const double *cpu_seconds, int32_t ranks)
{
    double sum = 0, most = 0, all = 0;
    for (int32_t r = 0; r < ranks; r++) {
        sum += cpu_seconds[r];
        most = cpu_seconds[r] > most ? cpu_seconds[r] : most;
    }
    if (most * ranks < IMBALANCE * sum) return;
    for (int64_t t = 0; t < tiles; t++) {
        const double times = cpu_seconds[partition->owner[t]] * ranks / sum;
        partition->cost[t] *= times < 0.5 ? 0.5 : times > 2 ? 2 : times;
        all += partition->cost[t];
    }
    for (int64_t t = 0; t < tiles; t++) partition->cost[t] *= (double)tiles / all;
}

double *bw_ranks_tile_costs(struct bw_domain *d, const struct bw_topo *to, const int64_t *old)
{
    double cpu_seconds[BW_RANKS_MOST], sum = 0, *cost = bw_calloc(((size_t)to->pub.count + 1) * sizeof *cost);
    size_t bytes[BW_RANKS_MOST];
    for (int32_t r = 0; r < d->ranks->size; r++) bytes[r] = sizeof *cpu_seconds;
    d->ranks->gather(d->ranks, &d->cpu_seconds, bytes, cpu_seconds);
    for (int32_t r = 0; r < d->ranks->size; r++) sum += cpu_seconds[r];
    if (sum > LEAST * d->ranks->size) {
        bw_partition_rebalance(d->partition, d->topo->pub.count, cpu_seconds, d->ranks->size);
        d->cpu_seconds = 0;
    }
    for (int64_t t = 0; cost && t < to->pub.count; t++) cost[t] = old[t] >= 0 ? d->partition->cost[old[t]] : 1;
    return cost;
}

/* ---- agreeing ---- */

/// What a rank wants: how many tiles, and a sum over them that knows no order.
struct wish {
    uint64_t sum;
    int64_t n;
    int64_t status;
};

enum bw_status bw_ranks_agree(const struct bw_domain *d, enum bw_status status)
{
    struct wish mine = {0, d->n_requested, status}, all[BW_RANKS_MOST];
    size_t bytes[BW_RANKS_MOST];
    if (!d->ranks) return status;
    for (int64_t i = 0; i < d->n_requested; i++) {
        uint64_t h = 0;
        for (int a = 0; a < 3; a++) h = bw_mix64(h + (uint32_t)d->requested[i][a]);
        mine.sum += h;
    }
    for (int32_t r = 0; r < d->ranks->size; r++) bytes[r] = sizeof mine;
    d->ranks->gather(d->ranks, &mine, bytes, all);
    for (int32_t r = 0; r < d->ranks->size; r++)
        if (all[r].status != BW_OK) return (enum bw_status)all[r].status;
    for (int32_t r = 0; r < d->ranks->size; r++)
        if (all[r].sum != all[0].sum || all[r].n != all[0].n) return BW_ERR_PLUGIN;
    return BW_OK;
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
    d->partition = bw_partition_create(d->topo, &d->info, NULL, t->size, t->rank);
    for (int i = 0; i < 2; i++)
        if (!(d->absent[i] = nan_block(d->pool[i], i ? 8 : 4))) return BW_ERR_MEMORY;
    for (struct bw_field *f = d->fields; f; f = f->next) {
        if (!(f->holders = bw_calloc(((size_t)d->topo->pub.count + 1) * sizeof *f->holders))) return BW_ERR_MEMORY;
        bw_ranks_mark_replicated(f);
    }
    return d->partition ? BW_OK : BW_ERR_MEMORY;
}

void bw_ranks_leave(struct bw_domain *d)
{
    for (int i = 0; i < 2; i++) bw_pool_unref(d->absent[i]);
    bw_partition_free(d->partition);
    d->partition = NULL;
    if (d->ranks) bw_free(d->ranks->buffer);
    if (d->ranks) d->ranks->buffer = NULL, d->ranks->buffer_bytes = 0;
    d->ranks = NULL;
}

/* ---- arrays by tile ---- */

static int64_t row_at(const int32_t *slot, int64_t tile) { return slot ? slot[tile] : tile; }

enum bw_status bw_ranks_all_gather_rows(struct bw_domain *d, void *rows, const int32_t *slot, size_t bytes)
{
    if (!d->ranks || !d->topo->pub.count) return BW_OK;
    const int64_t tiles = d->topo->pub.count;
    size_t size[BW_RANKS_MOST] = {0}, at[BW_RANKS_MOST] = {0}, sum = 0;
    for (int64_t t = 0; t < tiles; t++)
        if (row_at(slot, t) >= 0) size[d->partition->owner[t]] += bytes;
    for (int32_t r = 0; r < d->ranks->size; r++) at[r] = sum, sum += size[r];
    char *mine = bw_alloc_aligned(size[d->ranks->rank] + 1), *all = bw_alloc_aligned(sum + 1), *to = mine;
    for (int64_t i = 0; mine && all && i < d->partition->n_mine; i++) {
        const int64_t row = row_at(slot, d->partition->mine[i]);
        if (row < 0) continue;
        memcpy(to, (char *)rows + (size_t)row * bytes, bytes);
        to += bytes;
    }
    if (mine && all) d->ranks->gather(d->ranks, mine, size, all);
    for (int64_t t = 0; mine && all && t < tiles; t++) {
        const int64_t row = row_at(slot, t);
        if (row < 0) continue;
        memcpy((char *)rows + (size_t)row * bytes, all + at[d->partition->owner[t]], bytes);
        at[d->partition->owner[t]] += bytes;
    }
    const enum bw_status status = mine && all ? BW_OK : BW_ERR_MEMORY;
    bw_free(mine);
    bw_free(all);
    return status;
}
