// SPDX-License-Identifier: Apache-2.0
/* Tiles over several processes. Every rank knows the whole topology and whose each tile is; of a field it holds its own
 * tiles, and copies of others as long as they are the same. All ranks do the same calls in the same order, so each
 * knows who holds what, and asks for nothing: what a rank lacks its owner sends. A tile that is not here is a block of
 * NaN, so that nothing is read by mistake. In one process there are no owners, and nothing here does anything. */
#ifndef BW_GRID_RANKS_H
#define BW_GRID_RANKS_H

#include "grid/grid.h"
#include "base/transport.h"

/// How a domain's tiles are dealt out.
struct bw_deal {
    int32_t *owner; ///< by tile
    uint64_t *own;  ///< the same as a bit,
    uint64_t *near; ///< and the ranks whose tiles touch it, its own among them
    double *cost;   ///< what a tile takes, 1 on the whole
    int64_t *mine;  ///< this rank's tiles, in order
    int64_t n_mine;
};

enum bw_need { BW_NEED_NEAR, BW_NEED_FIRST, BW_NEED_ALL };

/* ranks.c */
/// From now on it is one of several. BW_ERR_MEMORY.
enum bw_status bw_ranks_join(struct bw_domain *d, struct bw_transport *t);
void bw_ranks_leave(struct bw_domain *d);
/// Deal out a topology by what its tiles cost (NULL: all the same); NULL: out of memory.
struct bw_deal *bw_ranks_deal(const struct bw_topo *topo, const struct bw_domain_info *d, const double *cost,
                              int32_t ranks, int32_t rank);
/// What tiles cost is thought anew, of what each rank has spent (s): no more than as much again at once.
void bw_ranks_judge(struct bw_deal *deal, int64_t tiles, const double *spent, int32_t ranks);
/// The same of what ranks have spent since they last asked; then the costs of the tiles of `to` (`old`: where each was,
/// -1: nowhere), new memory. NULL: out of memory.
double *bw_ranks_costs(struct bw_domain *d, const struct bw_topo *to, const int64_t *old);
void bw_ranks_undeal(struct bw_deal *deal);
/// Do all ranks want the same tiles? What each of them has as its status (memory) is what all get; BW_ERR_PLUGIN: no.
enum bw_status bw_ranks_agree(const struct bw_domain *d, enum bw_status status);
/// Every rank's `bytes` for each of its tiles in `rows` go to all: an array by tile, or by their slots (-1: none).
/// BW_ERR_MEMORY.
enum bw_status bw_ranks_share(struct bw_domain *d, void *rows, const int32_t *slot, size_t bytes);

/* bring.c */
/// Bring tiles of fields where they are wanted: beside tiles of theirs, to the first rank, to all. BW_ERR_MEMORY.
enum bw_status bw_ranks_bring(struct bw_domain *d, struct bw_field *const *field, int32_t n, enum bw_need need);
/// The same by ranks for each tile, of one field.
enum bw_status bw_ranks_bring_to(struct bw_field *f, const uint64_t *need);
/// Of a field `n` tiles to rank `to` (`tile` NULL: all of them to it); those alone: all others that are not their
/// rank's own go. BW_ERR_MEMORY.
enum bw_status bw_ranks_bring_some(struct bw_field *f, const int32_t *tile, int64_t n, int32_t to);
/// After that: this rank's tiles that it needs no longer go, its own, too.
void bw_ranks_leave_to(struct bw_field *f, const uint64_t *need);
/// Of all fields of the domain that have values.
enum bw_status bw_ranks_bring_all(struct bw_domain *d, enum bw_need need);
/// sample.c: values of a field at places that all ranks have, count × comps. BW_ERR_MEMORY.
enum bw_status bw_ranks_sample(struct bw_field *f, struct bw_workers *w, size_t count, const bw_vec3 *pos, double *out);
/// Owners alone have written: other tiles go.
void bw_ranks_wrote(struct bw_field *f);
/// Of all fields only owners have a tile from now on, and of those who have it now the ranks `keep` says.
void bw_ranks_keep(struct bw_domain *d, const uint64_t *keep);

/* region.c */
/// Of a field each rank gets the tiles within `reach` metres of the box round its own tiles of `own`. BW_ERR_MEMORY.
enum bw_status bw_ranks_bring_round(struct bw_field *f, const struct bw_domain *own, double reach);

static inline bool bw_ranks_many(const struct bw_domain *d) { return d->ranks != NULL; }
static inline bool bw_ranks_is_mine(const struct bw_domain *d, int64_t tile)
{
    return !d->ranks || d->deal->owner[tile] == d->ranks->rank;
}
static inline uint64_t bw_ranks_everyone(const struct bw_domain *d)
{
    return d->ranks->size == 64 ? UINT64_MAX : ((uint64_t)1 << d->ranks->size) - 1;
}

/// Every rank has all of its tiles.
static inline void bw_ranks_same(struct bw_field *f)
{
    for (int64_t t = 0; f->here && t < f->src.topo->pub.count; t++) f->here[t] = bw_ranks_everyone(f->domain);
}

/// Is it not here?
static inline bool bw_ranks_lacks(const struct bw_field *f, const void *block)
{
    return block && block == f->domain->absent[f->elem == 8];
}

#endif
