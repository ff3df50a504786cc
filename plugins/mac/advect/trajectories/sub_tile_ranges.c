// SPDX-License-Identifier: Apache-2.0
#include "advect/advect_pass.h"
#include <string.h>

enum { BLOCK_TILES = 2, LEAST_EDGE = 8 };

struct sub_tiles sub_tiles_of(const struct bw_domain_info *g)
{
    struct sub_tiles by = {.count = 1};
    for (int a = 0; a < 3; a++) {
        const int32_t td = g->tile[a];
        by.parts[a] = td % SUB_TILE_PARTS == 0 && td / SUB_TILE_PARTS >= LEAST_EDGE ? SUB_TILE_PARTS : 1;
        by.edge[a] = td / by.parts[a];
        by.count *= by.parts[a];
    }
    return by;
}

/* Ring of tiles along an axis: none along the thin one. */
static int32_t ring_of(const struct bw_domain_info *g, int a, int32_t ring) { return a == g->thin ? 0 : ring; }

static size_t sub_tiles_most(const struct bw_domain_info *g, int32_t ring)
{
    const struct sub_tiles by = sub_tiles_of(g);
    size_t most = 1;
    for (int a = 0; a < 3; a++) most *= (size_t)((BLOCK_TILES + 2 * ring_of(g, a, ring)) * by.parts[a]);
    return most;
}

size_t sub_tiles_bytes(const struct bw_domain_info *g, int32_t ring)
{
    return (sub_tiles_most(g, ring) * (2 * sizeof(struct range3) + 1) + 63) & ~(size_t)63;
}

/* Gathers one tile's sub-tiles, from index `to` on. */
static void tile_look(struct sub_tiles_near *near, const struct pass *p, int64_t t, size_t to)
{
    const struct sub_tiles *by = &near->sub_tiles;
    for (int32_t q = 0; q < by->count; q++) {
        int32_t part[3];
        sub_tile_place(by, q, part);
        const size_t at = to + (size_t)part[0] + (size_t)near->n[0] * (size_t)(part[1] + part[2] * near->n[1]);
        const int64_t from = t * by->count + q;
        if (t >= 0) near->speed[at] = p->speed.sub_tile[from].all;
        else near->speed[at] = (struct range3){{0}, {0}};
        if (near->half && t >= 0) near->half[at] = p->speed.half[from].all;
        else if (near->half) near->half[at] = (struct range3){{0}, {0}};
        near->occupied[at] = !p->occupied ? UINT8_MAX : t >= 0 ? p->occupied[from] : 0;
    }
}

struct sub_tiles_near sub_tiles_gather(const struct bw_block *b, const struct pass *p, int32_t ring)
{
    const struct tile_box own = tile_box_of_block(b);
    struct sub_tiles_near near = {.block = b, .sub_tiles = sub_tiles_of(b->grid), .ring = ring};
    int32_t tiles[3], by[3], at[3];
    for (int a = 0; a < 3; a++) {
        near.first[a] = own.lo[a] - ring_of(b->grid, a, ring);
        tiles[a] = own.hi[a] - own.lo[a] + 1 + 2 * ring_of(b->grid, a, ring);
        near.n[a] = tiles[a] * near.sub_tiles.parts[a];
    }
    char *memory = p->sub_tile_memory + p->sub_tile_bytes * b->worker;
    near.speed = (void *)memory;
    const size_t count = (size_t)near.n[0] * (size_t)near.n[1] * (size_t)near.n[2];
    near.half = p->speed.half ? near.speed + count : NULL;
    near.occupied = (void *)(near.speed + 2 * count);
    for (by[2] = 0; by[2] < tiles[2]; by[2]++)
        for (by[1] = 0; by[1] < tiles[1]; by[1]++)
            for (by[0] = 0; by[0] < tiles[0]; by[0]++) {
                size_t to = 0;
                for (int a = 2; a >= 0; a--) {
                    at[a] = near.first[a] + by[a];
                    to = to * (size_t)near.n[a] + (size_t)(by[a] * near.sub_tiles.parts[a]);
                }
                tile_look(&near, p, p->tiles->find(b->stage->domain, at), to);
            }
    return near;
}

