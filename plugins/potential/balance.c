// SPDX-License-Identifier: Apache-2.0
/* Compatibility: sources and sinks of a connected region must sum to zero unless it has an open side; else no flow
 * exists. Regions are connected components of cells across open sides (union–find, in the order of tiles and cells). */
#include "potential.h"
#include <common/union_find.h>
#include <math.h>
#include <string.h>

/// A region, by the index of its first cell.
struct region {
    double sum, size; ///< of sources, and of their magnitudes, 1/s
    int64_t cells;
    int32_t open; ///< 1: an open side or an inactive tile beside it
};

struct regions {
    int32_t *parent;
    struct region *of; ///< by root
    int64_t n;
};

static void cell_of(const struct bw_domain_info *d, int64_t index, int32_t cell[3])
{
    const int32_t at = (int32_t)(index % TILE_CELLS);
    cell[0] = at % d->tile[0];
    cell[1] = at / d->tile[0] % d->tile[1];
    cell[2] = at / d->tile[0] / d->tile[1];
}

/* Joins cell `i` with those above it; 1 when something is open beside it. The next cell is a step away within the tile,
 * of which `n` cells a side lie in the box. */
static int cell_join(const struct potential_task *t, struct regions *r, int64_t i, const int32_t cell[3],
                     const int32_t n[3])
{
    const struct bw_domain_info *d = t->s->grid;
    const int64_t step[3] = {1, d->tile[0], (int64_t)d->tile[0] * d->tile[1]};
    int open = 0;
    for (int s = 0; s < 6; s++) {
        const int a = s >> 1, high = s & 1;
        if (t->l->walls[i] >> s & 1) continue;
        if (high ? cell[a] + 1 < n[a] : cell[a] > 0) {
            if (high && r->parent[i + step[a]] != r->parent[i]) union_join(r->parent, i, i + step[a]);
            continue;
        }
        int32_t to[3];
        const int64_t tile = potential_next(t, i / TILE_CELLS, cell, s, to);
        open |= tile < 0;
        if (tile >= 0 && high) union_join(r->parent, i, tile * TILE_CELLS + potential_at(d, to[0], to[1], to[2]));
    }
    return open;
}

/* Of a plain tile, whose cells are one set already, only those at its sides. */
static void tile_join(const struct potential_task *t, struct regions *r, int64_t tile, uint8_t *open)
{
    const struct bw_domain_info *d = t->s->grid;
    int32_t n[3], cell[3];
    for (int a = 0; a < 3; a++) { // the box may end inside a tile
        const int32_t left = d->n[a] - t->topology->coord[tile][a] * d->tile[a];
        n[a] = d->n[a] > 0 && left < d->tile[a] ? left : d->tile[a];
    }
    for (cell[2] = 0; cell[2] < n[2]; cell[2]++)
        for (cell[1] = 0; cell[1] < n[1]; cell[1]++) {
            const int inner =
                t->l->plain[tile] && cell[1] > 0 && cell[1] < n[1] - 1 && cell[2] > 0 && cell[2] < n[2] - 1;
            for (cell[0] = 0; cell[0] < n[0]; cell[0] += inner && n[0] > 1 ? n[0] - 1 : 1) {
                const int at = potential_at(d, cell[0], cell[1], cell[2]);
                const int64_t i = tile * TILE_CELLS + at;
                open[at] = (uint8_t)(t->l->walls[i] != ALL_WALLS && cell_join(t, r, i, cell, n));
            }
        }
}

static enum bw_status regions_find(const struct potential_task *t, struct regions *r)
{
    const struct bw_host *host = t->s->host;
    r->n = t->l->count * TILE_CELLS;
    r->parent = host->scratch(t->s, (size_t)r->n * sizeof *r->parent);
    r->of = host->scratch(t->s, (size_t)r->n * sizeof *r->of);
    uint8_t *open = host->scratch(t->s, (size_t)r->n);
    if (!r->parent || !r->of || !open) return BW_ERR_MEMORY;
    memset(r->of, 0, (size_t)r->n * sizeof *r->of);
    for (int64_t i = 0; i < r->n; i++) r->parent[i] = (int32_t)(t->l->plain[i / TILE_CELLS] ? i - i % TILE_CELLS : i);
    memset(open, 0, (size_t)r->n); // cells beyond the box are walls
    for (int64_t tile = 0; tile < t->l->count; tile++) tile_join(t, r, tile, open + tile * TILE_CELLS);
    for (int64_t i = 0; i < r->n; i++) {
        struct region *q = &r->of[union_root(r->parent, i)];
        if (t->l->walls[i] == ALL_WALLS) continue;
        q->sum += t->l->given[i];
        q->size += fabs(t->l->given[i]);
        q->cells++;
        q->open |= open[i];
    }
    return BW_OK;
}

static void place_of(const struct potential_task *t, int64_t i, double x[3])
{
    const struct bw_domain_info *d = t->s->grid;
    int32_t cell[3];
    cell_of(d, i, cell);
    for (int a = 0; a < 3; a++) {
        const int32_t base = t->topology->coord[i / TILE_CELLS][a] * d->tile[a];
        x[a] = d->origin[a] + (base + cell[a] + 0.5) * d->h;
    }
}

