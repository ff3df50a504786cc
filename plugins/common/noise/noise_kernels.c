// SPDX-License-Identifier: Apache-2.0
/* Rows of wavelet noise. Weights and places are found for a vector of places at once. Then each takes its 27 points as
 * nine rows of four, a row being one vector of sixteen numbers (or two of eight, or three of four): the rows are summed
 * with their weights, what lies side by side in the sum last, and the fourth point of a row is not used. */
#include "noise_kernels.h"

#include <string.h>

enum { PARTS = VEC_LANES == 4 ? 3 : 16 / VEC_LANES, ROWS = 9 };

/* The first n of a vector, 0 beyond. */
INLINE vec first_load(const float *p, int32_t n)
{
    if (n >= VEC_LANES) return vec_load(p);
    vec v = {0};
    memcpy(&v, p, (size_t)n * sizeof *p);
    return v;
}

/* B-spline weights of the three points around x, and the lowest of them, counted from the one before `whole`. */
INLINE vec_int points_weigh(vec x, vec w[3])
{
    const vec_int cut = __builtin_convertvector(x, vec_int), low = cut + (x < __builtin_convertvector(cut, vec));
    const vec t = x - __builtin_convertvector(low, vec);
    w[0] = .5f * (1 - t) * (1 - t), w[1] = .75f - (t - .5f) * (t - .5f), w[2] = .5f * t * t;
    return low;
}

/// A vector of places.
struct places {
    vec x[3], yz[ROWS]; ///< weights
    vec_int at;         ///< first point in the tile
};

INLINE void places_find(struct places *p, const struct noise_row *r, int32_t first)
{
    const int32_t left = r->n - first, mask = WAVELET_SIZE - 1;
    const vec half = vec_set(.5f), per = vec_set(r->per);
    vec y[3], z[3], whole = first_load((const float *)(const void *)(r->whole_x + first), left);
    vec_int low[3];
    low[0] =
        points_weigh(first_load(r->part_x + first, left) + per * first_load(r->offset[0] + first, left) + half, p->x);
    low[1] = points_weigh(r->part_y + per * first_load(r->offset[1] + first, left) + half, y);
    low[2] = points_weigh(r->part_z + per * first_load(r->offset[2] + first, left) + half, z);
    for (int q = 0; q < ROWS; q++) p->yz[q] = y[q % 3] * z[q / 3];
    const vec_int i = ((vec_int)whole + low[0] - 1) & mask, j = (r->whole_y + low[1] - 1) & mask,
                  k = (r->whole_z + low[2] - 1) & mask;
    p->at = i + WAVELET_ROW * (j + WAVELET_ROWS * k);
}

INLINE vec4 place_sum(const vec4 *tile, const struct places *p, int lane)
{
    const float *from = (const float *)(tile + p->at[lane]);
    union {
        vec part[PARTS];
        vec4 point[4];
    } sum = {.part = {{0}}};
    for (int q = 0; q < ROWS; q++) {
        const float *row = from + 4 * WAVELET_ROW * (q % 3 + WAVELET_ROWS * (q / 3));
        for (int v = 0; v < PARTS; v++) sum.part[v] += p->yz[q][lane] * vec_load(row + VEC_LANES * v);
    }
    return p->x[0][lane] * sum.point[0] + p->x[1][lane] * sum.point[1] + p->x[2][lane] * sum.point[2];
}

static void row(const vec4 *tile, const struct noise_row *r, vec4 *sum)
{
    for (int32_t i = 0; i < r->n; i += VEC_LANES) {
        struct places p;
        if (!vec_any(first_load(r->amount + i, r->n - i))) continue;
        places_find(&p, r, i);
        for (int32_t lane = 0; lane < VEC_LANES && i + lane < r->n; lane++)
            if (r->amount[i + lane] > 0) sum[i + lane] += r->amount[i + lane] * place_sum(tile, &p, lane);
    }
}

static void split(const vec4 *from, size_t n, float *const to[3])
{
    const float *in = (const float *)from;
    float *restrict x = to[0], *restrict y = to[1], *restrict z = to[2];
    for (size_t i = 0; i < n; i++) x[i] = in[4 * i], y[i] = in[4 * i + 1], z[i] = in[4 * i + 2];
}

static void curl(const float *a, const float *b, ptrdiff_t p, ptrdiff_t q, float gain, int32_t n, float *restrict out)
{
    for (int32_t i = 0; i < n; i++) {
        const float up = a[i + p] + a[i + p + q] - a[i] - a[i + q], across = b[i + q] + b[i + p + q] - b[i] - b[i + p];
        out[i] = gain * (up - across);
    }
}

extern const struct noise_kernels SIMD_NAME(noise_kernels);
const struct noise_kernels SIMD_NAME(noise_kernels) = {row, split, curl};
