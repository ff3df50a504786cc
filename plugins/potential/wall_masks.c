// SPDX-License-Identifier: Apache-2.0
/* Walls and sources of the potential's cells. A side of a cell is a wall where either cell's centre is
 * inside an obstacle, or (multigrid) where the face's open area fraction is 0, where the field `wall` says so for
 * the face between them (½ or more), beyond a closed side of the box and across a plane. An inflow side is a wall with
 * the inflow as a source. */
#include "potential.h"
#include <common/ranks.h>
#include <common/solids/cut.h>
#include <common/tiles.h>
#include <math.h>
#include <string.h>

int64_t potential_next(const struct potential_task *t, int64_t tile, const int32_t cell[3], int side, int32_t to[3])
{
    const struct bw_domain_info *d = t->s->grid;
    const int a = side >> 1;
    int32_t n = d->tile[a];
    const int32_t first = t->topology->coord[tile][a] * n;
    if (d->n[a] > 0 && d->n[a] - first < n) n = d->n[a] - first; // the box may end inside a tile
    memcpy(to, cell, 3 * sizeof *to);
    to[a] += side & 1 ? 1 : -1;
    if (to[a] >= 0 && to[a] < n) return tile;
    const int64_t next = t->topology->neighbour[tile][side];
    if (next < 0) return next;
    to[a] = 0;
    if (side & 1) return next;
    const int32_t below = t->topology->coord[next][a] * d->tile[a], left = d->n[a] > 0 ? d->n[a] - below : d->tile[a];
    to[a] = (left < d->tile[a] ? left : d->tile[a]) - 1;
    return next;
}

struct wall_query {
    const struct potential_task *t;
    const struct bw_block *b;
    const struct bw_view *solid, *wall;
    const struct cut *cut; ///< open area fractions, in place of `solid`; NULL: no cut face near
};

static int is_solid(const struct bw_view *v, ptrdiff_t at) { return v && bw_f32(v, 0)[at] < 0; }

/* Is side s of cell x a wall? *inflow: adds the source of an inflow side, 1/s. */
static int side_closed(const struct wall_query *q, const int32_t x[3], int s, double *inflow)
{
    const struct bw_domain_info *d = q->b->grid;
    const int a = s >> 1, cell = q->b->lo[a] + x[a], edge = d->n[a] > 0 && (s & 1 ? cell == d->n[a] - 1 : cell == 0);
    if (a == d->thin) return 1;
    const float open = q->cut ? cut_side(q->cut, x, s) : 1;
    if (edge && d->side[s].kind == BW_INFLOW)
        *inflow += (s & 1 ? -1 : 1) * (double)open * d->side[s].velocity[a] / d->h;
    if (edge && (d->side[s].kind == BW_CLOSED || d->side[s].kind == BW_INFLOW)) return 1;
    if (!(open > 0)) return 1;
    if (q->solid) {
        const ptrdiff_t step[3] = {1, q->solid->sy, q->solid->sz}, at = x[0] + x[1] * step[1] + x[2] * step[2];
        if (is_solid(q->solid, at) || is_solid(q->solid, at + (s & 1 ? step[a] : -step[a]))) return 1;
    }
    if (q->wall) {
        const ptrdiff_t step[3] = {1, q->wall->sy, q->wall->sz}, at = x[0] + x[1] * step[1] + x[2] * step[2];
        if (bw_f32(q->wall, a)[at + (s & 1 ? step[a] : 0)] >= 0.5f) return 1;
    }
    return 0;
}

