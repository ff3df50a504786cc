// SPDX-License-Identifier: Apache-2.0
/* Domain decomposition over several processes (ranks). Every rank knows the whole topology and the owner of each tile.
 * Of a field it stores its own tiles, and valid copies of others. All ranks make the same calls in the same order, so
 * each knows which rank holds what: owners send without being asked. An absent tile is a block of NaN, so that a read
 * by mistake shows. In one process all of it does nothing. */
#ifndef BW_GRID_RANKS_H
#define BW_GRID_RANKS_H

#include "grid/grid.h"
#include "base/transport.h"

/// The partition of a domain's tiles among the ranks.
struct bw_partition {
    int32_t *owner; ///< rank, by tile
    uint64_t *own;  ///< the owner as a bit, by tile
    uint64_t *near; ///< the ranks whose tiles touch it, its owner included: who needs it for halos
    double *cost;   ///< processor time of a tile, relative to the mean
    int64_t *mine;  ///< this rank's tiles, in order
    int64_t n_mine;
};

/// To which ranks tiles are fetched: those with tiles beside them, the first one, all.
enum bw_fetch_to { BW_FETCH_HALO, BW_FETCH_FIRST_RANK, BW_FETCH_ALL_RANKS };

/* ranks.c */
/// Partition the domain among the transport's ranks. BW_ERR_MEMORY.
enum bw_status bw_ranks_join(struct bw_domain *d, struct bw_transport *t);
void bw_ranks_leave(struct bw_domain *d);
/// Partition a topology by its tiles' costs (NULL: all the same). NULL: out of memory.
struct bw_partition *bw_partition_create(const struct bw_topo *topo, const struct bw_domain_info *d, const double *cost,
                                         int32_t ranks, int32_t rank);
/// Rescale tiles' costs by the processor time of each rank (s), by a factor between 0.5 and 2; nothing when balanced.
void bw_partition_rebalance(struct bw_partition *partition, int64_t tiles, const double *cpu_seconds, int32_t ranks);
/// Rebalance by the processor time since the last call. Returns the costs of the tiles of `to`, new memory (`old`: the
/// former index of each, -1: newly activated). NULL: out of memory.
double *bw_ranks_tile_costs(struct bw_domain *d, const struct bw_topo *to, const int64_t *old);
void bw_partition_free(struct bw_partition *partition);
/// Agreement on the requested tiles: any rank's failure `status` is returned by all; BW_ERR_PLUGIN: the sets differ.
enum bw_status bw_ranks_agree(const struct bw_domain *d, enum bw_status status);
/// All-gather `rows`, an array with `bytes` for each tile: every rank contributes its own tiles. `slot`: a tile's index
/// in `rows`, -1: none; NULL: the tile's own index. BW_ERR_MEMORY.
enum bw_status bw_ranks_all_gather_rows(struct bw_domain *d, void *rows, const int32_t *slot, size_t bytes);

/* fetch.c */
/// Halo exchange: copy tiles of fields from their owners to the ranks `need` that lack them. BW_ERR_MEMORY.
enum bw_status bw_ranks_fetch(struct bw_domain *d, struct bw_field *const *field, int32_t n, enum bw_fetch_to need);
/// The same of one field, with a bit mask of ranks for each tile.
enum bw_status bw_ranks_fetch_masked(struct bw_field *f, const uint64_t *need);
/// Copy `n` tiles of a field (`tile` NULL: all) to rank `to`, and drop all other copies on every rank. BW_ERR_MEMORY.
enum bw_status bw_ranks_fetch_tiles(struct bw_field *f, const int32_t *tile, int64_t n, int32_t to);
/// Drop this rank's tiles that the mask `need` does not list, its own included.
void bw_ranks_drop_unneeded(struct bw_field *f, const uint64_t *need);
/// bw_ranks_fetch of all fields of the domain that have values.
enum bw_status bw_ranks_fetch_all_fields(struct bw_domain *d, enum bw_fetch_to need);
/// sample.c: a field's values at positions that are the same on all ranks, count × comps. BW_ERR_MEMORY.
enum bw_status bw_ranks_sample(struct bw_field *f, struct bw_workers *w, size_t count, const bw_vec3 *pos, double *out);
/// After a write by owners alone: drop copies of other ranks' tiles, which are stale.
void bw_ranks_drop_copies(struct bw_field *f);
/// Of all fields: drop the copies on ranks that the mask `keep` does not list; owners keep theirs.
void bw_ranks_retain(struct bw_domain *d, const uint64_t *keep);

/* fetch_region.c */
/// Each rank fetches the tiles of a field within `reach` metres of the bounding box of its own tiles of `own`.
/// BW_ERR_MEMORY.
enum bw_status bw_ranks_fetch_region(struct bw_field *f, const struct bw_domain *own, double reach);

static inline bool bw_ranks_many(const struct bw_domain *d) { return d->ranks != NULL; }
static inline bool bw_ranks_is_mine(const struct bw_domain *d, int64_t tile)
{
    return !d->ranks || d->partition->owner[tile] == d->ranks->rank;
}
static inline uint64_t bw_ranks_everyone(const struct bw_domain *d)
{
    return d->ranks->size == 64 ? UINT64_MAX : ((uint64_t)1 << d->ranks->size) - 1;
}

/// Record that every rank holds all tiles of the field.
static inline void bw_ranks_mark_replicated(struct bw_field *f)
{
    for (int64_t t = 0; f->holders && t < f->src.topo->pub.count; t++) f->holders[t] = bw_ranks_everyone(f->domain);
}

/// Is that block the stand-in for a tile that this rank does not hold?
static inline bool bw_ranks_is_absent(const struct bw_field *f, const void *block)
{
    return block && block == f->domain->absent[f->elem == 8];
}

#endif
