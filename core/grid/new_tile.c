// SPDX-License-Identifier: Apache-2.0
/* Velocity of a newly activated tile, extrapolated from its active neighbours: their nearest planes, weighted by
 * 1/distance and fading towards the background over the tile's width. The projection makes it divergence-free
 * afterwards. A tile that starts at 0 instead would act as a wall of still air. */
#include "grid.h"

static double value_at(const struct bw_field *f, uint32_t c, int64_t t, int32_t i)
{
    return f->elem == 8 ? ((const double *)f->src.data[c][t])[i] : ((const float *)f->src.data[c][t])[i];
}

/* Cells along axis a of the tile at coordinate x: the box may cut the last one. */
static int32_t tile_cells(const struct bw_domain_info *d, int a, int32_t x)
{
    int32_t left = d->n[a] - x * d->tile[a];
    return d->n[a] > 0 && left < d->tile[a] ? left : d->tile[a];
}

enum { ROW_MOST = 64 }; /* cells of a tile along x */

/* A row of the new tile: the sum of its neighbours' weighted values, and of the weights. */
struct new_tile_row {
    double sum[ROW_MOST], weight[ROW_MOST];
};

/* The active neighbour at one side of the new tile. */
struct known_neighbour {
    int64_t tile;
    int32_t plane;                                   /* of that tile, the nearest */
    int32_t cells;                                   /* of the new tile along the axis; the box may cut it */
    double weight[ROW_MOST + 1], fade[ROW_MOST + 1]; /* by how many cells away */
};

static void known_neighbour_make(const struct bw_field *f, const int32_t coord[3], int e, int64_t tile,
                                 struct known_neighbour *s)
{
    const struct bw_domain_info *d = f->src.info->domain;
    const int a = e / 2;
    s->tile = tile;
    s->plane = e & 1 ? 0 : tile_cells(d, a, f->src.topo->coord[tile][a]) - 1;
    s->cells = tile_cells(d, a, coord[a]);
    for (int32_t away = 1; away <= d->tile[a]; away++) {
        s->weight[away] = 1. / away;
        s->fade[away] = 1 - (double)away / (d->tile[a] + 1);
    }
}

/* Adds the neighbour at side e to row j, k. */
static void known_neighbour_add(const struct bw_field *f, uint32_t c, int e, const struct known_neighbour *s, int32_t j,
                                int32_t k, struct new_tile_row *r)
{
    const int32_t *td = f->src.info->domain->tile, at[3] = {0, j, k};
    const double back = f->info.background[c];
    const int a = e / 2;
    const int32_t row =
        a == 0 ? s->plane + td[0] * (j + td[1] * k) : td[0] * (a == 1 ? s->plane + td[1] * k : j + td[1] * s->plane);
    for (int32_t i = 0; i < td[0]; i++) {
        const int32_t x = a == 0 ? i : at[a], away = e & 1 ? s->cells - x : x + 1;
        if (away < 1) continue;
        const double v = value_at(f, c, s->tile, a == 0 ? row : row + i);
        r->sum[i] += s->weight[away] * (back + s->fade[away] * (v - back));
        r->weight[i] += s->weight[away];
    }
}

void bw_new_tile_velocity(const struct bw_field *f, uint32_t c, const int32_t coord[3], void *block)
{
    const struct bw_domain_info *d = f->src.info->domain;
    const int32_t *td = d->tile;
    struct known_neighbour side[6];
    for (int e = 0; e < 6; e++) {
        int32_t q[3] = {coord[0], coord[1], coord[2]};
        q[e / 2] += e & 1 ? 1 : -1;
        side[e].tile = bw_topo_find(f->src.topo, d, q);
        if (side[e].tile >= 0) known_neighbour_make(f, coord, e, side[e].tile, &side[e]);
    }
    for (int32_t k = 0; k < td[2]; k++)
        for (int32_t j = 0; j < td[1]; j++) {
            struct new_tile_row r; /* beyond td[0] it is not looked at */
            for (int32_t i = 0; i < td[0]; i++) r.sum[i] = r.weight[i] = 0;
            for (int e = 0; e < 6; e++)
                if (side[e].tile >= 0) known_neighbour_add(f, c, e, &side[e], j, k, &r);
            for (int32_t i = 0, o = td[0] * (j + td[1] * k); i < td[0]; i++, o++) {
                const double v = r.weight[i] > 0 ? r.sum[i] / r.weight[i] : f->info.background[c];
                if (f->elem == 4) ((float *)block)[o] = (float)v;
                else ((double *)block)[o] = v;
            }
        }
}
