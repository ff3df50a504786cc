// SPDX-License-Identifier: Apache-2.0
/* How far from a block its traces lead, and so which halos it reads. */
#include "advect/advect_pass.h"
#include <common/tiles.h>

enum { EDGE = 16 };   ///< least of a tile
#define ROUNDING 1e-5 // of what is summed for a trace: it must not lead out of the halo

int32_t advect_most_ring(void) { return BW_HALO_MOST / EDGE; }

/* Does a periodic side cut the tiles along axis a? They may be of few cells then. */
static bool is_cut(const struct bw_domain_info *g, int a)
{
    return g->side[2 * a].kind == BW_PERIODIC && g->n[a] % g->tile[a];
}

/* Along axis a as many tiles as `ring` whole ones are wide; one more where a periodic side cuts them, and all of them
 * where that might not do. */
static int32_t ring_along(const struct bw_domain_info *g, int a, int32_t ring)
{
    if (!is_cut(g, a)) return ring;
    return ring < 2 ? 2 : g->n[a] / g->tile[a] + 1;
}

static struct range3 speed_still(const struct pass *p)
{
    struct range3 r;
    for (int a = 0; a < 3; a++) {
        r.least[a] = (float)-p->speed.still;
        r.most[a] = (float)p->speed.still;
    }
    return r;
}

/* `half`: of c/2 on faces around the traces' own cells; there it is sharpened by ADVECT_SHARPER. */
static struct range3 speed_ways(const struct pass *p, const struct range3 *speed, const struct range3 *half)
{
    struct range3 r;
    for (int a = 0; a < 3; a++) {
        const double more_half = 2 * (double)ADVECT_SHARPER * (double)(half->most[a] - half->least[a]);
        const double least = (double)speed->least[a] + (double)half->least[a] - more_half,
                     most = (double)speed->most[a] + (double)half->most[a] + more_half,
                     more = ROUNDING * fmax(-least, most);
        r.least[a] = (float)(p->scale * (least - more));
        r.most[a] = (float)(p->scale * (most + more));
    }
    return r;
}

/* Of the velocities in a block's tiles and `ring` tiles around them. */
static struct range3 ring_ways(const struct bw_block *b, const struct pass *p, int32_t ring, bool *rim)
{
    const struct tile_box own = tile_box_of_block(b);
    const int32_t count = bricks_of(b->grid).count;
    struct range3 r = speed_still(p), half = {{0}, {0}};
    *rim = false;
    int32_t at[3], by[3];
    for (int a = 0; a < 3; a++) by[a] = a == b->grid->thin ? 1 : ring_along(b->grid, a, ring);
    for (at[2] = own.lo[2] - by[2]; at[2] <= own.hi[2] + by[2]; at[2]++)
        for (at[1] = own.lo[1] - by[1]; at[1] <= own.hi[1] + by[1]; at[1]++)
            for (at[0] = own.lo[0] - by[0]; at[0] <= own.hi[0] + by[0]; at[0]++) {
                int64_t t = p->tiles->find(b->stage->domain, at);
                *rim = *rim || t == BW_TILE_INACTIVE;
                for (int64_t q = t * count; t >= 0 && q < (t + 1) * count; q++) {
                    range_widen(&r, &p->speed.brick[q]);
                    if (p->speed.half) range_widen(&half, &p->speed.half[q]);
                }
            }
    return speed_ways(p, &r, &half);
}

static float ways_longest(const struct range3 *ways)
{
    float most = 0;
    for (int a = 0; a < 3; a++) most = fmaxf(most, fmaxf(-ways->least[a], ways->most[a]));
    return most;
}

/* Where the stages of a trace ask for the velocity after its beginning: after that share of the way by what the stage
 * before has met. Ends with a 0. */
static const double *stage_shares(const struct pass *p)
{
    static const double of[][3] = {
        [TRACE_MIDPOINT] = {0.5}, [TRACE_EULER] = {0}, [TRACE_RK3] = {0.5, 0.75}, [TRACE_CENTRED] = {1, 1}};
    return of[p->trace];
}

