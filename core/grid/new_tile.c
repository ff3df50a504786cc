// SPDX-License-Identifier: Apache-2.0
/* Velocity of a newly activated tile, extrapolated from its active neighbours: their nearest faces, weighted by
 * 1/distance and fading towards the background over the tile's width. The projection makes it divergence-free
 * afterwards. A tile that starts at 0 instead would act as a wall of still air. Its outer high faces follow the same
 * rule as its low ones, so mirrored tiles have mirrored velocities. */
#include "grid.h"
#include <string.h>

static double value_at(const struct bw_field *f, const void *block, int32_t i)
{
    return f->elem == 8 ? ((const double *)block)[i] : ((const float *)block)[i];
}

/* Cells along axis a of the tile at coordinate x: the box may cut the last one. */
static int32_t tile_cells(const struct bw_domain_info *d, int a, int32_t x)
{
    int32_t left = d->n[a] - x * d->tile[a];
    return d->n[a] > 0 && left < d->tile[a] ? left : d->tile[a];
}

enum { ROW_MOST = 65 }; /* faces of a tile along x, both ends among them */

/* A row of the new tile: the sum of its neighbours' weighted values, and of the weights. */
struct new_tile_row {
    double sum[ROW_MOST], weight[ROW_MOST];
};

/* The active neighbour at one side of the new tile. */
struct known_neighbour {
    int64_t tile;
    int32_t plane;    /* of that tile, the nearest one of cells */
    int32_t end;      /* place of the nearest known face or cell along the axis, in the new tile's cells */
    const void *high; /* along the component's axis: its faces at the high end, a plane; NULL: none */
    bool in_place;    /* `high` is plane 0 of a tile, not a slab */
    double weight[ROW_MOST], fade[ROW_MOST]; /* by how many cells away */
};

static void known_neighbour_make(const struct bw_field *f, uint32_t c, const int32_t coord[3], int e, int64_t tile,
                                 struct known_neighbour *s)
{
    const struct bw_domain_info *d = f->src.info->domain;
    const int a = e / 2;
    int32_t next[3];
    memcpy(next, f->src.topo->coord[tile], sizeof next);
    s->tile = tile;
    s->plane = e & 1 ? 0 : tile_cells(d, a, next[a]) - 1;
    s->end = e & 1 ? tile_cells(d, a, coord[a]) : a == (int)c ? 0 : -1;
    next[c]++;
    const int64_t beyond = bw_topo_find(f->src.topo, d, next);
    s->in_place = !f->src.boundary_faces[c][tile];
    s->high = s->in_place ? (beyond >= 0 ? f->src.data[c][beyond] : NULL) : f->src.boundary_faces[c][tile];
    for (int32_t away = 1; away <= d->tile[a]; away++) {
        s->weight[away] = 1. / away;
        s->fade[away] = 1 - (double)away / (d->tile[a] + 1);
    }
}

/* The value of the neighbour at side e that is nearest to place `at` of the new tile. False: none is known there. */
static bool nearest_value(const struct bw_field *f, uint32_t c, int e, const struct known_neighbour *s,
                          const int32_t at[3], double *value)
{
    const int32_t *td = f->src.info->domain->tile;
    const int a = e / 2, u = c == 0 ? 1 : 0, v = c == 2 ? 1 : 2;
    int32_t q[3] = {at[0], at[1], at[2]};
    q[a] = s->plane;
    const bool is_high = q[c] == td[c] || (a == (int)c && !(e & 1)), in_tile = !is_high || s->in_place;
    const void *from = is_high ? s->high : f->src.data[c][s->tile];
    if (!from) return false;
    if (is_high) q[c] = 0;
    *value = value_at(f, from, in_tile ? q[0] + td[0] * (q[1] + td[1] * q[2]) : q[u] + td[u] * q[v]);
    return true;
}

/* Adds the neighbour at side e to the n places of row j, k. */
static void known_neighbour_add(const struct bw_field *f, uint32_t c, int e, const struct known_neighbour *s, int32_t n,
                                int32_t j, int32_t k, struct new_tile_row *r)
{
    const double back = f->info.background[c];
    int32_t at[3] = {0, j, k};
    for (at[0] = 0; at[0] < n; at[0]++) {
        const int32_t away = e & 1 ? s->end - at[e / 2] : at[e / 2] - s->end, i = at[0];
        double v;
        if (away < 1 || !nearest_value(f, c, e, s, at, &v)) continue;
        r->sum[i] += s->weight[away] * (back + s->fade[away] * (v - back));
        r->weight[i] += s->weight[away];
    }
}

static void value_set(const struct bw_field *f, void *block, int32_t i, double v)
{
    if (f->elem == 4) ((float *)block)[i] = (float)v;
    else ((double *)block)[i] = v;
}

void bw_new_tile_velocity(const struct bw_field *f, uint32_t c, const int32_t coord[3], void *block, void *high)
{
    const struct bw_domain_info *d = f->src.info->domain;
    const int32_t *td = d->tile, more[3] = {c == 0 && high, c == 1 && high, c == 2 && high};
    const int u = c == 0 ? 1 : 0, v = c == 2 ? 1 : 2;
    struct known_neighbour side[6];
    for (int e = 0; e < 6; e++) {
        int32_t q[3] = {coord[0], coord[1], coord[2]};
        q[e / 2] += e & 1 ? 1 : -1;
        side[e].tile = bw_topo_find(f->src.topo, d, q);
        if (side[e].tile >= 0) known_neighbour_make(f, c, coord, e, side[e].tile, &side[e]);
    }
    int32_t at[3];
    for (at[2] = 0; at[2] < td[2] + more[2]; at[2]++)
        for (at[1] = 0; at[1] < td[1] + more[1]; at[1]++) {
            struct new_tile_row r; /* beyond n it is not looked at */
            const int32_t n = td[0] + more[0];
            for (int32_t i = 0; i < n; i++) r.sum[i] = r.weight[i] = 0;
            for (int e = 0; e < 6; e++)
                if (side[e].tile >= 0) known_neighbour_add(f, c, e, &side[e], n, at[1], at[2], &r);
            for (at[0] = 0; at[0] < n; at[0]++) {
                const int32_t i = at[0];
                const double value = r.weight[i] > 0 ? r.sum[i] / r.weight[i] : f->info.background[c];
                if (at[c] < td[c]) value_set(f, block, i + td[0] * (at[1] + td[1] * at[2]), value);
                else value_set(f, high, at[u] + td[u] * at[v], value);
            }
        }
}
