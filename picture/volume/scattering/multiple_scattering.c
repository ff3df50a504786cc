// SPDX-License-Identifier: Apache-2.0
/* Multiple scattering is so smooth that it is found on cells twice as wide where a picture may be had
 * for less: their extinction is the mean, their light that of what they scatter, and what arrives is read linearly
 * between them. What a cell sees of its own light is not smooth: lit otherwise than the smoke around it, it has the
 * share of the difference that does not leave it. Half filled by obstacles wide cells are obstacles, which count for
 * nothing in what is read beside them; filled by less, they are as their smoke is. Cost: a tenth of sweeps through all
 * cells. */
#include "multiple_scattering.h"
#include <picture/volume/light/coarse.h>
#include <picture/volume/light/smoke.h>

enum { WIDE = 2 };
#define SHUT 1e-3f ///< what obstacles count beside smoke, so that what is among them alone has some light

/// What the tasks share.
struct gather {
    const struct bw_multiple_medium *m;
    struct bw_multiple *a;
    float *extinction, *albedo[3]; ///< albedo: or NULL, the look's in all
};

/// Sums over the cells in a wide one that hold no obstacle, and over those that do.
struct block {
    float extinction, smoke, shut, scatters[3], light[3];
    int solid;
};

static void cell_add(const struct gather *g, size_t i, struct block *sum)
{
    const struct bw_multiple_medium *m = g->m;
    const float *lit = m->lit->rgbs + 4 * i, smoke = lit[3],
                thin = m->emission ? smoke + m->emission[4 * i + 3] : smoke;
    float rgb[3];
    const int solid = m->extinction[i] > thin;
    sum->solid += solid;
    sum->shut += m->extinction[i];
    if (!solid) sum->extinction += thin, sum->smoke += smoke;
    if (!(smoke > 0)) return;
    bw_smoke_albedo(m->v, m->look, i, rgb);
    for (int c = 0; c < 3; c++) sum->scatters[c] += rgb[c] * smoke, sum->light[c] += rgb[c] * smoke * lit[c];
}

static void cell_gather(const struct gather *g, const int at[3], size_t to)
{
    const struct bw_dense *b = &g->m->lit->box;
    struct bw_multiple *a = g->a;
    struct block sum = {0};
    int lo[3], hi[3];
    for (int d = 0; d < 3; d++) {
        lo[d] = at[d] * a->wide;
        hi[d] = lo[d] + a->wide < b->n[d] ? lo[d] + a->wide : b->n[d];
    }
    for (int k = lo[2]; k < hi[2]; k++)
        for (int j = lo[1]; j < hi[1]; j++)
            for (int i = lo[0]; i < hi[0]; i++)
                cell_add(g, ((size_t)k * (size_t)b->n[1] + (size_t)j) * (size_t)b->n[0] + (size_t)i, &sum);
    const int cells = a->wide * a->wide * a->wide, shut = 2 * sum.solid >= cells;
    const float whole = shut ? sum.shut : sum.extinction;
    g->extinction[to] = whole / (float)(shut ? cells : cells - sum.solid);
    if (a->open) a->open[to] = shut ? SHUT : 1;
    if (a->body) a->body[to] = shut ? whole * SHUT : sum.smoke;
    for (int c = 0; c < 3; c++) {
        a->rgb[c][to] = sum.scatters[c] > 0 ? sum.light[c] / sum.scatters[c] : 0;
        if (a->body) a->first[c][to] = a->rgb[c][to] * a->body[to];
        if (g->albedo[c]) g->albedo[c][to] = whole > 0 ? bw_least(sum.scatters[c] / whole, 1) : 0;
    }
}

static void layer_gather(int64_t k, void *user)
{
    const struct gather *g = user;
    const int32_t *n = g->a->box.n;
    size_t to = (size_t)k * (size_t)n[0] * (size_t)n[1];
    for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++) cell_gather(g, (int[3]){i, j, (int)k}, to++);
}

