// SPDX-License-Identifier: Apache-2.0
/* Three octaves of noise on a tile that repeats: random numbers on lattices of 4, 2 and 1 points, each refined by
 * quadratic B-splines, (1 3 3 1)/4, to the next. They are a vector potential, whose curl is the displacement. */
#include "detail.h"

#include <math.h>
#include <string.h>

enum { N = BW_DETAIL_TILE, POINTS = N * N * N, OCTAVES = 3 };
#define KEEP 0.32f ///< of an octave's potential in the next; its displacements have twice as much

typedef float four __attribute__((vector_size(16)));

/// -1 … 1, of a point of a lattice (PCG's output permutation, O'Neill 2014).
static float random_at(uint32_t point)
{
    uint32_t x = point * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
    return (float)((x ^ (x >> 22)) >> 8) * (2 / 16777216.0f) - 1;
}

static four random_four(uint32_t point)
{
    return (four){random_at(4 * point), random_at(4 * point + 1), random_at(4 * point + 2), random_at(4 * point + 3)};
}

/// A pass over the tile: n points along an edge of what is read.
struct pass {
    const four *from;
    four *to;
    int n;
    uint32_t seed;
    float share;
};

/// Each point twice as fine along one axis: ¾ of the nearer and ¼ of the farther.
static four refined(const four *line, int step, int n, int at)
{
    const int near = at / 2, far = (at & 1 ? near + 1 : near + n - 1) & (n - 1);
    return 0.75f * line[near * step] + 0.25f * line[far * step];
}

/// A layer of the finer lattice, and random numbers on it.
static void layer_refine(int64_t k, void *user)
{
    const struct pass *p = user;
    const int n = p->n, m = 2 * n;
    const int near = (int)k / 2, far = ((int)k & 1 ? near + 1 : near + n - 1) & (n - 1);
    const four *low = p->from + near * n * n, *high = p->from + far * n * n;
    for (int j = 0; j < m; j++) {
        four row[N];
        for (int i = 0; i < n; i++) row[i] = 0.75f * refined(low + i, n, n, j) + 0.25f * refined(high + i, n, n, j);
        for (int i = 0; i < m; i++) {
            const uint32_t at = ((uint32_t)k * (uint32_t)m + (uint32_t)j) * (uint32_t)m + (uint32_t)i;
            p->to[at] = refined(row, 1, n, i) + p->share * random_four(p->seed + at);
        }
    }
}

/// (1 2 1)/4 along x and y of a layer: as smooth as what reads it.
static void layer_smooth(int64_t k, void *user)
{
    const struct pass *p = user;
    const four *in = p->from + k * N * N;
    four *out = p->to + k * N * N;
    for (int j = 0; j < N; j++) {
        const four *row[3] = {in + N * ((j + N - 1) & (N - 1)), in + N * j, in + N * ((j + 1) & (N - 1))};
        four sum[N];
        for (int i = 0; i < N; i++) sum[i] = 0.25f * (row[0][i] + row[2][i]) + 0.5f * row[1][i];
        for (int i = 0; i < N; i++)
            out[N * j + i] = 0.25f * (sum[(i + N - 1) & (N - 1)] + sum[(i + 1) & (N - 1)]) + 0.5f * sum[i];
    }
}

static void layer_stack(int64_t k, void *user)
{
    const struct pass *p = user;
    const four *low = p->from + ((k + N - 1) & (N - 1)) * N * N, *high = p->from + ((k + 1) & (N - 1)) * N * N;
    for (int i = 0; i < N * N; i++) p->to[k * N * N + i] = 0.25f * (low[i] + high[i]) + 0.5f * p->from[k * N * N + i];
}

/// Central differences, as what reads between the points has them in the mean.
static void layer_curl(int64_t k, void *user)
{
    const struct pass *p = user;
    const four *z0 = p->from + ((k + N - 1) & (N - 1)) * N * N, *z1 = p->from + ((k + 1) & (N - 1)) * N * N;
    const four *here = p->from + k * N * N;
    for (int j = 0; j < N; j++) {
        const int y0 = N * ((j + N - 1) & (N - 1)), y1 = N * ((j + 1) & (N - 1));
        for (int i = 0; i < N; i++) {
            const four dx = here[N * j + ((i + 1) & (N - 1))] - here[N * j + ((i + N - 1) & (N - 1))];
            const four dy = here[y1 + i] - here[y0 + i], dz = z1[N * j + i] - z0[N * j + i];
            p->to[k * N * N + N * j + i] = (four){dy[2] - dz[1], dz[0] - dx[2], dx[1] - dy[0], here[N * j + i][3]};
        }
    }
}

/// Displacements have an rms of 1 in all three components together, as the scalar has.
static four tile_gain(const four *point)
{
    double sum[2] = {0};
    for (int i = 0; i < POINTS; i++)
        for (int a = 0; a < 4; a++) sum[a == 3] += (double)point[i][a] * (double)point[i][a];
    const float vector = (float)sqrt(POINTS / sum[0]), scalar = (float)sqrt(POINTS / sum[1]);
    return (four){vector, vector, vector, scalar};
}

enum bw_status bw_detail_tile(const struct bw_tools *tools, int8_t *tile)
{
    four *memory = tools->alloc(tools->ctx, 2 * POINTS * sizeof *memory), *a = memory, *b = memory + POINTS;
    if (!memory) return BW_ERR_MEMORY;
    int n = N >> (OCTAVES - 1);
    for (int i = 0; i < n * n * n; i++) a[i] = random_four((uint32_t)i);
    for (float share = KEEP; n < N; n *= 2, share *= KEEP) {
        struct pass p = {a, b, n, (uint32_t)(n * n * n), share};
        tools->parallel(tools->ctx, 2 * n, layer_refine, &p);
        b = a, a = p.to;
    }
    tools->parallel(tools->ctx, N, layer_smooth, &(struct pass){a, b, N, 0, 0});
    tools->parallel(tools->ctx, N, layer_stack, &(struct pass){b, a, N, 0, 0});
    tools->parallel(tools->ctx, N, layer_curl, &(struct pass){a, b, N, 0, 0});
    const four gain = tile_gain(b) / BW_DETAIL_UNIT;
    for (int row = 0; row < N * N; row++)
        for (int i = 0; i <= N; i++, tile += 4) {
            const four point = gain * b[N * row + (i & (N - 1))];
            for (int c = 0; c < 4; c++) tile[c] = (int8_t)lrintf(fminf(fmaxf(point[c], -127), 127));
        }
    tools->release(tools->ctx, memory);
    return BW_OK;
}
