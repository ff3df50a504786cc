// SPDX-License-Identifier: Apache-2.0
/* Detects bodies that write to read-only views. Where the view is the tile itself, such a write changes the field and
 * its snapshots; where it is a copy with a halo, it is lost. Checksums of the views before and after the body reveal
 * it. One block a sweep is checked, a different one each step; a body that does it in every block is caught at once. */
#include "sweep.h"
#include <xxhash.h>

bool sweep_checks_block(const struct sweep_job *j, int64_t block)
{
    const int64_t step = j->env->stage->step;
    return block == (step > 0 ? step : 0) % j->n_blocks;
}

/* From the block's first cell to its last, with what lies between in memory. */
static uint64_t view_sum(const struct sweep_block *p, const struct bw_view *v, int c, size_t elem)
{
    const ptrdiff_t last = (p->n[0] - 1) + (p->n[1] - 1) * v->sy + (p->n[2] - 1) * v->sz;
    return XXH3_64bits(v->data[c], (size_t)(last + 1) * elem);
}

void sweep_checksums(const struct sweep_job *j, const struct sweep_block *p, const struct bw_view *view, uint64_t *sum)
{
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        sum[i] = 0;
        for (int c = 0; j->row[i].mode == BW_READ && view[i].halo >= 0 && c < view[i].comps; c++)
            sum[i] += view_sum(p, &view[i], c, j->row[i].f->elem);
    }
}

void sweep_check_unchanged(const struct sweep_job *j, const struct sweep_block *p, const struct bw_view *view,
                           const uint64_t *sum, struct sweep_result *out)
{
    uint64_t now[SWEEP_ACCESS];
    sweep_checksums(j, p, view, now);
    for (uint32_t i = 0; i < j->s->n_access && out->status == BW_OK; i++) {
        if (now[i] == sum[i]) continue;
        out->status = BW_ERR_PLUGIN;
        out->fault = (struct bw_sweep_fault){.field = j->row[i].f, .cell = {p->lo[0], p->lo[1], p->lo[2]}};
    }
}
