// SPDX-License-Identifier: Apache-2.0
#include "soften.h"
#include <picture/volume/rays/step/read.h>
#include <picture/volume/scene/fast_math.h>

/// What is being softened: `lanes` values a cell, each with `side` of its two neighbours along each axis.
struct soften {
    const struct bw_dense *box;
    float *cells, side;
    size_t lanes;
    const struct bw_lit *smoke; ///< NULL: all lanes alike
};

enum { CHUNK = 64 };
#define THICK 4.0f ///< optical depths a cell at which smoke is sharpened by half

/// One cell of smoke between two: extinction is sharpened the less the thicker it is, and light by the metre with it;
/// as logarithms light is smooth.
static inline struct lanes smoke_sharpen(const struct soften *s, const struct lanes *before, const struct lanes *here,
                                         const struct lanes *after)
{
    const float most = bw_most(bw_most(before->v[3], after->v[3]), here->v[3]);
    const float thick = most * (float)s->box->h / THICK, side = BW_SHARPEN / (1 + thick * thick);
    const float even = s->smoke->logs ? BW_SHARPEN : side;
    const struct lanes sides = {{even, even, even, side}};
    return (struct lanes){here->v + sides.v * (before->v - here->v + (after->v - here->v))};
}

/// Smoke along lines of cells as below.
static inline void smoke_lines(const struct soften *s, float *p, int n, size_t step, size_t width)
{
    struct lanes before[CHUNK / 4];
    for (size_t c = 0; c < width / 4; c++) before[c] = lanes_load(p + 4 * c);
    for (int i = 0; i < n; i++, p += step) {
        const float *next = i + 1 < n ? p + step : p;
        for (size_t c = 0; c < width / 4; c++) {
            const struct lanes here = lanes_load(p + 4 * c), after = lanes_load(next + 4 * c);
            const struct lanes sharp = smoke_sharpen(s, &before[c], &here, &after);
            memcpy(p + 4 * c, &sharp, sizeof sharp);
            before[c] = here;
        }
    }
}

/// Along `width` lines side by side, at most CHUNK of them, of n values `step` apart, in place.
static inline void lines_soften(const struct soften *s, float *p, int n, size_t step, size_t width)
{
    if (s->smoke) {
        smoke_lines(s, p, n, step, width);
        return;
    }
    const float side = s->side, own = 1 - 2 * side;
    float before[CHUNK];
    for (size_t c = 0; c < width; c++) before[c] = p[c];
    for (int i = 0; i < n; i++, p += step) {
        const float *after = i + 1 < n ? p + step : p;
#pragma omp simd
        for (size_t c = 0; c < width; c++) {
            const float here = p[c];
            p[c] = side * (before[c] + after[c]) + own * here;
            before[c] = here;
        }
    }
}

/// Along all lines across a row of `width` values.
static void row_soften(const struct soften *s, float *p, int n, size_t step, size_t width)
{
    for (size_t c = 0; c < width; c += CHUNK)
        lines_soften(s, p + c, n, step, width - c < CHUNK ? width - c : (size_t)CHUNK);
}

static void layer_soften(int64_t k, void *user)
{
    const struct soften *s = user;
    const size_t row = s->lanes * (size_t)s->box->n[0], ny = (size_t)s->box->n[1];
    float *layer = s->cells + row * ny * (size_t)k;
    for (size_t j = 0; j < ny; j++)
        if (s->lanes == 4) lines_soften(s, layer + row * j, s->box->n[0], 4, 4);
        else lines_soften(s, layer + row * j, s->box->n[0], s->lanes, s->lanes);
    row_soften(s, layer, s->box->n[1], row, row);
}

static void column_soften(int64_t j, void *user)
{
    const struct soften *s = user;
    const size_t row = s->lanes * (size_t)s->box->n[0];
    row_soften(s, s->cells + row * (size_t)j, s->box->n[2], row * (size_t)s->box->n[1], row);
}

void bw_cells_soften(const struct bw_tools *tools, const struct bw_dense *box, float *cells, size_t lanes, float side)
{
    struct soften f = {box, cells, side, lanes, NULL};
    tools->parallel(tools->ctx, box->n[2], layer_soften, &f);
    tools->parallel(tools->ctx, box->n[1], column_soften, &f);
}

void bw_smoke_sharpen(const struct bw_tools *tools, const struct bw_lit *lit)
{
    struct soften f = {&lit->box, lit->rgbs, 0, 4, lit};
    tools->parallel(tools->ctx, lit->box.n[2], layer_soften, &f);
    tools->parallel(tools->ctx, lit->box.n[1], column_soften, &f);
}
