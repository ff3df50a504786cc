// SPDX-License-Identifier: Apache-2.0
/* Where there is nothing to carry. Most of what is awake round smoke, or in a box that is all awake, holds a field's
 * background and nothing else; so does what traces from there meet. It stays so whatever the flow does: blocks of that
 * kind are not read, and rows of bricks of that kind within others are neither traced nor gathered. What comes out has
 * the same bits, as long as values are clamped to those around where a trace ends: then the correction of a scheme with
 * a second sweep cannot bring in what its first one has carried next to here. */
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

/* Is every value of a brick the background's, bit by bit? */
static bool brick_is_still(const struct bw_view *v, int c, const struct cells *box, double background)
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

static uint8_t brick_look(const struct bw_block *b, const struct pass *p, const struct cells *box)
{
    uint8_t holds = 0;
    for (uint32_t q = 0; q < p->n_items; q++) {
        const struct bw_field_info *info = p->item[q].info;
        bool still = true;
        for (int c = 0; c < (int)info->comps && still; c++)
            still = brick_is_still(&b->view[q], c, box, info->background[c]);
        holds |= (uint8_t)(!still << q);
    }
    return holds;
}

static void block_look(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    const struct bricks_near own = {.block = b, .bricks = bricks_of(b->grid)};
    uint8_t *holds = p->holds + own.bricks.count * tile_of_block(p->tiles, b);
    for (int32_t z = 0; z < own.bricks.parts[2]; z++)
        for (int32_t y = 0; y < own.bricks.parts[1]; y++) {
            const struct cells box = bricks_cells(&own, (const int32_t[3]){0, y, z});
            *holds++ = brick_look(b, p, &box);
        }
}

/* Not of faces, which outermost rims and sides have a say in. */
static bool can_be_idle(const struct pass *p)
{
    const struct bw_domain_info *g = p->stage->grid;
    bool can = p->options->clamp && !p->plain && !p->flow;
    for (uint32_t q = 0; q < p->n_items; q++) can = can && p->item[q].info->kind != BW_MAC;
    for (int a = 0; a < 3; a++) can = can && (g->side[2 * a].kind != BW_PERIODIC || g->n[a] % g->tile[a] == 0);
    return can;
}

enum bw_status idle_find(struct pass *p)
{
    struct bw_stage *s = p->stage;
    struct bw_access row[MAX_ITEMS];
    p->holds = NULL;
    if (!can_be_idle(p)) return BW_OK;
    const size_t count = (size_t)bricks_of(s->grid).count;
    p->holds = s->host->scratch(s, count * (size_t)(p->tiles->topology(s->domain)->count + 1));
    if (!p->holds) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for what bricks hold.");
    for (uint32_t q = 0; q < p->n_items; q++) row[q] = (struct bw_access){p->item[q].field, BW_READ, 0};
    const enum bw_status st =
        s->host->sweep(s, &(struct bw_sweep){.access = row, .n_access = p->n_items, .body = block_look, .user = p});
    return st == BW_OK ? ranks_share(s, p->holds, NULL, count) : st;
}

/* The items that traces back from a brick may meet anything of. */
static uint8_t brick_meets(const struct bricks_near *near, const struct pass *p, const struct cells *box,
                           const struct range3 *ways)
{
    int32_t around[6];
    struct cells met;
    advect_around(p, ways, READ_FIELD, around);
    for (int a = 0; a < 3; a++) {
        met.lo[a] = box->lo[a] - around[2 * a];
        met.hi[a] = box->hi[a] + around[2 * a + 1];
    }
    return bricks_hold(near, &met);
}

/* Widens the block's reach by one brick's. */
static void reach_widen(int32_t reach[6], const struct pass *p, const struct bw_block *b, const struct cells *box,
                        const struct range3 *ways, int what)
{
    int32_t around[6];
    advect_around(p, ways, what, around);
    for (int s = 0; s < 6; s++) {
        const int a = s >> 1;
        const int32_t more = around[s] - (s & 1 ? b->n[a] - 1 - box->hi[a] : box->lo[a]);
        if (more > reach[s]) reach[s] = more;
    }
}