/* Sources inside walls give nothing: an emitter's rim may lie in one, but not most of it. */
static enum bw_status buried_check(const struct potential_task *t)
{
    double inside = 0, all = 0, x[3];
    int64_t first = -1;
    for (int64_t i = 0; i < t->l->count * TILE_CELLS; i++) {
        const double size = fabs(t->l->given[i]);
        all += size;
        if (t->l->walls[i] != ALL_WALLS || size == 0) continue;
        inside += size;
        if (first < 0) first = i;
    }
    if (first < 0) return BW_OK;
    place_of(t, first, x);
    if (inside > 0.5 * all)
        return t->s->host->fail(t->s, BW_ERR_PRESET,
                                "the source at (%g, %g, %g) m lies inside a wall: nothing can flow from there", x[0],
                                x[1], x[2]);
    t->s->host->log(t->s, BW_LOG_WARNING,
                    "%.2g %% of the sources lie inside walls, as at (%g, %g, %g) m, and give nothing",
                    100 * inside / all, x[0], x[1], x[2]);
    return BW_OK;
}

static int unbalanced(const struct region *q) { return fabs(q->sum) > 1e-6 * q->size; }

static enum bw_status sealed_fail(const struct potential_task *t, const struct regions *r, const struct region *q)
{
    const int32_t root = (int32_t)(q - r->of);
    const double h = t->s->grid->h, volume = t->dim == 3 ? h * h * h : h * h;
    double x[3] = {0, 0, 0};
    for (int64_t i = root; i < r->n; i++) {
        if (union_root(r->parent, i) != root || t->l->given[i] == 0) continue;
        place_of(t, i, x);
        break;
    }
    const char *remedy = t->p->balance == BALANCE_REJECT ? "balance: reject lets no side take them"
                         : t->p->balance == BALANCE_NEAREST
                             ? "there is no sink in it"
                             : "no side of it is open; balance: spread or nearest, or a sink, would help";
    return t->s->host->fail(
        t->s, BW_ERR_PRESET,
        "walls seal the source at (%g, %g, %g) m: in its region of %lld cells sources sum to %.4g %s, and %s", x[0],
        x[1], x[2], (long long)q->cells, q->sum * volume, t->dim == 3 ? "m3/s" : "m2/s", remedy);
}

/* balance nearest: each source cell's surplus goes to the nearest sink cell, in a straight line. */
static enum bw_status nearest_give(const struct potential_task *t, struct regions *r, int32_t root)
{
    const struct region *q = &r->of[root];
    const double sign = q->sum > 0 ? 1 : -1;
    double total = 0;
    int64_t sinks = 0;
    for (int64_t i = root; i < r->n; i++) {
        if (t->l->given[i] == 0 || union_root(r->parent, i) != root || t->l->walls[i] == ALL_WALLS) continue;
        total += t->l->given[i] * sign > 0 ? t->l->given[i] : 0;
        sinks += t->l->given[i] * sign < 0;
    }
    if (!sinks) return sealed_fail(t, r, q);
    double(*at)[3] = t->s->host->scratch(t->s, (size_t)sinks * sizeof *at);
    int64_t *sink = t->s->host->scratch(t->s, (size_t)sinks * sizeof *sink), n = 0;
    if (!at || !sink) return BW_ERR_MEMORY;
    for (int64_t i = root; i < r->n; i++) {
        if (t->l->given[i] * sign >= 0 || union_root(r->parent, i) != root || t->l->walls[i] == ALL_WALLS) continue;
        place_of(t, i, at[n]);
        sink[n++] = i;
    }
    for (int64_t i = root; i < r->n; i++) {
        if (t->l->given[i] * sign <= 0 || union_root(r->parent, i) != root || t->l->walls[i] == ALL_WALLS) continue;
        double x[3], least = HUGE_VAL;
        int64_t best = 0;
        place_of(t, i, x);
        for (int64_t k = 0; k < n; k++) {
            const double away = (x[0] - at[k][0]) * (x[0] - at[k][0]) + (x[1] - at[k][1]) * (x[1] - at[k][1]) +
                                (x[2] - at[k][2]) * (x[2] - at[k][2]);
            if (away < least) least = away, best = k;
        }
        t->l->source[sink[best]] -= q->sum * t->l->given[i] / total;
    }
    return BW_OK;
}

static enum bw_status region_balance(struct potential_task *t, struct regions *r, int32_t root)
{
    const struct region *q = &r->of[root];
    if (t->p->balance == BALANCE_REJECT || t->p->balance == BALANCE_OPEN) return sealed_fail(t, r, q);
    if (t->p->balance == BALANCE_NEAREST) return nearest_give(t, r, root);
    for (int64_t i = root; i < r->n; i++)
        if (t->l->walls[i] != ALL_WALLS && union_root(r->parent, i) == root)
            t->l->source[i] -= q->sum / (double)q->cells;
    return BW_OK;
}

enum bw_status sources_balance(struct potential_task *t)
{
    struct cell_data *l = t->l;
    struct regions r;
    if (!l->changed) return BW_OK;
    enum bw_status status = buried_check(t);
    if (status == BW_OK) status = regions_find(t, &r);
    if (status != BW_OK) return status;
    for (int64_t i = 0; i < r.n; i++) l->source[i] = l->walls[i] == ALL_WALLS ? 0 : l->given[i];
    for (int64_t i = 0; i < r.n && status == BW_OK; i++) {
        const struct region *q = &r.of[i];
        const int drained = q->open && t->p->balance != BALANCE_REJECT;
        if (q->cells && unbalanced(q) && !drained) status = region_balance(t, &r, (int32_t)i);
    }
    for (int64_t tile = 0; tile < l->count; tile++) {
        l->sourced[tile] = 0;
        for (int i = 0; i < TILE_CELLS; i++) l->sourced[tile] |= l->source[tile * TILE_CELLS + i] != 0;
    }
    if (status != BW_OK) l->built = 0;
    return status;
}