static void walls_body(const struct bw_block *b, void *user)
{
    const struct potential_task *t = user;
    const int64_t tile = tile_of_block(t->tiles, b);
    struct wall_query q = {t, b, t->solid >= 0 ? &b->view[t->solid] : NULL, t->wall >= 0 ? &b->view[t->wall] : NULL,
                           NULL};
    struct cut cut;
    const int touched = t->cut && q.solid && cut_touches(b, q.solid);
    const uint64_t mark = touched ? cut_mark(b, q.solid) | 1 : 0; // 0: nothing is cut
    if (touched && !cut_make(b, q.solid, 0, &cut)) {
        b->max[0] = HUGE_VAL;
        return;
    }
    if (touched) q.cut = &cut;
    if (t->cut) q.solid = NULL;
    const struct bw_view *source = &b->view[t->source];
    uint8_t walls[TILE_CELLS], *old = t->l->walls + tile * TILE_CELLS;
    double given[TILE_CELLS], *before = t->l->given + tile * TILE_CELLS;
    const int open = !q.cut && !q.solid && !q.wall; // within a row only its ends differ
    int32_t x[3];
    int plain = 1, sourced = 0, bits = 0;
    double inflow = 0;
    memset(walls, ALL_WALLS, sizeof walls);
    memset(given, 0, sizeof given);
    for (x[2] = 0; x[2] < b->n[2]; x[2]++)
        for (x[1] = 0; x[1] < b->n[1]; x[1]++)
            for (x[0] = 0; x[0] < b->n[0]; x[0]++) {
                const int at = potential_at(b->grid, x[0], x[1], x[2]);
                if (!open || x[0] < 2 || x[0] == b->n[0] - 1) {
                    bits = 0, inflow = 0;
                    for (int s = 0; s < 6; s++) bits |= side_closed(&q, x, s, &inflow) << s;
                }
                walls[at] = (uint8_t)bits;
                given[at] = (double)bw_f32(source, 0)[x[0] + x[1] * source->sy + x[2] * source->sz] +
                            (bits == ALL_WALLS ? 0 : inflow);
                plain &= bits == t->base;
                sourced |= given[at] != 0;
            }
    const int walled = memcmp(walls, old, sizeof walls) != 0, fed = memcmp(given, before, sizeof given) != 0;
    b->max[0] = walled || fed || t->l->mark[tile] != mark;
    t->l->mark[tile] = mark;
    if (walled) memcpy(old, walls, sizeof walls);
    if (fed) memcpy(before, given, sizeof given);
    t->l->plain[tile] = (uint8_t)plain;
    t->l->sourced[tile] = (uint8_t)sourced;
}

static enum bw_status cell_data_resize(struct potential_task *t)
{
    struct cell_data *l = t->l;
    const struct bw_host *host = t->s->host;
    if (l->built && l->version == t->topology->version) return BW_OK;
    l->built = 0;
    l->count = t->topology->count;
    if (l->count > l->capacity) {
        void *old[] = {l->walls, l->given, l->source, l->plain, l->sourced, l->mark};
        for (size_t i = 0; i < BW_COUNT(old); i++) host->release(t->s, old[i]);
        const size_t cells = (size_t)(l->capacity = l->count + l->count / 8) * TILE_CELLS;
        *l = (struct cell_data){.count = l->count,
                                .capacity = l->capacity,
                                .walls = host->alloc(t->s, cells),
                                .given = host->alloc(t->s, cells * sizeof(double)),
                                .source = host->alloc(t->s, cells * sizeof(double)),
                                .mark = host->alloc(t->s, (size_t)l->capacity * sizeof *l->mark),
                                .plain = host->alloc(t->s, (size_t)l->capacity),
                                .sourced = host->alloc(t->s, (size_t)l->capacity)};
        if (!l->walls || !l->given || !l->source || !l->plain || !l->sourced || !l->mark) {
            l->capacity = 0;
            return BW_ERR_MEMORY;
        }
    }
    l->version = t->topology->version;
    return BW_OK;
}

/* All-gather of what each rank found in its tiles: regions extend across all of them. */
static enum bw_status cell_data_allgather(struct potential_task *t)
{
    const struct cell_data *l = t->l;
    enum bw_status status = ranks_allgather(t->s, l->walls, NULL, TILE_CELLS);
    if (!status) status = ranks_allgather(t->s, l->given, NULL, TILE_CELLS * sizeof *l->given);
    if (!status) status = ranks_allgather(t->s, l->mark, NULL, sizeof *l->mark);
    if (!status) status = ranks_allgather(t->s, l->plain, NULL, 1);
    return status ? status : ranks_allgather(t->s, l->sourced, NULL, 1);
}

enum bw_status walls_update(struct potential_task *t)
{
    struct bw_stage *s = t->s;
    struct bw_access access[3] = {{bw_port_field(s, SOURCE), BW_READ, 0}};
    uint32_t n = 1;
    double changed = 0;
    enum bw_status status = cell_data_resize(t);
    t->source = 0;
    t->solid = t->wall = -1;
    if (bw_port_field(s, SOLID))
        access[t->solid = (int32_t)n++] = (struct bw_access){bw_port_field(s, SOLID), BW_READ, CUT_HALO};
    if (bw_port_field(s, WALL)) access[t->wall = (int32_t)n++] = (struct bw_access){bw_port_field(s, WALL), BW_READ, 1};
    if (status == BW_OK)
        status = s->host->sweep(
            s, &(struct bw_sweep){
                   .access = access, .n_access = n, .body = walls_body, .user = t, .maxs = &changed, .n_maxs = 1});
    if (status == BW_OK && isinf(changed)) status = BW_ERR_MEMORY;
    t->l->changed = !t->l->built || changed > 0;
    if (status == BW_OK && t->l->changed) status = cell_data_allgather(t);
    t->l->built = status == BW_OK;
    return status;
}
