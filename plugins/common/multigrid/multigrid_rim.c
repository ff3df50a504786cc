// SPDX-License-Identifier: Apache-2.0
/* What the still air beyond the active tiles does to the pressure.
 *
 * It moves as a potential flow and has inertia: out there p is harmonic and falls off, so at the rim  p = -L dp/dn, a
 * Robin condition that stands for p = 0 at the distance L from the face. L -> 0 would be air without weight, which lets
 * smoke rise too fast in a narrow rim; L -> infinity a wall. Being a law between changes of velocity and pressure, it
 * holds for any step, asks for no velocity out there, and lets a force that is everywhere the same act unhindered.
 *
 * L is what it is for parcels pushed about, one in the middle of each active tile, in all directions alike: with
 * E = sum d/|d|^n in n dimensions, the pressure of pushes in direction k is E_k, so all together have
 *     L = -E·E / (E·dE/dn):
 * half the distance for a ball of smoke, the distance for a column, long in a gap between two clouds. Tiles being
 * points to it, E is taken in the middle of the tile beyond; L is shorter at the face, by half a tile's edge over n-1
 * as for a ball. A face's conductance is 1/(1/2 + L/h), from its cell's centre on. Open sides of the box do not count:
 * the same cloud rises alike in any box.
 *
 * Sums are in fixed point: the same bits in any order, so mirrored sets of tiles have mirrored conductances. */
#include "multigrid.h"
#include <math.h>

#define SHARE 0.8    // of L: pushes are not all alike, what differs falls off faster; best in test_margin.c
#define FIXED 0x1p40 // terms are at most 2 in one dimension, sums over 2^21 tiles below 2^63
enum { CONDUCTANCE_STEPS = 1024 }; // few bits, so diagonals are exact sums; the least one leaves a region open

/// Way along axis q from one coordinate to another, cells; the nearest one round where the axis leads round.
static int64_t way_between(const struct mg_shape *s, int q, int64_t from, int64_t to)
{
    const int64_t n = s->cells[q], d = to - from;
    if (!s->periodic[q]) return d;
    const int64_t turned = ((d % n) + n) % n;
    return 2 * turned > n ? turned - n : turned;
}

/// L/h of one side of a tile as if the box had no sides.
static double side_length(const struct multigrid *mg, int64_t tile, int side)
{
    const struct mg_shape *s = &mg->shape;
    const struct mg_level *l = mg->level;
    const int axis = side >> 1, edge = s->edge[0];
    const double out = side & 1 ? 1 : -1, dim = s->dim;
    int64_t sum[3] = {0}, slope[3] = {0}; // E and dE/dn, lengths in tiles
    for (int64_t i = 0; i < l->count; i++) {
        double d[3] = {0}, square = 0;
        for (int q = 0; q < s->dim; q++) {
            const int64_t to = (int64_t)l->coord[tile][q] + (q == axis ? (side & 1) * 2 - 1 : 0);
            d[q] = (double)way_between(s, q, (int64_t)l->coord[i][q] * edge, to * edge) / edge;
            square += d[q] * d[q];
        }
        const double part = FIXED / (s->dim == 3 ? square * sqrt(square) : square);
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

/* A wall opposite, `room` cells beyond, lengthens it as an image of a ball of smoke does, within a twentieth. */
static double side_walled(const struct multigrid *mg, const struct bw_topology *t, int64_t tile, int side,
                          double length)
{
    const struct bw_domain_info *g = mg->stage->grid;
    const int a = mg->shape.axis[side >> 1], high = side & 1;
    const uint32_t kind = g->side[2 * a + high].kind;
    if (g->n[a] <= 0 || kind == BW_OPEN || kind == BW_PERIODIC) return length;
    const int64_t low = (int64_t)t->coord[tile][a] * g->tile[a];
    const double room = (double)(high ? g->n[a] - low - g->tile[a] : low);
    return length * hypot(1, length / room);
}

struct rims {
    struct multigrid *mg;
    const struct bw_topology *topology;
};

static void tile_rims(int64_t tile, uint32_t worker, void *user)
{
    const struct rims *r = user;
    const struct mg_shape *s = &r->mg->shape;
    (void)worker;
    if (!mg_is_mine(r->mg, tile)) return;
    for (int side = 0; side < 6; side++) {
        float *c = &r->mg->rim[tile][side];
        *c = 0;
        if (side >= 2 * s->dim || r->topology->neighbour[tile][2 * s->axis[side >> 1] + (side & 1)] != BW_TILE_INACTIVE)
            continue;
        const double length = side_walled(r->mg, r->topology, tile, side, side_length(r->mg, tile, side));
        const double steps = rint(CONDUCTANCE_STEPS / (0.5 + fmax(SHARE * length, 0.5)));
        *c = (float)(fmax(steps, 1) / CONDUCTANCE_STEPS);
    }
}

void mg_find_rims(struct multigrid *mg, const struct bw_topology *topology)
{
    struct rims r = {mg, topology};
    mg->stage->host->parallel_for(mg->stage, topology->count, tile_rims, &r);
    mg_share(mg, mg->rim, NULL, sizeof *mg->rim); // all pairs of tiles: each rank looks at its own
}
