// SPDX-License-Identifier: Apache-2.0
#include "snapshot.h"
#include "base/alloc.h"
#include "grid/ranks/ranks.h"
#include <stdlib.h>
#include <string.h>

void snapshot_free(struct chain_snapshot *s)
{
    if (!s) return;
    snapshot_fetch_end(s);
    for (uint32_t i = 0; s->source && i < s->frame.n_fields; i++) bw_source_unref(&s->source[i]);
    for (uint32_t i = 0; s->particles && i < s->frame.n_particles; i++) {
        for (uint32_t a = 0; s->particles[i].data && a < s->particles[i].n_attributes; a++)
            bw_free((void *)s->particles[i].data[a]);
        bw_free((void *)s->particles[i].data);
        bw_free((void *)s->particles[i].attributes);
    }
    for (uint32_t i = 0; s->outline && i < s->frame.n_fields; i++) bw_free(s->outline[i]);
    for (uint32_t i = 0; s->shape && i < s->frame.n_shapes; i++) {
        bw_free((void *)(intptr_t)s->shape[i].shape.point);
        bw_free((void *)(intptr_t)s->shape[i].shape.triangle);
    }
    bw_free(s->shape);
    bw_free(s->source);
    bw_free(s->fetched);
    bw_free(s->part);
    bw_free(s->outline);
    bw_free(s->field);
    bw_free(s->particles);
    bw_free(s);
}

/* ---- tiles of other processes ---- */

static struct bw_field *field_of(const struct bw_source *src) { return (struct bw_field *)(intptr_t)src->info; }

/* The tile's blocks go: what reads it finds none. */
static void tile_drop(struct bw_source *src, int64_t t)
{
    const struct bw_field *f = field_of(src);
    for (uint32_t c = 0; bw_topo_index(f->src.topo, src->topo->coord[t]) >= 0 && c < f->info.comps; c++) {
        void *block = f->domain->absent[f->elem == 8];
        bw_pool_ref(block);
        bw_pool_unref(src->data[c][t]);
        src->data[c][t] = block;
    }
}

/* What the field has of a tile now, or, `away`, that it is not here. An outline's tiles are no field's. */
static enum bw_status tile_renew(struct bw_source *src, int64_t t, bool away)
{
    const struct bw_field *f = field_of(src);
    const int64_t at = bw_topo_index(f->src.topo, src->topo->coord[t]);
    if (at < 0 || f->domain->partition->owner[at] == f->domain->ranks->rank) return BW_OK;
    if (away) {
        tile_drop(src, t);
        return BW_OK;
    }
    for (uint32_t c = 0; c < f->info.comps; c++) {
        void *block = f->src.data[c][at];
        bw_pool_ref(block);
        bw_pool_unref(src->data[c][t]);
        src->data[c][t] = block;
        const void *faces = f->src.boundary_faces[c] ? f->src.boundary_faces[c][at] : NULL;
        const size_t bytes = bw_field_boundary_faces(&f->domain->info, (int)c) * f->elem;
        if (!faces || !src->boundary_faces[c]) continue;
        if (!src->boundary_faces[c][t] && !(src->boundary_faces[c][t] = bw_alloc_aligned(bytes))) return BW_ERR_MEMORY;
        memcpy(src->boundary_faces[c][t], faces, bytes);
    }
    return BW_OK;
}

static enum bw_status source_renew(struct bw_source *src, bool away)
{
    enum bw_status status = BW_OK;
    for (int64_t t = 0; t < src->topo->pub.count && status == BW_OK; t++) status = tile_renew(src, t, away);
    return status;
}

static void fetched_drop(struct chain_snapshot *s)
{
    for (uint32_t i = 0; i < s->frame.n_fields; i++) {
        if (s->fetched[i]) source_renew(&s->source[i], true);
        s->fetched[i] = false;
    }
    s->part_of = NULL;
}

