// SPDX-License-Identifier: Apache-2.0
/* Where there is nothing to carry. Most of what is awake round smoke, or in a box that is all awake, holds a field's
 * background and nothing else; so does what traces from there meet. It stays so whatever the flow does: blocks of that
 * kind are not read, and rows of tiles of that kind within others are neither traced nor gathered. What comes out has
 * the same bits, as long as values are clamped to those around where a trace ends: then the correction of a scheme with
 * a second sweep cannot bring in what its first one has carried next to here. */
#include "advect_pass.h"
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

/* Is every value of a block the background's, bit by bit? */
static bool block_is_still(const struct bw_block *b, const struct bw_view *v, int c, double background)
{
    const uint32_t back = bits_of((float)background);
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++) {
            const float *row = bw_f32(v, c) + j * v->sy + k * v->sz;
            uint32_t other = 0;
            for (int32_t i = 0; i < b->n[0]; i++) other |= bits_of(row[i]) ^ back;
            if (other) return false;
        }
    return true;
}

static void block_look(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    uint8_t holds = 0;
    for (uint32_t q = 0; q < p->n_items; q++) {
        const struct bw_field_info *info = p->item[q].info;
        bool still = true;
        for (int c = 0; c < (int)info->comps && still; c++)
            still = block_is_still(b, &b->view[q], c, info->background[c]);
        holds |= (uint8_t)(!still << q);
    }
    p->holds[tile_of_block(p->tiles, b)] = holds;
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
    p->holds = s->host->scratch(s, (size_t)p->tiles->topology(s->domain)->count + 1);
    if (!p->holds) return s->host->fail(s, BW_ERR_MEMORY, "Out of memory for what tiles hold.");
    for (uint32_t q = 0; q < p->n_items; q++) row[q] = (struct bw_access){p->item[q].field, BW_READ, 0};
    const enum bw_status st =
        s->host->sweep(s, &(struct bw_sweep){.access = row, .n_access = p->n_items, .body = block_look, .user = p});
    return st == BW_OK ? ranks_share(s, p->holds, NULL, sizeof *p->holds) : st;
}

/* What traces back from a tile may meet, an item a bit. */
static uint8_t tile_meets(const struct pass *p, const struct bw_block *b, const int32_t tile[3])
{
    const struct tile_box own = {{tile[0], tile[1], tile[2]}, {tile[0], tile[1], tile[2]}};
    int32_t around[6], first[3], last[3], at[3];
    bool rim;
    const struct range3 ways = advect_ways(b, p, &own, &rim);
    advect_around(p, &ways, around);
    for (int a = 0; a < 3; a++) {
        first[a] = tile[a] * b->grid->tile[a] - around[2 * a];
        last[a] = (tile[a] + 1) * b->grid->tile[a] - 1 + around[2 * a + 1];
    }
    const struct tile_box box = tile_box_of(b->grid, first, last);
    uint8_t holds = 0;
    for (at[2] = box.lo[2]; at[2] <= box.hi[2]; at[2]++)
        for (at[1] = box.lo[1]; at[1] <= box.hi[1]; at[1]++)
            for (at[0] = box.lo[0]; at[0] <= box.hi[0]; at[0]++) {
                const int64_t t = p->tiles->find(p->stage->domain, at);
                if (t >= 0) holds |= p->holds[t];
            }
    return holds;
}

/* Where only one half of a block along an axis has anything, the other half is beyond it. */
static void less_find(struct idle *is, const struct bw_block *b)
{
    for (int a = 1; a < 3; a++)
        for (int high = 0; high < 2; high++) {
            const uint8_t other =
                a == 1 ? is->holds[0][high] | is->holds[1][high] : is->holds[high][0] | is->holds[high][1];
            if (!other) is->less[2 * a + high] = high ? b->n[a] - is->tile[a - 1] : is->tile[a - 1];
            if (is->less[2 * a + high] < 0) is->less[2 * a + high] = 0;
        }
}

struct idle idle_init(const struct pass *p, const struct bw_block *b, bool known)
{
    const struct tile_box own = tile_box_of_block(b);
    struct idle is = {.all = p->holds && known, .tile = {b->grid->tile[1], b->grid->tile[2]}};
    int32_t at[3];
    memset(is.holds, is.all ? 0 : UINT8_MAX, sizeof is.holds);
    if (!is.all) return is;
    for (at[2] = own.lo[2]; at[2] <= own.hi[2]; at[2]++)
        for (at[1] = own.lo[1]; at[1] <= own.hi[1]; at[1]++)
            for (at[0] = own.lo[0]; at[0] <= own.hi[0]; at[0]++)
                is.holds[at[2] - own.lo[2]][at[1] - own.lo[1]] |= tile_meets(p, b, at);
    for (int q = 0; q < 4; q++) is.all = is.all && !is.holds[q >> 1][q & 1];
    less_find(&is, b);
    return is;
}

static void row_fill(const struct bw_view *v, int c, int32_t j, int32_t k, int32_t n, float value)
{
    float *to = bw_f32(v, c) + j * v->sy + k * v->sz;
    for (int32_t i = 0; i < n; i++) to[i] = value;
}

void idle_row(const struct bw_block *b, const struct item *it, int c, int32_t j, int32_t k)
{
    row_fill(&b->view[it->view_out], c, j, k, b->n[0], (float)it->info->background[c]);
}

void idle_block(const struct bw_block *b, const struct pass *p)
{
    for (uint32_t q = 0; q < p->n_items; q++)
        for (int c = 0; c < (int)p->item[q].info->comps; c++)
            for (int32_t k = 0; k < b->n[2]; k++)
                for (int32_t j = 0; j < b->n[1]; j++) idle_row(b, &p->item[q], c, j, k);
}
