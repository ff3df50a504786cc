// SPDX-License-Identifier: Apache-2.0
#include "ranks/ranks.h"
#include "base/alloc.h"
#include <assert.h>
#include <math.h>
#include <string.h>

size_t bw_field_boundary_faces(const struct bw_domain_info *d, int axis)
{
    return BW_TILE_CELLS / (size_t)d->tile[axis];
}

static void values_set(void *p, uint32_t elem, double v, size_t n)
{
    if (elem == 4)
        for (size_t i = 0; i < n; i++) ((float *)p)[i] = (float)v;
    else
        for (size_t i = 0; i < n; i++) ((double *)p)[i] = v;
}

static void tables_free(struct bw_field *f)
{
    int64_t n = f->src.topo ? f->src.topo->pub.count : 0;
    for (int c = 0; c < 3; c++) {
        for (int64_t t = 0; f->src.data[c] && t < n; t++) bw_pool_unref(f->src.data[c][t]);
        for (int64_t t = 0; f->src.boundary_faces[c] && t < n; t++) bw_free(f->src.boundary_faces[c][t]);
        bw_free(f->src.data[c]);
        bw_free(f->src.boundary_faces[c]);
        f->src.data[c] = f->src.boundary_faces[c] = NULL;
    }
}

/* Tables of the domain's present topology, all tiles at the background. */
static enum bw_status tables_fill(struct bw_field *f)
{
    struct bw_topo *topo = f->src.topo;
    int64_t n = topo->pub.count;
    for (uint32_t c = 0; c < f->info.comps; c++) {
        f->src.data[c] = bw_calloc((size_t)(n + 1) * sizeof(void *));
        f->src.boundary_faces[c] = f->info.kind == BW_MAC ? bw_calloc((size_t)(n + 1) * sizeof(void *)) : NULL;
        if (!f->src.data[c] || (f->info.kind == BW_MAC && !f->src.boundary_faces[c])) return BW_ERR_MEMORY;
        for (int64_t t = 0; t < n; t++) {
            if (f->scratch) continue; /* the sweep that writes it first brings the tiles */
            if (!(f->src.data[c][t] = bw_pool_get(f->pool))) return BW_ERR_MEMORY;
            values_set(f->src.data[c][t], f->elem, f->info.background[c], BW_TILE_CELLS);
            if (f->info.kind != BW_MAC || topo->neighbour[t][2 * c + 1] >= 0) continue;
            size_t m = bw_field_boundary_faces(&f->domain->info, (int)c);
            if (!(f->src.boundary_faces[c][t] = bw_alloc_aligned(m * f->elem))) return BW_ERR_MEMORY;
            values_set(f->src.boundary_faces[c][t], f->elem, f->info.background[c], m);
        }
    }
    return BW_OK;
}

struct bw_field *bw_field_create(struct bw_domain *d, const char *name, uint32_t kind, uint32_t precision,
                                 const double background[3])
{
    struct bw_field *f = bw_calloc(sizeof *f);
    if (!f) return NULL;
    f->scratch = !name;
    f->name = bw_strdup(name ? name : "scratch");
    f->domain = d;
    f->elem = precision == BW_F64P ? 8 : 4;
    f->pool = d->pool[precision == BW_F64P];
    f->info = (struct bw_field_info){.size = sizeof f->info,
                                     .name = f->name,
                                     .kind = kind,
                                     .precision = precision,
                                     .comps = kind == BW_SCALAR ? 1 : 3,
                                     .unit = "1",
                                     .domain = &d->info};
    if (background) memcpy(f->info.background, background, sizeof f->info.background);
    f->seen = -1;
    f->src.info = &f->info;
    f->src.topo = bw_topo_ref(d->topo);
    f->was_alive = bw_calloc((size_t)d->topo->pub.count + 1);
    f->next = d->fields;
    d->fields = f;
    if (d->ranks) f->holders = bw_calloc(((size_t)d->topo->pub.count + 1) * sizeof *f->holders);
    bw_ranks_mark_replicated(f);
    if (f->name && f->was_alive && (f->holders || !d->ranks) && tables_fill(f) == BW_OK) return f;
    bw_field_destroy(f);
    return NULL;
}

void bw_field_destroy(struct bw_field *f)
{
    if (!f) return;
    for (struct bw_field **p = &f->domain->fields; *p; p = &(*p)->next)
        if (*p == f) {
            *p = f->next;
            break;
        }
    tables_free(f);
    bw_topo_unref(f->src.topo);
    bw_free(f->was_alive);
    bw_free(f->holders);
    bw_free(f->name);
    bw_free(f);
}

/* All tiles share one block, copied on write: a field that few stages write costs little memory. */
enum bw_status bw_field_clear(struct bw_field *f)
{
    int64_t n = f->src.topo->pub.count;
    for (uint32_t c = 0; c < f->info.comps && n; c++) {
        void *blank = bw_pool_get(f->pool);
        if (!blank) return BW_ERR_MEMORY;
        values_set(blank, f->elem, f->info.background[c], BW_TILE_CELLS);
        for (int64_t t = 0; t < n; t++) {
            bw_pool_unref(f->src.data[c][t]);
            bw_pool_ref(f->src.data[c][t] = blank);
            if (f->src.boundary_faces[c] && f->src.boundary_faces[c][t])
                values_set(f->src.boundary_faces[c][t], f->elem, f->info.background[c],
                           bw_field_boundary_faces(&f->domain->info, (int)c));
        }
        bw_pool_unref(blank);
    }
    f->writer = NULL;
    f->changes++;
    f->seen = -1;
    bw_ranks_mark_replicated(f);
    return BW_OK;
}

