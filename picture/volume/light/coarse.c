// SPDX-License-Identifier: Apache-2.0
#include "coarse.h"
#include <picture/volume/scene/fast_math.h>

#include <math.h>

/// Mean of a block of COARSE³ cells, clipped.
static float block_mean(const struct bw_dense *box, const float *f, int stride, const int at[3])
{
    double sum = 0;
    int hi[3], lo[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = at[a] * BW_COARSE;
        hi[a] = lo[a] + BW_COARSE < box->n[a] ? lo[a] + BW_COARSE : box->n[a];
    }
    for (int k = lo[2]; k < hi[2]; k++)
        for (int j = lo[1]; j < hi[1]; j++) {
            const float *row = f + (size_t)stride * (((size_t)k * (size_t)box->n[1] + (size_t)j) * (size_t)box->n[0]);
            for (int i = lo[0]; i < hi[0]; i++) sum += (double)row[stride * i];
        }
    return (float)(sum / (BW_COARSE * BW_COARSE * BW_COARSE));
}

void bw_coarse_mean(const struct bw_coarse *c, const struct bw_dense *box, const float *f, int stride, float *out)
{
    for (int k = 0; k < c->box.n[2]; k++)
        for (int j = 0; j < c->box.n[1]; j++)
            for (int i = 0; i < c->box.n[0]; i++) *out++ = block_mean(box, f, stride, (int[3]){i, j, k});
}

/// The two middles between which a cell's lies, and the share of the second.
static void place(int i, int times, int n, int at[2], float *share)
{
    const float x = bw_least(bw_most(((float)i + 0.5f) / (float)times - 0.5f, 0), (float)(n - 1));
    at[0] = (int)x, at[1] = at[0] + 1 < n ? at[0] + 1 : at[0];
    *share = x - (float)at[0];
}

/// From the values of n coarse cells to those of `cells` cells, `times` a coarse one, which is known where this is
/// compiled.
static inline void line_spread(const float *coarse, int n, int times, float *out, int cells)
{
    float share[BW_COARSE];
    int i = 0, q = 0;
    for (int s = 0; s < times; s++) share[s] = ((float)(times / 2 + s) + 0.5f) / (float)times - 0.5f;
    for (; i < times / 2 && i < cells; i++) out[i] = coarse[0];
    for (; q + 1 < n && i + times <= cells; q++, i += times) {
        const float rise = coarse[q + 1] - coarse[q];
        for (int s = 0; s < times; s++) out[i + s] = coarse[q] + rise * share[s];
    }
    for (int s = 0; q + 1 < n && s < times && i < cells; s++, i++)
        out[i] = coarse[q] + (coarse[q + 1] - coarse[q]) * share[s];
    for (; i < cells; i++) out[i] = coarse[n - 1];
}

static void line_read(const float *coarse, int n, int times, float *out, int cells)
{
    if (times == 1) line_spread(coarse, n, 1, out, cells);
    else if (times == 2) line_spread(coarse, n, 2, out, cells);
    else line_spread(coarse, n, BW_COARSE, out, cells);
}

void bw_coarse_row(const struct bw_coarse_row *r, const float *f, float *scratch, float *out)
{
    const int32_t *n = r->box->n;
    int y[2], z[2];
    float fy, fz;
    place(r->j, r->times, n[1], y, &fy), place(r->k, r->times, n[2], z, &fz);
    const float *p[4];
    for (int q = 0; q < 4; q++) p[q] = f + ((size_t)z[q / 2] * (size_t)n[1] + (size_t)y[q % 2]) * (size_t)n[0];
#pragma omp simd
    for (int i = 0; i < n[0]; i++)
        scratch[i] = (p[0][i] * (1 - fy) + p[1][i] * fy) * (1 - fz) + (p[2][i] * (1 - fy) + p[3][i] * fy) * fz;
    line_read(scratch, n[0], r->times, out, r->n);
}

enum bw_status bw_coarse_make(const struct bw_tools *tools, const struct bw_dense *box, const float *extinction,
                              struct bw_coarse *c)
{
    *c = (struct bw_coarse){.box = *box};
    c->box.h = box->h * BW_COARSE;
    for (int d = 0; d < 3; d++) c->box.n[d] = (box->n[d] + BW_COARSE - 1) / BW_COARSE;
    c->extinction = tools->alloc(tools->ctx, bw_dense_cells(&c->box) * sizeof(float));
    if (!c->extinction) return BW_ERR_MEMORY;
    bw_coarse_mean(c, box, extinction, 1, c->extinction);
    return BW_OK;
}

void bw_coarse_free(const struct bw_tools *tools, struct bw_coarse *c)
{
    if (c->extinction) tools->release(tools->ctx, c->extinction);
    c->extinction = NULL;
}

float bw_coarse_transmittance(const struct bw_coarse *c, const double p[3], const double to[3], double away)
{
    const struct bw_dense *b = &c->box;
    double t0 = 0, t1 = away;
    for (int d = 0; d < 3; d++) {
        double lo = (b->origin[d] - p[d]) / to[d], hi = (b->origin[d] + b->n[d] * b->h - p[d]) / to[d];
        t0 = fmax(t0, fmin(lo, hi));
        t1 = fmin(t1, fmax(lo, hi));
    }
    if (!c->extinction || t1 <= t0) return 1;
    const int n = (int)ceil((t1 - t0) / (0.5 * b->h));
    double depth = 0, ds = (t1 - t0) / n;
    for (int i = 0; i < n && depth < 6; i++) {
        const double t = t0 + (i + 0.5) * ds;
        struct bw_tap tap;
        bw_tap_at(b, (double[3]){p[0] + t * to[0], p[1] + t * to[1], p[2] + t * to[2]}, &tap);
        depth += ds * (double)bw_tap_read(&tap, c->extinction);
    }
    return (float)exp(-depth);
}
