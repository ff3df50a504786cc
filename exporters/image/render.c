// SPDX-License-Identifier: Apache-2.0
/* Lights the medium cell by cell: extinction, emission, key and rim light with their shadows, ambient light; then
 * marches it. Scattering is single, with a second term of the square root of the transmittance that stands for light
 * scattered several times and so reaches deeper (Wrenninge, Kulla, Lundqvist 2013). */
#include "render.h"

#include <math.h>
#include <string.h>

#define ALBEDO 0.92f
#define DEEP 0.12f     ///< share of the several-times scattered term
#define GLOW_GAIN 9.0f ///< emission of a full flame in units of the scene's extinction

/// What the passes share.
struct shade {
    const struct bw_tools *tools;
    const struct bw_volume *v;
    const struct bw_scene *scene;
    struct bw_light light[2];
    float phase[2];
    struct bw_lit lit;
    float *extinction; ///< of light: smoke and obstacles
    float *share[2];   ///< what arrives of key and rim
    float *emission;   ///< rgb interleaved, or NULL
    float *rows;       ///< four rows of scratch a layer
    struct bw_ambient ambient;
    enum bw_status status[2];
};

/// Planck's law in Wien's form at 610, 550 and 465 nm, relative to 1600 K; half as steep as it is, as an eye that has
/// adapted, or film, would see it.
static void blackbody(float kelvin, float rgb[3])
{
    static const float second[3] = {23587, 26160, 30942}, white[3] = {1.0f, 0.40f, 0.10f}; // c2/λ, K
    for (int c = 0; c < 3; c++) rgb[c] = white[c] * expf(-0.5f * second[c] * (1 / kelvin - 1 / 1600.0f));
}

void bw_emission(const struct bw_volume *v, size_t cell, double ambient, float rgb[3])
{
    float strength = 1, kelvin = 0;
    rgb[0] = rgb[1] = rgb[2] = 0;
    if (v->flame) {
        strength = v->flame[cell];
        kelvin = 1150 + 600 * bw_least(strength, 1.5f);
        if (!(strength > 1e-3f)) return;
    } else if (v->temperature) {
        kelvin = v->temperature[cell] + (float)ambient;
        if (!(kelvin > 800)) return; // Draper point: colder things do not glow
        kelvin = bw_least(kelvin, 4000);
    }
    if (kelvin <= 0) return;
    blackbody(kelvin, rgb);
    for (int c = 0; c < 3; c++) rgb[c] *= strength;
}

/// Colour of what scatters in a cell.
static void albedo_at(const struct bw_volume *v, size_t cell, float density, float rgb[3])
{
    rgb[0] = rgb[1] = rgb[2] = ALBEDO;
    if (!v->dye[0]) return;
    float d[3], top = 0;
    for (int c = 0; c < 3; c++) {
        d[c] = bw_most(v->dye[c][cell], 0);
        top = bw_most(top, d[c]);
    }
    if (top <= 1e-4f) return;
    float share = top < density ? top / density : 1;
    for (int c = 0; c < 3; c++) rgb[c] = ALBEDO * (1 - share) + share * bw_most(0.95f * d[c] / top, 0.03f);
}

static float density_at(const struct bw_volume *v, size_t cell)
{
    if (v->density) return bw_most(v->density[cell], 0);
    return v->dye[0] ? bw_most(bw_most(v->dye[0][cell], v->dye[1][cell]), bw_most(v->dye[2][cell], 0)) : 0;
}

/// Extinction and emission of one layer of cells.
static void layer_medium(int64_t k, void *user)
{
    struct shade *s = user;
    const struct bw_dense *b = &s->lit.box;
    size_t layer = (size_t)b->n[0] * (size_t)b->n[1], first = (size_t)k * layer;
    float gain = GLOW_GAIN * (float)s->scene->extinction / 60;
    for (size_t i = first; i < first + layer; i++) {
        float sigma = density_at(s->v, i) * (float)s->scene->extinction;
        s->lit.rgbs[4 * i + 3] = s->extinction[i] = sigma;
        if (!s->emission) continue;
        bw_emission(s->v, i, s->scene->ambient, s->emission + 3 * i);
        for (int c = 0; c < 3; c++) s->emission[3 * i + (size_t)c] *= gain;
    }
}

