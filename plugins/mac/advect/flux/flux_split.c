// SPDX-License-Identifier: Apache-2.0
/* Into how many parts a step must go that no sweep empties a cell, and how far lines look upstream.
 *
 * After a sweep along x a cell's volume is 1 - dt du/dx, after one along y that less dt dv/dy: the least of them, in
 * any order, is known from the flow. It stays above LEAST, for what is nearly empty holds what rounding makes of it; so
 * what counts is dt |du/dx|, not how many cells the flow goes. A volume U is found in U / LEAST cells at most; these,
 * and what their parabolas read, must lie within the widest halo. */
#include "flux.h"
#include <float.h>

#define LEAST 0.25 ///< of a cell's volume

static float more(float a, float b) { return a > b ? a : b; }

enum { ROW = 64 }; ///< cells of a tile's longest row

/// The most of all rows so far, by the place in the row: maxima side by side need no order.
struct rows {
    float up[3][ROW], down[3][ROW], emptied[FLUX_SETS][ROW];
};

/* Cells of one row. */
static void row_measure(int32_t thin, const float *const u[3], const ptrdiff_t *step, int32_t n, struct rows *r)
{
    float d[3][ROW] = {{0}}; // what leaves less what enters, along each axis
    for (int a = 0; a < 3; a++) {
        if (a == thin) continue;
        const float *low = u[a], *high = u[a] + step[a];
        for (int32_t i = 0; i < n; i++) {
            r->up[a][i] = more(r->up[a][i], more(low[i], high[i]));
            r->down[a][i] = more(r->down[a][i], more(-low[i], -high[i]));
            d[a][i] = high[i] - low[i];
        }
    }
    for (int set = 1; set < FLUX_SETS; set++) {
        const float x = set & 1, y = set >> 1 & 1, z = set >> 2;
        float *most = r->emptied[set];
        for (int32_t i = 0; i < n; i++) most[i] = more(most[i], (x * d[0][i] + y * d[1][i]) + z * d[2][i]);
    }
}

static float row_most(const float *at, int32_t n)
{
    float most = 0;
    for (int32_t i = 0; i < n; i++) most = more(most, at[i]);
    return most;
}

static void block_measure(const struct bw_block *b, void *user)
{
    const struct flux *f = user;
    const struct bw_view *v = &b->view[0];
    const ptrdiff_t step[3] = {1, v->sy, v->sz};
    struct flux_range *r = &f->range[tile_of_block(f->pass->tiles, b)];
    struct rows rows = {.up = {{0}}};
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++) {
            const float *const u[3] = {bw_f32(v, 0) + j * step[1] + k * step[2],
                                       bw_f32(v, 1) + j * step[1] + k * step[2],
                                       bw_f32(v, 2) + j * step[1] + k * step[2]};
            row_measure(b->grid->thin, u, step, b->n[0], &rows);
        }
    *r = (struct flux_range){.up = {0}};
    for (int a = 0; a < 3; a++) {
        r->up[a] = row_most(rows.up[a], b->n[0]);
        r->down[a] = row_most(rows.down[a], b->n[0]);
    }
    for (int set = 1; set < FLUX_SETS; set++) r->emptied[set] = row_most(rows.emptied[set], b->n[0]);
}

/* High faces are the low faces of the cells above. */
static int measure_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)b, (void)row, (void)user;
    for (int s = 0; s < 6; s++) reach[s] = s & 1;
    return 1;
}

static void range_join(struct flux_range *r, const struct flux_range *by)
{
    for (int a = 0; a < 3; a++) {
        r->up[a] = more(r->up[a], by->up[a]);
        r->down[a] = more(r->down[a], by->down[a]);
    }
    for (int set = 1; set < FLUX_SETS; set++) r->emptied[set] = more(r->emptied[set], by->emptied[set]);
}

/// Rounding of sums in single precision must not lead out of the halo.
#define SLACK (1 + 1e-4)

/* Cells that a volume lies in when it flows at `speed` through cells of this least volume. */
static double cells_walked(const struct flux *f, double speed, double emptied)
{
    const double least = f->done > 0 ? 1 - SLACK * f->scale * emptied : 1;
    return floor(SLACK * f->scale * speed / least) + 1;
}

static bool reach_is_local(const struct bw_domain_info *g, int a)
{
    return g->n[a] <= 0 || g->side[2 * a].kind != BW_PERIODIC || g->n[a] % g->tile[a] == 0;
}

void flux_reach(const struct flux *f, int64_t tile, int32_t around[2])
{
    const int32_t a = f->axis[f->done];
    const struct flux_range *r = &f->range[tile];
    int set = 0;
    for (int32_t q = 0; q < f->done; q++) set |= 1 << f->axis[q];
    float emptied = r->emptied[set];
    for (int s = 2 * a; s < 2 * a + 2; s++) {
        const int32_t next = f->topology->neighbour[tile][s];
        if (next >= 0) emptied = more(emptied, f->range[next].emptied[set]);
    }
    if (!reach_is_local(f->pass->stage->grid, a)) emptied = f->all.emptied[set];
    around[0] = FLUX_BESIDE + (r->up[a] > 0 ? (int32_t)cells_walked(f, (double)r->up[a], (double)emptied) : 0);
    around[1] = FLUX_BESIDE + (r->down[a] > 0 ? (int32_t)cells_walked(f, (double)r->down[a], (double)emptied) : 0);
}

enum bw_status flux_split(struct flux *f)
{
    struct bw_stage *s = f->pass->stage;
    const struct bw_access row = {f->flow, BW_READ, 1};
    enum bw_status st = s->host->sweep(
        s, &(struct bw_sweep){.access = &row, .n_access = 1, .body = block_measure, .reach = measure_reach, .user = f});
    f->all = (struct flux_range){.up = {0}};
    for (int64_t t = 0; t < f->topology->count; t++) range_join(&f->all, &f->range[t]);
    double speed = 0, emptied = 0;
    for (int a = 0; a < 3; a++) speed = fmax(speed, (double)more(f->all.up[a], f->all.down[a]));
    for (int set = 1; set < FLUX_SETS; set++) emptied = fmax(emptied, (double)f->all.emptied[set]);
    const double walk = FLUX_HALO - FLUX_BESIDE - 1;
    f->scale = f->pass->scale;
    const double parts = fmax(SLACK * f->scale * emptied / (1 - LEAST), SLACK * f->scale * (emptied + speed / walk));
    if (st == BW_OK && !(parts < 10000))
        return s->host->fail(s, BW_ERR_DIVERGED, "the flow would empty cells %.3g times in a step", parts);
    f->parts = (int32_t)fmax(ceil(parts), 1);
    f->scale /= f->parts;
    s->host->metric(s, "parts", f->parts, BW_METRIC_MAX);
    return st;
}
