// SPDX-License-Identifier: Apache-2.0
/* Light from all around, on a coarse grid: six sweeps with wide weights (up, down and the four sides) say how open
 * each place is to sky, studio walls and floor, which darkens folds and undersides. The fire's own light joins it
 * (lamps.c). */
#include "ambient.h"
#include <picture/volume/scattering/directional_light.h>
#include <picture/volume/sky/sphere.h>

#include <math.h>
#include <string.h>

#define SPREAD 0.66f ///< weights near 1/3 each: a cone of about 35 degrees

const struct bw_ambient_side bw_ambient_sides[6] = {
    {{0, 0, 1}, {0.105f, 0.140f, 0.190f}}, {{0, 0, -1}, {0.030f, 0.025f, 0.022f}},
    {{1, 0, 0}, {0.018f, 0.024f, 0.034f}}, {{-1, 0, 0}, {0.022f, 0.021f, 0.020f}},
    {{0, 1, 0}, {0.018f, 0.024f, 0.034f}}, {{0, -1, 0}, {0.020f, 0.023f, 0.030f}},
};

void bw_ambient_side_light(const struct bw_look *l, int side, float rgb[3])
{
    const float up = 0.5f + 0.5f * (float)bw_ambient_sides[side].to[2];
    for (int c = 0; c < 3; c++) {
        const float own = (l->below[c] + up * (l->above[c] - l->below[c])) / 6;
        const float studio = l->has_sky ? own : bw_ambient_sides[side].rgb[c];
        rgb[c] = (float)l->environment * (l->sky ? l->sky->side[side][c] : studio);
    }
}

/// Fire light on one layer of coarse cells that hold something to be lit.
static void layer_lamps(int64_t k, void *user)
{
    const struct bw_ambient *a = user;
    const struct bw_dense *b = &a->coarse.box;
    size_t n = (size_t)k * (size_t)b->n[0] * (size_t)b->n[1];
    for (int j = 0; j < b->n[1]; j++)
        for (int i = 0; i < b->n[0]; i++, n++) {
            if (!(a->coarse.extinction[n] > 0)) continue;
            const double p[3] = {b->origin[0] + (i + 0.5) * b->h, b->origin[1] + (j + 0.5) * b->h,
                                 b->origin[2] + ((double)k + 0.5) * b->h};
            float rgb[3] = {0};
            bw_lamps_light(&a->lamps, p, NULL, rgb);
            for (int c = 0; c < 3; c++) a->rgb[c][n] += rgb[c];
        }
}

static enum bw_status fire_light(const struct bw_tools *tools, const struct bw_dense *box, const float *emission,
                                 const struct bw_look *look, struct bw_ambient *a)
{
    const float albedo = (look->albedo[0] + look->albedo[1] + look->albedo[2]) / 3;
    const size_t cells = bw_dense_cells(&a->coarse.box);
    float *memory = tools->alloc(tools->ctx, 4 * cells * sizeof(float));
    if (!memory) return BW_ERR_MEMORY;
    float *const glow[4] = {memory, memory + cells, memory + 2 * cells, memory + 3 * cells};
    for (int c = 0; c < 4; c++) bw_coarse_mean(&a->coarse, box, emission + c, 4, glow[c]);
    enum bw_status status = bw_lamps_make(tools, &a->coarse, glow, albedo, &a->lamps);
    for (int c = 0; c < 3; c++) a->lamps.gain[c] = look->firelight[c];
    tools->release(tools->ctx, memory);
    if (!status) tools->parallel(tools->ctx, a->coarse.box.n[2], layer_lamps, a);
    return status;
}

/// Add each side's light, as much as gets there.
static enum bw_status sides_light(const struct bw_tools *tools, const struct bw_scene *scene, struct bw_ambient *a)
{
    const struct bw_coarse *coarse = &a->coarse;
    const size_t cells = bw_dense_cells(&coarse->box);
    float *t = tools->alloc(tools->ctx, cells * sizeof(float));
    enum bw_status status = t ? BW_OK : BW_ERR_MEMORY;
    for (int s = 0; s < 6 && !status; s++) {
        const double *to = bw_ambient_sides[s].to;
        const struct bw_light_beam beam = {{to[0], to[1], to[2]}, SPREAD, 1};
        memset(t, 0, cells * sizeof *t);
        status = bw_directional_transmittance(tools, &coarse->box, coarse->extinction, &beam, t);
        if (status) break;
        const float k = s == 1 && !scene->floor && !scene->look.has_sky && !scene->look.sky ? 0.5f : 1;
        float side[3];
        bw_ambient_side_light(&scene->look, s, side);
        for (int c = 0; c < 3; c++)
            for (size_t i = 0; i < cells; i++) a->rgb[c][i] += k * side[c] * t[i];
    }
    if (t) tools->release(tools->ctx, t);
    return status;
}

enum bw_status bw_ambient_make(const struct bw_tools *tools, const struct bw_dense *box, const float *extinction,
                               const float *emission, const struct bw_scene *scene, struct bw_ambient *a)
{
    *a = (struct bw_ambient){0};
    enum bw_status status = bw_coarse_make(tools, box, extinction, &a->coarse);
    if (status) return status;
    a->smoke = a->coarse;
    const size_t cells = bw_dense_cells(&a->coarse.box);
    a->rgb[0] = tools->alloc(tools->ctx, 3 * cells * sizeof(float));
    if (!a->rgb[0]) return BW_ERR_MEMORY;
    for (int c = 1; c < 3; c++) a->rgb[c] = a->rgb[0] + (size_t)c * cells;
    if (scene->look.environment > 0) status = sides_light(tools, scene, a);
    return !status && emission ? fire_light(tools, box, emission, &scene->look, a) : status;
}

enum bw_status bw_ambient_solids(const struct bw_tools *tools, const struct bw_coarse *clear, struct bw_ambient *a)
{
    a->smoke = *clear;
    return a->lamps.n ? bw_lamps_solids(tools, &a->coarse, clear->extinction, &a->lamps) : BW_OK;
}

float bw_ambient_transmittance(const struct bw_ambient *a, const double p[3], const struct bw_light_seen *lamp)
{
    return bw_coarse_transmittance(&a->smoke, p, lamp->to, lamp->away);
}

void bw_ambient_free(const struct bw_tools *tools, struct bw_ambient *a)
{
    if (a->smoke.extinction != a->coarse.extinction) bw_coarse_free(tools, &a->smoke);
    bw_coarse_free(tools, &a->coarse);
    bw_lamps_free(tools, &a->lamps);
    if (a->rgb[0]) tools->release(tools->ctx, a->rgb[0]);
    a->rgb[0] = NULL;
}

void bw_ambient_row(const struct bw_ambient *a, int channel, int n, int j, int k, float *coarse, float *fine)
{
    bw_coarse_row(&(struct bw_coarse_row){&a->coarse.box, BW_COARSE, n, j, k}, a->rgb[channel], coarse, fine);
}
