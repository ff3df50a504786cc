// SPDX-License-Identifier: Apache-2.0
#include "soften.h"

/// What is being softened: `lanes` values a cell, each with `side` of its two neighbours along each axis.
struct soften {
    const struct bw_dense *box;
    float *cells, side;
    size_t lanes;
};

enum { CHUNK = 64 };

/// Along `width` lines side by side, at most CHUNK of them, of n values `step` apart, in place.
static inline void lines_soften(const struct soften *s, float *p, int n, size_t step, size_t width)
{
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
    struct soften f = {box, cells, side, lanes};
    tools->parallel(tools->ctx, box->n[2], layer_soften, &f);
    tools->parallel(tools->ctx, box->n[1], column_soften, &f);
}
