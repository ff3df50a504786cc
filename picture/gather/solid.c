// SPDX-License-Identifier: Apache-2.0
#include "solid.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BAND 3 ///< cells from an obstacle where distances are exact, and kept in a cache

/// Joins the cells that are less than `most`. Not their tiles: a cache has others than the bake that wrote it, and
/// is to look the same.
static void cells_below(const struct bw_snapshot_field *f, float most, struct bw_cells *box)
{
    const int32_t *n = f->info->domain->tile;
    for (int64_t t = 0; t < f->n_tiles; t++) {
        const struct bw_cells c = bw_tile_cells(f, t);
        struct bw_cells both = *box;
        bw_cells_join(&both, &c);
        if (!memcmp(&both, box, sizeof both)) continue; // it has nothing to add
        for (int k = c.lo[2]; k < c.hi[2]; k++)
            for (int j = c.lo[1]; j < c.hi[1]; j++)
                for (int i = c.lo[0]; i < c.hi[0]; i++) {
                    const int at[3] = {i - c.lo[0], j - c.lo[1], k - c.lo[2]};
                    if (bw_tile_value(f, 0, t, (size_t)((at[2] * n[1] + at[1]) * n[0] + at[0])) < most)
                        bw_cells_join(box, &(struct bw_cells){{i, j, k}, {i + 1, j + 1, k + 1}});
                }
    }
}

// Obstacles that stand in the smoke's domain are lit with it: their shadows reach the floor where no smoke is. As far
// round them as distances are known, and so are in a cache.
void bw_gather_solid_cells(const struct bw_snapshot_field *f, const struct bw_domain_info *domain, struct bw_cells *box)
{
    if (f && f->info->domain == domain) cells_below(f, BAND * (float)domain->h, box);
}

/// Half of solid_spread: from the cells before (way 1) or behind (way -1).
static void solid_sweep(const struct bw_dense *b, float cap, int way, float *d)
{
    const ptrdiff_t sy = b->n[0], sz = sy * b->n[1], count = sz * b->n[2];
    for (ptrdiff_t m = 0; m < count; m++) {
        const ptrdiff_t q = way > 0 ? m : count - 1 - m;
        const int32_t at[3] = {(int32_t)(q % sy), (int32_t)(q / sy % b->n[1]), (int32_t)(q / sz)};
        float least = d[q];
        if (least < cap) continue;
        for (int e = 0; e < 13; e++) { // the first half of the 26 cells around
            const int32_t to[3] = {at[0] + way * (e % 3 - 1), at[1] + way * (e / 3 % 3 - 1), at[2] + way * (e / 9 - 1)};
            if (to[0] < 0 || to[1] < 0 || to[2] < 0 || to[0] >= b->n[0] || to[1] >= b->n[1] || to[2] >= b->n[2])
                continue;
            least = fminf(least, d[to[0] + to[1] * sy + to[2] * sz] + (float)b->h);
        }
        d[q] = fmaxf(least, cap);
    }
}

/// Distances that are at least `cap`: what a step a cell, along diagonals too, leaves as a lower bound. A ray through
/// empty space takes few steps then.
static void solid_spread(const struct bw_dense *b, float cap, float *d)
{
    for (size_t i = 0; i < bw_dense_cells(b); i++)
        if (d[i] >= cap) d[i] = FLT_MAX / 2;
    solid_sweep(b, cap, 1, d);
    solid_sweep(b, cap, -1, d);
}

// The box of the cells near them. Distances are known near the surface only and are any large number
/// elsewhere; cut to BAND cells they are safe to march by, and spread from there.
enum bw_status bw_gather_solid(const struct bw_tools *tools, const struct bw_snapshot_field *f, int32_t step,
                               struct bw_volume *v)
{
    struct bw_cells box = BW_CELLS_NONE;
    cells_below(f, BAND * (float)f->info->domain->h, &box);
    if (bw_cells_empty(&box)) return BW_OK;
    while (step < f->info->domain->tile[0]) { // a sparse scene may span far more than the smoke
        struct bw_cells c = box;
        bw_cells_dense(f->info->domain, &c, step, &v->solid_box);
        if (bw_dense_cells(&v->solid_box) < (size_t)BW_GATHER_CELLS) break;
        step *= 2;
    }
    bw_cells_dense(f->info->domain, &box, step, &v->solid_box);
    v->solid = tools->alloc(tools->ctx, bw_dense_cells(&v->solid_box) * sizeof(float));
    if (!v->solid) return BW_ERR_MEMORY;
    const float cap = BAND * (float)(f->info->domain->h * step);
    bw_gather_copy(tools, &(struct bw_gather_copy){f, 0, box.lo, &v->solid_box, step, cap}, v->solid);
    solid_spread(&v->solid_box, cap, v->solid);
    return BW_OK;
}
