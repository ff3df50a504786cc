// SPDX-License-Identifier: Apache-2.0
#include "boundary.h"

#include <string.h>

#define THICK 0.3f ///< optical depths a cell: in less, light is even enough within cells

enum { ROW = 4096 };            ///< bytes at once
enum { REACH = 2, AROUND = 2 }; ///< cells on either side that a spline reads; where smoke is looked for

struct mark {
    const struct bw_lit *lit;
    uint8_t *near, *other;
};

/// What is in a layer, joined along its rows.
static void layer_mark(int64_t k, void *user)
{
    const struct mark *m = user;
    const struct bw_dense *b = &m->lit->box;
    const int nx = b->n[0];
    const size_t layer = (size_t)nx * (size_t)b->n[1], first = (size_t)k * layer;
    uint8_t *p = m->near + first, *to = m->other + first;
    for (size_t i = 0; i < layer; i++) {
        const float dense = m->lit->rgbs[4 * (first + i) + 3];
        const int bits = dense * (float)b->h > THICK ? BW_BOUNDARY_THICK : BW_BOUNDARY_THIN;
        p[i] = (uint8_t)(dense > 0 ? bits | BW_BOUNDARY_SMOKE : bits);
    }
    for (int j = 0; j < b->n[1]; j++, p += nx, to += nx)
        for (int i = 0; i < nx; i++) {
            uint8_t all = p[i];
            for (int q = 1; q <= REACH; q++) {
                if (i >= q) all |= p[i - q];
                if (i + q < nx) all |= p[i + q];
            }
            to[i] = all;
        }
}

/// The i-th of `rows` of n bytes, which are `step` apart, joined with those REACH before and behind it.
static void row_join(const uint8_t *p, uint8_t *to, const int row[3], size_t step)
{
    const int n = row[0], i = row[1], rows = row[2];
    memcpy(to, p, (size_t)n);
    for (int q = -REACH; q <= REACH; q++) {
        const uint8_t *from = p + (ptrdiff_t)step * q;
        if (!q || i + q < 0 || i + q >= rows) continue;
        for (int x = 0; x < n; x++) to[x] |= from[x];
    }
}

static void layer_join(int64_t k, void *user)
{
    const struct mark *m = user;
    const int32_t *n = m->lit->box.n;
    const size_t nx = (size_t)n[0], first = (size_t)k * nx * (size_t)n[1];
    for (int j = 0; j < n[1]; j++)
        row_join(m->other + first + (size_t)j * nx, m->near + first + (size_t)j * nx, (int[3]){n[0], j, n[1]}, nx);
}

static void layers_join(int64_t k, void *user)
{
    const struct mark *m = user;
    const int32_t *n = m->lit->box.n;
    const size_t layer = (size_t)n[0] * (size_t)n[1], first = (size_t)k * layer;
    for (size_t x = 0; x < layer; x += ROW) {
        const int width = layer - x < ROW ? (int)(layer - x) : ROW;
        row_join(m->near + first + x, m->other + first + x, (int[3]){width, (int)k, n[2]}, layer);
    }
}

const uint8_t *bw_boundary_mark(const struct bw_tools *tools, const struct bw_lit *lit, uint8_t *memory)
{
    struct mark m = {lit, memory, memory + bw_dense_cells(&lit->box)};
    tools->parallel(tools->ctx, lit->box.n[2], layer_mark, &m);
    tools->parallel(tools->ctx, lit->box.n[2], layer_join, &m);
    tools->parallel(tools->ctx, lit->box.n[2], layers_join, &m);
    return m.other;
}

void bw_boundary_each(const struct bw_lit *lit, const int32_t at[3], bw_boundary_fn add, void *user)
{
    const int32_t *n = lit->box.n;
    int32_t lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = at[a] < AROUND ? 0 : at[a] - AROUND;
        hi[a] = at[a] + AROUND < n[a] ? at[a] + AROUND : n[a] - 1;
    }
    for (int32_t z = lo[2]; z <= hi[2]; z++)
        for (int32_t y = lo[1]; y <= hi[1]; y++)
            for (int32_t x = lo[0]; x <= hi[0]; x++) {
                const size_t cell = ((size_t)z * (size_t)n[1] + (size_t)y) * (size_t)n[0] + (size_t)x;
                const float dense = lit->rgbs[4 * cell + 3];
                const int32_t d[3] = {x - at[0], y - at[1], z - at[2]}, r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                if (dense > 0 && r2) add(cell, dense / (float)(r2 * r2), user);
            }
}
