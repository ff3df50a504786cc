// SPDX-License-Identifier: Apache-2.0
/* Map of solid cells and closed faces, by the open area fractions of cut.c, for this step's obstacles and the last
 * one's. Tiles far from obstacles have no entry; a tile whose obstacles stand still is copied. */
#include "walls.h"
#include <common/solids/cut.h>
#include <common/ranks.h>
#include <common/tiles.h>
#include <math.h>
#include <string.h>

/// One update.
struct update {
    struct walls *walls;
    const struct bw_topology *topology;
    struct bw_field *solid, *vel;
    uint8_t *near; ///< per tile
};

/// Marks tiles near obstacles: faces are shut only where the distance is below two cells, here or in the next tile.
static void tile_scan(int64_t i, uint32_t worker, void *user)
{
    const struct update *u = user;
    const float *d = u->walls->tiles->data(u->solid, 0, i), near = 2 * (float)u->walls->stage->grid->h;
    int any = 0;
    (void)worker;
    for (int c = 0; c < WALLS_CELLS; c++) any |= d[c] < near;
    u->near[i] = (uint8_t)any;
}

static int map_fit(struct bw_stage *s, struct walls_map *m, int64_t count)
{
    if (count > m->capacity) {
        const size_t capacity = (size_t)(count + count / 4);
        s->host->release(s, m->cells);
        s->host->release(s, m->mark);
        s->host->release(s, m->coord);
        s->host->release(s, m->box);
        *m = (struct walls_map){.capacity = (int64_t)capacity,
                                .coord = s->host->alloc(s, capacity * sizeof *m->coord),
                                .mark = s->host->alloc(s, capacity * sizeof *m->mark),
                                .cells = s->host->alloc(s, capacity * WALLS_CELLS),
                                .box = s->host->alloc(s, capacity * sizeof *m->box)};
    }
    m->count = count;
    return !count || (m->coord && m->mark && m->cells && m->box);
}

/// The byte of a cell. With one open face only it is no fluid: nothing can flow through it, and rounding opens a face
/// that lies on the surface.
static uint8_t cell_byte(const struct cut *c, ptrdiff_t at, const struct bw_view *v, const float *cell, int thin,
                         float h)
{
    const ptrdiff_t step[3] = {1, v->sy, v->sz};
    unsigned low = thin < 0 ? 0 : 1u << thin; // else no cell of a flat box were free
    int open = 0;
    for (int a = 0; a < 3; a++) {
        if (a == thin) continue;
        low |= (unsigned)(c->w[a][at] > 0) << a;
        open += (c->w[a][at] > 0) + (c->w[a][at + c->stride[a]] > 0);
    }
    if (open > 1 && !cut_is_wall(cell, step, thin, h)) return (uint8_t)(low | WALLS_FLUID);
    return (uint8_t)(low | (cell[0] < -h ? 0 : WALLS_SURFACE));
}

static int block_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct walls *w = ((const struct update *)user)->walls;
    (void)row, (void)reach;
    return w->now_of[tile_of_block(w->tiles, b)] >= 0;
}

static double block_speed(const struct bw_block *b, const struct bw_view *v)
{
    float most = 0;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k <= b->n[2]; k++)
            for (int j = 0; j <= b->n[1]; j++)
                for (int i = 0; i <= b->n[0]; i++) most = fmaxf(most, fabsf(bw_f32(v, c)[i + j * v->sy + k * v->sz]));
    return (double)most;
}

static void box_find(const uint8_t *cells, const int32_t td[3], const int32_t n[3], uint8_t box[6])
{
    int32_t c[3], lo[3] = {td[0], td[1], td[2]}, hi[3] = {0};
    for (c[2] = 0; c[2] < n[2]; c[2]++)
        for (c[1] = 0; c[1] < n[1]; c[1]++)
            for (c[0] = 0; c[0] < n[0]; c[0]++)
                for (int a = 0; a < 3 && cells[c[0] + td[0] * (c[1] + td[1] * c[2])] != WALLS_FREE; a++) {
                    lo[a] = c[a] < lo[a] ? c[a] : lo[a];
                    hi[a] = c[a] + 1 > hi[a] ? c[a] + 1 : hi[a];
                }
    for (int a = 0; a < 3; a++) {
        box[2 * a] = (uint8_t)lo[a];
        box[2 * a + 1] = (uint8_t)hi[a];
    }
}