/// Obstacles stop light: their cells become opaque for the shadow passes. Both boxes share one lattice.
static void solid_block(struct shade *s)
{
    const struct bw_dense *b = &s->lit.box, *sb = &s->v->solid_box;
    int off[3];
    for (int a = 0; a < 3; a++) off[a] = (int)lround((b->origin[a] - sb->origin[a]) / b->h);
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++) {
                int p[3] = {i + off[0], j + off[1], k + off[2]}, out = 0;
                for (int a = 0; a < 3; a++) out |= p[a] < 0 || p[a] >= sb->n[a];
                if (out) continue;
                float d =
                    s->v->solid[((size_t)p[2] * (size_t)sb->n[1] + (size_t)p[1]) * (size_t)sb->n[0] + (size_t)p[0]];
                if (d < 0)
                    s->extinction[((size_t)k * (size_t)b->n[1] + (size_t)j) * (size_t)b->n[0] + (size_t)i] +=
                        (float)(2 / b->h);
            }
}

/// Henyey–Greenstein twice, forward and a little back, relative to isotropic.
static float phase_value(const struct bw_light *l, const struct bw_camera *c)
{
    double cosine = 0, g = 0.45, back = -0.25;
    for (int a = 0; a < 3; a++) cosine += l->to[a] * c->forward[a];
    double f = (1 - g * g) / pow(1 + g * g - 2 * g * cosine, 1.5);
    double r = (1 - back * back) / pow(1 + back * back - 2 * back * cosine, 1.5);
    return (float)(0.6 * f + 0.4 * r);
}

static void light_task(int64_t i, void *user)
{
    struct shade *s = user;
    s->status[i] = bw_light_sweep(s->tools, &s->lit.box, s->extinction, s->light[i].to, i ? 0.1f : 0.03f, s->share[i]);
}

/// A row of ambient light at the fine cells: bilinear in y and z into `coarse`, then linear in x.
static void ambient_row(const struct shade *s, int c, int j, int k, float *coarse, float *fine)
{
    const struct bw_dense *b = &s->ambient.box;
    int at[2], next[2], jk[2] = {j, k};
    float f[2];
    for (int a = 0; a < 2; a++) {
        float x = bw_least(bw_most(((float)jk[a] + 0.5f) / BW_COARSE - 0.5f, 0), (float)(b->n[a + 1] - 1));
        at[a] = (int)x;
        f[a] = x - (float)at[a];
        next[a] = at[a] + 1 < b->n[a + 1] ? at[a] + 1 : at[a];
    }
    const float *rgb = s->ambient.rgb[c];
    const float *p00 = rgb + ((size_t)at[1] * (size_t)b->n[1] + (size_t)at[0]) * (size_t)b->n[0];
    const float *p10 = rgb + ((size_t)at[1] * (size_t)b->n[1] + (size_t)next[0]) * (size_t)b->n[0];
    const float *p01 = rgb + ((size_t)next[1] * (size_t)b->n[1] + (size_t)at[0]) * (size_t)b->n[0];
    const float *p11 = rgb + ((size_t)next[1] * (size_t)b->n[1] + (size_t)next[0]) * (size_t)b->n[0];
    for (int i = 0; i < b->n[0]; i++)
        coarse[i] = (p00[i] * (1 - f[0]) + p10[i] * f[0]) * (1 - f[1]) + (p01[i] * (1 - f[0]) + p11[i] * f[0]) * f[1];
    for (int i = 0; i < s->lit.box.n[0]; i++) {
        float x = bw_least(bw_most(((float)i + 0.5f) / BW_COARSE - 0.5f, 0), (float)(b->n[0] - 1));
        int m = (int)x, n = m + 1 < b->n[0] ? m + 1 : m;
        fine[i] = coarse[m] + (coarse[n] - coarse[m]) * (x - (float)m);
    }
}

