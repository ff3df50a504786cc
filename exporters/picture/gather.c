// SPDX-License-Identifier: Apache-2.0
/* Dense arrays for the renderer: only the box that holds something, with a cell of air around; halved until it fits. */
#include "picture.h"

#include <common/nest.h>
#include <picture/volume/scene/quick.h>

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_CELLS 12e6 ///< 40 bytes each while a frame is drawn
#define FAINT 1e-4f    ///< densities that nobody sees
#define BAND 3         ///< cells from an obstacle where distances are exact

/// A box of cells, half open.
struct cells {
    int32_t lo[3], hi[3];
};

const struct bw_snapshot_field *bw_gather_find(const struct bw_frame *frame, const char *name)
{
    for (uint32_t i = 0; i < frame->n_fields; i++)
        if (!strcmp(frame->fields[i].info->name, name)) return &frame->fields[i];
    return NULL;
}

/// Cells of a tile, clipped to the domain's box.
static struct cells tile_cells(const struct bw_snapshot_field *f, int64_t t)
{
    const struct bw_domain_info *d = f->info->domain;
    struct cells c;
    for (int a = 0; a < 3; a++) {
        c.lo[a] = f->coord[t][a] * d->tile[a];
        c.hi[a] = c.lo[a] + d->tile[a];
        if (d->n[0] > 0 && c.hi[a] > d->n[a]) c.hi[a] = d->n[a];
    }
    return c;
}

static void cells_join(struct cells *a, const struct cells *b)
{
    for (int d = 0; d < 3; d++) {
        if (b->lo[d] < a->lo[d]) a->lo[d] = b->lo[d];
        if (b->hi[d] > a->hi[d]) a->hi[d] = b->hi[d];
    }
}

static int cells_empty(const struct cells *c)
{
    return c->lo[0] >= c->hi[0] || c->lo[1] >= c->hi[1] || c->lo[2] >= c->hi[2];
}

static float tile_value(const struct bw_snapshot_field *f, uint32_t c, int64_t t, size_t i)
{
    const void *data = f->tile[c][t];
    return f->info->precision == BW_F64P ? (float)((const double *)data)[i] : ((const float *)data)[i];
}

