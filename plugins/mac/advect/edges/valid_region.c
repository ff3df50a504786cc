// SPDX-License-Identifier: Apache-2.0
/* The valid region of trajectories. A node is valid if its tile is active; a face also if it is the high face of an
 * active tile. Beyond closed and periodic sides lie mirror images and the other end. Beyond open sides nothing is
 * valid, as in inactive tiles; beyond inflow sides faces are, which have the inflow's velocity there. */
#include "valid_region.h"
#include <common/tiles.h>

/* Bisection steps to the place where a trajectory leaves: 48 cells / 2^14 are three thousandths of a cell. */
enum { HALVINGS = 14 };
#define CLOSE 1e-4 /* of a displacement: how far beyond the inner nodes the next ones are tried */

static int64_t tile_at(const struct valid_region *e, const int32_t at[3])
{
    return e->tiles->find(e->block->stage->domain, at);
}

/// Are the nodes beyond a side of the box valid?
static bool side_holds(const struct valid_region *e, uint32_t kind)
{
    return kind == BW_CLOSED || (kind == BW_INFLOW && e->axis >= 0);
}

enum { NEAR = 4 }; ///< tiles of a block and those on both sides, along an axis

static void near_find(struct valid_region *e)
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
        e->occupied[q] = is_near && tile_at(e, at) >= 0;
    }
}

/* Is a tile valid? Most are near: no lookup. */
static bool tile_holds(const struct valid_region *e, const int32_t tile[3])
{
    const uint32_t x = (uint32_t)(tile[0] - e->first[0]), y = (uint32_t)(tile[1] - e->first[1]),
                   z = (uint32_t)(tile[2] - e->first[2]);
    if (x < NEAR - 1 && y < NEAR - 1 && z < NEAR - 1) return e->occupied[x + NEAR * (y + NEAR * z)];
    return tile_at(e, tile) >= 0;
}

/* Are all tiles of a box valid, or mirror images beyond side `side`? */
static bool tiles_hold(const struct valid_region *e, const struct tile_box *box, int side)
{
    const uint32_t kind = e->block->grid->side[side].kind;
    int32_t at[3];
    for (at[2] = box->lo[2]; at[2] <= box->hi[2]; at[2]++)
        for (at[1] = box->lo[1]; at[1] <= box->hi[1]; at[1]++)
            for (at[0] = box->lo[0]; at[0] <= box->hi[0]; at[0]++) {
                const int64_t t = tile_at(e, at);
                if (t < 0 && !(t == BW_TILE_OUTSIDE && side_holds(e, kind))) return false;
            }
    return true;
}

/* The inner box: the block's own nodes, and the layer of tiles next to it on each side where all of them are valid:
 * along x, then along y including that, then along z. */
struct valid_region valid_region_init(const struct bw_block *b, const struct bw_tiles_api *tiles, int axis)
{
    struct valid_region e = {.block = b, .tiles = tiles, .axis = axis};
    const int32_t *td = b->grid->tile;
    struct tile_box safe = tile_box_of_block(b);
    near_find(&e);
    for (int a = 0; a < 3; a++) e.inner[1][a] = b->n[a] - 1 + (a == axis);
    for (int side = 0; side < 6; side++) {
        const int a = side / 2, high = side & 1;
        struct tile_box layer = safe;
        const bool wraps = b->grid->side[side].kind == BW_PERIODIC && b->grid->n[a] % td[a];
        if (a == b->grid->thin || wraps || (high && b->n[a] % td[a])) continue; // a side cuts a tile: node by node
        layer.lo[a] = layer.hi[a] = high ? safe.hi[a] + 1 : safe.lo[a] - 1;
        if (!tiles_hold(&e, &layer, side)) continue;
        e.inner[high][a] += high ? td[a] : -td[a];
        *(high ? &safe.hi[a] : &safe.lo[a]) = layer.lo[a];
    }
    return e;
}

/* Maps a coordinate beyond a side to the node that holds its value; false: there is none. */
static bool side_lead(const struct valid_region *e, int a, int32_t *x)
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
    return side_holds(e, kind);
}

static bool node_has(const struct valid_region *e, const int32_t node[3])
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

/* Are the tiles of all nodes from low to low + between valid and within the box? */
static bool nodes_hold(const struct valid_region *e, const int32_t low[3], const bool between[3])
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

bool valid_region_search(const struct valid_region *e, const double x[3])
{
    int32_t low[3];
    bool between[3];
    for (int a = 0; a < 3; a++) {
        const double floored = floor(clamp_between(x[a], -0x1p28, 0x1p28)); // farther than any domain reaches
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

/* Fraction of the displacement at which it leaves the inner box. */
static double inner_fraction(const struct valid_region *e, const int32_t from[3], const double d[3])
{
    double fraction = 1;
    for (int a = 0; a < 3; a++) {
        const double reach = d[a] > 0 ? e->inner[1][a] - from[a] : from[a] - e->inner[0][a];
        if (fabs(d[a]) > reach) fraction = fmin(fraction, fmax(reach, 0) / fabs(d[a]));
    }
    return fraction;
}

/* Fraction of the displacement at which it leaves the box by an open side, 1: it does not; x: the place. */
static double open_side_fraction(const struct valid_region *e, const int32_t from[3], const double d[3], double x[3])
{
    const struct bw_block *b = e->block;
    double fraction = 1, end = 0;
    int axis = -1;
    for (int a = 0; a < 3; a++) {
        const bool high = d[a] > 0;
        const double last = (high ? b->grid->n[a] - 1 + (a == e->axis) : 0) - b->lo[a];
        const bool open = b->grid->n[a] > 0 && b->grid->side[2 * a + high].kind == BW_OPEN;
        if (!open || fabs(last - from[a]) >= fraction * fabs(d[a])) continue;
        fraction = fabs(last - from[a]) / fabs(d[a]);
        axis = a;
        end = last;
    }
    for (int a = 0; a < 3; a++) x[a] = a == axis ? end : from[a] + fraction * d[a];
    return fraction;
}

double valid_fraction_search(const struct valid_region *e, const int32_t from[3], const double d[3])
{
    double x[3], in = inner_fraction(e, from, d), out = open_side_fraction(e, from, d, x);
    if (valid_region_contains(e, x)) return out;
    for (int a = 0; a < 3; a++) x[a] = from[a] + (in + CLOSE) * d[a];
    if (!valid_region_contains(e, x)) return in;
    for (int q = 0; q < HALVINGS; q++) {
        const double fraction = 0.5 * (in + out);
        for (int a = 0; a < 3; a++) x[a] = from[a] + fraction * d[a];
        if (valid_region_contains(e, x)) in = fraction;
        else out = fraction;
    }
    return in;
}
