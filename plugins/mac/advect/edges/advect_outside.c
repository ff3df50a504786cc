// SPDX-License-Identifier: Apache-2.0
/* Where a trace leaves the gas. A node holds a value when its tile is active; a face also when it is the high face of
 * an active tile. Beyond closed and periodic sides lie mirror images and the other end. Beyond open and inflow sides
 * there is nothing for cell centres; faces follow the side there (as the outermost one, or the stream), but for what
 * `outside: background` draws in through open sides (advect_pass.h). */
#include "advect_outside.h"
#include <common/tiles.h>

/* Halvings of the way to where it leaves: 48 cells / 2^14 are three thousandths of a cell. */
enum { HALVINGS = 14 };
#define CLOSE 1e-4 /* share of a way: as far beyond the safe nodes it is looked whether there are more */

/// A tile that counts, or what lies there else.
static int64_t tile_at(const struct edge *e, const int32_t at[3])
{
    const int64_t t = e->tiles->find(e->block->stage->domain, at);
    return t >= 0 && e->born && e->born[t] ? BW_TILE_INACTIVE : t;
}

enum { NEAR = 4 }; ///< tiles of a block and those on both sides, along an axis

static void near_find(struct edge *e)
{
    const struct tile_box own = tile_box_of_block(e->block);
    for (int a = 0; a < 3; a++) e->first[a] = own.lo[a] - 1;
    for (int32_t q = 0; q < NEAR * NEAR * NEAR; q++) {
        const int32_t by[3] = {q % NEAR, q / NEAR % NEAR, q / NEAR / NEAR};
        int32_t at[3];
        bool is_near = true;
        for (int a = 0; a < 3; a++) {
            at[a] = e->first[a] + by[a];
            is_near = is_near && at[a] <= own.hi[a] + 1;
        }
        e->holds[q] = is_near && tile_at(e, at) >= 0;
    }
}

/* Most are near, and then need not be looked for. */
static bool tile_holds(const struct edge *e, const int32_t tile[3])
{
    const uint32_t x = (uint32_t)(tile[0] - e->first[0]), y = (uint32_t)(tile[1] - e->first[1]),
                   z = (uint32_t)(tile[2] - e->first[2]);
    if (x < NEAR - 1 && y < NEAR - 1 && z < NEAR - 1) return e->holds[x + NEAR * (y + NEAR * z)];
    return tile_at(e, tile) >= 0;
}

/* Do all tiles of a box hold values, or mirror images of some beyond side `side`? */
static bool tiles_hold(const struct edge *e, const struct tile_box *box, int side)
{
    const uint32_t kind = e->block->grid->side[side].kind;
    int32_t at[3];
    for (at[2] = box->lo[2]; at[2] <= box->hi[2]; at[2]++)
        for (at[1] = box->lo[1]; at[1] <= box->hi[1]; at[1]++)
            for (at[0] = box->lo[0]; at[0] <= box->hi[0]; at[0]++) {
                const int64_t t = tile_at(e, at);
                if (t < 0 && !(t == BW_TILE_OUTSIDE && (kind == BW_CLOSED || e->axis >= 0))) return false;
            }
    return true;
}

/* The block's own nodes, and the layer of tiles next to it on each side where all of them hold values: along x, then
 * along y with what that has added, then along z. */
struct edge edge_init(const struct bw_block *b, const struct bw_tiles_api *tiles, const uint8_t *born, int axis)
{
    struct edge e = {.block = b, .tiles = tiles, .born = born, .axis = axis};
    const int32_t *td = b->grid->tile;
    struct tile_box safe = tile_box_of_block(b);
    near_find(&e);
    for (int a = 0; a < 3; a++) e.safe[1][a] = b->n[a] - 1 + (a == axis);
    for (int side = 0; side < 6; side++) {
        const int a = side / 2, high = side & 1;
        struct tile_box layer = safe;
        const bool wraps = b->grid->side[side].kind == BW_PERIODIC && b->grid->n[a] % td[a];
        if (a == b->grid->thin || wraps || (high && b->n[a] % td[a])) continue; // a side cuts a tile: one by one
        layer.lo[a] = layer.hi[a] = high ? safe.hi[a] + 1 : safe.lo[a] - 1;
        if (!tiles_hold(&e, &layer, side)) continue;
        e.safe[high][a] += high ? td[a] : -td[a];
        *(high ? &safe.hi[a] : &safe.lo[a]) = layer.lo[a];
    }
    return e;
}

