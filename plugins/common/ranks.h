// SPDX-License-Identifier: Apache-2.0
/* The host's service for several ranks (billow/services.h), for stages flagged BW_STAGE_RANKS: without it, or in one
 * process, nothing is done. */
#ifndef RANKS_H
#define RANKS_H

#include <billow/plugin.h>

/// Rows by tile, or by its slot (-1: none), that this rank's sweep has set for its own tiles: the others' come in.
static inline enum bw_status ranks_share(struct bw_stage *s, void *rows, const int32_t *slot, size_t bytes)
{
    const struct bw_ranks_api *api = s->host->extension(BW_RANKS);
    return api ? api->share(s, s->domain, rows, slot, bytes) : BW_OK;
}

/// All tiles of a field, to be read outside of sweeps, or by whole ones.
static inline enum bw_status ranks_bring(struct bw_stage *s, struct bw_field *field)
{
    const struct bw_ranks_api *api = field ? s->host->extension(BW_RANKS) : NULL;
    return api ? api->bring(s, field) : BW_OK;
}

/// Those within `reach` metres of the box round this rank's own tiles of the stage's domain; of any domain's field.
static inline enum bw_status ranks_bring_round(struct bw_stage *s, struct bw_field *field, double reach)
{
    const struct bw_ranks_api *api = s->host->extension(BW_RANKS);
    return api ? api->bring_round(s, field, s->domain, reach) : BW_OK;
}

/// On: every rank runs sweeps on all tiles, of fields that were brought.
static inline void ranks_whole(struct bw_stage *s, int on)
{
    const struct bw_ranks_api *api = s->host->extension(BW_RANKS);
    if (api) api->whole(s, on);
}

/// Whose each tile is, or NULL where all are everybody's.
static inline const int32_t *ranks_owners(struct bw_stage *s, int32_t *rank, int32_t *size)
{
    const struct bw_ranks_api *api = s->host->extension(BW_RANKS);
    return api ? api->owners(s, s->domain, rank, size) : NULL;
}

/// Values of a field at places that every rank has, count × comps.
static inline enum bw_status ranks_sample(struct bw_stage *s, struct bw_field *field, size_t count, const bw_vec3 *pos,
                                          double *out)
{
    const struct bw_ranks_api *api = s->host->extension(BW_RANKS);
    return api->sample(s, field, count, pos, out);
}

/// Which of how many this is.
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

/// Pieces one after the other, bytes[r] of rank r's, of which this one's is there: the others' come in.
static inline void ranks_gather(struct bw_stage *s, void *pieces, const size_t *bytes)
{
    const struct bw_ranks_api *api = s->host->extension(BW_RANKS);
    if (api) api->gather(s, pieces, bytes);
}

#endif