enum bw_status snapshot_fetch(struct chain_snapshot *s, uint32_t k, bool more)
{
    if (!s->fetcher) return BW_OK;
    if (!more) fetched_drop(s);
    s->fetched[k] = true;
    const enum bw_status status =
        s->fetcher->fetch(s->fetcher->user, field_of(&s->source[k]), (struct snapshot_tiles){0}, more);
    return status == BW_OK ? source_renew(&s->source[k], false) : status;
}

static int order_of_tiles(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return x < y ? -1 : x > y;
}

/* The field's numbers of tiles `c` and, `faces`, of those that hold faces of it: beyond its high sides, and where it is
 * none itself those below, whose boundary faces are its low faces. Returns how many, 7 at most. */
static int64_t tiles_around(const struct bw_field *f, const int32_t c[3], bool faces, int32_t *part)
{
    int64_t found = 0, at = bw_topo_index(f->src.topo, c);
    if (at >= 0) part[found++] = (int32_t)at;
    for (int e = 0; e < 6 && faces; e++) {
        int32_t beside[3] = {c[0], c[1], c[2]};
        beside[e / 2] += e & 1 ? 1 : -1;
        const int64_t b = e & 1 || at < 0 ? bw_topo_find(f->src.topo, &f->domain->info, beside) : -1;
        if (b >= 0) part[found++] = (int32_t)b;
    }
    return found;
}

/* The field's numbers of the tiles that cells lie in, each once, into the snapshot's room. */
static struct snapshot_tiles part_find(struct chain_snapshot *s, const struct bw_field *f, const int32_t (*cell)[3],
                                       int64_t n, bool faces)
{
    const int32_t *edge = f->domain->info.tile;
    int64_t found = 0, kept = 0;
    int32_t *part = bw_realloc(s->part, ((size_t)n * 7 + 1) * sizeof *part);
    if (!part) return (struct snapshot_tiles){0};
    s->part = part;
    for (int64_t i = 0; i < n; i++) {
        int32_t c[3];
        for (int a = 0; a < 3; a++) c[a] = bw_floor_div(cell[i][a], edge[a]);
        found += tiles_around(f, c, faces, part + found);
    }
    qsort(part, (size_t)found, sizeof *part, order_of_tiles);
    for (int64_t i = 0; i < found; i++)
        if (!kept || part[i] != part[kept - 1]) part[kept++] = part[i];
    return (struct snapshot_tiles){part, kept};
}

/* Of the source, by the field's number. */
static enum bw_status part_renew(struct bw_source *src, struct snapshot_tiles part, bool away)
{
    enum bw_status status = BW_OK;
    for (int64_t i = 0; i < part.n && status == BW_OK; i++) {
        const int64_t t = bw_topo_index(src->topo, field_of(src)->src.topo->coord[part.tile[i]]);
        if (t >= 0) status = tile_renew(src, t, away);
    }
    return status;
}

enum bw_status snapshot_fetch_cells(struct chain_snapshot *s, uint32_t k, const int32_t (*cell)[3], int64_t n,
                                    bool faces)
{
    if (!s->fetcher) return BW_OK;
    struct bw_source *src = &s->source[k];
    if (s->part_of == src) part_renew(src, (struct snapshot_tiles){s->part, s->n_part}, true);
    else fetched_drop(s);
    const struct snapshot_tiles part = part_find(s, field_of(src), cell, n, faces && src->info->kind == BW_MAC);
    if (!part.tile) return BW_ERR_MEMORY;
    s->n_part = part.n;
    s->part_of = src;
    s->fetched[k] = true;
    const enum bw_status status = s->fetcher->fetch(s->fetcher->user, field_of(src), part, false);
    return status == BW_OK ? part_renew(src, part, false) : status;
}

void snapshot_fetch_end(struct chain_snapshot *s)
{
    if (!s->fetcher) return;
    fetched_drop(s);
    /* One's own, too: those that the next step writes would else be kept twice until the file is whole. */
    for (uint32_t i = 0; i < s->frame.n_fields; i++)
        for (int64_t t = 0; t < s->source[i].topo->pub.count; t++) tile_drop(&s->source[i], t);
    s->fetcher->end(s->fetcher->user);
    s->fetcher = NULL;
}

