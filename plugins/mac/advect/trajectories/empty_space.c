// SPDX-License-Identifier: Apache-2.0
/* Empty-space skipping. Most active tiles around smoke hold only a field's background, and so do the departure points
 * of their cells. They stay empty whatever the flow does: such blocks are not read, and rows of such sub-tiles in other
 * blocks are neither traced nor gathered. The result has the same bits as long as values are clamped to those around
 * the departure point: then the correction of a second sweep cannot bring in values that the first one advected close
 * by. */
#include "advect/advect_pass.h"
#include <common/ranks.h>
#include <common/tiles.h>
#include <assert.h>
#include <string.h>

static_assert(MAX_ITEMS <= 8, "an item a bit of holds");

static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Is every value of a sub-tile the background's, bit by bit? */
static bool sub_tile_is_background(const struct bw_view *v, int c, const struct cells *box, double background)
{
    const uint32_t back = bits_of((float)background);
    for (int32_t k = box->lo[2]; k <= box->hi[2]; k++)
        for (int32_t j = box->lo[1]; j <= box->hi[1]; j++) {
            const float *row = bw_f32(v, c) + j * v->sy + k * v->sz;
            uint32_t other = 0;
            for (int32_t i = box->lo[0]; i <= box->hi[0]; i++) other |= bits_of(row[i]) ^ back;
            if (other) return false;
        }
    return true;
}

static uint8_t sub_tile_occupancy(const struct bw_block *b, const struct pass *p, const struct cells *box)
{
    uint8_t occupied = 0;
    for (uint32_t q = 0; q < p->n_items; q++) {
        const struct bw_field_info *info = p->item[q].info;
        bool background = true;
        for (int c = 0; c < (int)info->comps && background; c++)
            background = sub_tile_is_background(&b->view[q], c, box, info->background[c]);
        occupied |= (uint8_t)(!background << q);
    }
    return occupied;
}

static void block_look(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    const struct sub_tiles_near own = {.block = b, .sub_tiles = sub_tiles_of(b->grid)};
    uint8_t *occupied = p->occupied + own.sub_tiles.count * tile_of_block(p->tiles, b);
    for (int32_t q = 0; q < own.sub_tiles.count; q++) {
        int32_t at[3];
        sub_tile_place(&own.sub_tiles, q, at);
        const struct cells box = sub_tile_cells(&own, at);
        *occupied++ = sub_tile_occupancy(b, p, &box);
    }
}

/* Not of faces, which depend on the exterior and the sides. */
static bool can_skip_empty(const struct pass *p)
{
    const struct bw_domain_info *g = p->stage->grid;
    bool can = p->options->clamp && !p->f64 && !p->flow;
    for (uint32_t q = 0; q < p->n_items; q++) can = can && p->item[q].info->kind != BW_MAC;
    for (int a = 0; a < 3; a++) can = can && (g->side[2 * a].kind != BW_PERIODIC || g->n[a] % g->tile[a] == 0);
    return can;
}

enum bw_status empty_find(struct pass *p)
{
    struct bw_stage *s = p->stage;
    struct bw_access row[MAX_ITEMS];
    p->occupied = NULL;
    if (!can_skip_empty(p)) return BW_OK;
    const size_t count = (size_t)sub_tiles_of(s->grid).count;
    p->occupied = s->host->scratch(s, count * (size_t)(p->tiles->topology(s->domain)->count + 1));
    if (!p->occupied) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for empty-space skipping.");
    for (uint32_t q = 0; q < p->n_items; q++) row[q] = (struct bw_access){p->item[q].field, BW_READ, 0};
    const enum bw_status st =
        s->host->sweep(s, &(struct bw_sweep){.access = row, .n_access = p->n_items, .body = block_look, .user = p});
    return st == BW_OK ? ranks_allgather(s, p->occupied, NULL, count) : st;
}

/* The items that traces back from a sub-tile may find. */
static uint8_t sub_tile_reaches(const struct sub_tiles_near *near, const struct pass *p, const struct cells *box,
                                const struct range3 *displacement)
{
    int32_t around[6];
    struct cells met;
    advect_around(p, displacement, READ_FIELD, around);
    for (int a = 0; a < 3; a++) {
        met.lo[a] = box->lo[a] - around[2 * a];
        met.hi[a] = box->hi[a] + around[2 * a + 1];
    }
    return sub_tiles_occupied(near, &met);
}

/* Widens the block's reach by one sub-tile's. */
static void reach_widen(int32_t reach[6], const struct pass *p, const struct bw_block *b, const struct cells *box,
                        const struct range3 *displacement, int what)
{
    int32_t around[6];
    advect_around(p, displacement, what, around);
    for (int s = 0; s < 6; s++) {
        const int a = s >> 1;
        const int32_t more = around[s] - (s & 1 ? b->n[a] - 1 - box->hi[a] : box->lo[a]);
        if (more > reach[s]) reach[s] = more;
    }
}

