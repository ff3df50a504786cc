// SPDX-License-Identifier: Apache-2.0
#include "obstacle_tiles.h"
#include "base/alloc.h"
#include "run/call.h"
#include "obstacle_shapes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAND 3      ///< cells from a surface that a tile is wanted for
#define TILES 16384 ///< of one field, 256 MiB: more is not drawn
#define BATCH 8     ///< tiles asked about at once

/// The tiles that one field gets.
struct outline {
    struct bw_chain *c;
    const struct run_field *field;
    const struct bw_topo *topo; ///< the active ones
    int32_t (*coord)[3];
    int64_t n, cap;
    bool full; ///< of tiles
    enum bw_status status;
};

static const struct bw_domain_info *domain_of(const struct outline *o) { return &o->field->field->domain->info; }

/* ---- which tiles ---- */

static void tile_add(struct outline *o, const int32_t coord[3])
{
    if (bw_topo_find(o->topo, domain_of(o), coord) != BW_TILE_INACTIVE) return;
    if (o->n == o->cap) {
        int64_t cap = o->cap ? 2 * o->cap : 64;
        void *more = bw_realloc(o->coord, (size_t)cap * sizeof *o->coord);
        if (!more) {
            o->status = BW_ERR_MEMORY;
            return;
        }
        o->coord = more;
        o->cap = cap;
    }
    memcpy(o->coord[o->n++], coord, sizeof *o->coord);
}

/// Tiles along one axis that a box touches, cut to the domain's.
static bool axis_tiles(const struct bw_domain_info *d, int a, double lo, double hi, int32_t *from, int32_t *to)
{
    const double tile = d->h * d->tile[a], far = (double)BW_FAR_CELLS / d->tile[a];
    double first = floor((lo - d->origin[a]) / tile), last = floor((hi - d->origin[a]) / tile);
    const double least = bw_bounded(d) ? 0 : -far, most = bw_bounded(d) ? (d->n[a] - 1) / d->tile[a] : far;
    first = fmax(first, least);
    last = fmin(last, most);
    if (!(last >= first)) return false;
    *from = (int32_t)first;
    *to = (int32_t)last;
    return true;
}

static void box_add(const double lo[3], const double hi[3], void *user)
{
    struct outline *o = user;
    const struct bw_domain_info *d = domain_of(o);
    int32_t from[3], to[3];
    double count = 1;
    for (int a = 0; a < 3; a++) {
        if (!axis_tiles(d, a, lo[a] - BAND * d->h, hi[a] + BAND * d->h, &from[a], &to[a])) return;
        count *= (double)to[a] - from[a] + 1;
    }
    o->full |= count > 64.0 * TILES; /* a box so large is not even looked through */
    for (int32_t k = from[2]; k <= to[2] && !o->full && !o->status; k++)
        for (int32_t j = from[1]; j <= to[1]; j++)
            for (int32_t i = from[0]; i <= to[0] && !o->status; i++) tile_add(o, (int32_t[3]){i, j, k});
}

static int compare_coord(const void *a, const void *b) { return memcmp(a, b, sizeof(int32_t[3])); }

static void twins_drop(struct outline *o)
{
    int64_t n = 0;
    if (o->n) qsort(o->coord, (size_t)o->n, sizeof *o->coord, compare_coord);
    for (int64_t i = 0; i < o->n; i++)
        if (!n || memcmp(o->coord[n - 1], o->coord[i], sizeof *o->coord))
            memmove(o->coord[n++], o->coord[i], sizeof *o->coord);
    o->n = n;
}

/* ---- asking the stages ---- */

/// What is asked: positions, or where to look at all (no positions).
struct question {
    size_t count;
    bw_vec3 *at;
    double *distance;
};

static enum bw_status stages_ask(struct outline *o, const struct question *q)
{
    struct bw_chain *c = o->c;
    enum bw_status status = BW_OK;
    for (int32_t i = 0; i < c->stages.n && status == BW_OK; i++) {
        struct run_stage *s = &c->stages.stage[i];
        const bool there = !s->ended && !s->twin && call_due(c, s);
        const struct bw_obstacle_api *api = there ? stage_extension(s, BW_OBSTACLE) : NULL;
        if (!api) continue;
        call_clock(c, s, 0);
        const struct where_was was = stage_enter(s, "obstacle");
        if (api->field(&s->pub) == o->field->field)
            status = q ? api->distance(&s->pub, q->count, (const bw_vec3 *)q->at, q->distance)
                       : api->boxes(&s->pub, box_add, o);
        stage_leave(s, &was);
        stage_scratch_end(s);
        status = call_status(c, s, status, "obstacle");
    }
    return status == BW_OK ? o->status : status;
}

/// Where cell `at` of a tile has its centre; at NULL: the tile's.
static void place(const struct bw_domain_info *d, const int32_t tile[3], const int32_t *at, double out[3])
{
    for (int a = 0; a < 3; a++)
        out[a] = d->origin[a] + d->h * ((double)tile[a] * d->tile[a] + (at ? at[a] + 0.5 : 0.5 * d->tile[a]));
}

/* Of all tiles in the boxes those that a surface comes near, by the distance at their middles. */
static enum bw_status tiles_thin(struct outline *o)
{
    const struct bw_domain_info *d = domain_of(o);
    struct question q = {(size_t)o->n, bw_calloc((size_t)(o->n + 1) * sizeof *q.at),
                         bw_calloc((size_t)(o->n + 1) * sizeof *q.distance)};
    double square = 0;
    for (int a = 0; a < 3; a++) square += (double)d->tile[a] * d->tile[a];
    for (int64_t i = 0; i < o->n && q.at && q.distance; i++) {
        place(d, o->coord[i], NULL, q.at[i]);
        q.distance[i] = HUGE_VAL;
    }
    enum bw_status status = q.at && q.distance ? stages_ask(o, &q) : BW_ERR_MEMORY;
    int64_t n = 0;
    for (int64_t i = 0; i < o->n && status == BW_OK; i++)
        if (fabs(q.distance[i]) <= d->h * (0.5 * sqrt(square) + BAND))
            memmove(o->coord[n++], o->coord[i], sizeof *o->coord);
    o->n = n;
    bw_free(q.at);
    bw_free(q.distance);
    return status;
}

