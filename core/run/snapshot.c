// SPDX-License-Identifier: Apache-2.0
#include "snapshot.h"
#include "base/alloc.h"
#include "grid/ranks/ranks.h"
#include <string.h>

struct chain_snapshot *snapshot_ref(struct chain_snapshot *s)
{
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

void snapshot_unref(struct chain_snapshot *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1) return;
    snapshot_lend_end(s);
    for (uint32_t i = 0; s->source && i < s->frame.n_fields; i++) bw_source_drop(&s->source[i]);
    for (uint32_t i = 0; s->particles && i < s->frame.n_particles; i++) {
        for (uint32_t a = 0; s->particles[i].data && a < s->particles[i].n_attributes; a++)
            bw_free((void *)s->particles[i].data[a]);
        bw_free((void *)s->particles[i].data);
        bw_free((void *)s->particles[i].attributes);
    }
    for (uint32_t i = 0; s->outline && i < s->frame.n_fields; i++) bw_free(s->outline[i]);
    bw_free(s->source);
    bw_free(s->outline);
    bw_free(s->field);
    bw_free(s->particles);
    bw_free(s);
}

/* ---- tiles of other processes ---- */

static struct bw_field *field_of(const struct bw_source *src) { return (struct bw_field *)(intptr_t)src->info; }

/* What the field has of a tile now, or, `away`, that it is not here. An outline's tiles are no field's. */
static enum bw_status tile_renew(struct bw_source *src, int64_t t, bool away)
{
    const struct bw_field *f = field_of(src);
    const int64_t at = bw_topo_index(f->src.topo, src->topo->coord[t]);
    if (at < 0 || f->domain->deal->owner[at] == f->domain->ranks->rank) return BW_OK;
    for (uint32_t c = 0; c < f->info.comps; c++) {
        void *block = away ? f->domain->absent[f->elem == 8] : f->src.data[c][at];
        bw_pool_ref(block);
        bw_pool_unref(src->data[c][t]);
        src->data[c][t] = block;
        const void *rim = f->src.rim[c] ? f->src.rim[c][at] : NULL;
        const size_t bytes = bw_field_rim_values(&f->domain->info, (int)c) * f->elem;
        if (!rim || !src->rim[c] || away) continue;
        if (!src->rim[c][t] && !(src->rim[c][t] = bw_alloc_aligned(bytes))) return BW_ERR_MEMORY;
        memcpy(src->rim[c][t], rim, bytes);
    }
    return BW_OK;
}

static enum bw_status source_renew(struct bw_source *src, bool away)
{
    enum bw_status status = BW_OK;
    for (int64_t t = 0; t < src->topo->pub.count && status == BW_OK; t++) status = tile_renew(src, t, away);
    return status;
}

enum bw_status snapshot_lend(struct chain_snapshot *s, uint32_t k, bool more)
{
    if (!s->lender) return BW_OK;
    for (uint32_t i = 0; i < s->frame.n_fields && !more; i++) source_renew(&s->source[i], true);
    const enum bw_status status = s->lender->take(s->lender->user, field_of(&s->source[k]), more);
    return status == BW_OK ? source_renew(&s->source[k], false) : status;
}

void snapshot_lend_end(struct chain_snapshot *s)
{
    if (!s->lender) return;
    for (uint32_t i = 0; i < s->frame.n_fields; i++) source_renew(&s->source[i], true);
    s->lender->end(s->lender->user);
    s->lender = NULL;
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
    atomic_init(&s->refs, 1);
    size_t n = (size_t)t->n + 1;
    s->source = bw_calloc(n * sizeof *s->source);
    s->field = bw_calloc(n * sizeof *s->field);
    s->outline = bw_calloc(n * sizeof *s->outline);
    s->particles = bw_calloc(n * sizeof *s->particles);
    s->frame = *facts;
    s->frame.fields = s->field;
    s->frame.particles = s->particles;
    enum bw_status status = s->source && s->field && s->outline && s->particles ? BW_OK : BW_ERR_MEMORY;
    for (int32_t i = 0; i < t->n && status == BW_OK; i++) {
        const struct run_field *f = &t->field[i];
        if (f->particles) status = snapshot_particles(s, f);
        if (!f->field) continue;
        uint32_t k = s->frame.n_fields++;
        struct bw_source *src = &s->source[k];
        status = bw_source_share(f->field, src);
        s->field[k] = (struct bw_snapshot_field){
            .info = src->info, .n_tiles = src->topo->pub.count, .coord = src->topo->pub.coord, .host_data = src};
        for (int a = 0; a < 3; a++) s->field[k].tile[a] = (const void *const *)src->data[a];
    }
    if (status == BW_OK) return s;
    snapshot_unref(s);
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
