// SPDX-License-Identifier: Apache-2.0
/* Lights the medium cell by cell: extinction, emission, every light with its shadows, light from all around. Flames
 * absorb what they emit (Kirchhoff): deep ones show their surface, thin ones let see through. Their luminance
 * follows Planck's law only by its square root: between the red tips and the white core of a fire lie factors of
 * thousands, which neither film nor screen can show. Light that is scattered again and again comes in octaves
 * (Wrenninge, Kulla, Lundqvist 2013): of each further one there is less, in the colour of smoke once more, with less
 * direction, and it reaches deeper, but no deeper than diffusion lets it: through smoke of albedo a and mean cosine g
 * it falls as exp(-√(3 (1-a)(1-a g)) τ), τ straight to the surface, which is 2/3 of the way to a lamp in the mean of
 * what enters. Shares were set by eye beside a plume of Cycles (tests/bench/cycles.py compares). */
#include "medium.h"
#include "crisp.h"
#include "soften.h"
#include <picture/volume/scene/flame.h>
#include <picture/volume/scene/phase.h>
#include <picture/volume/scene/quick.h>
#include <picture/volume/sweep/shares.h>

#include <math.h>

enum { OCTAVES = 3, LOBE = 48 };
#define SHARE 0.45f         ///< of one octave in the next …
#define DEPTH 0.4f          ///< … its optical depth …
#define BLUNT 0.5f          ///< … and its anisotropy
#define STRAIGHT (2 / 3.0f) ///< mean cosine of the way in
#define NEAREST 1.5         ///< cells from a lamp: nearer by, cells are too wide for its light

/// What the passes share.
struct shade {
    const struct bw_tools *tools;
    const struct bw_volume *v;
    const struct bw_scene *scene;
    struct bw_medium *m;
    struct bw_light light[BW_LIGHTS];
    float phase[BW_LIGHTS][OCTAVES];   ///< of lamps far off, times the octave's share
    float lobe[OCTAVES][2 * LOBE + 1]; ///< the same for cosines from -1 to 1, where a lamp has a place
    float ahead;                       ///< mean cosine of what is scattered
    float diffusion[3];                ///< of smoke without a dye
    int32_t n_lights;
    float *extinction;       ///< of light: smoke and obstacles
    float *share[BW_LIGHTS]; ///< what arrives of each light
    float *emission;         ///< {rgb, extinction} of flames, or NULL
    float *rows;             ///< four rows of scratch a layer
    enum bw_status status[BW_LIGHTS];
};

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
    const struct bw_dense *b = &s->m->lit.box;
    size_t layer = (size_t)b->n[0] * (size_t)b->n[1], first = (size_t)k * layer;
    for (size_t i = first; i < first + layer; i++) {
        float sigma = density_at(s->v, i) * (float)s->scene->extinction;
        s->m->lit.rgbs[4 * i + 3] = s->extinction[i] = sigma;
        if (!s->emission) continue;
        float *fire = s->m->lit.fire + 2 * i, *glow = s->emission + 4 * i;
        bw_fire_at(s->v, i, s->scene->ambient, fire);
        bw_emission(s->m->lit.planck, fire, glow);
        for (int c = 0; c < 3; c++) glow[c] *= s->m->lit.gain;
        glow[3] = s->m->lit.soot * fire[0];
    }
}

/// Obstacles stop light, of all octaves: their cells become opaque for the shadow passes. Both boxes share one lattice.
static void solid_block(struct shade *s)
{
    const struct bw_dense *b = &s->m->lit.box, *sb = &s->v->solid_box;
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
                        (float)(12 / b->h);
            }
}

/// What light that is scattered on and on keeps of extinction at least, on its way from a lamp, by channel.
static void diffusion_of(const struct shade *s, const float albedo[3], float least[3])
{
    for (int c = 0; c < 3; c++) {
        const float lost = 3 * (1 - albedo[c]) * (1 - albedo[c] * s->ahead);
        least[c] = bw_least(STRAIGHT * sqrtf(bw_most(lost, 0)), 1);
    }
}

static void phase_values(double g, double cosine, float phase[OCTAVES])
{
    float share = BW_SUN_SMOKE;
    for (int o = 0; o < OCTAVES; o++, g *= (double)BLUNT, share *= SHARE) phase[o] = share * (float)bw_phase(g, cosine);
}

