// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include <common/nest.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct bw_param bw_picture_range_row[1] = {{.type = BW_PARAM_F64}};
const struct bw_param bw_picture_light_rows[3] = {
    BW_VEC3(struct bw_picture_light, to, "to", "[-1, -1, 2]", NULL, "Direction towards the lamp."),
    BW_COLOUR(struct bw_picture_light, colour, "colour", "[2, 2, 2]",
              "Linear colour and strength; the studio's key is about 2."),
    BW_F64(struct bw_picture_light, soft, "soft", "0.03", 0, 0.3, 0, "How fast shadows get soft."),
};

static void *tools_alloc(void *ctx, size_t bytes)
{
    struct bw_exporter *e = ctx;
    return e->host->alloc(e, bytes);
}

static void tools_release(void *ctx, void *memory)
{
    struct bw_exporter *e = ctx;
    e->host->release(e, memory);
}

static void tools_parallel(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    struct bw_exporter *e = ctx;
    e->host->parallel_for(e, n, fn, user);
}

void bw_picture_begin(struct bw_picture *p, struct bw_exporter *e)
{
    *p = (struct bw_picture){.tools = {tools_alloc, tools_release, tools_parallel, e}};
}

/// The field to slice: the one named; else density, dye, the first scalar, the first of all.
static const struct bw_snapshot_field *field_choose(const struct bw_frame *frame, const char *name)
{
    if (name && *name) return bw_gather_find(frame, name);
    const struct bw_snapshot_field *f = bw_gather_find(frame, "density");
    if (!f) f = bw_gather_find(frame, "dye");
    for (uint32_t i = 0; !f && i < frame->n_fields; i++)
        if (frame->fields[i].info->kind == BW_SCALAR) f = &frame->fields[i];
    return f || !frame->n_fields ? f : &frame->fields[0];
}

/// "center", or a number with m, cm or mm. 0: neither.
static int position_parse(const char *text, double middle, double *out)
{
    static const struct {
        const char *unit;
        double metres;
    } units[] = {{"", 1}, {"m", 1}, {"cm", 0.01}, {"mm", 0.001}};
    char *end;
    *out = middle;
    if (!text || !strcmp(text, "center") || !strcmp(text, "centre")) return 1;
    double v = strtod(text, &end);
    if (end == text || !isfinite(v)) return 0;
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(end, units[i].unit)) continue;
        *out = v * units[i].metres;
        return 1;
    }
    return 0;
}

/// Where a slice lies: axes, cells, and room for its arrays.
struct cut {
    int axis, right, up;
    int32_t layer, lo[3], n[3];
    size_t cells;
    float *memory; ///< six layers: three values, two of flow, solid; then one of scratch, twice as thick
};

/// What is shown: the domain's box; without one, all that smoke has reached so far.
static void bounds_choose(struct bw_picture *p, const struct bw_snapshot_field *f, double lo[3], double hi[3])
{
    bw_gather_bounds(f, lo, hi);
    for (int a = 0; a < 3 && p->has_scene && f->info->domain->n[0] <= 0; a++) {
        lo[a] = fmin(lo[a], p->scene.lo[a]);
        hi[a] = fmax(hi[a], p->scene.hi[a]);
    }
    memcpy(p->scene.lo, lo, sizeof p->scene.lo);
    memcpy(p->scene.hi, hi, sizeof p->scene.hi);
    p->has_scene = 1;
}

/// Widen a slice that has grown to the shape of the picture, which can't change any more.
static void cut_fit(const struct bw_picture *p, struct cut *cut)
{
    if (!p->size[0]) return;
    double aspect = (double)p->size[0] / p->size[1];
    int32_t *w = &cut->n[cut->right], *h = &cut->n[cut->up], want_w = (int32_t)ceil(*h * aspect),
            want_h = (int32_t)ceil(*w / aspect);
    if (want_w > *w + 1) cut->lo[cut->right] -= (want_w - *w) / 2, *w = want_w;
    else if (want_h > *h + 1) cut->lo[cut->up] -= (want_h - *h) / 2, *h = want_h;
}