static void block_map(const struct bw_block *b, void *user)
{
    const struct update *u = user;
    struct walls *w = u->walls;
    const int64_t tile = tile_of_block(w->tiles, b), to = w->now_of[tile], from = w->old_of[tile];
    const int32_t *td = b->grid->tile;
    struct cut cut;
    b->max[0] = 0;
    if (to < 0) return;
    if (u->vel) b->max[0] = block_speed(b, &b->view[1]);
    uint8_t *cells = w->now.cells + to * WALLS_CELLS;
    w->now.mark[to] = cut_mark(b, &b->view[0]);
    if (from >= 0 && w->old.mark[from] == w->now.mark[to]) {
        memcpy(cells, w->old.cells + from * WALLS_CELLS, WALLS_CELLS);
        memcpy(w->now.box[to], w->old.box[from], sizeof *w->now.box);
        return;
    }
    memset(cells, WALLS_FREE, WALLS_CELLS);
    memset(w->now.box[to], 0, sizeof *w->now.box);
    if (!cut_touches(b, &b->view[0]) || !cut_make(b, &b->view[0], 0, &cut)) return;
    const struct bw_view *v = &b->view[0];
    for (int k = 0; k < b->n[2]; k++)
        for (int j = 0; j < b->n[1]; j++) {
            const float *d = bw_f32(v, 0) + j * v->sy + k * v->sz;
            const ptrdiff_t row = j * cut.stride[1] + k * cut.stride[2];
            for (int i = 0; i < b->n[0]; i++)
                cells[i + td[0] * (j + td[1] * k)] =
                    cell_byte(&cut, i + row, v, d + i, b->grid->thin, (float)b->grid->h);
        }
    box_find(cells, td, b->n, w->now.box[to]);
}

static enum bw_status map_allgather(struct walls *w)
{
    enum bw_status st = ranks_allgather(w->stage, w->now.mark, w->now_of, sizeof *w->now.mark);
    if (st == BW_OK) st = ranks_allgather(w->stage, w->now.box, w->now_of, sizeof *w->now.box);
    return st == BW_OK ? ranks_allgather(w->stage, w->now.cells, w->now_of, WALLS_CELLS) : st;
}

static enum bw_status map_make(struct update *u)
{
    struct walls *w = u->walls;
    const struct bw_host *host = w->stage->host;
    int64_t count = 0;
    if (ranks_fetch(w->stage, u->solid) != BW_OK) return BW_ERR_MEMORY;
    host->parallel_for(w->stage, u->topology->count, tile_scan, u);
    for (int64_t i = 0; i < u->topology->count; i++) {
        w->now_of[i] = u->near[i] ? (int32_t)count++ : -1;
        w->old_of[i] = (int32_t)tile_search(w->old.coord, w->old.count, u->topology->coord[i]);
    }
    if (!map_fit(w->stage, &w->now, count)) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < u->topology->count; i++)
        if (w->now_of[i] >= 0) memcpy(w->now.coord[w->now_of[i]], u->topology->coord[i], sizeof *w->now.coord);
    if (!count) return BW_OK;
    const struct bw_access row[] = {{u->solid, BW_READ, CUT_HALO}, {u->vel, BW_READ, 1}};
    const enum bw_status st = host->sweep(w->stage, &(struct bw_sweep){.access = row,
                                                                       .n_access = u->vel ? 2 : 1,
                                                                       .body = block_map,
                                                                       .reach = block_reach,
                                                                       .user = u,
                                                                       .maxs = &w->speed,
                                                                       .n_maxs = 1});
    return st == BW_OK ? map_allgather(w) : st;
}

