// SPDX-License-Identifier: Apache-2.0
/* Communication between ranks by the host's service (billow/services.h), for stages flagged BW_STAGE_RANKS. Without it,
 * or in one process, these are no-ops. */
#ifndef RANKS_H
#define RANKS_H

#include <billow/plugin.h>

/// All-gather of rows by tile, or by its slot (-1: none), of which each rank has set those of its own tiles.
static inline enum bw_status ranks_allgather(struct bw_stage *s, void *rows, const int32_t *slot, size_t bytes)
{
    const struct bw_ranks_api *api = s->host->extension(BW_RANKS);
    return api ? api->share(s, s->domain, rows, slot, bytes) : BW_OK;
}

/// Fetch all tiles of a field, to read them outside of sweeps, or by sweeps over all tiles.
static inline enum bw_status ranks_fetch(struct bw_stage *s, struct bw_field *field)
{
    const struct bw_ranks_api *api = field ? s->host->extension(BW_RANKS) : NULL;
    return api ? api->bring(s, field) : BW_OK;
}

/// Fetch the tiles of a field, of any domain, within `reach` metres of the bounding box of this rank's own tiles.
static inline enum bw_status ranks_fetch_near(struct bw_stage *s, struct bw_field *field, double reach)
{
    const struct bw_ranks_api *api = s->host->extension(BW_RANKS);
    return api ? api->bring_round(s, field, s->domain, reach) : BW_OK;
}

/// On: every rank runs sweeps on all tiles, of fields that were fetched.
static inline void ranks_sweep_all(struct bw_stage *s, int on)
{
    const struct bw_ranks_api *api = s->host->extension(BW_RANKS);
    if (api) api->whole(s, on);
}

/// Owner of each tile; NULL: not partitioned.
static inline const int32_t *ranks_owners(struct bw_stage *s, int32_t *rank, int32_t *size)
{
    const struct bw_ranks_api *api = s->host->extension(BW_RANKS);
    return api ? api->owners(s, s->domain, rank, size) : NULL;
}

/// Sample a field at places that every rank knows, count × comps values.
static inline enum bw_status ranks_sample(struct bw_stage *s, struct bw_field *field, size_t count, const bw_vec3 *pos,
                                          double *out)
{
    const struct bw_ranks_api *api = s->host->extension(BW_RANKS);
    return api->sample(s, field, count, pos, out);
}

/// This rank, and the number of ranks.
static inline int32_t ranks_rank(const struct bw_stage *s, int32_t *size)
{
    const struct bw_ranks_api *api = s->host->extension(BW_RANKS);
    *size = 1;
    return api ? api->rank(s, size) : 0;
}

static inline int ranks_many(const struct bw_stage *s)
{
    int32_t size;
    ranks_rank(s, &size);
    return size > 1;
}

/// All-gather of pieces of different size: bytes[r] of rank r, one after the other, of which this rank's is set.
static inline void ranks_allgatherv(struct bw_stage *s, void *pieces, const size_t *bytes)
{
    const struct bw_ranks_api *api = s->host->extension(BW_RANKS);
    if (api) api->gather(s, pieces, bytes);
}

#endif