static enum bw_status cut_make(struct bw_picture *p, struct bw_exporter *e, const struct bw_snapshot_field *f,
                               const struct bw_picture_params *params, struct cut *cut, struct bw_slice *s)
{
    const struct bw_domain_info *d = f->info->domain;
    double lo[3], hi[3];
    bounds_choose(p, f, lo, hi);
    cut->axis = d->thin >= 0 ? d->thin : params->axis;
    cut->right = cut->axis == 0 ? 1 : 0;
    cut->up = cut->axis == 2 ? 1 : 2;
    int a = cut->axis;
    double middle = 0.5 * (lo[a] + hi[a]), at;
    if (!position_parse(d->thin >= 0 ? NULL : params->position, middle, &at))
        return e->host->fail(e, BW_ERR_PRESET, "position is \"%s\"; a length such as \"0.4 m\", or center, is wanted",
                             params->position);
    if (at < lo[a] || at > hi[a])
        return e->host->fail(e, BW_ERR_PRESET, "position %g m lies outside the domain, which spans %g to %g m along %c",
                             at, lo[a], hi[a], "xyz"[a]);
    for (int b = 0; b < 3; b++) {
        cut->lo[b] = (int32_t)lround((lo[b] - d->origin[b]) / d->h);
        cut->n[b] = (int32_t)lround((hi[b] - lo[b]) / d->h);
    }
    cut->layer = (int32_t)fmin(floor((at - d->origin[a]) / d->h), cut->lo[a] + cut->n[a] - 1);
    cut->lo[a] = cut->layer;
    cut->n[a] = 1;
    if (d->n[0] <= 0) cut_fit(p, cut);
    cut->cells = (size_t)cut->n[cut->right] * (size_t)cut->n[cut->up];
    *s = (struct bw_slice){.n = {cut->n[cut->right], cut->n[cut->up]}, .h = d->h, .axis = a};
    s->position = d->origin[a] + (cut->layer + 0.5) * d->h;
    size_t extra = (size_t)(s->n[0] + 1) * (size_t)(s->n[1] + 1) + cut->cells;
    cut->memory = p->tools.alloc(p->tools.ctx, (6 * cut->cells + extra) * sizeof(float));
    return cut->memory ? BW_OK
                       : e->host->fail(e, BW_ERR_MEMORY, "out of memory for a slice of %d×%d cells", s->n[0], s->n[1]);
}

/// Component c at the cell centres of the slice; mac components are the mean of both faces.
static void cut_read(struct bw_exporter *e, const struct cut *cut, const struct bw_snapshot_field *f, uint32_t c,
                     float *out)
{
    int32_t n[3] = {cut->n[0], cut->n[1], cut->n[2]};
    if (f->info->kind != BW_MAC) {
        e->host->read_box(f, c, cut->lo, n, out);
        return;
    }
    float *faces = cut->memory + 6 * cut->cells;
    n[c] += 1;
    e->host->read_box(f, c, cut->lo, n, faces);
    size_t step[3] = {1, (size_t)n[0], (size_t)n[0] * (size_t)n[1]};
    for (int k = 0; k < cut->n[2]; k++)
        for (int j = 0; j < cut->n[1]; j++)
            for (int i = 0; i < cut->n[0]; i++) {
                const float *p = faces + (size_t)i + (size_t)j * step[1] + (size_t)k * step[2];
                *out++ = 0.5f * (p[0] + p[step[c]]);
            }
}

