// SPDX-License-Identifier: Apache-2.0
/* Where a source lies: one that is all in an obstacle, or between the middles of cells, gives nothing, and who waits
 * for its smoke is told. */
#include "emit.h"

#include <math.h>

#define DEEP 0.87 ///< cells that the middle of one lies in an obstacle if all of it does: half its diagonal

struct look {
    struct pose pose;
    struct box3 bounds;
    double width;
    int walled;
};

enum { SOLID_VIEW, IN_SHAPE = 0, IN_GAS };

static int look_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    struct cells c;
    (void)row, (void)reach;
    return box_cells(&((const struct look *)user)->bounds, b, &c);
}

static void look_body(const struct bw_block *b, void *user)
{
    const struct look *l = user;
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
                b->sum[IN_GAS] += !l->walled || bw_get(v, 0, i + j * v->sy + k * v->sz) > -DEEP * b->grid->h;
            }
}

/* Obstacles are those of the step that has just ended: of this one they are not yet made. In the first there are
 * none. */
enum bw_status place_judge(struct bw_stage *s, struct place *p, const struct pose *pose, double width)
{
    struct bw_field *solid = s->host->find_field(s, "solid"), *any = solid;
    if (p->judged || !p->steps++) return BW_OK;
    for (uint32_t i = 0; !any && i < s->ports[PORT_AMOUNTS].count; i++) any = s->ports[PORT_AMOUNTS].fields[i];
    if (!any) any = bw_port_field(s, PORT_VEL);
    if (!any) return BW_OK;
    struct look l = {*pose, pose_bounds(pose, 0.5 * width + s->grid->h), width, solid != NULL};
    double sum[2] = {0, 0};
    const struct bw_access row = {any, BW_READ, 0};
    const enum bw_status status = s->host->sweep(s, &(struct bw_sweep){.access = &row,
                                                                       .n_access = 1,
                                                                       .body = look_body,
                                                                       .reach = look_reach,
                                                                       .user = &l,
                                                                       .sums = sum,
                                                                       .n_sums = 2});
    if (status) return status;
    p->judged = sum[IN_SHAPE] > 0;
    if (p->judged && !(sum[IN_GAS] > 0))
        s->host->log(s, BW_LOG_WARNING,
                     "the source lies wholly inside an obstacle as it begins: nothing comes out of it "
                     "while it does");
    return BW_OK;
}

void place_end(struct bw_stage *s, const struct place *p)
{
    if (p->steps > 1 && !p->judged)
        s->host->log(
            s, BW_LOG_WARNING,
            "the source has never covered the middle of a cell of %s: it lies outside, or is finer than a cell "
            "(%g m)",
            s->grid->name, s->grid->h);
}
