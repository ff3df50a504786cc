// SPDX-License-Identifier: Apache-2.0
/* Bounds of displacements, and so the halos that blocks read. Each sub-tile has its own, whichever block traces from
 * it. Else a face between two blocks, traced by both, would have one's bounds in a flow and the other's in its turned
 * copy: where gas converges, Newton's steps go as far as bounds let them. */
#include "advect/advect_pass.h"
#include <common/ranks.h>
#include <common/tiles.h>

#define ROUNDING 1e-5 // of the sums of a trace, which must not leave the halo

int32_t advect_most_ring(void) { return BW_HALO_MOST / TILE_LEAST; }

/* Along axis a as many tiles as `ring` whole ones are wide; one more where a periodic side cuts them, and all of them
 * where that might not do. */
static int32_t ring_along(const struct bw_domain_info *g, int a, int32_t ring)
{
    if (!sub_tiles_are_cut(g, a)) return ring;
    return ring < 2 ? 2 : g->n[a] / g->tile[a] + 1;
}

static struct range3 exterior_range(const struct pass *p)
{
    struct range3 r;
    for (int a = 0; a < 3; a++) {
        r.least[a] = (float)-p->speed.exterior;
        r.most[a] = (float)p->speed.exterior;
    }
    return r;
}

/* Range of displacements by a range of velocities. `half`: range of c/2 around the cells, sharpened by
 * ADVECT_SHARPER. */
static struct range3 displacements_at_speed(const struct pass *p, const struct range3 *speed, const struct range3 *half)
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

/* Is air at a tile that holds none: is it inactive, or beyond an open side? */
static bool tile_is_exterior(const struct bw_domain_info *g, const int32_t at[3], int64_t tile)
{
    bool open = tile == BW_TILE_INACTIVE;
    for (int s = 0; s < 6 && tile == BW_TILE_OUTSIDE; s++) {
        const int a = s >> 1;
        const bool beyond = g->n[a] > 0 && (s & 1 ? at[a] * g->tile[a] >= g->n[a] : at[a] < 0);
        open = open || (beyond && g->side[s].kind == BW_OPEN);
    }
    return open;
}

/* Range of displacements by the velocities in a tile and `ring` tiles around it. */
static struct range3 ring_displacements(const struct bw_block *b, const struct pass *p, int32_t ring,
                                        uint32_t *at_exterior)
{
    const struct tile_box own = tile_box_of_block(b);
    const int32_t count = sub_tiles_of(b->grid).count;
    struct range3 r = exterior_range(p), half = {{0}, {0}};
    *at_exterior = 0;
    int32_t at[3], by[3];
    for (int a = 0; a < 3; a++) by[a] = a == b->grid->thin ? 1 : ring_along(b->grid, a, ring);
    for (at[2] = own.lo[2] - by[2]; at[2] <= own.hi[2] + by[2]; at[2]++)
        for (at[1] = own.lo[1] - by[1]; at[1] <= own.hi[1] + by[1]; at[1]++)
            for (at[0] = own.lo[0] - by[0]; at[0] <= own.hi[0] + by[0]; at[0]++) {
                int64_t t = p->tiles->find(b->stage->domain, at);
                *at_exterior |= tile_is_exterior(b->grid, at, t);
                for (int64_t q = t * count; t >= 0 && q < (t + 1) * count; q++) {
                    range_widen(&r, &p->speed.sub_tile[q].all);
                    if (p->speed.half) range_widen(&half, &p->speed.half[q].all);
                }
            }
    return displacements_at_speed(p, &r, &half);
}

static float longest_displacement(const struct range3 *displacement)
{
    float most = 0;
    for (int a = 0; a < 3; a++) most = fmaxf(most, fmaxf(-displacement->least[a], displacement->most[a]));
    return most;
}

/* Where the later stages of a trace sample the velocity: at that fraction of the displacement of the stage before. Ends
 * with a 0. */
static const double *stage_fractions(const struct pass *p)
{
    static const double of[][3] = {
        [TRACE_MIDPOINT] = {0.5}, [TRACE_EULER] = {0}, [TRACE_RK3] = {0.5, 0.75}, [TRACE_CENTRED] = {1, 1}};
    return of[p->trace];
}

/* Stage by stage: displacements by the velocities around the box, then by those within reach of these, and so on.
 * False: they leave the sub-tiles known. */
static bool displacement_bounds(const struct sub_tiles_near *near, const struct pass *p, const struct cells *box,
                                struct range3 *displacement)
{
    const double *fraction = stage_fractions(p);
    struct range3 speed = exterior_range(p), half = {{0}, {0}};
    int32_t wide[3] = {1, 1, 1};
    const struct cells own = {{box->lo[0] - 2, box->lo[1] - 2, box->lo[2] - 2},
                              {box->hi[0] + 2, box->hi[1] + 2, box->hi[2] + 2}};
    if (near->half) sub_tiles_speed(near, near->half, &own, &half);
    for (int stage = 0;; stage++) {
        struct cells looked;
        for (int a = 0; a < 3; a++) {
            looked.lo[a] = box->lo[a] - wide[a];
            looked.hi[a] = box->hi[a] + wide[a];
        }
        sub_tiles_speed(near, near->speed, &looked, &speed);
        *displacement = displacements_at_speed(p, &speed, &half);
        if (fraction[stage] == 0) return true;
        if (longest_displacement(displacement) > (float)(near->ring * TILE_LEAST - 2)) return false;
        for (int a = 0; a < 3; a++)
            wide[a] =
                (int32_t)ceil(fraction[stage] * (double)fmaxf(-displacement->least[a], displacement->most[a])) + 1;
    }
}

/* Cells read on one side of a block: by the displacement and the stencil, or by the last stage of a trace of `stage`
 * cells, which starts in the row of cells around the block, half a cell on for faces. */