static void phases_make(struct shade *s)
{
    const double g = s->scene->look.anisotropy, *ahead = s->scene->camera.forward;
    s->ahead = (float)bw_phase_mean(g);
    diffusion_of(s, s->scene->look.albedo, s->diffusion);
    for (int l = 0; l < s->n_lights; l++) {
        const double *to = s->light[l].to;
        phase_values(g, to[0] * ahead[0] + to[1] * ahead[1] + to[2] * ahead[2], s->phase[l]);
    }
    for (int q = 0; q <= 2 * LOBE; q++) {
        float phase[OCTAVES];
        phase_values(g, (double)q / LOBE - 1, phase);
        for (int o = 0; o < OCTAVES; o++) s->lobe[o][q] = phase[o];
    }
}

/// Of a lamp with a place, what arrives at p through clear air times what of it goes to the eye.
static void phase_from(const struct shade *s, const struct bw_light *l, const double p[3], float phase[OCTAVES])
{
    const struct bw_light_seen seen = bw_light_from(l, p, NEAREST * s->m->lit.box.h);
    double cosine = 0, far = 1e-30;
    for (int a = 0; a < 3; a++) {
        const double d = p[a] - s->scene->camera.eye[a];
        cosine += seen.to[a] * d, far += d * d;
    }
    const float at = LOBE * (1 + bw_least(bw_most((float)(cosine / sqrt(far)), -1), 1));
    const int q = at < 2 * LOBE ? (int)at : 2 * LOBE - 1;
    for (int o = 0; o < OCTAVES; o++)
        phase[o] = seen.share * (s->lobe[o][q] + (at - (float)q) * (s->lobe[o][q + 1] - s->lobe[o][q]));
}

static void light_task(int64_t i, void *user)
{
    struct shade *s = user;
    const struct bw_shares_wish wish = {&s->light[i], s->extinction, s->scene->look.quality};
    s->status[i] = bw_light_shares(s->tools, &s->m->lit.box, &wish, s->share[i]);
}

/// Light that a cell sends to the eye, per metre.
static void cell_light(struct shade *s, size_t i, const double p[3], const float ambient[3])
{
    const float *more = s->scene->look.extinction;
    float *out = s->m->lit.rgbs + 4 * i, albedo[3], arrives[3], density = out[3] > 0 ? density_at(s->v, i) : 0;
    const float *least = s->diffusion;
    float own[3];
    if (density <= 0) return;
    albedo_at(s, i, density, albedo);
    if (s->v->dye[0]) diffusion_of(s, albedo, own), least = own;
    for (int c = 0; c < 3; c++) arrives[c] = ambient[c];
    for (int l = 0; l < s->n_lights; l++) {
        const float depth = -logf(bw_most(s->share[l][i], 1e-30f));
        float tint[3] = {1, 1, 1}, deep = depth, near[OCTAVES];
        if (s->light[l].near) phase_from(s, &s->light[l], p, near);
        const float *phase = s->light[l].near ? near : s->phase[l];
        for (int o = 0; o < OCTAVES; o++, deep *= DEPTH) {
            float keep = 1;
            for (int c = 0; c < 3; c++) {
                if (!c || more[c] != more[c - 1] || least[c] != least[c - 1])
                    keep = bw_exp_neg(more[c] * bw_most(deep, least[c] * depth));
                arrives[c] += phase[o] * keep * tint[c] * s->light[l].rgb[c];
                tint[c] *= albedo[c];
            }
        }
    }
    for (int c = 0; c < 3; c++) out[c] = density * (float)s->scene->extinction * more[c] * albedo[c] * arrives[c];
}

static void layer_light(int64_t k, void *user)
{
    struct shade *s = user;
    const struct bw_dense *b = &s->m->lit.box;
    size_t nx = (size_t)b->n[0];
    float *rows = s->rows + 4 * nx * (size_t)k;
    for (int j = 0; j < b->n[1]; j++) {
        for (int c = 0; c < 3; c++)
            bw_ambient_row(&s->m->ambient, c, (int)nx, j, (int)k, rows + 3 * nx, rows + (size_t)c * nx);
        size_t first = ((size_t)k * (size_t)b->n[1] + (size_t)j) * nx;
        for (size_t i = 0; i < nx; i++) {
            const double p[3] = {b->origin[0] + ((double)i + 0.5) * b->h, b->origin[1] + (j + 0.5) * b->h,
                                 b->origin[2] + ((double)k + 0.5) * b->h};
            cell_light(s, first + i, p, (float[3]){rows[i], rows[nx + i], rows[2 * nx + i]});
        }
    }
}

