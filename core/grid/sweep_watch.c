// SPDX-License-Identifier: Apache-2.0
/* A body that writes to what its sweep only reads changes a field, and snapshots of it, behind everybody's back, where
 * its view is the tile itself; a halo's copy is its own. Sums of those tiles, before and after, tell. One block a sweep
 * is watched, another one each step, and a body that does it everywhere is caught at once. */
#include "sweep.h"
#include <xxhash.h>

bool sweep_watches(const struct sweep_job *j, int64_t block)
{
    const int64_t step = j->env->stage->step;
    return block == (step > 0 ? step : 0) % j->n_blocks;
}

void sweep_watch(const struct sweep_job *j, const struct sweep_place *p, const struct bw_view *view, uint64_t *sum)
{
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        const struct sweep_row *r = &j->row[i];
        sum[i] = 0;
        if (r->mode != BW_READ || p->index < 0 || view[i].halo < 0) continue;
        for (int c = 0; c < view[i].comps; c++)
            if (view[i].data[c] == r->f->src.data[c][p->index])
                sum[i] += XXH3_64bits(view[i].data[c], (size_t)BW_TILE_CELLS * r->f->elem);
    }
}

void sweep_watch_end(const struct sweep_job *j, const struct sweep_place *p, const struct bw_view *view,
                     const uint64_t *sum, struct sweep_result *out)
{
    uint64_t now[SWEEP_ACCESS];
    sweep_watch(j, p, view, now);
    for (uint32_t i = 0; i < j->s->n_access && out->status == BW_OK; i++) {
        if (now[i] == sum[i]) continue;
        out->status = BW_ERR_PLUGIN;
        out->fault = (struct bw_sweep_fault){.field = j->row[i].f, .cell = {p->lo[0], p->lo[1], p->lo[2]}};
    }
}
