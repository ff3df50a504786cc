// SPDX-License-Identifier: Apache-2.0
#include "blend.h"

#include <common/nest.h>

#include <math.h>
#include <string.h>

struct blending {
    struct bw_volume part[2]; ///< of the coarser and of the finer domain
    const struct bw_domain_info *domain[2];
    double edge;
    struct bw_volume *out;
};

static int dense_holds(const struct bw_dense *b, const double x[3])
{
    int inside = bw_dense_cells(b) > 0;
    for (int a = 0; a < 3; a++) inside &= x[a] > b->origin[a] && x[a] < b->origin[a] + b->n[a] * b->h;
    return inside;
}

static void layer_blend(int64_t k, void *user)
{
    struct blending *m = user;
    const struct bw_dense *b = &m->out->box;
    size_t at = (size_t)k * (size_t)b->n[0] * (size_t)b->n[1];
    float **in[2][BW_VOLUME_ARRAYS], **out[BW_VOLUME_ARRAYS];
    for (int p = 0; p < 2; p++) bw_volume_arrays(&m->part[p], in[p]);
    bw_volume_arrays(m->out, out);
    for (int j = 0; j < b->n[1]; j++)
        for (int i = 0; i < b->n[0]; i++, at++) {
            const double x[3] = {b->origin[0] + (i + 0.5) * b->h, b->origin[1] + (j + 0.5) * b->h,
                                 b->origin[2] + ((double)k + 0.5) * b->h};
            float fine = (float)nest_share(m->domain[1], m->domain[0], x, m->edge);
            for (int p = 0; p < 2; p++) {
                struct bw_volume *part = &m->part[p];
                struct bw_tap tap;
                float share = p ? fine : 1 - fine;
                if (share <= 0 || !dense_holds(&part->box, x)) continue;
                bw_tap_at(&part->box, x, &tap);
                for (int q = 0; q < BW_VOLUME_ARRAYS; q++)
                    if (*in[p][q]) (*out[q])[at] += share * bw_tap_read(&tap, *in[p][q]);
            }
        }
}

/// A box round both parts, on cells of the finer one while they are few enough.
static void blend_box(struct blending *m)
{
    struct bw_dense *b = &m->out->box;
    const struct bw_dense *part[2] = {&m->part[0].box, &m->part[1].box};
    double lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = HUGE_VAL, hi[a] = -HUGE_VAL;
        for (int p = 0; p < 2; p++) {
            if (!bw_dense_cells(part[p])) continue;
            lo[a] = fmin(lo[a], part[p]->origin[a]);
            hi[a] = fmax(hi[a], part[p]->origin[a] + part[p]->n[a] * part[p]->h);
        }
    }
    b->h = bw_dense_cells(part[1]) ? part[1]->h : part[0]->h;
    for (int again = 1; again; b->h *= again ? 2 : 1) {
        for (int a = 0; a < 3; a++) {
            b->origin[a] = lo[a];
            b->n[a] = hi[a] > lo[a] ? (int32_t)ceil((hi[a] - lo[a]) / b->h - 1e-6) : 0;
        }
        again = (double)b->n[0] * b->n[1] * b->n[2] >= BW_GATHER_CELLS;
    }
}

static enum bw_status blend_make(const struct bw_tools *tools, struct blending *m, float **memory)
{
    size_t arrays = 0, cells;
    float **in[2][BW_VOLUME_ARRAYS], **out[BW_VOLUME_ARRAYS];
    for (int p = 0; p < 2; p++) bw_volume_arrays(&m->part[p], in[p]);
    bw_volume_arrays(m->out, out);
    blend_box(m);
    cells = bw_dense_cells(&m->out->box);
    for (int q = 0; q < BW_VOLUME_ARRAYS; q++) arrays += *in[0][q] || *in[1][q];
    if (!cells || !arrays) return BW_OK;
    float *at = *memory = tools->alloc(tools->ctx, arrays * cells * sizeof(float));
    if (!at) return BW_ERR_MEMORY;
    memset(at, 0, arrays * cells * sizeof(float));
    for (int q = 0; q < BW_VOLUME_ARRAYS; q++) {
        if (!*in[0][q] && !*in[1][q]) continue;
        *out[q] = at;
        at += cells;
    }
    tools->parallel(tools->ctx, m->out->box.n[2], layer_blend, m);
    return BW_OK;
}

enum bw_status bw_gather_blend(const struct bw_tools *tools, const struct bw_frame *frame,
                               const struct bw_domain_info *other, double edge, struct bw_volume *v, float **memory)
{
    const struct bw_domain_info *own = frame->n_fields ? frame->fields[0].info->domain : other;
    struct bw_frame far = *frame;
    struct bw_snapshot_field *list = tools->alloc(tools->ctx, (frame->n_others + 1) * sizeof *list);
    float *part[2] = {NULL, NULL};
    int finer = own->h < other->h; // which part the frame's own domain is
    struct blending m = {.domain = {finer ? other : own, finer ? own : other}, .edge = edge, .out = v};
    m.part[0].moves = m.part[1].moves = v->moves;
    m.part[0].roots = m.part[1].roots = v->roots;
    *memory = NULL;
    if (!list) return BW_ERR_MEMORY;
    far.fields = list, far.n_fields = 0;
    for (uint32_t i = 0; i < frame->n_others; i++)
        if (frame->others[i].info->domain == other) list[far.n_fields++] = frame->others[i];
    enum bw_status status = bw_gather_volume(tools, frame, &m.part[finer], &part[0]);
    if (!status) status = bw_gather_volume(tools, &far, &m.part[!finer], &part[1]);
    if (!status) status = blend_make(tools, &m, memory);
    v->solid = m.part[finer].solid, v->solid_box = m.part[finer].solid_box;
    tools->release(tools->ctx, m.part[!finer].solid);
    for (int p = 0; p < 2; p++) tools->release(tools->ctx, part[p]);
    tools->release(tools->ctx, list);
    return status;
}
