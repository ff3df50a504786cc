// SPDX-License-Identifier: Apache-2.0
/* Lights the medium cell by cell: extinction, emission, every light with its shadows, light from all around; then marches
 * it. Flames absorb what they emit (Kirchhoff): deep ones show their surface, thin ones let see through. Their luminance
 * follows Planck's law only by its square root: between the red tips and the white core of a fire lie factors of
 * thousands, which neither film nor screen can show. Scattering is single, with a second term of the square root of the transmittance that stands for light
 * scattered several times and so reaches deeper (Wrenninge, Kulla, Lundqvist 2013). */
#include "render.h"

#include <math.h>
#include <string.h>

#define DEEP 0.12f ///< share of the several-times scattered term
#define BARE 0.3f  ///< flame that hot gas counts as where no flame is given
#define COARSE_PIXELS 3.5

/// What the passes share.
struct shade {
    const struct bw_tools *tools;
    const struct bw_volume *v;
    const struct bw_scene *scene;
    struct bw_light light[BW_LIGHTS];
    float phase[BW_LIGHTS];
    int32_t n_lights;
    struct bw_planck planck;
    struct bw_lit lit;
    float *extinction;       ///< of light: smoke and obstacles
    float *share[BW_LIGHTS]; ///< what arrives of each light
    float *emission;         ///< rgb of flames, interleaved with what nobody reads, or NULL
    int show;                ///< cells are large enough to be seen
    float *rows;             ///< four rows of scratch a layer
    struct bw_ambient ambient;
    enum bw_status status[BW_LIGHTS];
};

/// A flame's temperature where nobody says.
static float flame_kelvin(float flame) { return 1100 + 800 * bw_least(2 * flame, 1); }

void bw_fire_at(const struct bw_volume *v, size_t cell, double ambient, float fire[2])
{
    fire[0] = v->flame ? bw_most(v->flame[cell], 0) : BARE;
    fire[1] = v->temperature ? v->temperature[cell] + (float)ambient : flame_kelvin(fire[0]);
}

/// Colour of what scatters in a cell.
static void albedo_at(const struct shade *s, size_t cell, float density, float rgb[3])
{
    const struct bw_volume *v = s->v;
    const float *own = s->scene->look.albedo;
    for (int c = 0; c < 3; c++) rgb[c] = own[c];
    if (!v->dye[0]) return;
    float d[3], top = 0;
    for (int c = 0; c < 3; c++) {
        d[c] = bw_most(v->dye[c][cell], 0);
        top = bw_most(top, d[c]);
    }
    if (top <= 1e-4f) return;
    float share = top < density ? top / density : 1;
    for (int c = 0; c < 3; c++) rgb[c] = own[c] * (1 - share) + share * bw_most(0.95f * d[c] / top, 0.03f);
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
    for (size_t i = first; i < first + layer; i++) {
        float sigma = density_at(s->v, i) * (float)s->scene->extinction;
        s->lit.rgbs[4 * i + 3] = s->extinction[i] = sigma;
        if (!s->emission) continue;
        float *fire = s->lit.fire + 2 * i, *glow = s->emission + 4 * i;
        bw_fire_at(s->v, i, s->scene->ambient, fire);
        bw_emission(&s->planck, fire, glow);
        for (int c = 0; c < 3; c++) glow[c] *= s->lit.gain;
    }
}

/// What is being softened: `lanes` values a cell, each with `side` of its two neighbours along each axis.
struct soften {
    const struct bw_dense *box;
    float *cells, side;
    size_t lanes;
};

/// Along one row of n cells `step` values apart, in place.
static void line_soften(const struct soften *s, float *p, int n, size_t step)
{
    float before[4], here[4];
    for (size_t c = 0; c < s->lanes; c++) before[c] = p[c];
    for (int i = 0; i < n; i++, p += step)
        for (size_t c = 0; c < s->lanes; c++) {
            here[c] = p[c];
            p[c] = s->side * (before[c] + (i + 1 < n ? p[step + c] : here[c])) + (1 - 2 * s->side) * here[c];
            before[c] = here[c];
        }
}

static void layer_soften(int64_t k, void *user)
{
    const struct soften *s = user;
    const size_t nx = (size_t)s->box->n[0], ny = (size_t)s->box->n[1];
    float *layer = s->cells + s->lanes * nx * ny * (size_t)k;
    for (size_t j = 0; j < ny; j++) line_soften(s, layer + s->lanes * nx * j, (int)nx, s->lanes);
    for (size_t i = 0; i < nx; i++) line_soften(s, layer + s->lanes * i, (int)ny, s->lanes * nx);
}

static void column_soften(int64_t j, void *user)
{
    const struct soften *s = user;
    const size_t nx = (size_t)s->box->n[0], ny = (size_t)s->box->n[1];
    for (size_t i = 0; i < nx; i++)
        line_soften(s, s->cells + s->lanes * (nx * (size_t)j + i), s->box->n[2], s->lanes * nx * ny);
}

