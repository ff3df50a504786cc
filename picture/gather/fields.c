// SPDX-License-Identifier: Apache-2.0
#include "fields.h"
#include <picture/volume/scene/fast_math.h>

#include <string.h>

const struct bw_snapshot_field *bw_gather_find(const struct bw_frame *frame, const char *name)
{
    for (uint32_t i = 0; i < frame->n_fields; i++)
        if (!strcmp(frame->fields[i].info->name, name)) return &frame->fields[i];
    return NULL;
}

const struct bw_snapshot_field *bw_gather_choose(const struct bw_frame *frame, const char *name)
{
    if (name && *name) return bw_gather_find(frame, name);
    const struct bw_snapshot_field *f = bw_gather_find(frame, "density");
    if (!f) f = bw_gather_find(frame, "dye");
    for (uint32_t i = 0; !f && i < frame->n_fields; i++)
        if (frame->fields[i].info->kind == BW_SCALAR) f = &frame->fields[i];
    return f || !frame->n_fields ? f : &frame->fields[0];
}

struct bw_cells bw_tile_cells(const struct bw_snapshot_field *f, int64_t t)
{
    const struct bw_domain_info *d = f->info->domain;
    struct bw_cells c;
    for (int a = 0; a < 3; a++) {
        c.lo[a] = f->coord[t][a] * d->tile[a];
        c.hi[a] = c.lo[a] + d->tile[a];
        if (d->n[0] > 0 && c.hi[a] > d->n[a]) c.hi[a] = d->n[a];
    }
    return c;
}

void bw_cells_join(struct bw_cells *a, const struct bw_cells *b)
{
    for (int d = 0; d < 3; d++) {
        if (b->lo[d] < a->lo[d]) a->lo[d] = b->lo[d];
        if (b->hi[d] > a->hi[d]) a->hi[d] = b->hi[d];
    }
}

int bw_cells_empty(const struct bw_cells *c)
{
    return c->lo[0] >= c->hi[0] || c->lo[1] >= c->hi[1] || c->lo[2] >= c->hi[2];
}

/// One component copied: a task a tile; tiles never share a wide cell.
struct copy {
    struct bw_gather_copy what;
    float *out;
};

static void tile_copy(int64_t t, void *user)
{
    const struct copy *copy = user;
    const struct bw_gather_copy *p = &copy->what;
    const int32_t *n = p->dense->n;
    const struct bw_cells box = bw_tile_cells(p->f, t);
    const int32_t *size = p->f->info->domain->tile;
    const float weight = 1 / (float)(p->step * p->step * p->step);
    const float back = bw_least((float)p->f->info->background[p->c], p->most);
    for (int k = box.lo[2]; k < box.hi[2]; k++)
        for (int j = box.lo[1]; j < box.hi[1]; j++)
            for (int i = box.lo[0]; i < box.hi[0]; i++) {
                const int32_t at[3] = {i - p->lo[0], j - p->lo[1], k - p->lo[2]};
                if (at[0] < 0 || at[1] < 0 || at[2] < 0) continue;
                int32_t q[3] = {at[0] / p->step, at[1] / p->step, at[2] / p->step};
                if (q[0] >= n[0] || q[1] >= n[1] || q[2] >= n[2]) continue;
                size_t from = ((size_t)(k - box.lo[2]) * (size_t)size[1] + (size_t)(j - box.lo[1])) * (size_t)size[0];
                float v = bw_least(bw_tile_value(p->f, p->c, t, from + (size_t)(i - box.lo[0])), p->most);
                copy->out[((size_t)q[2] * (size_t)n[1] + (size_t)q[1]) * (size_t)n[0] + (size_t)q[0]] +=
                    weight * (v - back);
            }
}

void bw_gather_copy(const struct bw_tools *tools, const struct bw_gather_copy *what, float *out)
{
    struct copy copy = {*what, out};
    const size_t cells = bw_dense_cells(what->dense);
    for (size_t i = 0; i < cells; i++) out[i] = bw_least((float)what->f->info->background[what->c], what->most);
    tools->parallel(tools->ctx, what->f->n_tiles, tile_copy, &copy);
}

static int32_t floor_to(int32_t v, int32_t step) { return v >= 0 ? v / step * step : -((-v + step - 1) / step * step); }

void bw_cells_dense(const struct bw_domain_info *d, struct bw_cells *c, int32_t step, struct bw_dense *out)
{
    out->h = d->h * step;
    for (int a = 0; a < 3; a++) {
        c->lo[a] = floor_to(c->lo[a], step);
        out->n[a] = (c->hi[a] - c->lo[a] + step - 1) / step;
        out->origin[a] = d->origin[a] + c->lo[a] * d->h;
    }
}

void bw_gather_bounds(const struct bw_snapshot_field *f, double lo[3], double hi[3])
{
    const struct bw_domain_info *d = f->info->domain;
    struct bw_cells box = {{0}, {d->n[0], d->n[1], d->n[2]}};
    if (d->n[0] <= 0 && f->n_tiles > 0) box = bw_tile_cells(f, 0);
    for (int64_t t = 0; d->n[0] <= 0 && t < f->n_tiles; t++) {
        struct bw_cells c = bw_tile_cells(f, t);
        bw_cells_join(&box, &c);
    }
    for (int a = 0; a < 3; a++) {
        if (box.hi[a] <= box.lo[a]) box.hi[a] = box.lo[a] + 16;
        lo[a] = d->origin[a] + box.lo[a] * d->h;
        hi[a] = d->origin[a] + box.hi[a] * d->h;
    }
}
