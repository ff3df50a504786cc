// SPDX-License-Identifier: Apache-2.0
/* Wavelet noise. Random coefficients r of quadratic B-splines on a lattice, less their best approximation on the
 * lattice twice as coarse: n = r - P r, P the orthogonal projection, which is separable and, on a repeating tile of N
 * points, P = U (UᵀGU)⁻¹ Uᵀ G along each axis: U refines (1 3 3 1)/4, G holds ∫φ(x)φ(x-d) = (1 26 66 26 1)/120. What
 * remains has wavelengths of 2 to 4 lattice cells and nothing longer, however it is summed.
 * Cook, DeRose, "Wavelet noise", SIGGRAPH 2005; there P is truncated, here it is exact. */
#include "wavelet_noise.h"

#include <math.h>

enum { N = WAVELET_SIZE, HALF = WAVELET_SIZE / 2 };

struct projection {
    double m[N][N];
};

/* Rows of Uᵀ G: what a coefficient of the fine lattice adds to coarse one k. */
static double analysis(int k, int fine)
{
    static const double refine[4] = {.25, .75, .75, .25}, gram[6] = {66 / 120., 26 / 120., 1 / 120., 0, 0, 0};
    double sum = 0;
    for (int j = 0; j < 4; j++) {
        int d = (2 * k + j - fine) & (N - 1);
        if (d > N / 2) d = N - d;
        if (d < 3) sum += refine[j] * gram[d];
    }
    return sum;
}

/* UᵀGU repeats along its diagonal, and so does its inverse: one row each, by their eigenvalues. */
static void projection_make(struct projection *p)
{
    static const double refine[4] = {.25, .75, .75, .25};
    double row[HALF], inverse[HALF] = {0};
    for (int d = 0; d < HALF; d++) {
        row[d] = 0;
        for (int j = 0; j < 4; j++) row[d] += refine[j] * analysis(0, (2 * d + j) & (N - 1));
    }
    for (int q = 0; q < HALF; q++) {
        double eigen = 0;
        for (int d = 0; d < HALF; d++) eigen += row[d] * cos(2 * 3.14159265358979323846 * q * d / HALF);
        for (int d = 0; d < HALF; d++) inverse[d] += cos(2 * 3.14159265358979323846 * q * d / HALF) / eigen / HALF;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            p->m[i][j] = 0;
            for (int k = 0; k < HALF; k++) {
                int tap = (i - 2 * k) & (N - 1);
                if (tap > 3) continue;
                for (int l = 0; l < HALF; l++)
                    p->m[i][j] += refine[tap] * inverse[(k - l) & (HALF - 1)] * analysis(l, j);
            }
        }
}

struct job {
    const struct projection *p;
    const float *from;
    float *to;
    int axis;
};

/* Lines along one axis in one plane across another. */
static void project_plane(int64_t plane, uint32_t worker, void *user)
{
    static const int stride[3] = {1, N, N * N};
    const struct job *b = user;
    int along = stride[b->axis], across = stride[(b->axis + 1) % 3];
    const float *in = b->from + plane * stride[(b->axis + 2) % 3];
    float *out = b->to + plane * stride[(b->axis + 2) % 3];
    (void)worker;
    for (int line = 0; line < N; line++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += b->p->m[i][j] * in[line * across + j * along];
            out[line * across + i * along] = (float)sum;
        }
}

/* Component c of the tile from a lattice without the points that come again. */
static void tile_fill(vec4 *tile, int c, const float *r)
{
    for (int k = 0; k < WAVELET_ROWS; k++)
        for (int j = 0; j < WAVELET_ROWS; j++, tile += WAVELET_ROW)
            for (int i = 0; i < WAVELET_ROW; i++) tile[i][c] = r[i % N + N * (j % N + N * (k % N))];
}

const vec4 *wavelet_make(struct bw_stage *s, uint64_t seed)
{
    const struct bw_host *host = s->host;
    size_t points = (size_t)N * N * N;
    vec4 *tile = host->alloc(s, (size_t)WAVELET_ROW * WAVELET_ROWS * WAVELET_ROWS * sizeof *tile);
    float *r = host->scratch(s, 3 * points * sizeof *r), *a = r + points, *b = a + points;
    struct projection *p = host->scratch(s, sizeof *p);
    if (!tile || !r || !p) return NULL;
    projection_make(p);
    for (int c = 0; c < 3; c++) {
        for (size_t i = 0; i < points; i++) r[i] = (float)(2 * bw_rng_unit(seed + (uint64_t)c, i) - 1);
        host->parallel_for(s, N, project_plane, &(struct job){p, r, a, 0});
        host->parallel_for(s, N, project_plane, &(struct job){p, a, b, 1});
        host->parallel_for(s, N, project_plane, &(struct job){p, b, a, 2});
        for (size_t i = 0; i < points; i++) r[i] -= a[i];
        tile_fill(tile, c, r);
    }
    return tile;
}

double wavelet_curl_rms(const struct bw_stage *s, const vec4 *tile, double step)
{
    enum { PLACES = 20000, ENDS = 4 };
    static const float one[ENDS] = {1, 1, 1, 1}, nothing[ENDS];
    static const int32_t whole[ENDS];
    double sum = 0;
    for (uint64_t q = 0; q < PLACES; q++) {
        int32_t at[3];
        float f[3];
        for (int a = 0; a < 3; a++) {
            double x = bw_rng_unit(17, 3 * q + (uint64_t)a) * N;
            at[a] = (int32_t)x, f[a] = (float)(x - at[a]);
        }
        float x[ENDS], y[ENDS], z[ENDS];
        for (int e = 0; e < ENDS; e++) // four edges' ends, across x
            x[e] = (float)at[0] + f[0], y[e] = (float)(e % 2 * step), z[e] = (float)(e / 2 * step);
        vec4 v[ENDS] = {{0}};
        noise_kernels_for(s->host->simd)
            ->row(tile,
                  &(struct noise_row){.offset = {nothing, y, z},
                                      .amount = one,
                                      .whole_x = whole,
                                      .part_x = x,
                                      .whole_y = at[1],
                                      .whole_z = at[2],
                                      .part_y = f[1],
                                      .part_z = f[2],
                                      .per = 1,
                                      .n = ENDS},
                  v);
        double u = .5 / step * (v[1][2] + v[3][2] - v[0][2] - v[2][2] - v[2][1] - v[3][1] + v[0][1] + v[1][1]);
        sum += u * u;
    }
    return sqrt(3 * sum / PLACES); // x stands for all three components
}
