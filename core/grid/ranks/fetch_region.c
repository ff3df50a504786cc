// SPDX-License-Identifier: Apache-2.0
/* Fetch across domains: while a rank works on its own tiles of one domain it needs another domain's field in their
 * bounding box. Every rank computes the boxes of all ranks, for each knows all tiles. */
#include "ranks.h"
#include "base/alloc.h"

/// In metres; nothing: lo above hi.
struct region {
    double lo[3], hi[3];
};

/* That of the tiles from lo to hi. */
static struct region tiles_region(const struct bw_domain_info *d, const int32_t lo[3], const int32_t hi[3])
{
    struct region r;
    for (int a = 0; a < 3; a++) {
        r.lo[a] = d->origin[a] + (double)lo[a] * d->tile[a] * d->h;
        r.hi[a] = d->origin[a] + ((double)hi[a] + 1) * d->tile[a] * d->h;
    }
    return r;
}

/* Round all tiles of each rank. */
static void regions_find(const struct bw_domain *d, struct region *region)
{
    int32_t lo[BW_RANKS_MOST][3], hi[BW_RANKS_MOST][3];
    for (int32_t r = 0; r < d->ranks->size; r++)
        for (int a = 0; a < 3; a++) lo[r][a] = INT32_MAX, hi[r][a] = INT32_MIN;
    for (int64_t t = 0; t < d->topo->pub.count; t++)
        for (int a = 0; a < 3; a++) {
            const int32_t r = d->partition->owner[t], c = d->topo->coord[t][a];
            lo[r][a] = c < lo[r][a] ? c : lo[r][a];
            hi[r][a] = c > hi[r][a] ? c : hi[r][a];
        }
    for (int32_t r = 0; r < d->ranks->size; r++) region[r] = tiles_region(&d->info, lo[r], hi[r]);
}

/* Along an axis that leads round all is near. */
static bool regions_meet(const struct bw_domain_info *d, const struct region *a, const struct region *b, double reach)
{
    bool meet = true;
    for (int i = 0; i < 3; i++)
        meet &= (bw_bounded(d) && d->side[2 * i].kind == BW_PERIODIC) ||
                (a->lo[i] <= b->hi[i] + reach && b->lo[i] <= a->hi[i] + reach);
    return meet;
}

enum bw_status bw_ranks_fetch_region(struct bw_field *f, const struct bw_domain *own, double reach)
{
    const struct bw_domain *d = f->domain;
    struct region region[BW_RANKS_MOST];
    if (!d->ranks) return BW_OK;
    uint64_t *need = bw_calloc(((size_t)d->topo->pub.count + 1) * sizeof *need);
    if (!need) return BW_ERR_MEMORY;
    regions_find(own, region);
    for (int64_t t = 0; t < d->topo->pub.count; t++) {
        const struct region tile = tiles_region(&d->info, d->topo->coord[t], d->topo->coord[t]);
        for (int32_t r = 0; r < d->ranks->size; r++)
            if (regions_meet(&d->info, &tile, &region[r], reach)) need[t] |= (uint64_t)1 << r;
    }
    const enum bw_status status = bw_ranks_fetch_masked(f, need);
    bw_free(need);
    return status;
}
