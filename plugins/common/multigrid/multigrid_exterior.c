// SPDX-License-Identifier: Apache-2.0
/* The exterior boundary condition: what the still air beyond the active tiles does to the pressure. An open side of the
 * box is where the active tiles end for good: the same air lies beyond it. Only a channel, a box with walls on both
 * sides of an axis, ends there: p is 0 one cell beyond its open sides, as at the mouth of a pipe, and what its walls
 * hold stays still.
 *
 * The exterior moves as a potential flow and has inertia: p is harmonic there and falls off. So at the boundary of the
 * active tiles p = -L dp/dn, a Robin condition, which is p = 0 at the distance L from the face. L -> 0 would be air
 * without mass, in which smoke rises too fast when active tiles end close to it; L -> infinity a wall. The condition
 * relates changes of velocity and pressure. So it holds for any time step, needs no velocity in the exterior, and lets
 * a uniform force act unhindered.
 *
 * L is that of equal body forces in all directions on parcels, one in the middle of each active tile. With E = sum
 * d/|d|^n in n dimensions, the pressure of forces in direction k is E_k, so all together have
 *     L = -E·E / (E·dE/dn):
 * half the distance for a ball of smoke, the distance for a column, long in a gap between two clouds. Tiles count as
 * points, of the volume that lies in the box, so E is taken half a tile beyond the side; at the face L is shorter, by
 * half a tile's edge over n-1 as for a ball. A face's conductance is 1/(1/2 + L/h), from its cell's centre on.
 *
 * Sums are in fixed point: the same bits in any order, so mirrored sets of tiles have mirrored conductances. */
#include "multigrid.h"
#include <math.h>

#define LENGTH_FACTOR                                                                                                  \
    0.8              // of L: forces differ from tile to tile, and what differs falls off faster; best in test_margin.c
#define FIXED 0x1p40 // terms are at most 2 in one dimension, sums over 2^21 tiles below 2^63
enum { CONDUCTANCE_STEPS = 1024 }; // few bits, so diagonals are exact sums; at least one keeps a region open

/// Displacement along axis q from one coordinate to another, half cells; the shortest one on a periodic axis.
static int64_t displacement(const struct mg_shape *s, int q, int64_t from, int64_t to)
{
    const int64_t n = 2 * (int64_t)s->cells[q], d = to - from;
    if (!s->periodic[q]) return d;
    const int64_t wrapped = ((d % n) + n) % n;
    return 2 * wrapped > n ? wrapped - n : wrapped;
}

/// The middle of a tile's part in the box along axis q, half cells.
static int64_t tile_middle(const struct multigrid *mg, int64_t tile, int q)
{
    return 2 * (int64_t)mg->level->coord[tile][q] * mg->shape.edge[q] + mg_tile_cells(mg, tile, q);
}

/// The part of a tile's volume in the box.
static double tile_volume(const struct multigrid *mg, int64_t tile)
{
    double v = 1;
    for (int q = 0; q < mg->shape.dim; q++) v *= (double)mg_tile_cells(mg, tile, q) / mg->shape.edge[q];
    return v;
}