static void cut_fill(struct bw_exporter *e, const struct bw_frame *frame, const struct cut *cut,
                     const struct bw_snapshot_field *f, uint32_t vectors, struct bw_slice *s)
{
    const struct bw_snapshot_field *vel = vectors ? bw_gather_find(frame, "vel") : NULL;
    const struct bw_snapshot_field *solid = bw_gather_find(frame, "solid");
    float *m = cut->memory;
    for (uint32_t c = 0; c < f->info->comps && c < 3; c++) {
        s->value[c] = m + c * cut->cells;
        cut_read(e, cut, f, c, m + c * cut->cells);
    }
    if (vel && vel->info->domain == f->info->domain && vel->info->comps == 3)
        for (int a = 0; a < 2; a++) {
            float *to = m + (size_t)(3 + a) * cut->cells;
            s->flow[a] = to;
            cut_read(e, cut, vel, (uint32_t)(a ? cut->up : cut->right), to);
        }
    if (solid && solid != f && solid->info->domain == f->info->domain) {
        s->solid = m + 5 * cut->cells;
        cut_read(e, cut, solid, 0, m + 5 * cut->cells);
    }
}

/// Colours: what the preset says, else all values seen so far, 0 among them, so that they do not flicker.
static void range_choose(struct bw_picture *p, const struct bw_picture_params *params, const struct bw_slice *s,
                         double out[2])
{
    if (params->range.count == 2) {
        memcpy(out, params->range.items, 2 * sizeof(double));
        return;
    }
    double now[2];
    bw_slice_range(s, now);
    p->range[0] = fmin(p->range[0], now[0]);
    p->range[1] = fmax(p->range[1], now[1]);
    out[0] = p->range[0];
    out[1] = p->range[1];
    if (bw_map_for(s->field, out[0], out[1]) == BW_MAP_DIVERGING) {
        out[1] = fmax(out[1], -out[0]);
        out[0] = -out[1];
    }
    if (!(out[0] < out[1])) out[1] = out[0] + 1;
}

static enum bw_status slice_make(struct bw_picture *p, struct bw_exporter *e, const struct bw_frame *frame,
                                 const struct bw_picture_params *params, struct bw_image *img)
{
    const struct bw_snapshot_field *f = field_choose(frame, params->field);
    struct cut cut = {0};
    struct bw_slice s;
    if (!f)
        return e->host->fail(e, BW_ERR_PRESET, "there is no field \"%s\" to slice",
                             params->field ? params->field : "density");
    if (params->range.count && params->range.count != 2)
        return e->host->fail(e, BW_ERR_PRESET, "range wants two numbers, [lowest, highest]");
    enum bw_status status = cut_make(p, e, f, params, &cut, &s);
    if (status) return status;
    s.field = f->info->name;
    s.unit = f->info->unit;
    s.frame = frame->number;
    s.time = frame->time;
    cut_fill(e, frame, &cut, f, (uint32_t)params->vectors, &s);
    struct bw_slice_style style = {(enum bw_map)params->map, (uint32_t)params->vectors, {0}, params->labels};
    range_choose(p, params, &s, style.range);
    if (!p->size[0]) bw_slice_size(s.n, (int32_t)params->size, p->size);
    status = bw_image_init(img, &p->tools, p->size[0], p->size[1]);
    if (!status) status = bw_slice_draw(&p->tools, &s, &style, img);
    p->tools.release(p->tools.ctx, cut.memory);
    return status ? e->host->fail(e, status, "out of memory for a picture of %d×%d pixels", p->size[0], p->size[1])
                  : BW_OK;
}

/// Nobody has said how bright lamps, sky, smoke and flames are to be.
static int look_untouched(const struct bw_picture_params *p)
{
    static const struct bw_look usual = BW_LOOK_DEFAULT;
    int same = p->key == usual.key && p->environment == usual.environment && p->fire == usual.fire;
    for (int c = 0; c < 3; c++) same &= fabs(p->smoke[c] - (double)usual.albedo[c]) < 1e-6;
    return same;
}

