// SPDX-License-Identifier: Apache-2.0
/* Light from all around, on a coarse grid: six sweeps with wide weights (up, down and the four sides) say how open each
 * place is to sky, studio walls and floor, which darkens folds and undersides. The fire's own light joins it: emission
 * blurred at three widths, a stand-in for light that spreads through smoke. */
#include "render.h"

#include <math.h>

#define SPREAD 0.66f ///< weights near 1/3 each: a cone of about 35 degrees

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

static void coarse_fill(const struct bw_dense *box, const float *f, int stride, const struct bw_dense *coarse,
                        float *out)
{
    for (int k = 0; k < coarse->n[2]; k++)
        for (int j = 0; j < coarse->n[1]; j++)
            for (int i = 0; i < coarse->n[0]; i++) *out++ = block_mean(box, f, stride, (int[3]){i, j, k});
}

/// Box blur by ±1 cell along one axis, in place; zero outside.
static void axis_blur(const struct bw_dense *b, float *f, int axis)
{
    const size_t step[3] = {1, (size_t)b->n[0], (size_t)b->n[0] * (size_t)b->n[1]};
    int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    for (int j = 0; j < b->n[v]; j++)
        for (int i = 0; i < b->n[u]; i++) {
            float *p = f + (size_t)j * step[v] + (size_t)i * step[u], before = 0;
            for (int k = 0; k < b->n[axis]; k++, p += step[axis]) {
                float here = *p, after = k + 1 < b->n[axis] ? p[step[axis]] : 0;
                *p = (before + here + after) / 3;
                before = here;
            }
        }
}

/// Add the glow of one colour channel: narrow, middle and wide blurs of its emission.
static void glow_add(const struct bw_dense *b, float *emission, float *rgb)
{
    static const int rounds[3] = {2, 6, 16};
    static const float share[3] = {0.3f, 0.8f, 2.2f};
    size_t cells = bw_dense_cells(b);
    for (int s = 0; s < 3; s++) {
        for (int r = 0; r < rounds[s]; r++)
            for (int a = 0; a < 3; a++) axis_blur(b, emission, a);
        float k = share[s] * (float)b->h * BW_COARSE;
        for (size_t i = 0; i < cells; i++) rgb[i] += k * emission[i];
    }
}

/// Total and centre of the emission, for the light it throws on the floor.
static void glow_sum(const struct bw_dense *b, const float *e, struct bw_ambient *a, int c)
{
    double volume = b->h * b->h * b->h, weight = 0, at[3] = {0};
    size_t n = 0;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++, n++) {
                weight += (double)e[n];
                at[0] += (double)e[n] * (i + 0.5);
                at[1] += (double)e[n] * (j + 0.5);
                at[2] += (double)e[n] * (k + 0.5);
            }
    a->glow[c] = weight * volume;
    for (int d = 0; d < 3 && c == 0 && weight > 0; d++) a->glow_at[d] = b->origin[d] + at[d] / weight * b->h;
}

/// Six directions: where the light comes from and its colour.
struct side {
    double to[3];
    float rgb[3];
};
static const struct side sides[6] = {
    {{0, 0, 1}, {0.105f, 0.140f, 0.190f}}, {{0, 0, -1}, {0.030f, 0.025f, 0.022f}},
    {{1, 0, 0}, {0.018f, 0.024f, 0.034f}}, {{-1, 0, 0}, {0.022f, 0.021f, 0.020f}},
    {{0, 1, 0}, {0.018f, 0.024f, 0.034f}}, {{0, -1, 0}, {0.020f, 0.023f, 0.030f}},
};

enum bw_status bw_ambient_make(const struct bw_tools *tools, const struct bw_dense *box, const float *extinction,
                               const float *emission, int floor, struct bw_ambient *a)
{
    *a = (struct bw_ambient){.box = *box};
    a->box.h = box->h * BW_COARSE;
    for (int d = 0; d < 3; d++) a->box.n[d] = (box->n[d] + BW_COARSE - 1) / BW_COARSE;
    size_t cells = bw_dense_cells(&a->box);
    float *mem = tools->alloc(tools->ctx, 5 * cells * sizeof(float));
    if (!mem) return BW_ERR_MEMORY;
    a->extinction = mem;
    for (int c = 0; c < 3; c++) a->rgb[c] = mem + (size_t)(c + 1) * cells;
    float *t = mem + 4 * cells;
    coarse_fill(box, extinction, 1, &a->box, a->extinction);
    for (int s = 0; s < 6; s++) {
        enum bw_status status = bw_light_sweep(tools, &a->box, a->extinction, sides[s].to, SPREAD, t);
        if (status) return status;
        float k = s == 1 && !floor ? 0.5f : 1;
        for (int c = 0; c < 3; c++)
            for (size_t i = 0; i < cells; i++) a->rgb[c][i] += k * sides[s].rgb[c] * t[i];
    }
    for (int c = 0; c < 3 && emission; c++) {
        coarse_fill(box, emission + c, 3, &a->box, t);
        glow_sum(&a->box, t, a, c);
        glow_add(&a->box, t, a->rgb[c]);
    }
    return BW_OK;
}

void bw_ambient_free(const struct bw_tools *tools, struct bw_ambient *a)
{
    if (a->extinction) tools->release(tools->ctx, a->extinction);
    a->extinction = NULL;
}