struct cells sub_tile_cells(const struct sub_tiles_near *near, const int32_t at[3])
{
    struct cells box;
    for (int a = 0; a < 3; a++) {
        int32_t n = sub_tile_cells_along(&near->sub_tiles, a, at[a], near->block->n[a], 0, &box.lo[a]);
        box.hi[a] = box.lo[a] + n - 1;
    }
    return box;
}

void range_widen(struct range3 *r, const struct range3 *by)
{
    for (int a = 0; a < 3; a++) {
        if (by->least[a] < r->least[a]) r->least[a] = by->least[a];
        if (by->most[a] > r->most[a]) r->most[a] = by->most[a];
    }
}

/* Sub-tiles of a box, with those mirrored into it where it reaches beyond a side. */
static struct cells sub_tiles_within(const struct sub_tiles_near *near, const struct cells *box)
{
    const struct bw_block *b = near->block;
    struct cells in;
    for (int a = 0; a < 3; a++) {
        const int32_t n = b->grid->n[a], edge = near->sub_tiles.edge[a], zero = near->first[a] * b->grid->tile[a];
        int32_t lo = b->lo[a] + box->lo[a], hi = b->lo[a] + box->hi[a];
        if (n > 0 && b->grid->side[2 * a].kind != BW_PERIODIC) {
            const int32_t below = lo < 0 ? -lo : 0, above = hi >= n ? hi - n + 1 : 0;
            if (hi < below) hi = below;
            if (lo > n - 1 - above) lo = n - 1 - above;
        }
        lo = lo < zero ? 0 : (lo - zero) / edge;
        hi = hi < zero ? 0 : (hi - zero) / edge;
        in.lo[a] = lo < near->n[a] ? lo : near->n[a] - 1;
        in.hi[a] = hi < near->n[a] ? hi : near->n[a] - 1;
    }
    return in;
}

static void range_turn(struct range3 *r, int a)
{
    const float least = r->least[a];
    r->least[a] = fminf(least, -r->most[a]);
    r->most[a] = fmaxf(r->most[a], -least);
}

/* Beyond a closed side the normal velocity is mirrored with opposite sign; with no slip all components. */
static void sides_turn(const struct sub_tiles_near *near, const struct cells *box, struct range3 *r)
{
    const struct bw_block *b = near->block;
    for (int s = 0; s < 6; s++) {
        const struct bw_side *side = &b->grid->side[s];
        const int a = s >> 1;
        const bool beyond = s & 1 ? b->lo[a] + box->hi[a] >= b->grid->n[a] : b->lo[a] + box->lo[a] < 0;
        if (b->grid->n[a] <= 0 || side->kind != BW_CLOSED || !beyond) continue;
        for (int c = 0; c < 3; c++)
            if (c == a || side->no_slip) range_turn(r, c);
    }
}

void sub_tiles_speed(const struct sub_tiles_near *near, const struct range3 *of, const struct cells *box,
                     struct range3 *r)
{
    const struct cells in = sub_tiles_within(near, box);
    for (int32_t z = in.lo[2]; z <= in.hi[2]; z++)
        for (int32_t y = in.lo[1]; y <= in.hi[1]; y++) {
            const struct range3 *s = of + (size_t)near->n[0] * (size_t)(y + near->n[1] * z);
            for (int32_t x = in.lo[0]; x <= in.hi[0]; x++) range_widen(r, &s[x]);
        }
    sides_turn(near, box, r);
}

uint8_t sub_tiles_occupied(const struct sub_tiles_near *near, const struct cells *box)
{
    const struct cells in = sub_tiles_within(near, box);
    uint8_t occupied = 0;
    for (int32_t z = in.lo[2]; z <= in.hi[2]; z++)
        for (int32_t y = in.lo[1]; y <= in.hi[1]; y++)
            for (int32_t x = in.lo[0]; x <= in.hi[0]; x++)
                occupied |= near->occupied[(size_t)x + (size_t)near->n[0] * (size_t)(y + near->n[1] * z)];
    return occupied;
}
