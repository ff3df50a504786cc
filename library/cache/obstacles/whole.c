// SPDX-License-Identifier: Apache-2.0
#include "whole.h"

#include <picture/gather/solid.h>
#include <math.h>
#include <string.h>

enum { AIR = 2 }; ///< cells round what is seen, as bw_gather_volume has them

/// The volume's box, wide enough for the obstacles too, and how many cells it begins before its own.
static struct bw_dense box_widen(const struct bw_dense *own, const struct bw_dense *solid, int32_t before[3])
{
    struct bw_dense wide = *own;
    for (int a = 0; a < 3; a++) {
        const int32_t first = (int32_t)lround((solid->origin[a] - own->origin[a]) / own->h) - AIR,
                      end = first + solid->n[a] + 2 * AIR;
        before[a] = first < 0 ? -first : 0;
        wide.n[a] = before[a] + (end > own->n[a] ? end : own->n[a]);
        wide.origin[a] -= before[a] * own->h;
    }
    return wide;
}

static void array_move(const struct bw_dense *from, const float *f, const struct bw_dense *to, const int32_t before[3],
                       float *out)
{
    memset(out, 0, bw_dense_cells(to) * sizeof *out);
    for (int k = 0; k < from->n[2]; k++)
        for (int j = 0; j < from->n[1]; j++) {
            const size_t row = (size_t)(k + before[2]) * (size_t)to->n[1] + (size_t)(j + before[1]);
            memcpy(out + row * (size_t)to->n[0] + before[0], f, (size_t)from->n[0] * sizeof *f);
            f += from->n[0];
        }
}

enum bw_status whole_solid(const struct bw_tools *tools, const struct bw_snapshot_field *solid, double scale,
                           struct bw_volume *v, float **memory)
{
    const int32_t step = (int32_t)fmax(lround(v->box.h / (solid->info->domain->h * scale)), 1);
    struct bw_volume seen = {.solid = NULL};
    int32_t before[3];
    const enum bw_status status = bw_gather_solid(tools, solid, step, &seen);
    if (status || !seen.solid) return status;
    const size_t solids = bw_dense_cells(&seen.solid_box);
    seen.solid_box.h *= scale;
    for (int a = 0; a < 3; a++) seen.solid_box.origin[a] *= scale;
    for (size_t i = 0; i < solids; i++) seen.solid[i] *= (float)scale;
    struct bw_dense wide = box_widen(&v->box, &seen.solid_box, before);
    if (bw_dense_cells(&wide) >= (size_t)BW_GATHER_CELLS) wide = v->box, memset(before, 0, sizeof before);
    float **array[BW_VOLUME_ARRAYS], *block, *at;
    size_t n = 0;
    bw_volume_arrays(v, array);
    for (int i = 0; i < BW_VOLUME_ARRAYS; i++) n += *array[i] != NULL;
    at = block = tools->alloc(tools->ctx, (n * bw_dense_cells(&wide) + solids) * sizeof *block);
    for (int i = 0; block && i < BW_VOLUME_ARRAYS; i++) {
        if (!*array[i]) continue;
        array_move(&v->box, *array[i], &wide, before, at);
        *array[i] = at, at += bw_dense_cells(&wide);
    }
    if (block) {
        v->box = wide, v->solid_box = seen.solid_box;
        v->solid = memcpy(at, seen.solid, solids * sizeof *at);
        tools->release(tools->ctx, *memory);
        *memory = block;
    }
    tools->release(tools->ctx, seen.solid);
    return block ? BW_OK : BW_ERR_MEMORY;
}