/* Stage by stage: the velocities around the box, then those as far from it as they lead, and so on. */
static bool ways_find(const struct bricks_near *near, const struct pass *p, const struct cells *box,
                      struct range3 *ways)
{
    const double *share = stage_shares(p);
    struct range3 speed = speed_still(p), half = {{0}, {0}};
    int32_t wide[3] = {1, 1, 1};
    const struct cells own = {{box->lo[0] - 2, box->lo[1] - 2, box->lo[2] - 2},
                              {box->hi[0] + 2, box->hi[1] + 2, box->hi[2] + 2}};
    if (near->half) bricks_speed(near, near->half, &own, &half);
    for (int stage = 0;; stage++) {
        struct cells looked;
        for (int a = 0; a < 3; a++) {
            looked.lo[a] = box->lo[a] - wide[a];
            looked.hi[a] = box->hi[a] + wide[a];
        }
        bricks_speed(near, near->speed, &looked, &speed);
        *ways = speed_ways(p, &speed, &half);
        if (share[stage] == 0) return true;
        if (ways_longest(ways) > (float)(near->ring * EDGE - 2)) return false;
        for (int a = 0; a < 3; a++)
            wide[a] = (int32_t)ceil(share[stage] * (double)fmaxf(-ways->least[a], ways->most[a])) + 1;
    }
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

/* Of the block's bricks, from the row of cells around it too where faces want that; those that lead too far as they
 * were. */
static void block_tighten(const struct bricks_near *near, const struct pass *p, struct range3 *ways)
{
    const struct bw_block *b = near->block;
    const int32_t around = pass_has_faces(p);
    struct range3 all = {{0}, {0}}, *r = p->hand[b->worker].brick_ways;
    int32_t by[3];
    for (by[2] = 0; by[2] * near->bricks.edge[2] < b->n[2]; by[2]++)
        for (by[1] = 0; by[1] * near->bricks.edge[1] < b->n[1]; by[1]++)
            for (by[0] = 0; by[0] * near->bricks.edge[0] < b->n[0]; by[0]++) {
                struct cells box = bricks_cells(near, by);
                for (int a = 0; a < 3; a++) {
                    box.lo[a] -= around;
                    box.hi[a] += around;
                }
                if (!ways_find(near, p, &box, r)) *r = *ways;
                range_widen(&all, r++);
            }
    *ways = all;
}

/* A ring of tiles will do if no way by velocities within it leads beyond it. */
bool advect_block_fits(const struct bw_block *b, const struct pass *p)
{
    struct range3 *ways = &p->hand[b->worker].ways;
    struct bricks_near *near = &p->hand[b->worker].bricks;
    bool *rim = &p->hand[b->worker].rim, cut = false;
    int32_t ring = 1;
    *ways = ring_ways(b, p, ring, rim);
    while (ways_longest(ways) + 2 >= (float)(ring * EDGE) && ring < advect_most_ring())
        *ways = ring_ways(b, p, ++ring, rim);
    for (int a = 0; a < 3; a++) cut = cut || is_cut(b->grid, a);
    near->speed = NULL;
    if (!cut) *near = bricks_gather(b, p, ring);
    if (!cut) block_tighten(near, p, ways);
    const float most = ways_longest(ways);
    return most < BW_HALO_MOST && advect_halo(p, (double)most) <= BW_HALO_MOST;
}

/* Where a trace ahead leads, `hat` is read; where one back leads, the fields as they were; the velocity on both. */
void advect_around(const struct pass *p, const struct range3 *r, int what, int32_t around[6])
{
    for (int s = 0; s < 6; s++) {
        const double down = -(double)r->least[s >> 1], up = (double)r->most[s >> 1];
        const double ahead = s & 1 ? up : down, back = s & 1 ? down : up;
        const double stage = p->second ? fmax(ahead, back) : back;
        if (what == READ_VEL) around[s] = side_reach(p, 0, stage);
        else around[s] = side_reach(p, what == READ_HAT ? ahead : back, 0);
    }
}

/* The velocity may be a field that is carried, too. */
void advect_block_reach(const struct bw_block *b, const struct pass *p, uint32_t row, int32_t reach[6])
{
    const struct range3 *r = &p->hand[b->worker].ways;
    int32_t field[6];
    bool hat = false;
    for (uint32_t q = 0; q < p->n_items; q++) hat = hat || (p->second && row == p->item[q].view_hat);
    advect_around(p, r, hat ? READ_HAT : row > 0 ? READ_FIELD : READ_VEL, reach);
    if (row > 0) return;
    advect_around(p, r, READ_FIELD, field);
    for (int s = 0; s < 6; s++) reach[s] = field[s] > reach[s] ? field[s] : reach[s];
}
