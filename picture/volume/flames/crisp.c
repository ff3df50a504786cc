// SPDX-License-Identifier: Apache-2.0
/* A flame's light comes from thin sheets, which cells blur: a deep one adds up to an even glow. Each cell's flame is
 * multiplied by (a/b)^(POWER amount), where a is what the cells send out, smoothed over a cell, and b the same over
 * WIDE passes of (1 2 1)/4, a Gaussian of √(WIDE/2) cells: folds and edges of 5 to 20 cells gain contrast, waves of two
 * cells, at which voxels would show, do not. Sheets are the same between the cells, where rays read them: a
 * ridge that cells draw as wide as a Gaussian of σ becomes one of σ/√(1 + power), which no cell could hold. */
#include "crisp.h"
#include <picture/volume/detail/soften.h>
#include <picture/volume/scene/flame.h>
#include <picture/volume/scene/fast_math.h>

#include <math.h>
#include <string.h>

enum { WIDE = 12 };
#define POWER 1.5f
#define MOST 4.0f ///< times

/// What the tasks share.
struct crisp {
    const struct bw_lit *lit;
    float *near, *far, power; ///< what is sent out, over a cell and over several
};

static void layer_glow(int64_t k, void *user)
{
    const struct crisp *s = user;
    const struct bw_dense *b = &s->lit->box;
    const size_t layer = (size_t)b->n[0] * (size_t)b->n[1], first = (size_t)k * layer;
    for (size_t i = first; i < first + layer; i++) {
        float rgb[3];
        bw_emission(s->lit->blackbody, s->lit->fire + 2 * i, rgb);
        s->near[i] = rgb[0] + rgb[1];
    }
}

static void layer_crisp(int64_t k, void *user)
{
    const struct crisp *s = user;
    const struct bw_dense *b = &s->lit->box;
    const size_t layer = (size_t)b->n[0] * (size_t)b->n[1], first = (size_t)k * layer;
    for (size_t i = first; i < first + layer; i++)
        if (s->lit->fire[2 * i] > 0)
            s->lit->fire[2 * i] *=
                bw_least(powf((s->near[i] + BW_GLOW_FAINT) / (s->far[i] + BW_GLOW_FAINT), s->power), MOST);
}

enum bw_status bw_flames_crisp(const struct bw_tools *tools, const struct bw_lit *lit, float amount)
{
    const size_t cells = bw_dense_cells(&lit->box);
    float *near = tools->alloc(tools->ctx, 2 * cells * sizeof *near);
    struct crisp s = {lit, near, near + cells, POWER * amount};
    if (!near) return BW_ERR_MEMORY;
    tools->parallel(tools->ctx, lit->box.n[2], layer_glow, &s);
    bw_cells_soften(tools, &lit->box, s.near, 1, 0.25f);
    memcpy(s.far, s.near, cells * sizeof *near);
    for (int i = 0; i < WIDE; i++) bw_cells_soften(tools, &lit->box, s.far, 1, 0.25f);
    tools->parallel(tools->ctx, lit->box.n[2], layer_crisp, &s);
    tools->release(tools->ctx, near);
    return BW_OK;
}

enum bw_status bw_flames_wide(const struct bw_tools *tools, const struct bw_lit *lit, float **wide)
{
    float *glow = *wide = tools->alloc(tools->ctx, bw_dense_cells(&lit->box) * sizeof *glow);
    struct crisp s = {.lit = lit, .near = glow};
    if (!glow) return BW_ERR_MEMORY;
    tools->parallel(tools->ctx, lit->box.n[2], layer_glow, &s);
    for (int i = 0; i <= WIDE; i++) bw_cells_soften(tools, &lit->box, glow, 1, 0.25f);
    return BW_OK;
}
