// SPDX-License-Identifier: Apache-2.0
/* How far from a block its traces lead, and so which halos it reads. */
#include "advect_pass.h"
#include <common/tiles.h>

/* Along axis a as many tiles as `ring` whole ones are wide; one more where a periodic side cuts its tiles, which may be
 * of few cells, and all of them where that might not do. */
static int32_t ring_along(const struct bw_domain_info *g, int a, int32_t ring)
{
    const bool cut = g->side[2 * a].kind == BW_PERIODIC && g->n[a] % g->tile[a];
    if (!cut) return ring;
    return ring < 2 ? 2 : g->n[a] / g->tile[a] + 1;
}

/* Of the velocities in a box of tiles and `ring` tiles around it. */
static struct range3 ring_ways(const struct bw_block *b, const struct pass *p, const struct tile_box *own, int32_t ring,
                               bool *rim)
{
    struct range3 r;
    *rim = false;
    int32_t at[3], by[3];
    for (int a = 0; a < 3; a++) {
        r.least[a] = (float)-p->still;
        r.most[a] = (float)p->still;
        by[a] = a == b->grid->thin ? 1 : ring_along(b->grid, a, ring);
    }
    for (at[2] = own->lo[2] - by[2]; at[2] <= own->hi[2] + by[2]; at[2]++)
        for (at[1] = own->lo[1] - by[1]; at[1] <= own->hi[1] + by[1]; at[1]++)
            for (at[0] = own->lo[0] - by[0]; at[0] <= own->hi[0] + by[0]; at[0]++) {
                int64_t t = p->tiles->find(b->stage->domain, at);
                *rim = *rim || t == BW_TILE_INACTIVE;
                for (int a = 0; t >= 0 && a < 3; a++) {
                    r.least[a] = fminf(r.least[a], p->tile_speed[t].least[a]);
                    r.most[a] = fmaxf(r.most[a], p->tile_speed[t].most[a]);
                }
            }
    const double scale = p->scale * (1 + 1e-5); // rounding must not lead out of the halo
    for (int a = 0; a < 3; a++) {
        r.least[a] = (float)(scale * (double)r.least[a]);
        r.most[a] = (float)(scale * (double)r.most[a]);
    }
    return r;
}

float advect_longest(const struct range3 *ways)
{
    float most = 0;
    for (int a = 0; a < 3; a++) most = fmaxf(most, fmaxf(-ways->least[a], ways->most[a]));
    return most;
}

/* A ring of tiles will do if no way by velocities within it leads beyond it. */
struct range3 advect_ways(const struct bw_block *b, const struct pass *p, const struct tile_box *box, bool *rim)
{
    enum { EDGE = 16 }; // least of a tile
    struct range3 r;
    int32_t ring = 1;
    r = ring_ways(b, p, box, ring, rim);
    while (advect_longest(&r) + 2 >= (float)(ring * EDGE) && ring * EDGE < BW_HALO_MOST)
        r = ring_ways(b, p, box, ++ring, rim);
    return r;
}

/* Cells that are read on one side of a block: as far as `way` leads and the second corner, or where the last stage of a
 * trace of `stage` cells looks, from the row of cells around the block and half a cell on, for faces. */
static int32_t side_reach(const struct pass *p, double way, double stage)
{
    const double part = p->trace == TRACE_CENTRED ? 1 : p->trace == TRACE_RK3 ? 0.75 : 0.5;
    const int32_t far = (int32_t)way, looked = (int32_t)(part * stage + 0.5);
    return (far > looked ? far : looked) + 2 + p->scheme->beyond;
}

int32_t advect_halo(const struct pass *p, double limit) { return side_reach(p, limit, limit); }

bool advect_block_fits(const struct bw_block *b, const struct pass *p)
{
    const struct tile_box own = tile_box_of_block(b);
    p->block_ways[b->worker] = advect_ways(b, p, &own, &p->block_rim[b->worker]);
    const float most = advect_longest(&p->block_ways[b->worker]);
    return most < BW_HALO_MOST && advect_halo(p, (double)most) <= BW_HALO_MOST;
}

void advect_around(const struct pass *p, const struct range3 *r, int32_t around[6])
{
    for (int s = 0; s < 6; s++)
        around[s] = side_reach(p, s & 1 ? -(double)r->least[s >> 1] : (double)r->most[s >> 1], 0);
}

/* Where a trace ahead leads, `hat` is read; where one back leads, the fields as they were; the velocity on both. */
void advect_block_reach(const struct bw_block *b, const struct pass *p, uint32_t row, int32_t reach[6])
{
    const struct range3 *r = &p->block_ways[b->worker];
    bool hat = false;
    for (int s = 0; s < 6 && p->carried && row == p->view_now; s++) reach[s] = s & 1; // the high faces
    if (p->carried && row == p->view_now) return;
    for (uint32_t q = 0; q < p->n_items; q++) hat = hat || (p->second && row == p->item[q].view_hat);
    for (int s = 0; s < 6; s++) {
        const double down = -(double)r->least[s >> 1], up = (double)r->most[s >> 1];
        const double ahead = s & 1 ? up : down, back = s & 1 ? down : up;
        reach[s] = side_reach(p, hat ? ahead : back, row > 0 ? 0 : p->second ? fmax(ahead, back) : back);
    }
}