enum bw_status walls_update(struct walls *w, struct bw_stage *s, struct bw_field *solid, struct bw_field *vel)
{
    const struct bw_host *host = s->host;
    const struct walls_map before = w->old;
    w->old = w->now;
    w->now = before;
    w->stage = s;
    w->speed = 0;
    w->tiles = host->extension(BW_TILES);
    struct update u = {w, w->tiles->topology(s->domain), solid, vel, NULL};
    const size_t n = (size_t)u.topology->count + 1;
    u.near = host->scratch(s, n);
    w->now_of = host->scratch(s, n * sizeof *w->now_of);
    w->old_of = host->scratch(s, n * sizeof *w->old_of);
    enum bw_status st = u.near && w->now_of && w->old_of ? map_make(&u) : BW_ERR_MEMORY;
    if (st == BW_ERR_MEMORY) return host->fail(s, st, "Out of memory for the map of obstacles.");
    if (!w->steps) w->old_of = w->now_of; // the first step: obstacles have not moved
    w->steps++;
    return st;
}

enum bw_status walls_checkpoint(struct walls *w, struct bw_stage *s, struct bw_archive *a)
{
    struct walls_map *m = &w->now;
    int64_t count = m->count;
    a->bytes(a, "steps", &w->steps, sizeof w->steps);
    enum bw_status status = a->bytes(a, "tiles", &count, sizeof count);
    const size_t n = (size_t)count;
    const int fits = w->steps >= 0 && w->steps < INT64_MAX / 2 && count >= 0 && count <= INT32_MAX &&
                     (!count || a->stored(a, "coord") == (int64_t)(n * sizeof *m->coord));
    if (!status && a->restoring && !fits)
        return s->host->fail(s, BW_ERR_IO, "checkpoint: obstacles of %lld tiles do not fit", (long long)count);
    if (status || !count) return status;
    if (a->restoring && !map_fit(s, m, count)) return BW_ERR_MEMORY;
    a->bytes(a, "coord", m->coord, n * sizeof *m->coord);
    a->bytes(a, "mark", m->mark, n * sizeof *m->mark);
    a->bytes(a, "cells", m->cells, n * WALLS_CELLS);
    return a->bytes(a, "box", m->box, n * sizeof *m->box);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/// Does tile `at` of a map have a cell between lo and hi (of the domain, inclusive) that is not free? Round a periodic
/// side, where the last tile may be cut, any cell counts.
static int map_touches(const struct walls_map *m, int32_t tile, const struct bw_domain_info *d, const int32_t at[3],
                       const int32_t lo[3], const int32_t hi[3])
{
    int in = tile >= 0 && m->box[tile][0] < m->box[tile][1];
    for (int a = 0; a < 3 && in; a++) {
        const int32_t first = at[a] * d->tile[a];
        if (d->n[a] && (first < 0 || first >= d->n[a])) continue;
        in = first + m->box[tile][2 * a] <= hi[a] && first + m->box[tile][2 * a + 1] > lo[a];
    }
    return in;
}

/* The map that `old_of` counts in: before the first step's end there is no earlier one. */
static const struct walls_map *map_old(const struct walls *w) { return w->steps > 1 ? &w->old : &w->now; }

int walls_touch(const struct walls *w, const struct bw_block *b, const int32_t reach[6])
{
    int32_t from[3], to[3], at[3];
    for (int a = 0; a < 3; a++) {
        from[a] = b->lo[a] - reach[2 * a] - 1;
        to[a] = b->lo[a] + b->n[a] + reach[2 * a + 1];
    }
    const struct tile_box box = tile_box_of(b->grid, from, to);
    for (at[2] = box.lo[2]; at[2] <= box.hi[2]; at[2]++)
        for (at[1] = box.lo[1]; at[1] <= box.hi[1]; at[1]++)
            for (at[0] = box.lo[0]; at[0] <= box.hi[0]; at[0]++) {
                const int64_t t = w->tiles->find(b->stage->domain, at);
                if (t < 0) continue;
                if (map_touches(&w->now, w->now_of[t], b->grid, at, from, to)) return 1;
                if (map_touches(map_old(w), w->old_of[t], b->grid, at, from, to)) return 1;
            }
    return 0;
}

/// Cells of one axis that lie in one tile: `length` from `start` of the region, from `local` of the tile on.
struct run {
    int32_t start, length, tile, local, mirrored;
};

enum { MAX_RUNS = 200 };

static struct run run_at(const struct bw_domain_info *g, int a, int32_t cell)
{
    struct run r = {.length = 1};
    int32_t c = cell;
    if (g->n[a] > 0 && (c < 0 || c >= g->n[a])) {
        const uint32_t kind = g->side[2 * a + (c >= 0)].kind;
        if (kind == BW_PERIODIC) {
            c = (c % g->n[a] + g->n[a]) % g->n[a];
        } else if (kind == BW_CLOSED) {
            c = c < 0 ? -1 - c : 2 * g->n[a] - 1 - c;
            r.mirrored = 1;
        }
    }
    r.tile = tile_coord(c, g->tile[a]);
    r.local = c - r.tile * g->tile[a];
    return r;
}

static int runs_find(const struct bw_domain_info *g, int a, int32_t lo, int32_t n, struct run *run)
{
    int count = 0;
    for (int32_t i = 0; i < n && count < MAX_RUNS; i++) {
        struct run r = run_at(g, a, lo + i), *last = run + count - 1;
        r.start = i;
        if (count && r.tile == last->tile && !r.mirrored && !last->mirrored && r.local == last->local + last->length)
            last->length++;
        else run[count++] = r;
    }
    return count;
}

static void box_copy(const struct bw_domain_info *g, const struct run *x, const struct run *y, const struct run *z,
                     const int32_t n[3], const uint8_t *cells, uint8_t *out)
{
    const int mirrored = x->mirrored || y->mirrored || z->mirrored;
    for (int32_t k = 0; k < z->length; k++)
        for (int32_t j = 0; j < y->length; j++) {
            const uint8_t *from = cells + x->local + g->tile[0] * (y->local + j + g->tile[1] * (z->local + k));
            uint8_t *to = out + x->start + n[0] * (y->start + j + n[1] * (z->start + k));
            memcpy(to, from, (size_t)x->length);
            for (int32_t i = 0; mirrored && i < x->length; i++) to[i] = from[i] & WALLS_FLUID ? WALLS_FREE : 0;
        }
}

void walls_fill(const struct walls *w, int old, const int32_t lo[3], const int32_t n[3], uint8_t *out)
{
    const struct bw_domain_info *g = w->stage->grid;
    const struct walls_map *m = old ? map_old(w) : &w->now;
    const int32_t *of = old ? w->old_of : w->now_of;
    struct run run[3][MAX_RUNS];
    int count[3];
    memset(out, WALLS_FREE, (size_t)n[0] * (size_t)n[1] * (size_t)n[2]);
    for (int a = 0; a < 3; a++) count[a] = runs_find(g, a, lo[a], n[a], run[a]);
    for (int c = 0; c < count[2]; c++)
        for (int b = 0; b < count[1]; b++)
            for (int a = 0; a < count[0]; a++) {
                const int32_t coord[3] = {run[0][a].tile, run[1][b].tile, run[2][c].tile};
                const int64_t tile = w->tiles->find(w->stage->domain, coord);
                if (tile < 0 || of[tile] < 0) continue;
                box_copy(g, &run[0][a], &run[1][b], &run[2][c], n, m->cells + (int64_t)of[tile] * WALLS_CELLS, out);
            }
}

void marks_dilate(uint8_t *restrict to, const uint8_t *restrict from, size_t size, ptrdiff_t step, int32_t low,
                  int32_t high)
{
    memset(to, 0, size);
    for (int32_t by = -low; by <= high; by++) {
        const size_t skip = (size_t)((by < 0 ? -by : by) * step), n = skip < size ? size - skip : 0;
        const size_t read = by > 0 ? skip : 0, write = by < 0 ? skip : 0;
        for (size_t i = 0; i < n; i++) to[write + i] |= from[read + i];
    }
}
