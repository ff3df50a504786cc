// SPDX-License-Identifier: Apache-2.0
#include "volume.h"
#include "solid.h"

#include <common/openvdb/bwvdb.h>
#include <float.h>

#define FAINT 1e-4f ///< densities that nobody sees

/// Smallest box of cells of one tile that are more than `faint`.
static struct bw_cells tile_visible(const struct bw_snapshot_field *f, uint32_t c, int64_t t, float faint)
{
    const struct bw_cells box = bw_tile_cells(f, t);
    const int32_t *size = f->info->domain->tile;
    struct bw_cells seen = BW_CELLS_NONE;
    for (int k = box.lo[2]; k < box.hi[2]; k++)
        for (int j = box.lo[1]; j < box.hi[1]; j++) {
            size_t row = ((size_t)(k - box.lo[2]) * (size_t)size[1] + (size_t)(j - box.lo[1])) * (size_t)size[0];
            for (int i = box.lo[0]; i < box.hi[0]; i++)
                if (bw_tile_value(f, c, t, row + (size_t)(i - box.lo[0])) > faint)
                    bw_cells_join(&seen, &(struct bw_cells){{i, j, k}, {i + 1, j + 1, k + 1}});
        }
    return seen;
}

static void field_visible(const struct bw_snapshot_field *f, float faint, struct bw_cells *box)
{
    for (int64_t t = 0; f && t < f->n_tiles; t++)
        for (uint32_t c = 0; c < f->info->comps; c++) {
            struct bw_cells seen = tile_visible(f, c, t, faint);
            if (!bw_cells_empty(&seen)) bw_cells_join(box, &seen);
        }
}

/// What is seen, with two cells of air around it, in cells few enough.
static int32_t dense_choose(const struct bw_domain_info *d, struct bw_cells *box, struct bw_dense *out)
{
    int32_t step = 1;
    for (int a = 0; a < 3; a++) {
        box->lo[a] -= 2;
        box->hi[a] += 2;
    }
    for (;; step *= 2) {
        struct bw_cells c = *box;
        bw_cells_dense(d, &c, step, out);
        if (step >= d->tile[0] || (double)out->n[0] * out->n[1] * out->n[2] < BW_GATHER_CELLS) break;
    }
    bw_cells_dense(d, box, step, out);
    return step;
}

/// The fields that a render shows, or NULL.
struct found {
    const struct bw_snapshot_field *density, *flame, *temperature, *fuel, *dye, *solid, *vel, *age;
};

static const struct bw_snapshot_field *scalar_find(const struct bw_frame *frame, const char *name, uint32_t comps)
{
    const struct bw_snapshot_field *f = bw_gather_find(frame, name);
    return f && f->info->comps == comps && f->info->kind <= BW_VECTOR ? f : NULL;
}

static const struct bw_snapshot_field *motion_find(const struct bw_frame *frame)
{
    static const char *const names[] = {BWVDB_FLOW_NAMES};
    const struct bw_snapshot_field *f = NULL;
    for (size_t i = 0; !f && i < sizeof names / sizeof *names; i++) f = bw_gather_find(frame, names[i]);
    return f && f->info->comps == 3 ? f : NULL;
}

/// Values on the cells' low faces across `axis` to their middles, in the domain's cells, range[0] … range[1] of b.
/// Of the last ones no tile has the high faces: these are what the side's rule makes of them.
static void cells_centre(const struct bw_dense *b, const struct bw_side *high, int axis, const int32_t range[2],
                         float *f)
{
    const size_t next[3] = {1, (size_t)b->n[0], (size_t)b->n[0] * (size_t)b->n[1]};
    const int given = high->kind == BW_CLOSED || high->kind == BW_INFLOW;
    size_t cell = 0;
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++)
            for (int i = 0; i < b->n[0]; i++, cell++) {
                const int at = axis == 0 ? i : axis == 1 ? j : k;
                if (at < range[0] || at > range[1]) continue;
                if (at == range[1]) f[cell] = 0.5f * (f[cell] + (given ? (float)high->velocity[axis] : f[cell]));
                else if (at + 1 < b->n[axis]) f[cell] = 0.5f * (f[cell] + f[cell + next[axis]]);
            }
}