/// A filter of one cell along each axis, which weakens the shortest waves.
static void cells_soften(const struct shade *s, float *cells, size_t lanes, float side)
{
    struct soften f = {&s->lit.box, cells, side, lanes};
    s->tools->parallel(s->tools->ctx, s->lit.box.n[2], layer_soften, &f);
    s->tools->parallel(s->tools->ctx, s->lit.box.n[1], column_soften, &f);
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

#define AHEAD 0.6   ///< share of the phase function's forward lobe …
#define ASTERN 0.55 ///< … and how much of its anisotropy the other one has, backwards

/// Henyey and Greenstein's phase function relative to isotropic scattering.
static double lobe_value(double g, double cosine) { return (1 - g * g) / pow(1 + g * g - 2 * g * cosine, 1.5); }

double bw_phase(double anisotropy, double cosine)
{
    return AHEAD * lobe_value(anisotropy, cosine) + (1 - AHEAD) * lobe_value(-ASTERN * anisotropy, cosine);
}

double bw_phase_mean(double anisotropy) { return (AHEAD - (1 - AHEAD) * ASTERN) * anisotropy; }

static float phase_value(const struct bw_light *l, const struct bw_camera *c, double g)
{
    double cosine = 0;
    for (int a = 0; a < 3; a++) cosine += l->to[a] * c->forward[a];
    return (float)bw_phase(g, cosine);
}

static void light_task(int64_t i, void *user)
{
    struct shade *s = user;
    s->status[i] =
        bw_light_sweep(s->tools, &s->lit.box, s->extinction, s->light[i].to, s->light[i].spread, s->share[i]);
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
    float *out = s->lit.rgbs + 4 * i, albedo[3], density = out[3] > 0 ? density_at(s->v, i) : 0;
    if (density > 0) {
        float arrives[3] = {ambient[0], ambient[1], ambient[2]};
        albedo_at(s, i, density, albedo);
        for (int l = 0; l < s->n_lights; l++) {
            const float t = s->share[l][i], direct = s->phase[l] * ((1 - DEEP) * t + DEEP * 0.5f * sqrtf(t));
            for (int c = 0; c < 3; c++) arrives[c] += direct * s->light[l].rgb[c];
        }
        for (int c = 0; c < 3; c++) out[c] = density * (float)s->scene->extinction * albedo[c] * arrives[c];
    }
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

/// Does a cell in the middle cover more than COARSE_PIXELS pixels?
static int cells_show(const struct bw_scene *scene, const struct bw_dense *b, int32_t height)
{
    double r2 = 0;
    for (int a = 0; a < 3; a++) r2 += pow(b->origin[a] + 0.5 * b->n[a] * b->h - scene->camera.eye[a], 2);
    return b->h * height > COARSE_PIXELS * 2 * scene->camera.tan_y * sqrt(r2);
}

/// Fill s->lit. Memory comes as one block, given back by the caller.
static enum bw_status medium_light(struct shade *s, float *memory)
{
    const size_t cells = bw_dense_cells(&s->lit.box);
    s->lit.rgbs = memory;
    s->extinction = memory + 4 * cells;
    memory += 5 * cells;
    for (int l = 0; l < s->n_lights; l++, memory += cells) s->share[l] = memory;
    s->emission = s->v->flame || s->v->temperature ? memory : NULL;
    s->lit.fire = s->emission ? memory + 4 * cells : NULL;
    s->rows = memory + (s->emission ? 6 * cells : 0);
    s->lit.planck = &s->planck;
    s->lit.soot = s->v->flame ? BW_SOOT * (float)s->scene->extinction : 0;
    s->lit.gain = BW_GLOW * BW_SOOT * (float)(s->scene->extinction * s->scene->look.fire);
    for (int l = 0; l < s->n_lights; l++)
        s->phase[l] = phase_value(&s->light[l], &s->scene->camera, s->scene->look.anisotropy);
    if (s->emission) bw_planck_init(&s->planck, BW_CONTRAST);
    s->tools->parallel(s->tools->ctx, s->lit.box.n[2], layer_medium, s);
    if (s->v->solid) solid_block(s);
    s->tools->parallel(s->tools->ctx, s->n_lights, light_task, s);
    enum bw_status status = bw_ambient_make(s->tools, &s->lit.box, s->extinction, s->emission, s->scene, &s->ambient);
    for (int l = 0; l < s->n_lights && !status; l++) status = s->status[l];
    if (status) return status;
    s->tools->parallel(s->tools->ctx, s->lit.box.n[2], layer_light, s);
    if (s->show) cells_soften(s, s->lit.rgbs, 4, 0.25f); // the terraces of dense smoke would show
    // sheets of flame as thin as a cell would come out as beads
    if (s->emission) cells_soften(s, s->lit.fire, 2, 0.25f * (float)s->scene->look.soften);
    return BW_OK;
}

enum bw_status bw_render_linear(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                                struct bw_image *img, float *alpha)
{
    struct shade s = {.tools = tools, .v = v, .scene = scene, .lit = {.box = v->box}};
    s.n_lights = bw_scene_lights(scene, s.light);
    s.show = cells_show(scene, &v->box, img->h);
    const size_t cells = bw_dense_cells(&v->box), each = 5 + (size_t)s.n_lights + (v->flame || v->temperature ? 6 : 0);
    const size_t rows = 4 * (size_t)v->box.n[0] * (size_t)v->box.n[2];
    float *memory = cells ? tools->alloc(tools->ctx, (each * cells + rows) * sizeof(float)) : NULL;
    enum bw_status status = cells && !memory ? BW_ERR_MEMORY : BW_OK;
    if (!status && cells) status = medium_light(&s, memory);
    if (!status) status = bw_march(tools, &s.lit, &s.ambient, v, scene, img, alpha);
    bw_ambient_free(tools, &s.ambient);
    if (memory) tools->release(tools->ctx, memory);
    return status;
}

enum bw_status bw_render(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                         struct bw_image *img)
{
    enum bw_status status = bw_render_linear(tools, v, scene, img, NULL);
    if (!status) status = bw_film_bloom(img, scene->look.bloom);
    if (!status) bw_film_develop(img, scene->exposure);
    return status;
}