/// Cells do not all scatter the look's share: for their dye, for obstacles, or for soot, which absorbs.
static int uneven(const struct bw_multiple_medium *m) { return m->v->dye[0] || m->v->solid || m->emission; }

static size_t arrays_count(const struct bw_multiple_medium *m, const struct bw_multiple *a)
{
    return 4 + (a->wide > 1 ? 4 : 0) + (uneven(m) ? 3 : 0) + (m->v->solid ? 1 : 0);
}

/// Parcel out as many.
static void arrays_place(struct gather *g, float *at, size_t cells)
{
    struct bw_multiple *a = g->a;
    const struct bw_volume *v = g->m->v;
    g->extinction = at;
    for (int c = 0; c < 3; c++) a->rgb[c] = at += cells;
    for (int c = 0; c < 3 && a->wide > 1; c++) a->first[c] = at += cells;
    if (a->wide > 1) a->body = at += cells;
    for (int c = 0; c < 3 && uneven(g->m); c++) g->albedo[c] = at += cells;
    if (v->solid) a->open = at += cells;
}

enum bw_status bw_multiple_scattering(const struct bw_tools *tools, const struct bw_multiple_medium *m,
                                      struct bw_multiple *a)
{
    const struct bw_dense *b = &m->lit->box;
    struct gather g = {.m = m, .a = a};
    *a = (struct bw_multiple){.box = *b, .wide = m->look->quality < BW_QUALITY_FINAL ? WIDE : 1};
    for (int d = 0; d < 3; d++) a->box.n[d] = (b->n[d] + a->wide - 1) / a->wide;
    a->box.h = b->h * a->wide;
    const size_t cells = bw_dense_cells(&a->box);
    a->memory = tools->alloc(tools->ctx, arrays_count(m, a) * cells * sizeof *a->memory);
    if (!a->memory) return BW_ERR_MEMORY;
    arrays_place(&g, a->memory, cells);
    tools->parallel(tools->ctx, a->box.n[2], layer_gather, &g);
    enum bw_status status = BW_OK;
    for (int c = 0; c < 3 && !status; c++) {
        const struct bw_scatter_medium one = {
            &a->box, g.extinction, g.albedo[c], m->look->albedo[c], m->look->extinction[c], m->ahead};
        status = bw_discrete_ordinates(tools, &one, a->rgb[c]);
    }
    for (size_t i = 0; a->open && i < cells; i++)
        for (int c = 0; c < 3; c++) a->rgb[c][i] *= a->open[i];
    return status;
}

/// Means of `f`, by channel, which is made of values times their weights; weights NULL: 1.
static void rows_read(const struct bw_multiple *a, const struct bw_multiple_at *at, float *const f[3],
                      const float *weights, float *scratch, float *fine)
{
    const struct bw_coarse_row row = {&a->box, a->wide, at->n, at->j, at->k};
    float *all = scratch + at->n;
    if (weights) bw_coarse_row(&row, weights, scratch, all);
    for (int c = 0; c < 3; c++, fine += at->n) {
        bw_coarse_row(&row, f[c], scratch, fine);
        for (int i = 0; weights && i < at->n; i++) fine[i] = all[i] > 0 ? fine[i] / all[i] : 0;
    }
}

void bw_multiple_row(const struct bw_multiple *a, const struct bw_multiple_at *at, float *scratch, float *fine)
{
    rows_read(a, at, a->rgb, a->open, scratch, fine);
}

void bw_multiple_single(const struct bw_multiple *a, const struct bw_multiple_at *at, float *scratch, float *fine)
{
    rows_read(a, at, a->first, a->body, scratch, fine);
}

void bw_multiple_free(const struct bw_tools *tools, struct bw_multiple *a)
{
    if (a->memory) tools->release(tools->ctx, a->memory);
    a->memory = NULL;
}
