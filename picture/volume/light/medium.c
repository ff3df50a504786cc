// SPDX-License-Identifier: Apache-2.0
/* Lights the medium cell by cell: extinction, emission, every light with its shadows, light from all around. Flames
 * absorb what they emit (Kirchhoff): deep ones show their surface, thin ones let see through. Their luminance follows
 * Planck's law only by its square root: between the red tips and the white core of a fire lie factors of thousands,
 * which neither film nor screen can show. Multiple scattering is found by sweeps (discrete_ordinates.c), from what
 * arrives of lamps and from all around; of a lamp's light what went forward when it was scattered counts as not
 * scattered yet (transport approximation: 1 - a g of extinction, a: albedo, g: mean cosine), so that cells have
 * exp(-(1 - a g) τ) of it, and the difference to exp(-τ) has lost its direction. */
#include "medium.h"
#include "row.h"
#include "smoke.h"
#include <picture/volume/detail/soften.h>
#include <picture/volume/scattering/multiple_scattering.h>
#include <picture/volume/flames/crisp.h>
#include <picture/volume/flames/root.h>
#include <picture/volume/scene/flame.h>
#include <picture/volume/scene/phase.h>
#include <picture/volume/scene/fast_math.h>
#include <picture/volume/light/boundary.h>
#include <picture/volume/light/shadow_rays.h>
#include <picture/volume/scattering/shadow_volume.h>

#include <math.h>

enum { LOBE = 48, ROWS = 15 };
#define NOWHERE 8.0f ///< as logarithm: radiance 1, far from smoke
#define NEAREST 1.5  ///< cells from a lamp: nearer by, cells are too wide for its light

/// What the passes share.
struct shade {
    const struct bw_tools *tools;
    const struct bw_volume *v;
    const struct bw_scene *scene;
    struct bw_medium *m;
    struct bw_light light[BW_LIGHTS];
    float phase[BW_LIGHTS];   ///< of lamps far off: what of their light goes to the eye
    float lobe[2 * LOBE + 1]; ///< the same for cosines from -1 to 1, where a lamp has a place
    float ahead;              ///< mean cosine of what is scattered
    int32_t n_lights;
    float *extinction;           ///< of light: smoke, the soot of flames, and obstacles
    float *depth[BW_LIGHTS];     ///< what lies before each light, optical depths; at first what arrives of it
    float *emission;             ///< {rgb, extinction} of flames, or NULL
    float *rows;                 ///< ROWS of scratch a layer
    const uint8_t *near;         ///< enum bw_boundary, where light is kept as logarithms, or NULL
    uint8_t *marks;              ///< then: room for them, two bytes a cell
    float *spare;                ///< then: room for what lies before a light
    struct bw_multiple multiple; ///< what smoke scatters on to smoke
    enum bw_status status[BW_LIGHTS];
};

