// SPDX-License-Identifier: Apache-2.0
#include "soften.h"
#include <picture/volume/rays/step/read.h>
#include <picture/volume/scene/quick.h>

/// What is being softened: `lanes` values a cell, each with `side` of its two neighbours along each axis.
struct soften {
    const struct bw_dense *box;
    float *cells, side;
    size_t lanes;
    const struct bw_lit *smoke; ///< NULL: all lanes alike
};

enum { CHUNK = 64 };
#define SHARPEN (-1 / 6.0f)
#define THICK 4.0f ///< optical depths a cell at which smoke is sharpened by half

/// Smoke, along a line of n cells `step` values apart: extinction the less the thicker, and so light by the metre; as
/// logarithms light is smooth.
static inline void smoke_line(const struct soften *s, float *p, int n, size_t step)
{
    const float unit = (float)s->box->h / THICK;
    const int logs = s->smoke->logs;
    struct lanes before = lanes_load(p), here = before;
    for (int i = 0; i < n; i++, p += step) {
        const struct lanes after = i + 1 < n ? lanes_load(p + step) : here;
        const float thick = unit * bw_most(bw_most(before.v[3], after.v[3]), here.v[3]);
        const float side = SHARPEN / (1 + thick * thick), even = logs ? SHARPEN : side;
        const struct lanes sides = {{even, even, even, side}};
        const struct lanes sharp = {here.v + sides.v * (before.v - here.v + (after.v - here.v))};
        memcpy(p, &sharp, sizeof sharp);
        before = here, here = after;
    }
}

/// Along `width` lines side by side, at most CHUNK of them, of n values `step` apart, in place.
static inline void lines_soften(const struct soften *s, float *p, int n, size_t step, size_t width)
{
    for (size_t c = 0; s->smoke && c < width; c += 4) smoke_line(s, p + c, n, step);
    if (s->smoke) return;
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
