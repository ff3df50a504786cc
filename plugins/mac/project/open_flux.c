// SPDX-License-Identifier: Apache-2.0
/* mac.project overwrites the velocity of nearly shut faces (extrapolate.c); their divergence-free flux is stored here
 * before. It is stored by tile coordinates, since tiles come and go before the next step reads it. */
#include "open_flux.h"
#include <common/archive.h>
#include <common/tiles.h>
#include <string.h>

int64_t open_flux_size(const struct bw_domain_info *g)
{
    return (int64_t)(g->tile[0] + 1) * (g->tile[1] + 1) * (g->tile[2] + 1);
}

static enum bw_status capacity_reserve(struct open_flux *o, struct bw_stage *s, int64_t count)
{
    if (count > o->capacity) {
        const size_t capacity = (size_t)(count + count / 4);
        s->host->release(s, o->coord);
        s->host->release(s, o->through);
        o->coord = s->host->alloc(s, capacity * sizeof *o->coord);
        o->through = s->host->alloc(s, capacity * 3 * (size_t)open_flux_size(s->grid) * sizeof *o->through);
        o->capacity = o->coord && o->through ? (int64_t)capacity : 0;
    }
    o->count = count <= o->capacity ? count : 0;
    return count <= o->capacity ? BW_OK : BW_ERR_MEMORY;
}

enum bw_status open_flux_begin(struct open_flux *o, struct bw_stage *s, const struct bw_topology *t, const int32_t *cut)
{
    int32_t count = 0;
    o->slot = s->host->scratch(s, sizeof *o->slot * (size_t)(t->count + 1));
    if (!o->slot) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < t->count; i++) o->slot[i] = cut[i] >= 0 ? count++ : -1;
    const enum bw_status status = capacity_reserve(o, s, count);
    for (int64_t i = 0; i < t->count && status == BW_OK; i++)
        if (o->slot[i] >= 0) memcpy(o->coord[o->slot[i]], t->coord[i], sizeof *o->coord);
    return status;
}

void open_flux_store(const struct open_flux *o, const struct bw_block *b, int64_t tile, float *const f[3],
                     const ptrdiff_t step[3])
{
    const int32_t *td = b->grid->tile;
    const int64_t size = open_flux_size(b->grid);
    float *to = o->through + 3 * o->slot[tile] * size;
    for (int a = 0; a < 3; a++, to += size)
        for (int k = 0; k < b->n[2] + (a == 2); k++)
            for (int j = 0; j < b->n[1] + (a == 1); j++)
                memcpy(to + (td[0] + 1) * (j + (td[1] + 1) * k), f[a] + j * step[1] + k * step[2],
                       (size_t)(b->n[0] + (a == 0)) * sizeof *to);
}

const float *open_flux_at(const struct open_flux *o, const struct bw_domain_info *g, const int32_t coord[3], int a)
{
    const int64_t i = o ? tile_search(o->coord, o->count, coord) : -1;
    return i >= 0 ? o->through + (3 * i + a) * open_flux_size(g) : NULL;
}

enum bw_status open_flux_checkpoint(struct open_flux *o, struct bw_stage *s, struct bw_archive *a)
{
    int64_t count = o->count;
    enum bw_status status = a->bytes(a, "cut", &count, sizeof count);
    const int fits = count >= 0 && count <= INT32_MAX &&
                     (!count || !a->restoring || a->stored(a, "coord") == count * (int64_t)sizeof *o->coord);
    if (status == BW_OK && !fits)
        return s->host->fail(s, BW_ERR_IO, "checkpoint: flows of %lld tiles do not fit", (long long)count);
    if (status || !count) return status;
    if (a->restoring && capacity_reserve(o, s, count) != BW_OK) return BW_ERR_MEMORY;
    a->bytes(a, "coord", o->coord, (size_t)count * sizeof *o->coord);
    return a->bytes(a, "through", o->through, (size_t)count * 3 * (size_t)open_flux_size(s->grid) * sizeof *o->through);
}