static enum bw_status snapshot_particles(struct chain_snapshot *s, const struct run_field *f)
{
    struct bw_snapshot_particles *p = &s->particles[s->frame.n_particles++];
    uint32_t n = bw_particles_attributes(f->particles, NULL);
    struct bw_attribute *rows = bw_calloc((n + 1) * sizeof *rows);
    void **data = bw_calloc((n + 1) * sizeof *data);
    p->name = f->name;
    p->attributes = rows;
    p->data = (const void *const *)data;
    if (!rows || !data) return BW_ERR_MEMORY;
    bw_particles_attributes(f->particles, rows);
    p->n_attributes = n;
    p->count = bw_particles_table.count(f->particles);
    for (uint32_t a = 0; a < n; a++) {
        size_t bytes = (size_t)p->count * rows[a].comps * (rows[a].precision == BW_F32 ? 4 : 8);
        if (!(data[a] = bw_calloc(bytes + 1))) return BW_ERR_MEMORY;
        memcpy(data[a], bw_particles_table.attribute(f->particles, rows[a].name), bytes);
    }
    return BW_OK;
}

struct chain_snapshot *snapshot_make(const struct field_table *t, const struct bw_frame *facts)
{
    struct chain_snapshot *s = bw_calloc(sizeof *s);
    if (!s) return NULL;
    s->parts = SNAPSHOT_FIRST | SNAPSHOT_TURNS;
    size_t n = (size_t)t->n + 1;
    s->source = bw_calloc(n * sizeof *s->source);
    s->field = bw_calloc(n * sizeof *s->field);
    s->outline = bw_calloc(n * sizeof *s->outline);
    s->fetched = bw_calloc(n * sizeof *s->fetched);
    s->particles = bw_calloc(n * sizeof *s->particles);
    s->frame = *facts;
    s->frame.fields = s->field;
    s->frame.particles = s->particles;
    enum bw_status status = s->source && s->field && s->outline && s->fetched && s->particles ? BW_OK : BW_ERR_MEMORY;
    for (int32_t i = 0; i < t->n && status == BW_OK; i++) {
        const struct run_field *f = &t->field[i];
        if (f->particles) status = snapshot_particles(s, f);
        if (!f->field) continue;
        uint32_t k = s->frame.n_fields++;
        struct bw_source *src = &s->source[k];
        status = bw_source_ref(f->field, src);
        s->field[k] = (struct bw_snapshot_field){
            .info = src->info, .n_tiles = src->topo->pub.count, .coord = src->topo->pub.coord, .host_data = src};
        for (int a = 0; a < 3; a++) s->field[k].tile[a] = (const void *const *)src->data[a];
    }
    if (status == BW_OK) return s;
    snapshot_free(s);
    return NULL;
}

struct bw_frame snapshot_of_domain(const struct chain_snapshot *s, const struct bw_domain_info *domain,
                                   struct bw_snapshot_field *room)
{
    struct bw_frame frame = s->frame;
    uint32_t n = 0;
    for (int others = 0; others < 2; others++)
        for (uint32_t i = 0; i < s->frame.n_fields; i++)
            if ((s->field[i].info->domain != domain) == others) {
                room[n++] = s->field[i];
                frame.n_others += (uint32_t)others;
            }
    frame.fields = room;
    frame.n_fields = n - frame.n_others;
    frame.others = room + frame.n_fields;
    return frame;
}

void snapshot_read(const struct bw_snapshot_field *f, uint32_t c, const int32_t lo[3], const int32_t n[3], float *out)
{
    const struct bw_source *s = f->host_data;
    if (s->info->precision == BW_F32) {
        bw_fill(s, c, lo, n, out, n[0], (ptrdiff_t)n[0] * n[1], true);
        return;
    }
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++)
            for (int32_t i = 0; i < n[0]; i++)
                *out++ = (float)bw_fetch(s, c, (int32_t[3]){lo[0] + i, lo[1] + j, lo[2] + k});
}
