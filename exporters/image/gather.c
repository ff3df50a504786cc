// SPDX-License-Identifier: Apache-2.0
/* Dense arrays for the renderer: only the box that holds something, with a cell of air around; halved until it fits. */
#include "picture.h"

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
    float weight = 1 / (float)(p->step * p->step * p->step), back = bw_least((float)p->f->info->background[p->c], p->most);
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
    struct copy p = {f, c, {box->lo[0], box->lo[1], box->lo[2]}, {dense->n[0], dense->n[1], dense->n[2]}, step, most, out};
    size_t cells = bw_dense_cells(dense);
    for (size_t i = 0; i < cells; i++) out[i] = bw_least((float)f->info->background[c], most);
    tools->parallel(tools->ctx, f->n_tiles, tile_copy, &p);
}

static int32_t floor_to(int32_t v, int32_t step)
{
    return v >= 0 ? v / step * step : -((-v + step - 1) / step * step);
}

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

/// Obstacles: the box of the tiles near them. Distances are known near the surface only and are any large number
/// elsewhere; cut to BAND cells they are safe to march by.
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
    field_copy(tools, f, 0, &box, &v->solid_box, step, BAND * (float)(f->info->domain->h * step), v->solid);
    return BW_OK;
}

enum bw_status bw_gather_volume(const struct bw_tools *tools, const struct bw_frame *frame, struct bw_volume *v,
                                float **memory)
{
    struct bw_found f = {scalar_find(frame, "density", 1), scalar_find(frame, "flame", 1), NULL,
                         scalar_find(frame, "dye", 3), scalar_find(frame, "solid", 1)};
    if (!f.flame) f.temperature = scalar_find(frame, "temperature", 1);
    const struct bw_snapshot_field *any = f.density ? f.density : f.dye ? f.dye : f.flame ? f.flame : f.temperature;
    struct cells box = {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
    field_visible(f.density, FAINT, &box);
    field_visible(f.dye, FAINT, &box);
    field_visible(f.flame, 1e-3f, &box);
    field_visible(f.temperature, 500, &box); // colder gas does not glow
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
