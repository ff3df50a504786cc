// SPDX-License-Identifier: Apache-2.0
/* How fast the flow is, for mac.advect: the range of each velocity component by tile, and the largest overall. A
 * displacement has no component outside dt/h times that, so it bounds every trace and with it the halo. */
#include "advect_pass.h"
#include <common/ranks.h>
#include <common/tiles.h>
#include <string.h>

/// Measuring the velocity.
struct speeds {
    const struct advect_kernels *kernels;
    const struct bw_tiles_api *tiles;
    const struct bw_topology *topology;
    struct range3 *tile;
};

/* The high faces are the next tile's, which has its own range; they are read only where there is none. */
static int block_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct speeds *s = user;
    const int64_t tile = tile_of_block(s->tiles, b);
    (void)row;
    for (int side = 0; side < 6; side++) reach[side] = (side & 1) && s->topology->neighbour[tile][side] < 0;
    return 1;
}

static void block_speed(const struct bw_block *b, void *user)
{
    const struct speeds *s = user;
    const struct bw_view *v = &b->view[0];
    const ptrdiff_t step[2] = {v->sy, v->sz};
    const int64_t tile = tile_of_block(s->tiles, b);
    struct range3 *r = &s->tile[tile];
    *r = (struct range3){{0}, {0}};
    for (int c = 0; c < 3; c++) {
        if (c == b->grid->thin) continue;
        int32_t n[3] = {b->n[0], b->n[1], b->n[2]};
        n[c] += s->topology->neighbour[tile][2 * c + 1] < 0;
        float range[2] = {0, 0};
        s->kernels->range(bw_f32(v, c), step, n, range);
        r->least[c] = range[0];
        r->most[c] = range[1];
        b->max[0] = fmax(b->max[0], fmax((double)-range[0], (double)range[1]));
    }
}

/* Largest velocity component that a trace can meet where there are no tiles: the background, and beyond the sides,
 * where a moving wall's mirror image adds twice its own to what is inside. */
double pass_still(const struct pass *p)
{
    const struct bw_stage *s = p->stage;
    double most = 0, wall = 0;
    for (int c = 0; c < 3; c++) {
        most = fmax(most, fabs(s->host->field_info(p->vel)->background[c]));
        for (int side = 0; side < 6; side++) wall = fmax(wall, fabs(s->grid->side[side].velocity[c]));
    }
    return most + 2 * wall;
}

enum bw_status pass_measure(struct pass *p)
{
    struct bw_stage *s = p->stage;
    const struct bw_access access = {p->vel, BW_READ, 1};
    struct speeds by = {p->kernels, p->tiles, p->tiles->topology(s->domain), NULL};
    double most = 0;
    p->tile_speed = by.tile = s->host->scratch(s, sizeof *by.tile * (size_t)(by.topology->count + 1));
    if (!by.tile) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for the tiles' speeds.");
    enum bw_status st = s->host->sweep(s, &(struct bw_sweep){.access = &access,
                                                             .n_access = 1,
                                                             .body = block_speed,
                                                             .reach = block_reach,
                                                             .user = &by,
                                                             .maxs = &most,
                                                             .n_maxs = 1});
    if (st == BW_OK) st = ranks_share(s, by.tile, NULL, sizeof *by.tile);
    p->still = pass_still(p);
    p->speed = fmax(most, 0) + p->still;
    return st;
}