bool empty_reach(const struct empty_space *is, const struct pass *p, uint32_t row, int32_t reach[6])
{
    const int32_t *of = is->vel_reach;
    uint8_t occupied = 0;
    uint32_t item = 0;
    for (uint32_t q = 0; q < p->n_items; q++) {
        const bool hat = p->second && row == p->item[q].view_hat;
        if (!hat && row != p->item[q].view) continue;
        item = q;
        of = is->reach[q][hat ? READ_HAT : READ_FIELD];
    }
    for (int q = 0; q < BLOCK_SUB_TILES * BLOCK_SUB_TILES; q++)
        occupied |= is->occupied[q / BLOCK_SUB_TILES][q % BLOCK_SUB_TILES];
    if (of != is->vel_reach && !(occupied >> item & 1)) return false;
    for (int s = 0; s < 6; s++) reach[s] = of[s] < BW_HALO_MOST ? of[s] : BW_HALO_MOST;
    return true;
}

static void sub_tile_classify(struct empty_space *is, const struct sub_tiles_near *near, const struct pass *p,
                              const int32_t by[3], const struct range3 *displacement)
{
    const struct cells box = sub_tile_cells(near, by);
    const uint8_t occupied = sub_tile_reaches(near, p, &box, displacement);
    if (!occupied) return;
    int32_t *first = &is->first[by[2]][by[1]], *end = &is->end[by[2]][by[1]];
    if (!is->occupied[by[2]][by[1]]) *first = box.lo[0];
    *end = box.hi[0] + 1;
    is->occupied[by[2]][by[1]] |= occupied;
    range_widen(&is->displacement[by[2]][by[1]], displacement);
    reach_widen(is->vel_reach, p, near->block, &box, displacement, READ_VEL);
    for (uint32_t q = 0; q < p->n_items; q++)
        for (int what = READ_FIELD; what <= READ_HAT && occupied >> q & 1; what++)
            reach_widen(is->reach[q][what], p, near->block, &box, displacement, what);
    is->all = false;
}

/* Tiles around a block that traces from it may read. */
static int32_t ring_met(const struct pass *p, const struct range3 *displacement)
{
    int32_t around[6], ring = 1;
    advect_around(p, displacement, READ_FIELD, around);
    for (int s = 0; s < 6; s++)
        while (ring < advect_most_ring() && around[s] > ring * TILE_LEAST) ring++;
    return ring;
}

/* Sub-tiles in one row share their displacements. */
void empty_init(struct empty_space *is, const struct pass *p, const struct bw_block *b, bool known)
{
    const struct worker_block *w = &p->worker_block[b->worker];
    int32_t by[3];
    *is = (struct empty_space){.all = false};
    is->by_sub_tile = known && !pass_has_faces(p);
    for (int a = 0; a < 3; a++) is->by_sub_tile = is->by_sub_tile && !sub_tiles_are_cut(b->grid, a);
    is->all = is->by_sub_tile;
    memset(is->occupied, is->by_sub_tile ? 0 : UINT8_MAX, sizeof is->occupied);
    for (int a = 1; a < 3; a++) is->shift[a - 1] = __builtin_ctz((unsigned)sub_tiles_of(b->grid).edge[a]);
    if (!is->by_sub_tile) return;
    const struct sub_tiles_near near = sub_tiles_gather(b, p, ring_met(p, &w->displacement));
    for (by[2] = 0; by[2] * near.sub_tiles.edge[2] < b->n[2]; by[2]++)
        for (by[1] = 0; by[1] * near.sub_tiles.edge[1] < b->n[1]; by[1]++)
            for (by[0] = 0; by[0] * near.sub_tiles.edge[0] < b->n[0]; by[0]++)
                sub_tile_classify(is, &near, p, by, &w->sub_tile[by[2] + 1][by[1] + 1][by[0] + 1]);
}

void background_row(const struct bw_block *b, const struct item *it, int c, int32_t j, int32_t k, int32_t first,
                    int32_t end)
{
    const struct bw_view *v = &b->view[it->view_out];
    const float background = (float)it->info->background[c];
    float *to = bw_f32(v, c) + j * v->sy + k * v->sz;
    for (int32_t i = first; i < end; i++) to[i] = background;
}

void background_block(const struct bw_block *b, const struct pass *p)
{
    for (uint32_t q = 0; q < p->n_items; q++)
        for (int c = 0; c < (int)p->item[q].info->comps; c++)
            for (int32_t k = 0; k < b->n[2]; k++)
                for (int32_t j = 0; j < b->n[1]; j++) background_row(b, &p->item[q], c, j, k, 0, b->n[0]);
}
