// SPDX-License-Identifier: Apache-2.0
#include "mixing_kernels.h"
#include <common/simd.h>
#include <math.h>

/* out += 4 times the square of a component's change from cell to cell, as means of both faces. */
static void row_add_change(const float *u, ptrdiff_t back, ptrdiff_t step, int32_t n, float *restrict out)
{
    for (int32_t i = 0; i < n; i++) {
        const float change = (u[i] + u[i + step]) - (u[i - back] + u[i + step - back]);
        out[i] += change * change;
    }
}

/* The diffusion number, a sixth at most: then no cell leaves the range of those around it, whatever the step. `out`
 * comes with 4 times the flow's square change. */
static void row_shares(const float *q, const float *qa, ptrdiff_t back, float half_number, float young, int32_t n,
                       float *restrict out)
{
    const float square_young = young * young + 1e-30f;
    for (int32_t i = 0; i < n; i++) {
        const float age = (qa[i - back] + qa[i]) / ((q[i - back] + q[i]) + 1e-20f), square = age * age;
        const float number = half_number * sqrtf(out[i]) * (square / (square + square_young));
        out[i] = number < 1 / 6.0f ? number : 1 / 6.0f;
    }
}

static void row_faces(const struct mixing_faces *f, float *out)
{
    for (int32_t i = 0; i < f->n; i++) out[i] = 0;
    for (int c = 0; c < 3; c++) row_add_change(f->flow[c], f->flow_back, f->flow_step[c], f->n, out);
    row_shares(f->smoke, f->weighed, f->back, 0.5f * f->number, f->young, f->n, out);
}

static void row_exchange(const float *q, ptrdiff_t step, const float *share, ptrdiff_t next, int32_t n,
                         float *restrict to)
{
    for (int32_t i = 0; i < n; i++) to[i] += share[i + next] * (q[i + step] - q[i]) - share[i] * (q[i] - q[i - step]);
}

const struct mixing_kernels SIMD_NAME(mixing_kernels) = {row_faces, row_exchange};
