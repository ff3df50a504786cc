// SPDX-License-Identifier: Apache-2.0
/* Light from all around, on a coarse grid: six sweeps with wide weights (up, down and the four sides) say how open each
 * place is to sky, studio walls and floor, which darkens folds and undersides. The fire's own light joins it (lamps.c). */
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

const struct bw_ambient_side bw_ambient_sides[6] = {
    {{0, 0, 1}, {0.105f, 0.140f, 0.190f}}, {{0, 0, -1}, {0.030f, 0.025f, 0.022f}},
    {{1, 0, 0}, {0.018f, 0.024f, 0.034f}}, {{-1, 0, 0}, {0.022f, 0.021f, 0.020f}},
    {{0, 1, 0}, {0.018f, 0.024f, 0.034f}}, {{0, -1, 0}, {0.020f, 0.023f, 0.030f}},
};

/// Fire light on one layer of coarse cells that hold something to be lit.
struct lit_layer {
    struct bw_ambient *a;
};

static void layer_lamps(int64_t k, void *user)
{
    struct bw_ambient *a = ((struct lit_layer *)user)->a;
    const struct bw_dense *b = &a->box;
    size_t n = (size_t)k * (size_t)b->n[0] * (size_t)b->n[1];
    for (int j = 0; j < b->n[1]; j++)
        for (int i = 0; i < b->n[0]; i++, n++) {
            if (!(a->extinction[n] > 0)) continue;
            float rgb[3] = {0};
            bw_lamps_light(a,
                           (double[3]){b->origin[0] + (i + 0.5) * b->h, b->origin[1] + (j + 0.5) * b->h,
                                       b->origin[2] + ((double)k + 0.5) * b->h},
                           NULL, rgb);
            for (int c = 0; c < 3; c++) a->rgb[c][n] += rgb[c];
        }
}

static enum bw_status fire_light(const struct bw_tools *tools, const struct bw_dense *box, const float *emission,
                                 struct bw_ambient *a)
{
    struct lit_layer layer = {a};
    for (int c = 0; c < 3; c++) coarse_fill(box, emission + c, 4, &a->box, a->glow[c]);
    enum bw_status status = bw_lamps_make(tools, a);
    if (!status) tools->parallel(tools->ctx, a->box.n[2], layer_lamps, &layer);
    return status;
}

enum bw_status bw_ambient_make(const struct bw_tools *tools, const struct bw_dense *box, const float *extinction,
                               const float *emission, const struct bw_scene *scene, struct bw_ambient *a)
{
    *a = (struct bw_ambient){.box = *box};
    a->box.h = box->h * BW_COARSE;
    for (int d = 0; d < 3; d++) a->box.n[d] = (box->n[d] + BW_COARSE - 1) / BW_COARSE;
    size_t cells = bw_dense_cells(&a->box);
    float *mem = tools->alloc(tools->ctx, 8 * cells * sizeof(float));
    if (!mem) return BW_ERR_MEMORY;
    a->extinction = mem;
    for (int c = 0; c < 3; c++) {
        a->rgb[c] = mem + (size_t)(c + 1) * cells;
        a->glow[c] = mem + (size_t)(c + 4) * cells;
    }
    float *t = mem + 7 * cells;
    coarse_fill(box, extinction, 1, &a->box, a->extinction);
    for (int s = 0; s < 6 && scene->look.environment > 0; s++) {
        enum bw_status status = bw_light_sweep(tools, &a->box, a->extinction, bw_ambient_sides[s].to, SPREAD, t);
        if (status) return status;
        float k = (s == 1 && !scene->floor ? 0.5f : 1) * (float)scene->look.environment;
        for (int c = 0; c < 3; c++)
            for (size_t i = 0; i < cells; i++) a->rgb[c][i] += k * bw_ambient_sides[s].rgb[c] * t[i];
    }
    return emission ? fire_light(tools, box, emission, a) : BW_OK;
}

void bw_ambient_free(const struct bw_tools *tools, struct bw_ambient *a)
{
    if (a->extinction) tools->release(tools->ctx, a->extinction);
    if (a->lamp) tools->release(tools->ctx, a->lamp);
    a->extinction = NULL;
    a->lamp = NULL;
}
