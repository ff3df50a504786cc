// SPDX-License-Identifier: Apache-2.0
/* A field of the flow's domain that holds the means of a finer field's cells: forces of smoke and heat, expansion by
 * fire. A mean over whole cells conserves sums. Where no finer tile is active it is the background. */
#include "grid.h"
#include "base/alloc.h"
#include <string.h>

/// One restriction.
struct level_job {
    struct bw_field *to;
    const struct bw_field *from;
    int32_t by[3]; ///< finer cells of a cell
    _Atomic int failed;
};

/* The box of finer cells under a tile. */
static void tile_under(const struct level_job *j, int64_t t, int32_t lo[3], int32_t n[3])
{
    const struct bw_domain_info *d = &j->to->domain->info, *fine = &j->from->domain->info;
    for (int a = 0; a < 3; a++) {
        lo[a] = j->to->src.topo->coord[t][a] * d->tile[a] * j->by[a];
        n[a] = d->tile[a] * j->by[a];
        if (bw_bounded(fine) && lo[a] + n[a] > fine->n[a]) n[a] = fine->n[a] - lo[a];
    }
}

static bool any_active(const struct level_job *j, const int32_t lo[3], const int32_t n[3])
{
    const int32_t *td = j->from->domain->info.tile;
    int32_t q[3], first[3], last[3];
    for (int a = 0; a < 3; a++) {
        first[a] = bw_floor_div(lo[a], td[a]);
        last[a] = bw_floor_div(lo[a] + n[a] - 1, td[a]);
    }
    for (q[2] = first[2]; q[2] <= last[2]; q[2]++)
        for (q[1] = first[1]; q[1] <= last[1]; q[1]++)
            for (q[0] = first[0]; q[0] <= last[0]; q[0]++)
                if (bw_topo_index(j->from->src.topo, q) >= 0) return true;
    return false;
}

/* sum += a row of n finer cells. */
static void row_add(const void *row, uint32_t elem, int32_t n, double *restrict sum)
{
    const float *single = row;
    const double *twice = row;
    if (elem == 8)
        for (int32_t i = 0; i < n; i++) sum[i] += twice[i];
    else
        for (int32_t i = 0; i < n; i++) sum[i] += (double)single[i];
}

enum { ROW_MOST = 64 * 8 }; /* finer cells under a row of a tile */

/* A row of cells at `at` of a tile: the means of finer ones, of which those under it begin at `fine`, n[0] in a row,
 * rows and planes sy and sz apart. */
static void row_mean(const struct level_job *j, const char *fine, int32_t n, ptrdiff_t sy, ptrdiff_t sz, int32_t at,
                     void *block)
{
    const double whole = 1. / (j->by[0] * j->by[1] * j->by[2]);
    double sum[ROW_MOST];
    for (int32_t i = 0; i < n; i++) sum[i] = 0;
    for (int32_t r = 0; r < j->by[2]; r++)
        for (int32_t q = 0; q < j->by[1]; q++)
            row_add(fine + (q * sy + r * sz) * (ptrdiff_t)j->from->elem, j->from->elem, n, sum);
    for (int32_t i = 0; i < n / j->by[0]; i++) {
        double mean = 0;
        for (int32_t p = 0; p < j->by[0]; p++) mean += sum[i * j->by[0] + p];
        if (j->to->elem == 8) ((double *)block)[at + i] = whole * mean;
        else ((float *)block)[at + i] = (float)(whole * mean);
    }
}

/* Of cells whose finer ones begin at `fine`: n of these, from cell `first` of the tile on. */
static void box_mean(const struct level_job *j, const char *fine, const int32_t n[3], const int32_t size[2],
                     const int32_t first[3], void *block)
{
    const int32_t *td = j->to->domain->info.tile;
    const ptrdiff_t sy = size[0], sz = (ptrdiff_t)size[0] * size[1];
    for (int32_t k = 0; k < n[2] / j->by[2]; k++)
        for (int32_t y = 0; y < n[1] / j->by[1]; y++)
            row_mean(j, fine + (y * j->by[1] * sy + k * j->by[2] * sz) * (ptrdiff_t)j->from->elem, n[0], sy, sz,
                     first[0] + td[0] * (first[1] + y + td[1] * (first[2] + k)), block);
}

