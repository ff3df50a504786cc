// SPDX-License-Identifier: Apache-2.0
/* Cells read between their centres. By a cubic B-spline: twice smooth, never below or above the cells around, so that
 * a cap of smoke shows no voxel and a thin flame no column; it is as wide as a Gaussian of 0.58 cells, which cells that
 * were sharpened before make up for. Linearly, where time counts more. */
#ifndef BW_READ_H
#define BW_READ_H

#include <picture/volume/scene/dense.h>

#include <string.h>

/// {j, s} of one cell, or of a place between: four lanes of every SIMD set. Also two cells' {flame, kelvin}.
struct lanes {
    float v __attribute__((vector_size(16)));
};

/// Eight floats at any address. Copied by memcpy, compilers take such vectors through memory.
typedef float row_half __attribute__((vector_size(32), aligned(4), may_alias));

/// Cells `first` … `first` + 3 (linearly: + 1) along each axis, and their weights.
struct taps {
    size_t first, next[3];
    float w[3][4];
};

static inline struct lanes lanes_load(const float *p)
{
    struct lanes l;
    memcpy(&l, p, sizeof l);
    return l;
}

/// Weights at the share f of the way from the second to the third cell.
static inline void spline_weights(float f, float w[4])
{
    const float g = 1 - f;
    w[0] = g * g * g * (1 / 6.0f);
    w[1] = (4 - 3 * f * f * (2 - f)) * (1 / 6.0f);
    w[2] = (4 - 3 * g * g * (2 - g)) * (1 / 6.0f);
    w[3] = f * f * f * (1 / 6.0f);
}

/// Beyond the box lie copies of its outermost cells: the weights of four cells from i - 1 on go to four in the box.
static inline int weights_clamp(int i, int n, float w[4])
{
    const int first = i < 1 ? 0 : i > n - 3 ? n - 4 : i - 1;
    float in[4] = {0};
    for (int q = 0; q < 4; q++) {
        const int at = i - 1 + q, kept = at < 0 ? 0 : at > n - 1 ? n - 1 : at;
        in[kept - first] += w[q];
    }
    memcpy(w, in, sizeof in);
    return first;
}

/// Where p, in cells from the first one's centre and inside the box, is read. `cubic`: boxes of 4 cells and more.
static inline struct taps taps_at(const struct bw_dense *b, const float p[3], int cubic)
{
    struct taps t = {.next = {1, (size_t)b->n[0], (size_t)b->n[0] * (size_t)b->n[1]}};
    for (int a = 0; a < 3; a++) {
        int i = (int)p[a];
        if (i > b->n[a] - 2) i = b->n[a] - 2;
        const float f = p[a] - (float)i;
        if (cubic) {
            spline_weights(f, t.w[a]);
            i = i >= 1 && i <= b->n[a] - 3 ? i - 1 : weights_clamp(i, b->n[a], t.w[a]);
        } else t.w[a][0] = 1 - f, t.w[a][1] = f;
        t.first += (size_t)i * t.next[a];
    }
    return t;
}

static inline struct lanes linear_four(const float *cells, const struct taps *t)
{
    struct lanes sum = {{0}};
    for (size_t k = 0; k < 2; k++)
        for (size_t j = 0; j < 2; j++) {
            const float *row = cells + 4 * (t->first + k * t->next[2] + j * t->next[1]);
            sum.v += (t->w[2][k] * t->w[1][j]) * (t->w[0][0] * lanes_load(row).v + t->w[0][1] * lanes_load(row + 4).v);
        }
    return sum;
}

/// Rows of four cells are weighted as a whole, by halves, so that not each sum waits for the one before; then their
/// cells.
static inline struct lanes cubic_four(const float *cells, const struct taps *t)
{
    const float *w = t->w[0];
    row_half sum[2] = {{0}, {0}};
    for (size_t k = 0; k < 4; k++)
        for (size_t j = 0; j < 4; j++) {
            const float by = t->w[2][k] * t->w[1][j];
            const row_half *row = (const row_half *)(cells + 4 * (t->first + k * t->next[2] + j * t->next[1]));
            sum[0] += by * row[0], sum[1] += by * row[1];
        }
    sum[0] = sum[0] * (row_half){w[0], w[0], w[0], w[0], w[1], w[1], w[1], w[1]} +
             sum[1] * (row_half){w[2], w[2], w[2], w[2], w[3], w[3], w[3], w[3]};
    struct lanes half[2];
    memcpy(half, sum, sizeof half);
    return (struct lanes){half[0].v + half[1].v};
}

/// One value a cell.
static inline float cubic_one(const float *cells, const struct taps *t)
{
    float sum = 0;
    for (size_t k = 0; k < 4; k++)
        for (size_t j = 0; j < 4; j++) {
            struct lanes row = lanes_load(cells + t->first + k * t->next[2] + j * t->next[1]);
            row.v *= (struct lanes){{t->w[0][0], t->w[0][1], t->w[0][2], t->w[0][3]}}.v;
            sum += t->w[2][k] * t->w[1][j] * (row.v[0] + row.v[1] + row.v[2] + row.v[3]);
        }
    return sum;
}

/// One value a cell, linearly.
static inline float linear_one(const float *cells, const struct taps *t)
{
    float sum = 0;
    for (size_t k = 0; k < 2; k++)
        for (size_t j = 0; j < 2; j++) {
            const float *row = cells + t->first + k * t->next[2] + j * t->next[1];
            sum += t->w[2][k] * t->w[1][j] * (t->w[0][0] * row[0] + t->w[0][1] * row[1]);
        }
    return sum;
}

/// Two values a cell.
static inline void cubic_two(const float *cells, const struct taps *t, float out[2])
{
    const float *w = t->w[0];
    row_half sum = {0};
    for (size_t k = 0; k < 4; k++)
        for (size_t j = 0; j < 4; j++) {
            const float *row = cells + 2 * (t->first + k * t->next[2] + j * t->next[1]);
            sum += (t->w[2][k] * t->w[1][j]) * *(const row_half *)row;
        }
    for (int c = 0; c < 2; c++) out[c] = (w[0] * sum[c] + w[1] * sum[c + 2]) + (w[2] * sum[c + 4] + w[3] * sum[c + 6]);
}

static inline void linear_two(const float *cells, const struct taps *t, float out[2])
{
    const float *w = t->w[0];
    const struct lanes both = {{w[0], w[0], w[1], w[1]}};
    struct lanes sum = {{0}};
    for (size_t k = 0; k < 2; k++)
        for (size_t j = 0; j < 2; j++) {
            const float *row = cells + 2 * (t->first + k * t->next[2] + j * t->next[1]);
            sum.v += (t->w[2][k] * t->w[1][j] * both.v) * lanes_load(row).v;
        }
    for (int c = 0; c < 2; c++) out[c] = sum.v[c] + sum.v[c + 2];
}

#endif
