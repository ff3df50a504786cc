// SPDX-License-Identifier: Apache-2.0
#include "soften.h"

/// What is being softened: `lanes` values a cell, each with `side` of its two neighbours along each axis.
struct soften {
    const struct bw_dense *box;
    float *cells, side;
    size_t lanes;
};

/// Along one row of n cells `step` values apart, in place.
static void line_soften(const struct soften *s, float *p, int n, size_t step)
{
    float before[4], here[4];
    for (size_t c = 0; c < s->lanes; c++) before[c] = p[c];
    for (int i = 0; i < n; i++, p += step)
        for (size_t c = 0; c < s->lanes; c++) {
            here[c] = p[c];
            p[c] = s->side * (before[c] + (i + 1 < n ? p[step + c] : here[c])) + (1 - 2 * s->side) * here[c];
            before[c] = here[c];
        }
}

static void layer_soften(int64_t k, void *user)
{
    const struct soften *s = user;
    const size_t nx = (size_t)s->box->n[0], ny = (size_t)s->box->n[1];
    float *layer = s->cells + s->lanes * nx * ny * (size_t)k;
    for (size_t j = 0; j < ny; j++) line_soften(s, layer + s->lanes * nx * j, (int)nx, s->lanes);
    for (size_t i = 0; i < nx; i++) line_soften(s, layer + s->lanes * i, (int)ny, s->lanes * nx);
}

static void column_soften(int64_t j, void *user)
{
    const struct soften *s = user;
    const size_t nx = (size_t)s->box->n[0], ny = (size_t)s->box->n[1];
    for (size_t i = 0; i < nx; i++)
        line_soften(s, s->cells + s->lanes * (nx * (size_t)j + i), s->box->n[2], s->lanes * nx * ny);
}

void bw_cells_soften(const struct bw_tools *tools, const struct bw_dense *box, float *cells, size_t lanes, float side)
{
    struct soften f = {box, cells, side, lanes};
    tools->parallel(tools->ctx, box->n[2], layer_soften, &f);
    tools->parallel(tools->ctx, box->n[1], column_soften, &f);
}