/// Smallest box of cells of one tile that are more than `faint`.
static struct cells tile_visible(const struct bw_snapshot_field *f, uint32_t c, int64_t t, float faint)
{
    const struct cells box = tile_cells(f, t);
    const int32_t *size = f->info->domain->tile;
    struct cells seen = {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
    for (int k = box.lo[2]; k < box.hi[2]; k++)
        for (int j = box.lo[1]; j < box.hi[1]; j++) {
            size_t row = ((size_t)(k - box.lo[2]) * (size_t)size[1] + (size_t)(j - box.lo[1])) * (size_t)size[0];
            for (int i = box.lo[0]; i < box.hi[0]; i++)
                if (tile_value(f, c, t, row + (size_t)(i - box.lo[0])) > faint)
                    cells_join(&seen, &(struct cells){{i, j, k}, {i + 1, j + 1, k + 1}});
        }
    return seen;
}

static void field_visible(const struct bw_snapshot_field *f, float faint, struct cells *box)
{
    for (int64_t t = 0; f && t < f->n_tiles; t++)
        for (uint32_t c = 0; c < f->info->comps; c++) {
            struct cells seen = tile_visible(f, c, t, faint);
            if (!cells_empty(&seen)) cells_join(box, &seen);
        }
}

/// One component copied into a dense box of cells `step` wide: a task a tile; tiles never share such a cell.
struct copy {
    const struct bw_snapshot_field *f;
    uint32_t c;
    int32_t lo[3], n[3], step;
    float most; ///< larger values count as this
    float *out;
};

static void tile_copy(int64_t t, void *user)
{
    const struct copy *p = user;
    const struct cells box = tile_cells(p->f, t);
    const int32_t *size = p->f->info->domain->tile;
    float weight = 1 / (float)(p->step * p->step * p->step),
          back = bw_least((float)p->f->info->background[p->c], p->most);
    for (int k = box.lo[2]; k < box.hi[2]; k++)
        for (int j = box.lo[1]; j < box.hi[1]; j++)
            for (int i = box.lo[0]; i < box.hi[0]; i++) {
                const int32_t at[3] = {i - p->lo[0], j - p->lo[1], k - p->lo[2]};
                if (at[0] < 0 || at[1] < 0 || at[2] < 0) continue;
                int32_t q[3] = {at[0] / p->step, at[1] / p->step, at[2] / p->step};
                if (q[0] >= p->n[0] || q[1] >= p->n[1] || q[2] >= p->n[2]) continue;
                size_t from = ((size_t)(k - box.lo[2]) * (size_t)size[1] + (size_t)(j - box.lo[1])) * (size_t)size[0];
                float v = bw_least(tile_value(p->f, p->c, t, from + (size_t)(i - box.lo[0])), p->most);
                p->out[((size_t)q[2] * (size_t)p->n[1] + (size_t)q[1]) * (size_t)p->n[0] + (size_t)q[0]] +=
                    weight * (v - back);
            }
}

static void field_copy(const struct bw_tools *tools, const struct bw_snapshot_field *f, uint32_t c,
                       const struct cells *box, const struct bw_dense *dense, int32_t step, float most, float *out)
{
    struct copy p = {f,    c,  {box->lo[0], box->lo[1], box->lo[2]}, {dense->n[0], dense->n[1], dense->n[2]}, step,
                     most, out};
    size_t cells = bw_dense_cells(dense);
    for (size_t i = 0; i < cells; i++) out[i] = bw_least((float)f->info->background[c], most);
    tools->parallel(tools->ctx, f->n_tiles, tile_copy, &p);
}

static int32_t floor_to(int32_t v, int32_t step) { return v >= 0 ? v / step * step : -((-v + step - 1) / step * step); }

/// Cells to a dense box of cells `step` wide; the low corner is aligned, so that tiles hold whole wide cells.
static void dense_make(const struct bw_domain_info *d, struct cells *c, int32_t step, struct bw_dense *out)
{
    out->h = d->h * step;
    for (int a = 0; a < 3; a++) {
        c->lo[a] = floor_to(c->lo[a], step);
        out->n[a] = (c->hi[a] - c->lo[a] + step - 1) / step;
        out->origin[a] = d->origin[a] + c->lo[a] * d->h;
    }
}

/// What is seen, with two cells of air around it, in cells few enough.
static int32_t dense_choose(const struct bw_domain_info *d, struct cells *box, struct bw_dense *out)
{
    int32_t step = 1;
    for (int a = 0; a < 3; a++) {
        box->lo[a] -= 2;
        box->hi[a] += 2;
    }
    for (;; step *= 2) {
        struct cells c = *box;
        dense_make(d, &c, step, out);
        if (step >= d->tile[0] || (double)out->n[0] * out->n[1] * out->n[2] < MAX_CELLS) break;
    }
    dense_make(d, box, step, out);
    return step;
}

struct bw_found {
    const struct bw_snapshot_field *density, *flame, *temperature, *dye, *solid;
};

static const struct bw_snapshot_field *scalar_find(const struct bw_frame *frame, const char *name, uint32_t comps)
{
    const struct bw_snapshot_field *f = bw_gather_find(frame, name);
    return f && f->info->comps == comps && f->info->kind <= BW_VECTOR ? f : NULL;
}

static void volume_fill(const struct bw_tools *tools, const struct bw_found *f, const struct cells *box, int32_t step,
                        struct bw_volume *v, float *m)
{
    size_t cells = bw_dense_cells(&v->box);
    const struct bw_snapshot_field *scalars[3] = {f->density, f->flame, f->temperature};
    float **slots[3] = {&v->density, &v->flame, &v->temperature};
    for (int i = 0; i < 3; i++) {
        if (!scalars[i]) continue;
        field_copy(tools, scalars[i], 0, box, &v->box, step, FLT_MAX, m);
        *slots[i] = m;
        m += cells;
    }
    for (uint32_t c = 0; f->dye && c < 3; c++, m += cells) {
        field_copy(tools, f->dye, c, box, &v->box, step, FLT_MAX, m);
        v->dye[c] = m;
    }
}

static int tile_below(const struct bw_snapshot_field *f, int64_t t, float most)
{
    const int32_t *n = f->info->domain->tile;
    for (size_t i = 0; i < (size_t)n[0] * (size_t)n[1] * (size_t)n[2]; i++)
        if (tile_value(f, 0, t, i) < most) return 1;
    return 0;
}

/// Obstacles that stand in the smoke's domain are lit with it: their shadows reach the floor where no smoke is.
static void solid_visible(const struct bw_snapshot_field *f, const struct bw_domain_info *domain, struct cells *box)
{
    for (int64_t t = 0; f && f->info->domain == domain && t < f->n_tiles; t++) {
        struct cells c = tile_cells(f, t);
        if (tile_below(f, t, 0)) cells_join(box, &c);
    }
}

/// Half of solid_spread: from the cells before (way 1) or behind (way -1).
static void solid_sweep(const struct bw_dense *b, float cap, int way, float *d)
{
    const ptrdiff_t sy = b->n[0], sz = sy * b->n[1], count = sz * b->n[2];
    for (ptrdiff_t m = 0; m < count; m++) {
        const ptrdiff_t q = way > 0 ? m : count - 1 - m;
        const int32_t at[3] = {(int32_t)(q % sy), (int32_t)(q / sy % b->n[1]), (int32_t)(q / sz)};
        float least = d[q];
        if (least < cap) continue;
        for (int e = 0; e < 13; e++) { // the first half of the 26 cells around
            const int32_t to[3] = {at[0] + way * (e % 3 - 1), at[1] + way * (e / 3 % 3 - 1), at[2] + way * (e / 9 - 1)};
            if (to[0] < 0 || to[1] < 0 || to[2] < 0 || to[0] >= b->n[0] || to[1] >= b->n[1] || to[2] >= b->n[2])
                continue;
            least = fminf(least, d[to[0] + to[1] * sy + to[2] * sz] + (float)b->h);
        }
        d[q] = fmaxf(least, cap);
    }
}

/// Distances that are at least `cap`: what a step a cell, along diagonals too, leaves as a lower bound. A ray through
/// empty space takes few steps then.
static void solid_spread(const struct bw_dense *b, float cap, float *d)
{
    for (size_t i = 0; i < bw_dense_cells(b); i++)
        if (d[i] >= cap) d[i] = FLT_MAX / 2;
    solid_sweep(b, cap, 1, d);
    solid_sweep(b, cap, -1, d);
}

/// Obstacles: the box of the tiles near them. Distances are known near the surface only and are any large number
/// elsewhere; cut to BAND cells they are safe to march by, and spread from there.
static enum bw_status solid_gather(const struct bw_tools *tools, const struct bw_snapshot_field *f, int32_t step,
                                   struct bw_volume *v)
{
    struct cells box = {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
    for (int64_t t = 0; t < f->n_tiles; t++) {
        struct cells c = tile_cells(f, t);
        if (tile_below(f, t, BAND * (float)f->info->domain->h)) cells_join(&box, &c);
    }
    if (cells_empty(&box)) return BW_OK;
    while (step < f->info->domain->tile[0]) { // a sparse scene may span far more than the smoke
        struct cells c = box;
        dense_make(f->info->domain, &c, step, &v->solid_box);
        if (bw_dense_cells(&v->solid_box) < (size_t)MAX_CELLS) break;
        step *= 2;
    }
    dense_make(f->info->domain, &box, step, &v->solid_box);
    v->solid = tools->alloc(tools->ctx, bw_dense_cells(&v->solid_box) * sizeof(float));
    if (!v->solid) return BW_ERR_MEMORY;
    const float cap = BAND * (float)(f->info->domain->h * step);
    field_copy(tools, f, 0, &box, &v->solid_box, step, cap, v->solid);
    solid_spread(&v->solid_box, cap, v->solid);
    return BW_OK;
}

enum bw_status bw_gather_volume(const struct bw_tools *tools, const struct bw_frame *frame, struct bw_volume *v,
                                float **memory)
{
    struct bw_found f = {scalar_find(frame, "density", 1), scalar_find(frame, "flame", 1),
                         scalar_find(frame, "temperature", 1), scalar_find(frame, "dye", 3),
                         scalar_find(frame, "solid", 1)};
    const struct bw_snapshot_field *any = f.density ? f.density : f.dye ? f.dye : f.flame ? f.flame : f.temperature;
    struct cells box = {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
    field_visible(f.density, FAINT, &box);
    field_visible(f.dye, FAINT, &box);
    field_visible(f.flame, 1e-3f, &box);
    if (!f.flame) field_visible(f.temperature, 500, &box); // colder gas does not glow
    if (any) solid_visible(f.solid, any->info->domain, &box);
    int32_t step = 1;
    *memory = NULL;
    if (any && !cells_empty(&box)) {
        step = dense_choose(any->info->domain, &box, &v->box);
        size_t arrays = !!f.density + !!f.flame + !!f.temperature + (f.dye ? 3 : 0);
        *memory = tools->alloc(tools->ctx, arrays * bw_dense_cells(&v->box) * sizeof(float));
        if (!*memory) return BW_ERR_MEMORY;
        volume_fill(tools, &f, &box, step, v, *memory);
    }
    return f.solid ? solid_gather(tools, f.solid, step, v) : BW_OK;
}

/* ---- two domains ---- */

struct blending {
    struct bw_volume part[2]; ///< of the coarser and of the finer domain
    const struct bw_domain_info *domain[2];
    double edge;
    struct bw_volume *out;
};

enum { ARRAYS = 6 };

/// The arrays of a volume, in a fixed order.
static float **array_of(struct bw_volume *v, int i)
{
    float **const array[ARRAYS] = {&v->density, &v->flame, &v->temperature, &v->dye[0], &v->dye[1], &v->dye[2]};
    return array[i];
}

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
                for (int q = 0; q < ARRAYS; q++)
                    if (*array_of(part, q)) (*array_of(m->out, q))[at] += share * bw_tap_read(&tap, *array_of(part, q));
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
        again = (double)b->n[0] * b->n[1] * b->n[2] >= MAX_CELLS;
    }
}

static enum bw_status blend_make(const struct bw_tools *tools, struct blending *m, float **memory)
{
    size_t arrays = 0, cells;
    blend_box(m);
    cells = bw_dense_cells(&m->out->box);
    for (int q = 0; q < ARRAYS; q++) arrays += *array_of(&m->part[0], q) || *array_of(&m->part[1], q);
    if (!cells || !arrays) return BW_OK;
    float *at = *memory = tools->alloc(tools->ctx, arrays * cells * sizeof(float));
    if (!at) return BW_ERR_MEMORY;
    memset(at, 0, arrays * cells * sizeof(float));
    for (int q = 0; q < ARRAYS; q++) {
        if (!*array_of(&m->part[0], q) && !*array_of(&m->part[1], q)) continue;
        *array_of(m->out, q) = at;
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

void bw_gather_bounds(const struct bw_snapshot_field *f, double lo[3], double hi[3])
{
    const struct bw_domain_info *d = f->info->domain;
    struct cells box = {{0}, {d->n[0], d->n[1], d->n[2]}};
    if (d->n[0] <= 0 && f->n_tiles > 0) box = tile_cells(f, 0);
    for (int64_t t = 0; d->n[0] <= 0 && t < f->n_tiles; t++) {
        struct cells c = tile_cells(f, t);
        cells_join(&box, &c);
    }
    for (int a = 0; a < 3; a++) {
        if (box.hi[a] <= box.lo[a]) box.hi[a] = box.lo[a] + 16;
        lo[a] = d->origin[a] + box.lo[a] * d->h;
        hi[a] = d->origin[a] + box.hi[a] * d->h;
    }
}