static void flow_centre(const struct bw_domain_info *d, const struct bw_cells *box, int32_t step,
                        const struct bw_dense *b, int axis, float *f)
{
    int32_t range[2] = {0, INT32_MAX}; // without a box all are the domain's
    if (d->n[axis] > 0) range[0] = -box->lo[axis] / step, range[1] = (d->n[axis] - 1 - box->lo[axis]) / step;
    cells_centre(b, &d->side[2 * axis + 1], axis, range, f);
}

static void volume_fill(const struct bw_tools *tools, const struct found *f, const struct bw_cells *box, int32_t step,
                        struct bw_volume *v, float *m)
{
    size_t cells = bw_dense_cells(&v->box);
    const struct bw_snapshot_field *scalars[4] = {f->density, f->flame, f->temperature, f->fuel};
    float **slots[4] = {&v->density, &v->flame, &v->temperature, &v->fuel};
    for (int i = 0; i < 4; i++) {
        if (!scalars[i]) continue;
        bw_gather_copy(tools, &(struct bw_gather_copy){scalars[i], 0, box->lo, &v->box, step, FLT_MAX}, m);
        *slots[i] = m;
        m += cells;
    }
    for (uint32_t c = 0; f->vel && c < 3; c++, m += cells) {
        bw_gather_copy(tools, &(struct bw_gather_copy){f->vel, c, box->lo, &v->box, step, FLT_MAX}, m);
        if (f->vel->info->kind == BW_MAC) flow_centre(f->vel->info->domain, box, step, &v->box, (int)c, m);
        v->vel[c] = m;
    }
    if (f->age) {
        bw_gather_copy(tools, &(struct bw_gather_copy){f->age, 0, box->lo, &v->box, step, FLT_MAX}, m);
        v->age = m;
        m += cells;
    }
    for (uint32_t c = 0; f->dye && c < 3; c++, m += cells) {
        bw_gather_copy(tools, &(struct bw_gather_copy){f->dye, c, box->lo, &v->box, step, FLT_MAX}, m);
        v->dye[c] = m;
    }
}

enum bw_status bw_gather_volume(const struct bw_tools *tools, const struct bw_frame *frame, struct bw_volume *v,
                                float **memory)
{
    struct found f = {scalar_find(frame, "density", 1),     scalar_find(frame, "flame", 1),
                      scalar_find(frame, "temperature", 1), v->roots ? scalar_find(frame, "fuel", 1) : NULL,
                      scalar_find(frame, "dye", 3),         scalar_find(frame, "solid", 1),
                      v->moves ? motion_find(frame) : NULL, v->moves & BW_AGES ? scalar_find(frame, "age", 1) : NULL};
    const struct bw_snapshot_field *any = f.density ? f.density : f.dye ? f.dye : f.flame ? f.flame : f.temperature;
    struct bw_cells box = BW_CELLS_NONE;
    field_visible(f.density, FAINT, &box);
    field_visible(f.dye, FAINT, &box);
    field_visible(f.flame, 1e-3f, &box);
    if (!f.flame) field_visible(f.temperature, 500, &box); // colder gas does not glow
    if (any) bw_gather_solid_cells(f.solid, any->info->domain, &box);
    int32_t step = 1;
    *memory = NULL;
    if (any && !bw_cells_empty(&box)) {
        step = dense_choose(any->info->domain, &box, &v->box);
        size_t arrays =
            !!f.density + !!f.flame + !!f.temperature + !!f.fuel + !!f.age + (f.dye ? 3 : 0) + (f.vel ? 3 : 0);
        *memory = tools->alloc(tools->ctx, arrays * bw_dense_cells(&v->box) * sizeof(float));
        if (!*memory) return BW_ERR_MEMORY;
        volume_fill(tools, &f, &box, step, v, *memory);
    }
    return f.solid ? bw_gather_solid(tools, f.solid, step, v) : BW_OK;
}
