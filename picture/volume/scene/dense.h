// SPDX-License-Identifier: Apache-2.0
/* A dense box of cells, and reading an array on it between the cells' centres. */
#ifndef BW_DENSE_H
#define BW_DENSE_H

#include <stddef.h>
#include <stdint.h>

/// z-up, x fastest; cell (i,j,k) centred on origin + (i+½, j+½, k+½)·h, metres.
struct bw_dense {
    int32_t n[3];
    double origin[3], h;
};

/// Cells of a box.
static inline size_t bw_dense_cells(const struct bw_dense *b)
{
    return (size_t)b->n[0] * (size_t)b->n[1] * (size_t)b->n[2];
}

/// Weights for reading a dense array between cell centres, clamped to its faces.
struct bw_tap {
    size_t at[8];
    float w[8];
};
static inline void bw_tap_at(const struct bw_dense *b, const double p[3], struct bw_tap *t)
{
    size_t step[3] = {1, (size_t)b->n[0], (size_t)b->n[0] * (size_t)b->n[1]}, base = 0, next[3];
    float f[3];
    for (int a = 0; a < 3; a++) {
        double x = (p[a] - b->origin[a]) / b->h - 0.5;
        x = x > 0 ? x < b->n[a] - 1 ? x : b->n[a] - 1 : 0;
        int i = (int)x;
        f[a] = (float)(x - i);
        next[a] = i + 1 < b->n[a] ? step[a] : 0;
        base += (size_t)i * step[a];
    }
    for (int c = 0; c < 8; c++) {
        t->at[c] = base + (c & 1 ? next[0] : 0) + (c & 2 ? next[1] : 0) + (c & 4 ? next[2] : 0);
        t->w[c] = (c & 1 ? f[0] : 1 - f[0]) * (c & 2 ? f[1] : 1 - f[1]) * (c & 4 ? f[2] : 1 - f[2]);
    }
}
static inline float bw_tap_read(const struct bw_tap *t, const float *data)
{
    float s = 0;
    for (int c = 0; c < 8; c++) s += t->w[c] * data[t->at[c]];
    return s;
}

#endif
