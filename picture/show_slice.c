// SPDX-License-Identifier: Apache-2.0
#include "show_slice.h"
#include "slice_place.h"
#include <picture/gather/fields.h>
#include <picture/slice/slice.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Where a slice lies: axes, cells, and room for its arrays.
struct cut {
    int axis, right, up;
    int32_t layer, lo[3], n[3];
    size_t cells;
    float *memory; ///< six layers: three values, two of flow, solid; then one of scratch, twice as thick
};

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

static enum bw_status cut_make(const struct bw_making *m, const struct bw_snapshot_field *f, struct cut *cut,
                               struct bw_slice *s)
{
    struct bw_picture *p = m->kept;
    struct bw_exporter *e = m->e;
    const struct bw_picture_params *params = m->params;
    const struct bw_domain_info *d = f->info->domain;
    double lo[3], hi[3];
    bw_picture_bounds(p, f, lo, hi);
    cut->axis = d->thin >= 0 ? d->thin : params->axis;
    cut->right = cut->axis == 0 ? 1 : 0;
    cut->up = cut->axis == 2 ? 1 : 2;
    int a = cut->axis;
    double at;
    const enum bw_status status = bw_slice_place(e, params, a, (const double[2]){lo[a], hi[a]}, &at);
    if (status) return status;
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
    for (int b = 0; b < 3; b++) {
        s->lo[b] = d->origin[b] + cut->lo[b] * d->h;
        s->hi[b] = s->lo[b] + cut->n[b] * d->h;
    }
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

enum bw_status bw_show_slice(const struct bw_making *m, struct bw_image *img)
{
    struct bw_picture *p = m->kept;
    struct bw_exporter *e = m->e;
    const struct bw_frame *frame = m->frame;
    const struct bw_picture_params *params = m->params;
    const struct bw_snapshot_field *f = bw_gather_choose(frame, params->field);
    struct cut cut = {0};
    struct bw_slice s;
    if (!f)
        return e->host->fail(e, BW_ERR_PRESET, "there is no field \"%s\" to slice",
                             params->field ? params->field : "density");
    enum bw_status status = cut_make(m, f, &cut, &s);
    if (status) return status;
    s.field = f->info->name;
    s.unit = f->info->unit;
    s.frame = frame->number;
    s.time = frame->time;
    s.fps = frame->fps;
    cut_fill(e, frame, &cut, f, (uint32_t)params->vectors, &s);
    struct bw_slice_style style = {
        (enum bw_map)params->map, (uint32_t)params->vectors, {0}, params->labels, params->relief};
    range_choose(p, params, &s, style.range);
    memcpy(p->shown, style.range, sizeof p->shown);
    memcpy(p->cut[0], s.lo, sizeof s.lo);
    memcpy(p->cut[1], s.hi, sizeof s.hi);
    if (!p->size[0]) bw_slice_size(s.n, (int32_t)params->size, p->size);
    status = bw_image_init(img, &p->tools, p->size[0], p->size[1]);
    if (!status) status = bw_slice_draw(&p->tools, &s, &style, img);
    p->tools.release(p->tools.ctx, cut.memory);
    return status ? e->host->fail(e, status, "out of memory for a picture of %d×%d pixels", p->size[0], p->size[1])
                  : BW_OK;
}