/// L/h of one side of a tile in an unbounded box.
static double side_length(const struct multigrid *mg, int64_t tile, int side)
{
    const struct mg_shape *s = &mg->shape;
    const struct mg_level *l = mg->level;
    const int axis = side >> 1, edge = s->edge[0];
    const double out = side & 1 ? 1 : -1, dim = s->dim;
    int64_t sum[3] = {0}, slope[3] = {0}, at[3]; // E and dE/dn, lengths in tiles; where
    for (int q = 0; q < s->dim; q++) at[q] = tile_middle(mg, tile, q);
    at[axis] += ((side & 1) * 2 - 1) * (mg_tile_cells(mg, tile, axis) + edge);
    for (int64_t i = 0; i < l->count; i++) {
        double d[3] = {0}, square = 0;
        for (int q = 0; q < s->dim; q++) {
            d[q] = (double)displacement(s, q, tile_middle(mg, i, q), at[q]) / (2 * edge);
            square += d[q] * d[q];
        }
        const double part = FIXED * tile_volume(mg, i) / (s->dim == 3 ? square * sqrt(square) : square);
        for (int q = 0; q < s->dim; q++) {
            sum[q] += (int64_t)(part * d[q]);
            slope[q] += (int64_t)(part * ((q == axis ? out : 0) - dim * d[q] * d[axis] * out / square));
        }
    }
    double energy = 0, fall = 0;
    for (int q = 0; q < s->dim; q++) {
        energy += (double)sum[q] * (double)sum[q];
        fall -= (double)sum[q] * (double)slope[q];
    }
    return fall > 0 ? fmax(edge * (energy / fall - 0.5 / (dim - 1)), 0.5) : HUGE_VAL;
}

/* A wall opposite, `gap` cells away, lengthens it as the mirror image of a ball of smoke does, within a twentieth. */
static double length_to_wall(const struct multigrid *mg, const struct bw_topology *t, int64_t tile, int side,
                             double length)
{
    const struct bw_domain_info *g = mg->stage->grid;
    const int a = mg->shape.axis[side >> 1], high = side & 1;
    const uint32_t kind = g->side[2 * a + high].kind;
    if (g->n[a] <= 0 || kind == BW_OPEN || kind == BW_PERIODIC) return length;
    const int64_t low = (int64_t)t->coord[tile][a] * g->tile[a];
    const double gap = (double)(high ? g->n[a] - low - g->tile[a] : low);
    return length * hypot(1, length / gap);
}

struct exterior {
    struct multigrid *mg;
    const struct bw_topology *topology;
    int channel;
};

int mg_is_channel(const struct multigrid *mg)
{
    int channel = 0;
    for (int q = 0; q < mg->shape.dim; q++) {
        const struct bw_side *side = mg->stage->grid->side + 2 * mg->shape.axis[q];
        const int walls = side[0].kind != BW_OPEN && side[1].kind != BW_OPEN && !mg->shape.periodic[q];
        channel |= walls && mg->shape.cells[q] > 0;
    }
    return channel;
}

/// Does side `side` of a tile (the domain's order) lead to the exterior?
static int leads_out(const struct exterior *r, int64_t tile, int side)
{
    const int32_t beyond = r->topology->neighbour[tile][side];
    return beyond == BW_TILE_INACTIVE ||
           (beyond == BW_TILE_OUTSIDE && !r->channel && r->mg->stage->grid->side[side].kind == BW_OPEN);
}

static void tile_exterior(int64_t tile, uint32_t worker, void *user)
{
    const struct exterior *r = user;
    const struct mg_shape *s = &r->mg->shape;
    (void)worker;
    if (!mg_owns_tile(r->mg, tile)) return;
    for (int side = 0; side < 6; side++) {
        float *c = &r->mg->exterior[tile][side];
        *c = 0;
        if (side >= 2 * s->dim || !leads_out(r, tile, 2 * s->axis[side >> 1] + (side & 1))) continue;
        const double length = length_to_wall(r->mg, r->topology, tile, side, side_length(r->mg, tile, side));
        const double steps = rint(CONDUCTANCE_STEPS / (0.5 + fmax(LENGTH_FACTOR * length, 0.5)));
        *c = (float)(fmax(steps, 1) / CONDUCTANCE_STEPS);
    }
}

void mg_find_exterior(struct multigrid *mg, const struct bw_topology *topology)
{
    struct exterior r = {mg, topology, mg_is_channel(mg)};
    mg->stage->host->parallel_for(mg->stage, topology->count, tile_exterior, &r);
    mg_allgather(mg, mg->exterior, NULL,
                 sizeof *mg->exterior); // a sum over all pairs of tiles: each rank computes its own
}