/* ---- the snapshot's field, with them ---- */

/// Distances on the tiles `list` of `to`, at most BATCH, none of which has a block yet.
static enum bw_status tiles_fill(struct outline *o, struct bw_source *to, const int64_t *list, int n)
{
    const struct bw_domain_info *d = domain_of(o);
    const int32_t *size = d->tile;
    struct question q = {(size_t)n * BW_TILE_CELLS, bw_calloc((size_t)n * BW_TILE_CELLS * sizeof *q.at),
                         bw_calloc((size_t)n * BW_TILE_CELLS * sizeof *q.distance)};
    enum bw_status status = q.at && q.distance ? BW_OK : BW_ERR_MEMORY;
    for (size_t i = 0; i < q.count && status == BW_OK; i++) {
        const int32_t cell = (int32_t)(i % BW_TILE_CELLS);
        place(d, to->topo->coord[list[i / BW_TILE_CELLS]],
              (int32_t[3]){cell % size[0], cell / size[0] % size[1], cell / size[0] / size[1]}, q.at[i]);
        q.distance[i] = o->field->background[0];
    }
    if (status == BW_OK) status = stages_ask(o, &q);
    for (int t = 0; t < n && status == BW_OK; t++) {
        float *block = to->data[0][list[t]] = bw_pool_get(o->field->field->pool);
        if (!block) status = BW_ERR_MEMORY;
        for (int i = 0; i < BW_TILE_CELLS && block; i++)
            block[i] = (float)q.distance[(size_t)t * BW_TILE_CELLS + (size_t)i];
    }
    bw_free(q.at);
    bw_free(q.distance);
    return status;
}

/// Move the blocks of `from` over, and make those that it lacks.
static enum bw_status source_widen(struct outline *o, struct bw_source *from, struct bw_source *to, uint8_t *outline)
{
    int64_t list[BATCH];
    int waiting = 0;
    enum bw_status status = BW_OK;
    for (int64_t t = 0; t < to->topo->pub.count && status == BW_OK; t++) {
        int64_t old = bw_topo_index(from->topo, to->topo->coord[t]);
        outline[t] = old < 0;
        if (old < 0) list[waiting++] = t;
        else to->data[0][t] = from->data[0][old], from->data[0][old] = NULL;
        if (waiting < BATCH && t + 1 < to->topo->pub.count) continue;
        if (waiting) status = tiles_fill(o, to, list, waiting);
        waiting = 0;
    }
    return status;
}

static enum bw_status field_widen(struct outline *o, struct chain_snapshot *s, uint32_t k)
{
    struct bw_source *from = &s->source[k], to = {.info = from->info};
    const int64_t n = o->n + from->topo->pub.count;
    int32_t(*all)[3] = bw_calloc((size_t)n * sizeof *all);
    uint8_t *outline = bw_calloc((size_t)n);
    if (all) {
        memcpy(all, from->topo->coord, (size_t)from->topo->pub.count * sizeof *all);
        memcpy(all + from->topo->pub.count, o->coord, (size_t)o->n * sizeof *all);
        to.topo = bw_topo_create(domain_of(o), all, n, 0);
        to.data[0] = bw_calloc((size_t)(n + 1) * sizeof(void *));
    }
    bw_free(all);
    enum bw_status status = to.topo && to.data[0] && outline ? source_widen(o, from, &to, outline) : BW_ERR_MEMORY;
    bw_source_unref(from); /* what was not moved */
    *from = to;
    bw_free(s->outline[k]);
    s->outline[k] = outline;
    struct bw_snapshot_field *f = &s->field[k];
    f->n_tiles = to.topo && outline ? to.topo->pub.count : 0;
    f->coord = to.topo ? to.topo->pub.coord : NULL;
    f->tile[0] = (const void *const *)to.data[0];
    f->outline = outline;
    return status;
}

static enum bw_status field_outline(struct bw_chain *c, const struct run_field *field, struct chain_snapshot *s,
                                    uint32_t k)
{
    struct outline o = {.c = c, .field = field, .topo = s->source[k].topo};
    enum bw_status status = stages_ask(&o, NULL);
    twins_drop(&o);
    if (status == BW_OK && o.n) status = tiles_thin(&o);
    if ((o.full || o.n > TILES) && s->frame.number == s->frame.first)
        log_line(&c->log, BW_LOG_WARNING, field->name, "obstacles span too much to be drawn where no gas is");
    if (!o.full && o.n <= TILES && status == BW_OK && o.n) status = field_widen(&o, s, k);
    bw_free(o.coord);
    return status;
}

enum bw_status obstacle_tiles_add(struct bw_chain *c, struct chain_snapshot *s)
{
    enum bw_status status = BW_OK;
    uint32_t k = 0;
    for (int32_t i = 0; i < c->fields.n && status == BW_OK; i++) {
        const struct run_field *f = &c->fields.field[i];
        if (!f->field) continue;
        if (f->kind == BW_SCALAR && f->precision == BW_F32) status = field_outline(c, f, s, k);
        k++;
    }
    if (status == BW_OK) status = obstacle_shapes_add(c, s, 0);
    return status == BW_ERR_MEMORY ? call_no_memory(c, "the obstacles of a picture") : status;
}