/* Where finer tiles are whole cells, from their blocks. */
static void tile_from_tiles(const struct level_job *j, uint32_t c, const int32_t lo[3], const int32_t n[3], void *block)
{
    const int32_t *td = j->from->domain->info.tile;
    int32_t at[3];
    for (at[2] = 0; at[2] < n[2]; at[2] += td[2])
        for (at[1] = 0; at[1] < n[1]; at[1] += td[1])
            for (at[0] = 0; at[0] < n[0]; at[0] += td[0]) {
                int32_t tile[3], m[3], first[3];
                for (int a = 0; a < 3; a++) {
                    tile[a] = bw_floor_div(lo[a] + at[a], td[a]);
                    m[a] = n[a] - at[a] < td[a] ? n[a] - at[a] : td[a];
                    first[a] = at[a] / j->by[a];
                }
                const int64_t t = bw_topo_index(j->from->src.topo, tile);
                if (t >= 0) box_mean(j, j->from->src.data[c][t], m, td, first, block);
            }
}

static bool tile_from_cells(const struct level_job *j, uint32_t c, const int32_t lo[3], const int32_t n[3], void *block)
{
    char *fine = bw_alloc_aligned((size_t)n[0] * (size_t)n[1] * (size_t)j->by[2] * j->from->elem);
    for (int32_t k = 0; fine && k < n[2] / j->by[2]; k++) {
        const int32_t from[3] = {lo[0], lo[1], lo[2] + k * j->by[2]}, m[3] = {n[0], n[1], j->by[2]};
        bw_fill(&j->from->src, c, from, m, fine, n[0], (ptrdiff_t)n[0] * n[1], true);
        box_mean(j, fine, m, n, (int32_t[3]){0, 0, k}, block);
    }
    bw_free(fine);
    return fine != NULL;
}

static bool tile_mean(const struct level_job *j, uint32_t c, int64_t t, const int32_t lo[3], const int32_t n[3])
{
    const int32_t *td = j->from->domain->info.tile;
    void *block = bw_field_writable_tile(j->to, c, t);
    for (int i = 0; block && i < BW_TILE_CELLS; i++) {
        if (j->to->elem == 8) ((double *)block)[i] = j->to->info.background[c];
        else ((float *)block)[i] = (float)j->to->info.background[c];
    }
    if (!block) return false;
    if (td[0] % j->by[0] || td[1] % j->by[1] || td[2] % j->by[2]) return tile_from_cells(j, c, lo, n, block);
    tile_from_tiles(j, c, lo, n, block);
    return true;
}

static void tile_restrict(int64_t t, uint32_t worker, void *user)
{
    struct level_job *j = user;
    int32_t lo[3], n[3];
    (void)worker;
    tile_under(j, t, lo, n);
    if (!any_active(j, lo, n)) return; // it has been cleared, and within a step stays so
    for (uint32_t c = 0; c < j->to->info.comps; c++)
        if (!tile_mean(j, c, t, lo, n)) atomic_store(&j->failed, 1);
}

enum bw_status bw_level_refresh(struct bw_field *f, struct bw_workers *w)
{
    if (!f->finer || f->seen == f->finer->changes) return BW_OK;
    struct level_job j = {.to = f, .from = f->finer};
    for (int a = 0; a < 3; a++) j.by[a] = a == f->domain->info.thin ? 1 : f->finer->domain->flow_cells;
    bw_workers_for(w, f->src.topo->pub.count, tile_restrict, &j);
    f->seen = f->finer->changes;
    return atomic_load(&j.failed) ? BW_ERR_MEMORY : BW_OK;
}