enum bw_status bw_picture_look(const struct bw_picture_params *p, int flames, struct bw_look *look, char *why,
                               size_t why_size)
{
    static const struct bw_look usual = BW_LOOK_DEFAULT, fire = BW_LOOK_FIRE;
    const int dim = p->mood == BW_MOOD_FIRE || (p->mood == BW_MOOD_AUTO && flames && look_untouched(p));
    const struct bw_look *base = dim ? &fire : &usual;
    const struct bw_picture_light *light = p->lights.items;
    const double *back = p->background.items;
    *look = (struct bw_look){.key = p->key * base->key,
                             .environment = p->environment * base->environment,
                             .fire = p->fire * base->fire,
                             .anisotropy = p->anisotropy,
                             .soften = p->soften,
                             .bloom = p->bloom,
                             .has_background = p->background.count > 0};
    if (p->background.count && p->background.count != 3) {
        snprintf(why, why_size, "background wants three numbers, [r, g, b]");
        return BW_ERR_PRESET;
    }
    if (p->lights.count > BW_LIGHTS) {
        snprintf(why, why_size, "lights has %lld lamps; at most %d are taken", (long long)p->lights.count, BW_LIGHTS);
        return BW_ERR_PRESET;
    }
    for (int c = 0; c < 3; c++) {
        look->albedo[c] = (float)fmin(fmax(p->smoke[c], 0), 1) * base->albedo[c] / usual.albedo[c];
        look->background[c] = back ? (float)back[c] : 0;
    }
    look->n_lights = (int32_t)p->lights.count;
    for (int32_t l = 0; l < look->n_lights; l++) {
        const double *to = light[l].to, size = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
        if (!(size > 0)) {
            snprintf(why, why_size, "lamp %d has no direction: `to` is zero", l + 1);
            return BW_ERR_PRESET;
        }
        look->light[l].spread = (float)light[l].soft;
        for (int c = 0; c < 3; c++) {
            look->light[l].to[c] = to[c] / size;
            look->light[l].rgb[c] = (float)light[l].colour[c];
        }
    }
    return BW_OK;
}

void bw_picture_stage(const struct bw_picture_params *p, int32_t size[2], struct bw_scene *s)
{
    double lo[3], hi[3];
    s->exposure = p->exposure;
    s->floor = p->floor;
    for (int a = 0; a < 3; a++) { // what the picture shows of it
        const double fixed = a == 2 ? s->lo[a] : 0.5 * (s->lo[a] + s->hi[a]);
        lo[a] = fixed + p->frame * (s->lo[a] - fixed);
        hi[a] = fixed + p->frame * (s->hi[a] - fixed);
    }
    const double aspect = size[0] ? (double)size[0] / size[1] : bw_camera_aspect(lo, hi);
    if (!size[0]) {
        double h = aspect > 2 ? (double)p->size * 2 / aspect : (double)p->size;
        size[0] = 2 * (int32_t)lround(h * aspect / 2);
        size[1] = 2 * (int32_t)lround(h / 2);
        s->extinction = bw_scene_extinction(s->lo, s->hi);
    }
    bw_camera_fit(&s->camera, lo, hi, aspect);
}

/// What a render shows, and how. Failures are reported.
static enum bw_status scene_make(struct bw_picture *p, struct bw_exporter *e, const struct bw_frame *frame,
                                 const struct bw_picture_params *params, struct bw_scene *scene)
{
    double lo[3], hi[3];
    char why[200];
    // In a domain without a box the stage grows with the smoke, and the camera steps back.
    bounds_choose(p, field_choose(frame, NULL), lo, hi);
    bw_picture_stage(params, p->size, &p->scene);
    *scene = p->scene;
    scene->ambient = e->bake->ambient > 0 ? e->bake->ambient : 293.15;
    scene->extinction *= params->thickness;
    enum bw_status status =
        bw_picture_look(params, bw_gather_find(frame, "flame") != NULL, &scene->look, why, sizeof why);
    return status ? e->host->fail(e, status, "%s", why) : BW_OK;
}