enum bw_status bw_field_swap(struct bw_field *a, struct bw_field *b)
{
    if (a->domain != b->domain || a->info.kind != b->info.kind || a->elem != b->elem) return BW_ERR_USAGE;
    assert(a->src.topo == b->src.topo);
    if (a->src.topo->pub.count && (!a->src.data[0][0] || !b->src.data[0][0])) return BW_ERR_USAGE; /* never written */
    for (int c = 0; c < 3; c++) {
        void **t = a->src.data[c], **r = a->src.boundary_faces[c];
        a->src.data[c] = b->src.data[c];
        a->src.boundary_faces[c] = b->src.boundary_faces[c];
        b->src.data[c] = t;
        b->src.boundary_faces[c] = r;
    }
    uint64_t *holders = a->holders;
    a->holders = b->holders;
    b->holders = holders;
    a->changes++;
    b->changes++;
    return BW_OK;
}

struct max_job {
    const struct bw_field *f;
    double *max; /* per tile */
};

static void max_tile(int64_t t, uint32_t worker, void *user)
{
    (void)worker;
    struct max_job *j = user;
    double m = 0;
    if (bw_ranks_is_absent(j->f, j->f->src.data[0][t])) return;
    for (uint32_t c = 0; c < j->f->info.comps; c++) {
        if (j->f->elem == 8) {
            const double *v = j->f->src.data[c][t],
                         *r = j->f->src.boundary_faces[c] ? j->f->src.boundary_faces[c][t] : NULL;
            for (int i = 0; i < BW_TILE_CELLS; i++) m = fabs(v[i]) > m ? fabs(v[i]) : m;
            for (size_t i = 0; r && i < bw_field_boundary_faces(&j->f->domain->info, (int)c); i++)
                m = fabs(r[i]) > m ? fabs(r[i]) : m;
            continue;
        }
        const float *v = j->f->src.data[c][t], *r = j->f->src.boundary_faces[c] ? j->f->src.boundary_faces[c][t] : NULL;
        float part[16] = {0};
        for (int i = 0; i < BW_TILE_CELLS; i += 16)
            for (int l = 0; l < 16; l++) part[l] = fabsf(v[i + l]) > part[l] ? fabsf(v[i + l]) : part[l];
        for (int l = 0; l < 16; l++) m = part[l] > m ? part[l] : m;
        for (size_t i = 0; r && i < bw_field_boundary_faces(&j->f->domain->info, (int)c); i++)
            m = fabsf(r[i]) > m ? fabsf(r[i]) : m;
    }
    j->max[t] = m;
}

double bw_field_max_abs(const struct bw_field *f, struct bw_workers *w)
{
    int64_t n = f->src.topo->pub.count;
    struct max_job j = {f, bw_calloc((size_t)(n + 1) * sizeof(double))};
    double m = 0;
    if (!j.max) return -1;
    bw_workers_for(w, n, max_tile, &j);
    if (bw_ranks_all_gather_rows(f->domain, j.max, NULL, sizeof *j.max) != BW_OK) m = -1;
    for (int64_t t = 0; t < n && m >= 0; t++) m = j.max[t] > m ? j.max[t] : m;
    bw_free(j.max);
    return m;
}

enum bw_status bw_source_ref(const struct bw_field *f, struct bw_source *out)
{
    int64_t n = f->src.topo->pub.count;
    *out = (struct bw_source){&f->info, bw_topo_ref(f->src.topo), {0}, {0}};
    for (uint32_t c = 0; c < f->info.comps; c++) {
        out->data[c] = bw_calloc((size_t)(n + 1) * sizeof(void *));
        if (!out->data[c]) return BW_ERR_MEMORY;
        for (int64_t t = 0; t < n; t++) bw_pool_ref(out->data[c][t] = f->src.data[c][t]);
        if (f->info.kind != BW_MAC) continue;
        size_t bytes = bw_field_boundary_faces(&f->domain->info, (int)c) * f->elem;
        if (!(out->boundary_faces[c] = bw_calloc((size_t)(n + 1) * sizeof(void *)))) return BW_ERR_MEMORY;
        for (int64_t t = 0; t < n; t++) {
            if (!f->src.boundary_faces[c][t]) continue;
            if (!(out->boundary_faces[c][t] = bw_alloc_aligned(bytes))) return BW_ERR_MEMORY;
            memcpy(out->boundary_faces[c][t], f->src.boundary_faces[c][t], bytes);
        }
    }
    return BW_OK;
}

void bw_source_unref(struct bw_source *s)
{
    int64_t n = s->topo ? s->topo->pub.count : 0;
    for (int c = 0; c < 3; c++) {
        for (int64_t t = 0; s->data[c] && t < n; t++) bw_pool_unref(s->data[c][t]);
        for (int64_t t = 0; s->boundary_faces[c] && t < n; t++) bw_free(s->boundary_faces[c][t]);
        bw_free(s->data[c]);
        bw_free(s->boundary_faces[c]);
    }
    bw_topo_unref(s->topo);
    *s = (struct bw_source){0};
}

void *bw_field_writable_tile(struct bw_field *f, uint32_t c, int64_t t)
{
    void **block = &f->src.data[c][t];
    if (*block && !bw_pool_shared(*block)) return *block;
    void *own = bw_pool_get(f->pool);
    if (!own) return NULL;
    bw_pool_unref(*block);
    return *block = own;
}
