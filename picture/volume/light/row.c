// SPDX-License-Identifier: Apache-2.0
#include "row.h"
#include "lit.h"
#include <picture/volume/scattering/multiple_scattering.h>

#define DARKEST 1e-9f ///< radiance; less is as dark

void bw_row_left(const struct bw_row_lamp *lamp, float more, float ahead, const float *albedo, float *left)
{
    const float *depth = lamp->depth;
#pragma omp simd
    for (int i = 0; i < lamp->n; i++) left[i] = bw_exp_neg(more * (1 - albedo[i] * ahead) * depth[i]);
}

void bw_row_scattered(const struct bw_row_lamp *lamp, float rgb, const float *left, float *sum)
{
    const float *share = lamp->share;
#pragma omp simd
    for (int i = 0; i < lamp->n; i++) sum[i] += share[i] * rgb * left[i];
}

void bw_row_shadow_rays(const struct bw_row_lamp *lamp, float rgb, float more, float *sum)
{
    const float *depth = lamp->depth, *share = lamp->share, *phase = lamp->phase;
#pragma omp simd
    for (int i = 0; i < lamp->n; i++) sum[i] += share[i] * (phase[i] - 1) * rgb * bw_exp_neg(more * depth[i]);
}

void bw_row_multiple(const struct bw_scatter_medium *m, const struct bw_row_smoke *smoke, const float *more,
                     const float *around, float *light)
{
    const struct bw_scatter_medium by = *m;
    const float *dense = smoke->dense, *soot = smoke->soot, *albedo = smoke->albedo;
    if (!around) {
        for (int i = 0; i < smoke->n; i++) light[i] += more[i];
        return;
    }
#pragma omp simd
    for (int i = 0; i < smoke->n; i++) {
        const float all = dense[i] + (soot ? soot[4 * i] : 0), share = all > 0 ? dense[i] / all : 0;
        const struct bw_scatter_cell cell = bw_scatter_cell(&by, all, albedo[i] * share);
        light[i] += bw_most(more[i] + bw_multiple_own(&cell) * (light[i] - around[i]), 0);
    }
}

void bw_row_logs(int n, float times, const float *albedo, float *light)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        light[i] = bw_most(bw_log(BW_BRIGHTEST / bw_most(light[i] * times * albedo[i], DARKEST)), 0);
}

void bw_row_sent(int n, float times, const float *albedo, const float *dense, float *light)
{
#pragma omp simd
    for (int i = 0; i < n; i++) light[i] *= dense[i] * times * albedo[i];
}