static int32_t side_reach(const struct pass *p, double displacement, double stage)
{
    const double part = p->trace == TRACE_CENTRED ? 1 : p->trace == TRACE_RK3 ? 0.75 : 0.5;
    const int32_t far = (int32_t)displacement, looked = (int32_t)(part * stage + 0.5);
    return (far > looked ? far : looked) + 2 + p->scheme->beyond;
}

int32_t advect_halo(const struct pass *p, double limit) { return side_reach(p, limit, limit); }

/* A ring of tiles is enough if no displacement by velocities within it leads beyond it. */
static void tile_measure(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    const struct sub_tiles by = sub_tiles_of(b->grid);
    struct sub_tile_bounds of, *to = p->bounds + tile_of_block(p->tiles, b) * by.count;
    int32_t ring = 1, at[3];
    bool cut = false;
    of.displacement = ring_displacements(b, p, ring, &of.at_exterior);
    while (longest_displacement(&of.displacement) + 2 >= (float)(ring * TILE_LEAST) && ring < advect_most_ring())
        of.displacement = ring_displacements(b, p, ++ring, &of.at_exterior);
    for (int a = 0; a < 3; a++) cut = cut || sub_tiles_are_cut(b->grid, a);
    const struct sub_tiles_near near = cut ? (struct sub_tiles_near){0} : sub_tiles_gather(b, p, ring);
    for (int32_t q = 0; q < by.count; q++) {
        to[q] = of;
        if (cut) continue;
        sub_tile_place(&by, q, at);
        const struct cells box = sub_tile_cells(&near, at);
        struct range3 tight;
        if (displacement_bounds(&near, p, &box, &tight)) to[q].displacement = tight;
    }
}

enum bw_status bounds_measure(struct pass *p)
{
    struct bw_stage *s = p->stage;
    const size_t bytes = sizeof *p->bounds * (size_t)sub_tiles_of(s->grid).count;
    p->bounds = s->host->scratch(s, bytes * (size_t)(p->tiles->topology(s->domain)->count + 1));
    if (!p->bounds) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for the bounds of displacements.");
    const enum bw_status st = s->host->sweep(s, &(struct bw_sweep){.body = tile_measure, .user = p});
    return st == BW_OK ? ranks_allgather(s, p->bounds, NULL, bytes) : st;
}

/* The sub-tile `at` of a block, or next to it; NULL: in a tile that is not active. */
static const struct sub_tile_bounds *bounds_find(const struct bw_block *b, const struct pass *p,
                                                 const struct sub_tiles *by, const int32_t at[3])
{
    int32_t tile[3], part[3];
    for (int a = 0; a < 3; a++) {
        const int32_t all = b->lo[a] / by->edge[a] + at[a];
        tile[a] = tile_coord(all, by->parts[a]);
        part[a] = all - tile[a] * by->parts[a];
    }
    const int64_t t = p->tiles->find(b->stage->domain, tile);
    return t < 0 ? NULL : &p->bounds[t * by->count + part[0] + by->parts[0] * (part[1] + by->parts[1] * part[2])];
}

/* Cells in tiles that are not active move as the sub-tile inside. No face needs those beside edges and corners. */
static void bounds_gather(const struct bw_block *b, const struct pass *p)
{
    const struct sub_tiles by = sub_tiles_of(b->grid);
    struct worker_block *w = &p->worker_block[b->worker];
    const bool faces = pass_has_faces(p);
    int32_t n[3], at[3];
    w->displacement = (struct range3){{0}, {0}};
    w->at_exterior = false;
    for (int a = 0; a < 3; a++) n[a] = (b->n[a] + by.edge[a] - 1) / by.edge[a];
    for (at[2] = -1; at[2] <= n[2]; at[2]++)
        for (at[1] = -1; at[1] <= n[1]; at[1]++)
            for (at[0] = -1; at[0] <= n[0]; at[0]++) {
                int32_t in[3], beyond = 0;
                for (int a = 0; a < 3; a++) {
                    in[a] = at[a] < 0 ? 0 : at[a] < n[a] ? at[a] : n[a] - 1;
                    beyond += in[a] != at[a] && a != b->grid->thin;
                }
                const struct sub_tile_bounds *of = beyond == 1 && faces ? bounds_find(b, p, &by, at) : NULL;
                if (!of) of = bounds_find(b, p, &by, in);
                w->sub_tile[at[2] + 1][at[1] + 1][at[0] + 1] = of->displacement;
                range_widen(&w->displacement, &of->displacement);
                w->at_exterior = w->at_exterior || of->at_exterior;
            }
}

bool advect_block_fits(const struct bw_block *b, const struct pass *p)
{
    bounds_gather(b, p);
    const float most = longest_displacement(&p->worker_block[b->worker].displacement);
    return most < BW_HALO_MOST && advect_halo(p, (double)most) <= BW_HALO_MOST;
}

/* Traces ahead read `hat`; traces back read the old fields; both read the velocity. */
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

/* The velocity may be an advected field, too. */
void advect_block_reach(const struct bw_block *b, const struct pass *p, uint32_t row, int32_t reach[6])
{
    const struct range3 *r = &p->worker_block[b->worker].displacement;
    int32_t field[6];
    bool hat = false;
    for (uint32_t q = 0; q < p->n_items; q++) hat = hat || (p->second && row == p->item[q].view_hat);
    advect_around(p, r, hat ? READ_HAT : row > 0 ? READ_FIELD : READ_VEL, reach);
    if (row > 0) return;
    advect_around(p, r, READ_FIELD, field);
    for (int s = 0; s < 6; s++) reach[s] = field[s] > reach[s] ? field[s] : reach[s];
}