static enum bw_status volume_make(struct bw_picture *p, struct bw_exporter *e, const struct bw_frame *frame,
                                  const struct bw_picture_params *params, struct bw_volume *v, float **memory)
{
    const struct bw_domain_info *other = params->blend ? nest_find(e->domains, e->n_domains, params->blend) : NULL;
    if (params->blend && (!other || other->h == e->domains[e->domain]->h))
        return e->host->fail(e, BW_ERR_PRESET, "there is no domain \"%s\" of finer or coarser cells to blend with",
                             params->blend);
    enum bw_status status = other ? bw_gather_blend(&p->tools, frame, other, params->edge, v, memory)
                                  : bw_gather_volume(&p->tools, frame, v, memory);
    return status ? e->host->fail(e, status, "out of memory for a render") : BW_OK;
}

/// The render as a picture, or, with `linear`, as light, then with alpha if that is not NULL.
static enum bw_status render_make(struct bw_picture *p, struct bw_exporter *e, const struct bw_frame *frame,
                                  const struct bw_picture_params *params, int linear, struct bw_image *img,
                                  float **alpha)
{
    struct bw_volume v = {0};
    struct bw_scene scene;
    float *memory = NULL;
    enum bw_status status = scene_make(p, e, frame, params, &scene);
    if (!status) status = volume_make(p, e, frame, params, &v, &memory);
    if (!status) {
        const size_t pixels = (size_t)p->size[0] * (size_t)p->size[1];
        if (alpha) *alpha = p->tools.alloc(p->tools.ctx, pixels * sizeof(float));
        status = alpha && !*alpha ? BW_ERR_MEMORY : bw_image_init(img, &p->tools, p->size[0], p->size[1]);
        if (!status && linear) status = bw_render_linear(&p->tools, &v, &scene, img, alpha ? *alpha : NULL);
        else if (!status) status = bw_render(&p->tools, &v, &scene, img);
        for (size_t i = 0; linear && !status && i < 3 * pixels; i++) img->px[i] *= (float)scene.exposure;
        if (status) e->host->fail(e, status, "out of memory for a render of %d×%d pixels", p->size[0], p->size[1]);
    }
    p->tools.release(p->tools.ctx, memory);
    p->tools.release(p->tools.ctx, v.solid);
    return status;
}

enum bw_status bw_picture_light(struct bw_picture *p, struct bw_exporter *e, const struct bw_frame *frame,
                                const struct bw_picture_params *params, struct bw_image *img, float **alpha)
{
    *img = (struct bw_image){.tools = &p->tools};
    if (!frame->n_fields) return e->host->fail(e, BW_ERR_PRESET, "there is no grid field to show");
    enum bw_status status = render_make(p, e, frame, params, 1, img, alpha);
    if (!status) return BW_OK;
    bw_image_free(img);
    if (alpha) p->tools.release(p->tools.ctx, *alpha);
    return status;
}

/// 1 when there is something that a render shows.
static int render_wanted(const struct bw_picture *p, const struct bw_exporter *e, const struct bw_frame *frame,
                         const struct bw_picture_params *params)
{
    const struct bw_snapshot_field *f = field_choose(frame, NULL);
    int visible = bw_gather_find(frame, "density") || bw_gather_find(frame, "dye") || bw_gather_find(frame, "flame");
    if (!f || f->info->domain->thin >= 0 || e->bake->quick) return 0;
    return params->view == BW_VIEW_RENDER || (params->view == BW_VIEW_AUTO && visible && !params->field && !p->slices);
}

enum bw_status bw_picture_make(struct bw_picture *p, struct bw_exporter *e, const struct bw_frame *frame,
                               const struct bw_picture_params *params, struct bw_image *img)
{
    *img = (struct bw_image){.tools = &p->tools};
    if (!frame->n_fields) return e->host->fail(e, BW_ERR_PRESET, "there is no grid field to show");
    enum bw_status status = render_wanted(p, e, frame, params) ? render_make(p, e, frame, params, 0, img, NULL)
                                                               : slice_make(p, e, frame, params, img);
    if (status) bw_image_free(img);
    return status;
}
