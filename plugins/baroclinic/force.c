// SPDX-License-Identifier: Apache-2.0
/* Every face gets g (q_low + q_high)/2, q from the smoke and the temperature of the cells on both sides; second
 * order, explicit. The projection takes out what is a gradient and leaves the baroclinic vorticity. */
#include "force.h"

/// A block's q with a cell around.
struct cells {
    double *q;
    ptrdiff_t sy, sz;
};

static double cell_deviation(const struct bw_block *b, const struct grid_force *f, int32_t i, int32_t j, int32_t k)
{
    const struct bw_view *t = f->temperature ? &b->view[1] : NULL, *d = f->smoke ? &b->view[1 + (t != NULL)] : NULL;
    return density_deviation(f->weight, d ? f->smoke_density * bw_get(d, 0, i + j * d->sy + k * d->sz) : 0,
                             t ? bw_get(t, 0, i + j * t->sy + k * t->sz) : 0);
}

static void cells_fill(const struct bw_block *b, const struct grid_force *f, struct cells *c)
{
    for (int32_t k = -1; k <= b->n[2]; k++)
        for (int32_t j = -1; j <= b->n[1]; j++)
            for (int32_t i = -1; i <= b->n[0]; i++) {
                double deviation = cell_deviation(b, f, i, j, k);
                int inside = i >= 0 && j >= 0 && k >= 0 && i < b->n[0] && j < b->n[1] && k < b->n[2];
                c->q[i + j * c->sy + k * c->sz] = density_potential(f->weight, deviation);
                if (inside) b->max[0] = fmax(b->max[0], fabs(deviation) / f->weight->ambient);
            }
}

static void faces_force(const struct bw_block *b, const struct cells *c, int axis, double push)
{
    const struct bw_view *f = &b->view[0];
    const ptrdiff_t step = axis == 0 ? 1 : axis == 1 ? c->sy : c->sz;
    int32_t n[3] = {b->n[0], b->n[1], b->n[2]};
    n[axis] += b->high[axis];
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++)
            for (int32_t i = 0; i < n[0]; i++) {
                const double *q = c->q + i + j * c->sy + k * c->sz;
                ptrdiff_t at = i + j * f->sy + k * f->sz;
                if (q[0] + q[-step] != 0) bw_put(f, axis, at, bw_get(f, axis, at) + push * 0.5 * (q[-step] + q[0]));
            }
}

static void block_force(const struct bw_block *b, void *user)
{
    const struct grid_force *f = user;
    struct cells c = {.sy = b->n[0] + 2, .sz = (ptrdiff_t)(b->n[0] + 2) * (b->n[1] + 2)};
    double *memory = b->stage->host->body_scratch(b, (size_t)(c.sz * (b->n[2] + 2)) * sizeof *memory);
    if (!memory) return;
    c.q = memory + 1 + c.sy + c.sz;
    cells_fill(b, f, &c);
    for (int a = 0; a < 3; a++)
        if (f->weight->gravity[a] != 0 && b->stage->dt > 0) faces_force(b, &c, a, f->weight->gravity[a]);
}

enum bw_status force_add(struct bw_stage *s, const struct grid_force *f, double *most)
{
    struct bw_access access[3] = {{f->force, s->dt > 0 ? BW_UPDATE_OWN : BW_READ, 0}};
    uint32_t n = 1;
    *most = 0;
    if (f->temperature) access[n++] = (struct bw_access){f->temperature, BW_READ, 1};
    if (f->smoke) access[n++] = (struct bw_access){f->smoke, BW_READ, 1};
    if (n == 1) return BW_OK;
    enum bw_status st = s->host->sweep(s, &(struct bw_sweep){.access = access,
                                                             .n_access = n,
                                                             .body = block_force,
                                                             .user = (void *)(intptr_t)f,
                                                             .maxs = most,
                                                             .n_maxs = 1});
    *most = fmax(*most, 0);
    return st;
}
