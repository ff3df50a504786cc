// SPDX-License-Identifier: Apache-2.0
/* Warnings about sources that emit nothing: wholly inside an obstacle, outside the domain, or between cell centres. */
#include "emit.h"

#include <math.h>

#define DEEP 0.87 ///< half a cell's diagonal, cells: a centre deeper than that is of a cell wholly inside an obstacle

struct placement_sweep {
    struct pose pose;
    struct box3 bounds;
    double width;
    int has_solid;
};

enum { SOLID_VIEW, IN_SHAPE = 0, IN_FLUID };

static int placement_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    struct cells c;
    (void)row, (void)reach;
    return box_cells(&((const struct placement_sweep *)user)->bounds, b, &c);
}

static void placement_body(const struct bw_block *b, void *user)
{
    const struct placement_sweep *l = user;
    const struct bw_view *v = &b->view[SOLID_VIEW];
    struct cells c;
    if (!box_cells(&l->bounds, b, &c)) return;
    for (int k = c.lo[2]; k < c.hi[2]; k++)
        for (int j = c.lo[1]; j < c.hi[1]; j++)
            for (int i = c.lo[0]; i < c.hi[0]; i++) {
                const double x[3] = {block_coord(b, 0, i + 0.5), block_coord(b, 1, j + 0.5),
                                     block_coord(b, 2, k + 0.5)};
                if (!(pose_cover(&l->pose, x, l->width) > 0)) continue;
                b->sum[IN_SHAPE]++;
                b->sum[IN_FLUID] += !l->has_solid || bw_get(v, 0, i + j * v->sy + k * v->sz) > -DEEP * b->grid->h;
            }
}

/* Obstacles are those of the previous step, since this step's do not exist yet. So the first step is not checked. */
enum bw_status placement_check(struct bw_stage *s, struct placement *p, const struct pose *pose, double width)
{
    struct bw_field *solid = s->host->find_field(s, "solid"), *any = solid;
    if (p->checked || !p->steps++) return BW_OK;
    for (uint32_t i = 0; !any && i < s->ports[PORT_AMOUNTS].count; i++) any = s->ports[PORT_AMOUNTS].fields[i];
    if (!any) any = bw_port_field(s, PORT_VEL);
    if (!any) return BW_OK;
    struct placement_sweep l = {*pose, pose_bounds(pose, 0.5 * width + s->grid->h), width, solid != NULL};
    double sum[2] = {0, 0};
    const struct bw_access row = {any, BW_READ, 0};
    const enum bw_status status = s->host->sweep(s, &(struct bw_sweep){.access = &row,
                                                                       .n_access = 1,
                                                                       .body = placement_body,
                                                                       .reach = placement_reach,
                                                                       .user = &l,
                                                                       .sums = sum,
                                                                       .n_sums = 2});
    if (status) return status;
    p->checked = sum[IN_SHAPE] > 0;
    if (p->checked && !(sum[IN_FLUID] > 0))
        s->host->log(s, BW_LOG_WARNING,
                     "the source lies wholly inside an obstacle as it begins: nothing comes out of it "
                     "while it does");
    return BW_OK;
}

void placement_report(struct bw_stage *s, const struct placement *p)
{
    if (p->steps > 1 && !p->checked)
        s->host->log(
            s, BW_LOG_WARNING,
            "the source has never covered the middle of a cell of %s: it lies outside, or is finer than a cell "
            "(%g m)",
            s->grid->name, s->grid->h);
}