/* Moves a coordinate beyond a side to the node whose value stands there; false where there is none. */
static bool side_lead(const struct edge *e, int a, int32_t *x)
{
    const struct bw_domain_info *g = e->block->grid;
    if (g->n[a] <= 0) return true;
    const bool face = a == e->axis, high = *x >= 0;
    const uint32_t kind = g->side[2 * a + high].kind;
    const int32_t last = g->n[a] - 1 + (face && kind != BW_PERIODIC);
    if (*x >= 0 && *x <= last) return true;
    if (kind == BW_PERIODIC) {
        *x = (*x % g->n[a] + g->n[a]) % g->n[a];
        return true;
    }
    if (kind == BW_CLOSED) *x = (high ? 2 * g->n[a] : 0) - *x - !face;
    *x = *x < 0 ? 0 : *x > last ? last : *x;
    return kind == BW_CLOSED || e->axis >= 0;
}

static bool node_has(const struct edge *e, const int32_t node[3])
{
    const struct bw_block *b = e->block;
    int32_t at[3], tile[3];
    for (int a = 0; a < 3; a++) {
        at[a] = b->lo[a] + node[a];
        if (!side_lead(e, a, &at[a])) return false;
        tile[a] = tile_coord(at[a], b->grid->tile[a]);
    }
    if (tile_holds(e, tile)) return true;
    if (e->axis < 0 || at[e->axis] != tile[e->axis] * b->grid->tile[e->axis]) return false;
    tile[e->axis]--;
    return tile_holds(e, tile);
}

/* Do the tiles of all nodes from low to low + between hold values, within the box? */
static bool nodes_hold(const struct edge *e, const int32_t low[3], const bool between[3])
{
    const struct bw_domain_info *g = e->block->grid;
    int32_t tile[2][3], at[3];
    for (int a = 0; a < 3; a++) {
        const int32_t first = e->block->lo[a] + low[a], last = first + between[a];
        if (g->n[a] > 0 && (first < 0 || last >= g->n[a])) return false;
        tile[0][a] = tile_coord(first, g->tile[a]);
        tile[1][a] = tile[0][a] + (last == (tile[0][a] + 1) * g->tile[a]);
    }
    for (at[2] = tile[0][2]; at[2] <= tile[1][2]; at[2]++)
        for (at[1] = tile[0][1]; at[1] <= tile[1][1]; at[1]++)
            for (at[0] = tile[0][0]; at[0] <= tile[1][0]; at[0]++)
                if (!tile_holds(e, at)) return false;
    return true;
}

bool edge_search(const struct edge *e, const double x[3])
{
    int32_t low[3];
    bool between[3];
    for (int a = 0; a < 3; a++) {
        const double floored = floor(reach_between(x[a], -0x1p28, 0x1p28)); // farther than any domain reaches
        low[a] = (int32_t)floored;
        between[a] = x[a] > floored;
    }
    if (nodes_hold(e, low, between)) return true;
    for (int q = 0; q < 8; q++) {
        const int32_t node[3] = {low[0] + (q & 1), low[1] + (q >> 1 & 1), low[2] + (q >> 2)};
        bool counts = true;
        for (int a = 0; a < 3; a++) counts = counts && (node[a] == low[a] || between[a]);
        if (counts && !node_has(e, node)) return false;
    }
    return true;
}

/* Share of the way to where it leaves the nodes that surely hold values. */
static double share_safe(const struct edge *e, const int32_t from[3], const double d[3])
{
    double share = 1;
    for (int a = 0; a < 3; a++) {
        const double room = d[a] > 0 ? e->safe[1][a] - from[a] : from[a] - e->safe[0][a];
        if (fabs(d[a]) > room) share = fmin(share, fmax(room, 0) / fabs(d[a]));
    }
    return share;
}

double edge_share(const struct edge *e, const int32_t from[3], const double d[3])
{
    double in = share_safe(e, from, d), out = 1, x[3];
    for (int a = 0; a < 3; a++) x[a] = from[a] + d[a];
    if (edge_has(e, x)) return 1;
    for (int a = 0; a < 3; a++) x[a] = from[a] + (in + CLOSE) * d[a];
    if (!edge_has(e, x)) return in;
    for (int q = 0; q < HALVINGS; q++) {
        const double share = 0.5 * (in + out);
        for (int a = 0; a < 3; a++) x[a] = from[a] + share * d[a];
        if (edge_has(e, x)) in = share;
        else out = share;
    }
    return in;
}