bool idle_reach(const struct idle *is, const struct pass *p, uint32_t row, int32_t reach[6])
{
    const int32_t *of = is->vel_reach;
    uint8_t holds = 0;
    uint32_t item = 0;
    for (uint32_t q = 0; q < p->n_items; q++) {
        const bool hat = p->second && row == p->item[q].view_hat;
        if (!hat && row != p->item[q].view) continue;
        item = q;
        of = is->reach[q][hat ? READ_HAT : READ_FIELD];
    }
    for (int q = 0; q < BLOCK_BRICKS * BLOCK_BRICKS; q++) holds |= is->holds[q / BLOCK_BRICKS][q % BLOCK_BRICKS];
    if (of != is->vel_reach && !(holds >> item & 1)) return false;
    for (int s = 0; s < 6; s++) reach[s] = of[s] < BW_HALO_MOST ? of[s] : BW_HALO_MOST;
    return true;
}

static void brick_judge(struct idle *is, const struct bricks_near *near, const struct pass *p, const int32_t by[3],
                        const struct range3 *ways)
{
    const struct cells box = bricks_cells(near, by);
    const uint8_t holds = brick_meets(near, p, &box, ways);
    if (!holds) return;
    int32_t *first = &is->first[by[2]][by[1]], *end = &is->end[by[2]][by[1]];
    if (!is->holds[by[2]][by[1]]) *first = box.lo[0];
    *end = box.hi[0] + 1;
    is->holds[by[2]][by[1]] |= holds;
    range_widen(&is->ways[by[2]][by[1]], ways);
    reach_widen(is->vel_reach, p, near->block, &box, ways, READ_VEL);
    for (uint32_t q = 0; q < p->n_items; q++)
        for (int what = READ_FIELD; what <= READ_HAT && holds >> q & 1; what++)
            reach_widen(is->reach[q][what], p, near->block, &box, ways, what);
    is->all = false;
}

/* Rows are whole along x: one brick of theirs moves by all of their ways. */
void idle_init(struct idle *is, const struct pass *p, const struct bw_block *b, bool known)
{
    const struct bricks_near *near = &p->hand[b->worker].bricks;
    const struct range3 *ways = p->hand[b->worker].brick_ways;
    int32_t by[3];
    *is = (struct idle){.all = false};
    is->by_brick = known && near->speed && !pass_has_faces(p);
    is->all = is->by_brick;
    memset(is->holds, is->by_brick ? 0 : UINT8_MAX, sizeof is->holds);
    for (int a = 1; a < 3; a++) is->shift[a - 1] = __builtin_ctz((unsigned)bricks_of(b->grid).edge[a]);
    if (!is->by_brick) return;
    for (by[2] = 0; by[2] * near->bricks.edge[2] < b->n[2]; by[2]++)
        for (by[1] = 0; by[1] * near->bricks.edge[1] < b->n[1]; by[1]++)
            for (by[0] = 0; by[0] * near->bricks.edge[0] < b->n[0]; by[0]++) brick_judge(is, near, p, by, ways++);
}

void idle_row(const struct bw_block *b, const struct item *it, int c, int32_t j, int32_t k, int32_t first, int32_t end)
{
    const struct bw_view *v = &b->view[it->view_out];
    const float background = (float)it->info->background[c];
    float *to = bw_f32(v, c) + j * v->sy + k * v->sz;
    for (int32_t i = first; i < end; i++) to[i] = background;
}

void idle_block(const struct bw_block *b, const struct pass *p)
{
    for (uint32_t q = 0; q < p->n_items; q++)
        for (int c = 0; c < (int)p->item[q].info->comps; c++)
            for (int32_t k = 0; k < b->n[2]; k++)
                for (int32_t j = 0; j < b->n[1]; j++) idle_row(b, &p->item[q], c, j, k, 0, b->n[0]);
}