/// Parcel out `memory` as the passes need it.
static void arrays_place(struct shade *s, size_t cells, float *memory)
{
    s->m->lit.rgbs = memory;
    s->extinction = memory + 4 * cells;
    memory += 5 * cells;
    for (int l = 0; l < s->n_lights; l++, memory += cells) s->share[l] = memory;
    s->emission = s->v->flame || s->v->temperature ? memory : NULL;
    s->m->lit.fire = s->emission ? memory + 4 * cells : NULL;
    s->rows = memory + (s->emission ? 6 * cells : 0);
}

static enum bw_status passes_run(struct shade *s)
{
    struct bw_lit *lit = &s->m->lit;
    const struct bw_dense *b = &lit->box;
    phases_make(s);
    if (s->emission) bw_planck_init(&s->m->planck, s->scene->look.contrast);
    s->tools->parallel(s->tools->ctx, b->n[2], layer_medium, s);
    if (s->v->solid) solid_block(s);
    s->tools->parallel(s->tools->ctx, s->n_lights, light_task, s);
    enum bw_status status = bw_ambient_make(s->tools, b, s->extinction, s->emission, s->scene, &s->m->ambient);
    if (!status && s->v->solid) status = bw_ambient_solids(s->tools, b, lit->rgbs + 3, 4, &s->m->ambient);
    for (int l = 0; l < s->n_lights && !status; l++) status = s->status[l];
    if (status) return status;
    s->tools->parallel(s->tools->ctx, b->n[2], layer_light, s);
    return BW_OK;
}

enum bw_status bw_medium_light(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                               struct bw_medium *m)
{
    struct shade s = {.tools = tools, .v = v, .scene = scene, .m = m};
    *m = (struct bw_medium){.lit = {.box = v->box, .planck = &m->planck}};
    s.n_lights = bw_scene_lights(scene, s.light);
    const size_t cells = bw_dense_cells(&v->box), each = 5 + (size_t)s.n_lights + (v->flame || v->temperature ? 6 : 0);
    const size_t rows = 4 * (size_t)v->box.n[0] * (size_t)v->box.n[2];
    if (!cells) return BW_OK;
    m->memory = tools->alloc(tools->ctx, (each * cells + rows) * sizeof(float));
    if (!m->memory) return BW_ERR_MEMORY;
    arrays_place(&s, cells, m->memory);
    m->lit.soot = v->flame ? BW_SOOT * (float)scene->extinction : 0;
    m->lit.hides = (float)(scene->look.opacity - 1);
    m->lit.gain = BW_GLOW * BW_SOOT * (float)(scene->extinction * scene->look.fire);
    return passes_run(&s);
}

int bw_lit_cubic(const struct bw_lit *l, const struct bw_look *look)
{
    return look->quality > BW_QUALITY_DRAFT && l->box.n[0] >= 4 && l->box.n[1] >= 4 && l->box.n[2] >= 4;
}

/* f - δ²f/6 along each axis, read by a cubic B-spline, is f to the fourth order (de Boor and Fix 1973): waves of 4
 * cells keep 0.88 of their height instead of 0.66, of 8 cells 0.99 instead of 0.90, and beside an edge there is 6 % too
 * much. Flames get half of it: their light is steep in temperature, and columns of cells that burn by turns would show.
 * Sheets of flame as thin as a cell come out as beads all the same unless they are softened. */
enum bw_status bw_medium_sharpen(const struct bw_tools *tools, const struct bw_look *look, struct bw_medium *m)
{
    enum bw_status status =
        m->lit.fire && look->crisp > 0 ? bw_flames_crisp(tools, &m->lit, (float)look->crisp) : BW_OK;
    const float flames = 0.25f * (float)(look->soften - BW_SOFTEN);
    const int cubic = m->lit.rgbs && bw_lit_cubic(&m->lit, look);
    if (cubic) bw_cells_soften(tools, &m->lit.box, m->lit.rgbs, 4, -1 / 6.0f);
    if (m->lit.fire && (cubic || flames > 0)) bw_cells_soften(tools, &m->lit.box, m->lit.fire, 2, flames);
    return status;
}

void bw_medium_free(const struct bw_tools *tools, struct bw_medium *m)
{
    bw_ambient_free(tools, &m->ambient);
    if (m->memory) tools->release(tools->ctx, m->memory);
    if (m->moved) tools->release(tools->ctx, m->moved);
    m->memory = m->moved = NULL;
}
