// SPDX-License-Identifier: Apache-2.0
/* Speed of the flow, for the CFL number: the range of each velocity component by sub-tile, and the largest overall. No
 * component of a displacement exceeds dt/h times that, which bounds trajectories and with them the halo. */
#include "advect/advect_pass.h"
#include <common/ranks.h>
#include <common/tiles.h>
#include <string.h>

/// Measuring the velocity.
struct speeds {
    const struct advect_kernels *kernels;
    const struct bw_tiles_api *tiles;
    const struct bw_topology *topology;
    struct sub_tile_ranges *sub_tile;
};

/* High faces belong to the next tile, which has its own range; they are read only where there is none. */
static int block_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct speeds *s = user;
    const int64_t tile = tile_of_block(s->tiles, b);
    (void)row;
    for (int side = 0; side < 6; side++) reach[side] = (side & 1) && s->topology->neighbour[tile][side] < 0;
    return 1;
}

/* Range of one sub-tile; more[a]: high faces too. */
static void sub_tile_speed(const struct bw_block *b, const struct speeds *s, const struct sub_tiles *by,
                           const int32_t at[3], const int32_t more[3], struct sub_tile_ranges *r)
{
    const struct bw_view *v = &b->view[0];
    const ptrdiff_t step[2] = {v->sy, v->sz};
    *r = (struct sub_tile_ranges){.all = {{0}, {0}}};
    for (int c = 0; c < 3; c++) {
        int32_t n[3], first[3];
        float all[2] = {0, 0}, plane[2] = {0, 0};
        if (c == b->grid->thin) continue;
        for (int a = 0; a < 3; a++) n[a] = sub_tile_cells_along(by, a, at[a], b->n[a], a == c ? more[a] : 0, &first[a]);
        const float *u = bw_f32(v, c) + first[0] + first[1] * v->sy + first[2] * v->sz;
        s->kernels->range(u, step, n, all);
        n[c] = n[c] > 0;
        s->kernels->range(u, step, n, plane);
        r->all.least[c] = all[0], r->all.most[c] = all[1];
        r->first.least[c] = plane[0], r->first.most[c] = plane[1];
    }
}

static void block_speed(const struct bw_block *b, void *user)
{
    const struct speeds *s = user;
    const struct sub_tiles by = sub_tiles_of(b->grid);
    const int64_t tile = tile_of_block(s->tiles, b);
    struct sub_tile_ranges *r = s->sub_tile + tile * by.count;
    int32_t more[3];
    for (int a = 0; a < 3; a++) more[a] = s->topology->neighbour[tile][2 * a + 1] < 0;
    for (int32_t q = 0; q < by.count; q++, r++) {
        int32_t at[3];
        sub_tile_place(&by, q, at);
        sub_tile_speed(b, s, &by, at, more, r);
        b->max[0] = fmax(b->max[0], range_speed(&r->all));
    }
}

/* Largest velocity component in the exterior: the background; beyond moving walls, where the mirror image adds twice
 * the wall's to that inside. */
double exterior_speed(const struct pass *p)
{
    const struct bw_stage *s = p->stage;
    double most = 0, wall = 0;
    for (int c = 0; c < 3; c++) {
        most = fmax(most, fabs(s->host->field_info(p->vel)->background[c]));
        for (int side = 0; side < 6; side++) wall = fmax(wall, fabs(s->grid->side[side].velocity[c]));
    }
    return most + 2 * wall;
}

enum bw_status speed_alloc(struct pass *p, int64_t tiles, struct sub_tile_ranges **to)
{
    struct bw_stage *s = p->stage;
    *to = s->host->scratch(s, sizeof **to * (size_t)sub_tiles_of(s->grid).count * (size_t)(tiles + 1));
    return *to ? BW_OK : s->host->fail(s, BW_ERR_MEMORY, "Out of memory for the tiles' speeds.");
}

/* Faces at the high end of a tile are the next one's: after the sweep they are known. */
static void high_faces_join(const struct bw_topology *t, const struct sub_tiles *by, int64_t tile,
                            struct sub_tile_ranges *of)
{
    for (int32_t q = 0; q < by->count; q++)
        for (int c = 0; c < 3; c++) {
            int32_t at[3];
            struct range3 *r = &of[tile * by->count + q].all;
            sub_tile_place(by, q, at);
            at[c] = (at[c] + 1) % by->parts[c];
            const int64_t next = at[c] ? tile : t->neighbour[tile][2 * c + 1];
            if (next < 0) continue;
            const struct range3 *first =
                &of[next * by->count + at[0] + by->parts[0] * (at[1] + by->parts[1] * at[2])].first;
            r->least[c] = fminf(r->least[c], first->least[c]);
            r->most[c] = fmaxf(r->most[c], first->most[c]);
        }
}

enum bw_status speed_join(const struct pass *p, struct sub_tile_ranges *of)
{
    const struct sub_tiles by = sub_tiles_of(p->stage->grid);
    const struct bw_topology *t = p->tiles->topology(p->stage->domain);
    const enum bw_status st = ranks_allgather(p->stage, of, NULL, sizeof *of * (size_t)by.count);
    for (int64_t tile = 0; st == BW_OK && tile < t->count; tile++) high_faces_join(t, &by, tile, of);
    return st;
}

enum bw_status pass_measure(struct pass *p)
{
    struct bw_stage *s = p->stage;
    const struct bw_access access = {p->vel, BW_READ, 1};
    struct speeds by = {p->kernels, p->tiles, p->tiles->topology(s->domain), NULL};
    double most = 0;
    if (speed_alloc(p, by.topology->count, &p->speed.sub_tile) != BW_OK) return BW_ERR_MEMORY;
    by.sub_tile = p->speed.sub_tile;
    p->speed.half = NULL;
    enum bw_status st = s->host->sweep(s, &(struct bw_sweep){.access = &access,
                                                             .n_access = 1,
                                                             .body = block_speed,
                                                             .reach = block_reach,
                                                             .user = &by,
                                                             .maxs = &most,
                                                             .n_maxs = 1});
    if (st == BW_OK) st = speed_join(p, p->speed.sub_tile);
    p->speed.exterior = exterior_speed(p);
    p->speed.most = fmax(most, 0) + p->speed.exterior;
    return st;
}