/// Light that a cell sends to the eye, per metre.
static void cell_light(struct shade *s, size_t i, const float ambient[3])
{
    float *out = s->lit.rgbs + 4 * i, albedo[3] = {0}, direct[2];
    if (out[3] > 0) {
        albedo_at(s->v, i, out[3] / (float)s->scene->extinction, albedo);
        for (int l = 0; l < 2; l++) {
            float t = s->share[l][i];
            direct[l] = s->phase[l] * ((1 - DEEP) * t + DEEP * 0.5f * sqrtf(t));
        }
        for (int c = 0; c < 3; c++)
            out[c] =
                out[3] * albedo[c] * (direct[0] * s->light[0].rgb[c] + direct[1] * s->light[1].rgb[c] + ambient[c]);
    }
    for (int c = 0; c < 3 && s->emission; c++) out[c] += s->emission[3 * i + (size_t)c];
}

static void layer_light(int64_t k, void *user)
{
    struct shade *s = user;
    const struct bw_dense *b = &s->lit.box;
    size_t nx = (size_t)b->n[0];
    float *rows = s->rows + 4 * nx * (size_t)k;
    for (int j = 0; j < b->n[1]; j++) {
        for (int c = 0; c < 3; c++) ambient_row(s, c, j, (int)k, rows + 3 * nx, rows + (size_t)c * nx);
        size_t first = ((size_t)k * (size_t)b->n[1] + (size_t)j) * nx;
        for (size_t i = 0; i < nx; i++) cell_light(s, first + i, (float[3]){rows[i], rows[nx + i], rows[2 * nx + i]});
    }
}

/// Fill s->lit. Memory comes as one block, given back by the caller.
static enum bw_status medium_light(struct shade *s, float *memory)
{
    size_t cells = bw_dense_cells(&s->lit.box);
    s->lit.rgbs = memory;
    s->extinction = memory + 4 * cells;
    s->share[0] = memory + 5 * cells;
    s->share[1] = memory + 6 * cells;
    s->rows = memory + 7 * cells;
    s->emission =
        s->v->flame || s->v->temperature ? s->rows + 4 * (size_t)s->lit.box.n[0] * (size_t)s->lit.box.n[2] : NULL;
    bw_scene_lights(&s->scene->camera, &s->light[0], &s->light[1]);
    for (int l = 0; l < 2; l++) s->phase[l] = phase_value(&s->light[l], &s->scene->camera);
    s->tools->parallel(s->tools->ctx, s->lit.box.n[2], layer_medium, s);
    if (s->v->solid) solid_block(s);
    s->tools->parallel(s->tools->ctx, 2, light_task, s);
    enum bw_status status =
        bw_ambient_make(s->tools, &s->lit.box, s->extinction, s->emission, s->scene->floor, &s->ambient);
    if (status || s->status[0] || s->status[1]) return BW_ERR_MEMORY;
    s->tools->parallel(s->tools->ctx, s->lit.box.n[2], layer_light, s);
    return BW_OK;
}

enum bw_status bw_render(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                         struct bw_image *img)
{
    struct shade s = {.tools = tools, .v = v, .scene = scene, .lit = {v->box, NULL}};
    size_t cells = bw_dense_cells(&v->box), each = v->flame || v->temperature ? 10 : 7;
    size_t rows = 4 * (size_t)v->box.n[0] * (size_t)v->box.n[2];
    float *memory = cells ? tools->alloc(tools->ctx, (each * cells + rows) * sizeof(float)) : NULL;
    enum bw_status status = cells && !memory ? BW_ERR_MEMORY : BW_OK;
    if (!status && cells) status = medium_light(&s, memory);
    if (!status) status = bw_march(tools, &s.lit, &s.ambient, v, scene, img);
    bw_ambient_free(tools, &s.ambient);
    if (memory) tools->release(tools->ctx, memory);
    return status;
}