/// Extinction and emission of one layer of cells.
static void layer_medium(int64_t k, void *user)
{
    struct shade *s = user;
    const struct bw_dense *b = &s->m->lit.box;
    size_t layer = (size_t)b->n[0] * (size_t)b->n[1], first = (size_t)k * layer;
    for (size_t i = first; i < first + layer; i++) {
        float sigma = bw_smoke_density(s->v, i) * (float)s->scene->extinction;
        s->m->lit.rgbs[4 * i + 3] = s->extinction[i] = sigma;
        for (size_t c = 0; c < 3 && s->marks; c++) s->m->lit.rgbs[4 * i + c] = NOWHERE;
        if (!s->emission) continue;
        float *fire = s->m->lit.fire + 2 * i, *glow = s->emission + 4 * i;
        bw_fire_at(s->v, i, s->scene->ambient, fire);
        if (s->v->fuel) fire[0] *= 1 - bw_root_share(s->v, &s->scene->look, i);
        bw_emission(s->m->lit.blackbody, fire, glow);
        for (int c = 0; c < 3; c++) glow[c] *= s->m->lit.gain;
        glow[3] = s->m->lit.soot * fire[0];
        s->extinction[i] += glow[3];
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

static void phases_make(struct shade *s)
{
    const double g = s->scene->look.anisotropy, *ahead = s->scene->camera.forward;
    s->ahead = (float)fmax(bw_phase_mean(g), 0); // of what is scattered back, more than all would not have lost its way
    for (int l = 0; l < s->n_lights; l++) {
        const double *to = s->light[l].to;
        s->phase[l] = (float)bw_phase(g, to[0] * ahead[0] + to[1] * ahead[1] + to[2] * ahead[2]);
    }
    for (int q = 0; q <= 2 * LOBE; q++) s->lobe[q] = (float)bw_phase(g, (double)q / LOBE - 1);
}

/// Of a lamp's light at p, what arrives through clear air, over 4π: its share, and times `phase` to the eye.
static float lamp_share(const struct shade *s, int lamp, const double p[3], float *phase)
{
    const struct bw_light *l = &s->light[lamp];
    *phase = s->phase[lamp];
    if (!l->near) return BW_SUN_SMOKE;
    const struct bw_light_seen seen = bw_light_from(l, p, NEAREST * s->m->lit.box.h);
    double cosine = 0, far = 1e-30;
    for (int a = 0; a < 3; a++) {
        const double d = p[a] - s->scene->camera.eye[a];
        cosine += seen.to[a] * d, far += d * d;
    }
    const float at = LOBE * (1 + bw_least(bw_most((float)(cosine / sqrt(far)), -1), 1));
    const int q = at < 2 * LOBE ? (int)at : 2 * LOBE - 1;
    *phase = s->lobe[q] + (at - (float)q) * (s->lobe[q + 1] - s->lobe[q]);
    return BW_SUN_SMOKE * seen.share;
}

static void light_task(int64_t i, void *user)
{
    struct shade *s = user;
    const struct bw_shadow_volume_wish wish = {&s->light[i], s->extinction, s->scene->look.quality};
    s->status[i] = bw_shadow_volume(s->tools, &s->m->lit.box, &wish, s->depth[i]);
}

/// What is found for rows of cells: light by channel that comes on top of what is there, what smoke around it scattered
/// for the first time, what it scatters, what it sends; a lamp, at first room for two.
enum { MORE, AROUND = 3, ALBEDO = 6, LIGHT = 9, DENSE = 12, LAMP, PHASE, LEFT = PHASE, SCRATCH = LAMP };

/// n cells of a row from `cell` on, whose middle is p; `at`: of their rows the first values, `pitch` apart.
struct lit_run {
    size_t cell, pitch;
    int n;
    double p[3];
    float *at;
};

static float *run_row(const struct lit_run *r, int row, int c) { return r->at + (size_t)(row + c) * r->pitch; }

static struct bw_row_lamp run_lamp(const struct shade *s, const struct lit_run *r, int l)
{
    const struct bw_row_lamp lamp = {r->n, s->depth[l] + r->cell, run_row(r, LAMP, 0), run_row(r, PHASE, 0)};
    for (int i = 0; i < r->n; i++) {
        const double p[3] = {r->p[0] + i * s->m->lit.box.h, r->p[1], r->p[2]};
        if (i && !s->light[l].near) lamp.share[i] = lamp.share[0], lamp.phase[i] = lamp.phase[0];
        else lamp.share[i] = lamp_share(s, l, p, &lamp.phase[i]);
    }
    return lamp;
}

/// Channels of light alike: one is found for all.
static int is_grey(const struct shade *s)
{
    const struct bw_look *look = &s->scene->look;
    int grey = !s->v->dye[0];
    for (int c = 1; c < 3; c++)
        grey &= look->extinction[c] == look->extinction[0] && look->albedo[c] == look->albedo[0];
    return grey;
}

/// What is scattered there for the first time, mean radiance by channel, in place of the cells' light.
static void run_first(struct shade *s, const struct lit_run *r)
{
    float *out = s->m->lit.rgbs + 4 * r->cell, *left = run_row(r, LEFT, 0), *sum[3];
    const int grey = is_grey(s);
    for (int c = 0; c < 3; c++) sum[c] = run_row(r, MORE, c);
    for (int l = 0; l < s->n_lights; l++) {
        const struct bw_row_lamp lamp = run_lamp(s, r, l);
        for (int c = 0; c < 3; c++) {
            if (!c || !grey) bw_row_left(&lamp, s->scene->look.extinction[c], s->ahead, run_row(r, ALBEDO, c), left);
            bw_row_scattered(&lamp, s->light[l].rgb[c], left, sum[c]);
        }
    }
    for (int i = 0; i < r->n; i++)
        for (int c = 0; c < 3; c++) out[4 * i + c] = sum[c][i];
}

/// Light that cells send to the eye, per metre or as logarithms, in place of that: what a lamp sends them straight goes
/// to the eye by its direction.
static void run_light(struct shade *s, const struct lit_run *r)
{
    const float *more = s->scene->look.extinction;
    float *out = s->m->lit.rgbs + 4 * r->cell, *dense = run_row(r, DENSE, 0);
    for (int i = 0; i < r->n; i++) {
        dense[i] = out[4 * i + 3];
        for (int c = 0; c < 3; c++) run_row(r, LIGHT, c)[i] = out[4 * i + c];
    }
    for (int c = 0; c < 3; c++) {
        const struct bw_scatter_medium m = {.box = &s->m->lit.box, .more = more[c], .ahead = s->ahead};
        const struct bw_row_smoke smoke = {r->n, dense, s->emission ? s->emission + 4 * r->cell + 3 : NULL,
                                           run_row(r, ALBEDO, c)};
        bw_row_multiple(&m, &smoke, run_row(r, MORE, c), s->multiple.body ? run_row(r, AROUND, c) : NULL,
                        run_row(r, LIGHT, c));
    }
    for (int l = 0; l < s->n_lights; l++) {
        const struct bw_row_lamp lamp = run_lamp(s, r, l);
        for (int c = 0; c < 3; c++) bw_row_shadow_rays(&lamp, s->light[l].rgb[c], more[c], run_row(r, LIGHT, c));
    }
    for (int c = 0; c < 3; c++) {
        float *light = run_row(r, LIGHT, c), *albedo = run_row(r, ALBEDO, c);
        if (s->near) bw_row_logs(r->n, more[c], albedo, light);
        else bw_row_sent(r->n, more[c], albedo, dense, light);
        for (int i = 0; i < r->n; i++) out[4 * i + c] = light[i];
    }
}

/// Rows of light by channel, as MORE and AROUND are.
static void rows_around(const struct shade *s, int j, int k, float *rows)
{
    const int n = s->m->lit.box.n[0];
    for (int c = 0; c < 3; c++) bw_ambient_row(&s->m->ambient, c, n, j, k, rows + SCRATCH * n, rows + (MORE + c) * n);
}

static void rows_multiple(const struct shade *s, int j, int k, float *rows)
{
    const int n = s->m->lit.box.n[0];
    const struct bw_multiple_at at = {n, j, k};
    bw_multiple_row(&s->multiple, &at, rows + SCRATCH * n, rows + MORE * n);
    if (s->multiple.body) bw_multiple_single(&s->multiple, &at, rows + SCRATCH * n, rows + AROUND * n);
}

typedef void (*rows_fn)(const struct shade *s, int j, int k, float *rows);
typedef void (*run_fn)(struct shade *s, const struct lit_run *r);

/// Is there light to be found in a row's i-th cell?
static inline int is_lit(const uint8_t *near, const float *lit, size_t i)
{
    return near ? near[i] & BW_BOUNDARY_SMOKE : lit[4 * i + 3] > 0;
}

/// A mean over smoke.
struct mean {
    const struct shade *s;
    float rgb[3], sum;
};

static void albedo_add(size_t cell, float weight, void *user)
{
    struct mean *m = user;
    float one[3];
    bw_smoke_albedo(m->s->v, &m->s->scene->look, cell, one);
    for (int c = 0; c < 3; c++) m->rgb[c] += weight * one[c];
    m->sum += weight;
}

/// Of clear cells: that of the dyes beside them.
static void cell_albedo(const struct shade *s, const int32_t at[3], size_t cell, float albedo[3])
{
    struct mean m = {.s = s};
    bw_smoke_albedo(s->v, &s->scene->look, cell, albedo);
    if (!s->v->dye[0] || s->m->lit.rgbs[4 * cell + 3] > 0) return;
    bw_boundary_each(&s->m->lit, at, albedo_add, &m);
    for (int c = 0; c < 3 && m.sum > 0; c++) albedo[c] = m.rgb[c] / m.sum;
}

/// Cells of a row from i on that are lit, of n; `at`: i, j, k.
static void run_find(const struct shade *s, const int32_t at[3], int n, struct lit_run *r)
{
    const struct bw_dense *b = &s->m->lit.box;
    r->n = n;
    for (int a = 0; a < 3; a++) r->p[a] = b->origin[a] + (at[a] + 0.5) * b->h;
    for (int i = 0; i < n; i++) {
        float albedo[3];
        cell_albedo(s, (int32_t[3]){at[0] + i, at[1], at[2]}, r->cell + (size_t)i, albedo);
        for (int c = 0; c < 3; c++) run_row(r, ALBEDO, c)[i] = albedo[c];
    }
}

static void layer_cells(struct shade *s, int64_t k, rows_fn rows_make, run_fn light)
{
    const struct bw_dense *b = &s->m->lit.box;
    const size_t nx = (size_t)b->n[0];
    float *rows = s->rows + ROWS * nx * (size_t)k;
    for (int j = 0; j < b->n[1]; j++) {
        const size_t first = ((size_t)k * (size_t)b->n[1] + (size_t)j) * nx;
        const float *lit = s->m->lit.rgbs + 4 * first;
        const uint8_t *near = s->near ? s->near + first : NULL;
        int made = 0;
        for (size_t i = 0, end; i < nx; i = end) {
            for (end = i; end < nx && is_lit(near, lit, end);) end++;
            if (end == i) {
                end++;
                continue;
            }
            if (!made) rows_make(s, j, (int)k, rows);
            made = 1;
            struct lit_run run = {.cell = first + i, .pitch = nx, .at = rows + i};
            run_find(s, (int32_t[3]){(int32_t)i, j, (int32_t)k}, (int)(end - i), &run);
            light(s, &run);
        }
    }
}

static void layer_first(int64_t k, void *user) { layer_cells(user, k, rows_around, run_first); }

static void layer_light(int64_t k, void *user) { layer_cells(user, k, rows_multiple, run_light); }

/// Extinction of an obstacle is in it.
static int is_wall(const struct shade *s, size_t cell)
{
    const float thin = s->m->lit.rgbs[4 * cell + 3];
    return s->extinction[cell] > (s->emission ? thin + s->emission[4 * cell + 3] : thin);
}

static void light_add(size_t cell, float weight, void *user)
{
    struct mean *m = user;
    if (is_wall(m->s, cell)) return;
    for (size_t c = 0; c < 3; c++) m->rgb[c] += weight * m->s->m->lit.rgbs[4 * cell + c];
    m->sum += weight;
}

/// In obstacles it is dark, but not in the smoke before them, which splines read with them.
static void layer_walls(int64_t k, void *user)
{
    struct shade *s = user;
    const int32_t *n = s->m->lit.box.n;
    size_t cell = (size_t)k * (size_t)n[0] * (size_t)n[1];
    for (int32_t j = 0; j < n[1]; j++)
        for (int32_t i = 0; i < n[0]; i++, cell++) {
            float *out = s->m->lit.rgbs + 4 * cell;
            struct mean m = {.s = s};
            if (!(s->near[cell] & BW_BOUNDARY_SMOKE) || out[3] > 0 || !is_wall(s, cell)) continue;
            bw_boundary_each(&s->m->lit, (int32_t[3]){i, j, (int32_t)k}, light_add, &m);
            for (int c = 0; c < 3 && m.sum > 0; c++) out[c] = m.rgb[c] / m.sum;
        }
}

/// What lies before lamps: where light is kept as logarithms finer than sweeps tell.
static void depths_make(struct shade *s)
{
    struct bw_lit *lit = &s->m->lit;
    if (s->marks) {
        lit->logs = 1;
        s->near = bw_boundary_mark(s->tools, lit, s->marks);
    }
    for (int l = 0; l < s->n_lights; l++) {
        const struct bw_shadow_rays w = {lit,     s->emission, s->extinction,      &s->light[l],
                                         s->near, s->depth[l], s->v->solid != NULL};
        float *made = s->marks ? s->spare : s->depth[l];
        if (s->marks) bw_shadow_ray_depths(s->tools, &w, made);
        else bw_shadow_swept_depths(s->tools, &lit->box, made);
        s->spare = s->depth[l], s->depth[l] = made;
    }
}

/// Parcel out `memory` as the passes need it.
static void arrays_place(struct shade *s, size_t cells, float *memory)
{
    s->m->lit.rgbs = memory;
    s->extinction = memory + 4 * cells;
    memory += 5 * cells;
    for (int l = 0; l < s->n_lights; l++, memory += cells) s->depth[l] = memory;
    s->emission = s->v->flame || s->v->temperature ? memory : NULL;
    s->m->lit.fire = s->emission ? memory + 4 * cells : NULL;
    s->rows = memory + (s->emission ? 6 * cells : 0);
    memory = s->rows + ROWS * (size_t)s->v->box.n[0] * (size_t)s->v->box.n[2];
    if (!bw_lit_cubic(&s->m->lit, &s->scene->look)) return; // else light is kept as logarithms
    s->spare = memory;
    s->marks = (uint8_t *)(memory + cells);
}

static enum bw_status passes_run(struct shade *s)
{
    struct bw_lit *lit = &s->m->lit;
    const struct bw_dense *b = &lit->box;
    phases_make(s);
    if (s->emission) bw_flame_colours(&s->m->blackbody, s->scene);
    s->tools->parallel(s->tools->ctx, b->n[2], layer_medium, s);
    struct bw_coarse clear = {0};
    enum bw_status status = s->v->solid ? bw_coarse_make(s->tools, b, s->extinction, &clear) : BW_OK;
    if (s->v->solid) solid_block(s);
    s->tools->parallel(s->tools->ctx, s->n_lights, light_task, s);
    if (!status) status = bw_ambient_make(s->tools, b, s->extinction, s->emission, s->scene, &s->m->ambient);
    if (s->v->solid && !status) status = bw_ambient_solids(s->tools, &clear, &s->m->ambient);
    else bw_coarse_free(s->tools, &clear);
    for (int l = 0; l < s->n_lights && !status; l++) status = s->status[l];
    if (status) return status;
    depths_make(s);
    s->tools->parallel(s->tools->ctx, b->n[2], layer_first, s);
    const struct bw_multiple_medium medium = {s->v, &s->scene->look, lit, s->extinction, s->emission, s->ahead};
    status = bw_multiple_scattering(s->tools, &medium, &s->multiple);
    if (!status) s->tools->parallel(s->tools->ctx, b->n[2], layer_light, s);
    if (!status && s->near && s->v->solid) s->tools->parallel(s->tools->ctx, b->n[2], layer_walls, s);
    if (!status && s->emission && s->v->fuel && s->scene->look.flames.root > 0) {
        status = bw_roots_light(s->tools, s->v, &s->scene->look, lit);
        s->m->roots = lit->roots;
    }
    bw_multiple_free(s->tools, &s->multiple);
    return status;
}

enum bw_status bw_medium_light(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                               struct bw_medium *m)
{
    struct shade s = {.tools = tools, .v = v, .scene = scene, .m = m};
    *m = (struct bw_medium){.lit = {.box = v->box, .blackbody = &m->blackbody}};
    s.n_lights = bw_scene_lights(scene, s.light);
    const size_t cells = bw_dense_cells(&v->box), each = 5 + (size_t)s.n_lights + (v->flame || v->temperature ? 6 : 0);
    const size_t rows = ROWS * (size_t)v->box.n[0] * (size_t)v->box.n[2];
    if (!cells) return BW_OK;
    m->memory = tools->alloc(tools->ctx, (each * cells + rows + cells + cells / 2 + 1) * sizeof(float));
    if (!m->memory) return BW_ERR_MEMORY;
    arrays_place(&s, cells, m->memory);
    m->lit.soot = v->flame ? BW_SOOT * (float)scene->extinction : 0;
    m->lit.hides = (float)(scene->look.flames.opacity - 1), m->lit.black = (float)scene->look.flames.soot;
    m->lit.gain = bw_flame_gain(scene);
    return passes_run(&s);
}

int bw_lit_cubic(const struct bw_lit *l, const struct bw_look *look)
{
    return look->quality > BW_QUALITY_DRAFT && l->box.n[0] >= 4 && l->box.n[1] >= 4 && l->box.n[2] >= 4;
}

/* f - δ²f/6 along each axis, read by a cubic B-spline, is f to the fourth order (de Boor and Fix 1973): waves of 4
 * cells keep 0.88 of their height instead of 0.66, of 8 cells 0.99 instead of 0.90, and beside an edge there is 6 % too
 * much. Smoke so thick that no more of it than a cell is seen gets less, for its skin would be wavy. Flames get half:
 * their light is steep in temperature, and columns of cells that burn by turns would show. Sheets of flame as thin as a
 * cell come out as beads all the same unless they are softened. */
enum bw_status bw_medium_sharpen(const struct bw_tools *tools, const struct bw_look *look, struct bw_medium *m)
{
    enum bw_status status =
        m->lit.fire && look->flames.crisp > 0 ? bw_flames_crisp(tools, &m->lit, (float)look->flames.crisp) : BW_OK;
    if (!status && m->lit.fire && look->flames.sheets > 0 && look->quality > BW_QUALITY_DRAFT) {
        status = bw_flames_wide(tools, &m->lit, &m->wide);
        m->lit.wide = m->wide, m->lit.sheets = (float)look->flames.sheets;
    }
    const float flames = 0.25f * (float)(look->soften - BW_SOFTEN);
    const int cubic = m->lit.rgbs && bw_lit_cubic(&m->lit, look);
    if (cubic) bw_smoke_sharpen(tools, &m->lit);
    if (cubic && m->lit.roots) bw_cells_soften(tools, &m->lit.box, m->lit.roots, 1, BW_SHARPEN);
    if (m->lit.fire && (cubic || flames > 0)) bw_cells_soften(tools, &m->lit.box, m->lit.fire, 2, flames);
    return status;
}

void bw_medium_free(const struct bw_tools *tools, struct bw_medium *m)
{
    bw_ambient_free(tools, &m->ambient);
    if (m->memory) tools->release(tools->ctx, m->memory);
    if (m->moved) tools->release(tools->ctx, m->moved);
    if (m->wide) tools->release(tools->ctx, m->wide);
    if (m->roots) tools->release(tools->ctx, m->roots);
    m->memory = m->moved = m->wide = m->roots = NULL;
}
