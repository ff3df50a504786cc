// SPDX-License-Identifier: Apache-2.0
/* Which tiles are active: wanted by stages and by what is alive, committed once before a step. Fields follow: what
 * stays keeps its blocks, what is born gets the background (velocity: what its neighbours have, fading), what goes
 * gives its blocks back. Faces between an active and an inactive tile are stored as the active one's boundary faces;
 * they become the low faces of a tile that wakes above them, and back. */
#include "ranks/ranks.h"
#include "base/alloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bw_domain *bw_domain_create(const struct bw_domain_info *info, double margin)
{
    struct bw_domain *d = bw_calloc(sizeof *d);
    if (!d) return NULL;
    d->info = *info;
    d->margin = margin;
    d->version = 1;
    d->topo = bw_topo_create(&d->info, NULL, 0, d->version);
    d->pool[0] = bw_pool_create(BW_TILE_CELLS * 4);
    d->pool[1] = bw_pool_create(BW_TILE_CELLS * 8);
    if (d->topo && d->pool[0] && d->pool[1]) return d;
    bw_domain_destroy(d);
    return NULL;
}

void bw_domain_destroy(struct bw_domain *d)
{
    if (!d) return;
    while (d->fields) bw_field_destroy(d->fields);
    bw_ranks_leave(d);
    bw_topo_unref(d->topo);
    bw_pool_destroy(d->pool[0]);
    bw_pool_destroy(d->pool[1]);
    bw_free(d->requested);
    bw_free(d->requested_table);
    bw_free(d);
}

/* ---- the wanted set: a growing hash set of tile coordinates ---- */

/* 7·10¹⁰ cells, 270 GB for each field: more than that is a mistyped size, which would run for ever. */
enum { TILES_MAX = 1 << 24 };

static uint32_t requested_hash(const int32_t c[3])
{
    return (uint32_t)c[0] * 0x9e3779b1u ^ (uint32_t)c[1] * 0x85ebca77u ^ (uint32_t)c[2] * 0xc2b2ae3du;
}

static bool requested_grow(struct bw_domain *d)
{
    int64_t cap = d->cap_requested ? 2 * d->cap_requested : 256;
    if (cap > TILES_MAX) return false;
    void *rows = bw_realloc(d->requested, (size_t)cap * sizeof *d->requested);
    if (!rows) return false;
    d->requested = rows;
    int32_t *table = bw_calloc((size_t)cap * 4 * sizeof *table);
    if (!table) return false;
    bw_free(d->requested_table);
    d->requested_table = table;
    d->requested_mask = (uint32_t)(cap * 4 - 1);
    d->cap_requested = cap;
    for (int64_t i = 0; i < d->n_requested; i++) {
        uint32_t h = requested_hash(d->requested[i]) & d->requested_mask;
        while (table[h]) h = (h + 1) & d->requested_mask;
        table[h] = (int32_t)i + 1;
    }
    return true;
}

void bw_domain_request_tile(struct bw_domain *d, const int32_t coord[3])
{
    int32_t c[3];
    for (int a = 0; a < 3; a++) {
        c[a] = coord[a];
        if (!bw_bounded(&d->info)) continue;
        int32_t tiles = (d->info.n[a] + d->info.tile[a] - 1) / d->info.tile[a];
        if (c[a] >= 0 && c[a] < tiles) continue;
        if (d->info.side[2 * a].kind != BW_PERIODIC) return;
        c[a] = ((c[a] % tiles) + tiles) % tiles;
    }
    if (d->n_requested == d->cap_requested && !requested_grow(d)) {
        d->full = true;
        return;
    }
    uint32_t h = requested_hash(c) & d->requested_mask;
    for (; d->requested_table[h]; h = (h + 1) & d->requested_mask)
        if (!memcmp(d->requested[d->requested_table[h] - 1], c, sizeof c)) return;
    memcpy(d->requested[d->n_requested++], c, sizeof c);
    d->requested_table[h] = (int32_t)d->n_requested;
}

struct span {
    int32_t lo, hi;
};

/* Tiles along axis a that hold the cells l … h; two spans when they lead round a periodic side. 0: none. */
static int spans_cut(const struct bw_domain *d, int a, int64_t l, int64_t h, struct span out[2])
{
    int64_t n = d->info.n[a];
    int32_t t = d->info.tile[a];
    if (bw_bounded(&d->info) && d->info.side[2 * a].kind == BW_PERIODIC) {
        if (h - l >= n - 1) {
            out[0] = (struct span){0, (int32_t)((n - 1) / t)};
            return l <= h;
        }
        int64_t from = (l % n + n) % n, to = from + h - l; /* the last tile may be cut: wrap cells, not tiles */
        out[0] = (struct span){(int32_t)(from / t), (int32_t)((to < n ? to : n - 1) / t)};
        out[1] = (struct span){0, (int32_t)((to - n) / t)};
        return l > h ? 0 : to < n ? 1 : 2;
    }
    int64_t low = bw_bounded(&d->info) ? 0 : -BW_FAR_CELLS, high = bw_bounded(&d->info) ? n - 1 : BW_FAR_CELLS;
    l = l < low ? low : l;
    h = h > high ? high : h;
    if (l > h) return 0;
    out[0] = (struct span){bw_floor_div((int32_t)l, t), bw_floor_div((int32_t)h, t)};
    return 1;
}

void bw_domain_request_cells(struct bw_domain *d, const int64_t lo[3], const int64_t hi[3])
{
    struct span s[3][2];
    int n[3];
    double all = 1;
    for (int a = 0; a < 3; a++) {
        n[a] = spans_cut(d, a, lo[a], hi[a], s[a]);
        double tiles = 0;
        for (int i = 0; i < n[a]; i++) tiles += (double)s[a][i].hi - s[a][i].lo + 1;
        all *= tiles;
    }
    if (all > TILES_MAX) d->full = true; /* without counting up to it */
    for (int e = 0; e < n[0] * n[1] * n[2]; e++) {
        struct span x = s[0][e % n[0]], y = s[1][e / n[0] % n[1]], z = s[2][e / n[0] / n[1]];
        for (int32_t k = z.lo; k <= z.hi && !d->full; k++)
            for (int32_t j = y.lo; j <= y.hi && !d->full; j++)
                for (int32_t i = x.lo; i <= x.hi && !d->full; i++) bw_domain_request_tile(d, (int32_t[3]){i, j, k});
    }
}

/* ---- what is alive ---- */

static double value_at(const struct bw_field *f, uint32_t c, int64_t t, int32_t i)
{
    return f->elem == 8 ? ((const double *)f->src.data[c][t])[i] : ((const float *)f->src.data[c][t])[i];
}

/* Box of the cells of tile t that differ from the background by more than the threshold; false when there are none. */
static bool alive_box(const struct bw_field *f, int64_t t, double threshold, int32_t lo[3], int32_t hi[3])
{
    const int32_t *td = f->domain->info.tile;
    bool any = false;
    for (int a = 0; a < 3; a++) {
        lo[a] = td[a];
        hi[a] = -1;
    }
    int32_t row = td[0];
    for (uint32_t c = 0; c < f->info.comps; c++) {
        const double back = f->info.background[c];
        for (int32_t r = 0; r < BW_TILE_CELLS / row; r++) {
            int32_t first = 0, last = row - 1;
            if (f->elem == 4 && threshold > 0) { /* the common case: skip quiet rows fast */
                const float *v = (const float *)f->src.data[c][t] + r * row, still = (float)back,
                            most = (float)threshold;
                int32_t lively = 0;
                for (int32_t i = 0; i < row; i++) lively |= fabsf(v[i] - still) >= most;
                if (!lively) continue;
            }
            while (first < row && !(fabs(value_at(f, c, t, r * row + first) - back) > threshold)) first++;
            if (first == row) continue;
            while (!(fabs(value_at(f, c, t, r * row + last) - back) > threshold)) last--;
            int32_t j = r % td[1], k = r / td[1];
            any = true;
            if (first < lo[0]) lo[0] = first;
            if (last > hi[0]) hi[0] = last;
            if (j < lo[1]) lo[1] = j;
            if (j > hi[1]) hi[1] = j;
            if (k < lo[2]) lo[2] = k;
            if (k > hi[2]) hi[2] = k;
        }
    }
    return any;
}

/// What is alive in each tile of a field.
struct alive_job {
    struct bw_field *f;
    int32_t (*box)[2][3];
};

static void alive_tile(int64_t t, uint32_t worker, void *user)
{
    (void)worker;
    struct alive_job *j = user;
    if (bw_ranks_is_absent(j->f, j->f->src.data[0][t])) return;
    double threshold = j->f->was_alive[t] ? .5 * j->f->info.alive : j->f->info.alive; /* hysteresis */
    j->f->was_alive[t] = alive_box(j->f, t, threshold, j->box[t][0], j->box[t][1]);
}

/* Of the flow's domain, what is around the alive cells `box` of a tile of `d`. */
static void flow_request_around(struct bw_domain *d, int32_t box[2][3], const int32_t coord[3], double reach)
{
    const int32_t m = d->flow_cells;
    const int64_t grow = (int64_t)fmin(ceil(fmax(reach / m, d->flow->margin)), 4.0 * BW_FAR_CELLS);
    int64_t lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
        const int32_t first = coord[a] * d->info.tile[a];
        lo[a] = bw_floor_div(first + box[0][a], m) - grow;
        hi[a] = bw_floor_div(first + box[1][a], m) + grow;
    }
    bw_domain_request_cells(d->flow, lo, hi);
}

enum bw_status bw_domain_request_alive(struct bw_domain *d, double reach, struct bw_workers *w)
{
    double grow = fmin(ceil(reach > d->margin ? reach : d->margin), 4.0 * BW_FAR_CELLS); /* farther is no cell */
    struct alive_job job = {.box = bw_calloc((size_t)(d->topo->pub.count + 1) * sizeof *job.box)};
    if (!job.box) return BW_ERR_MEMORY;
    for (struct bw_field *f = d->fields; f; f = f->next) {
        if (!(f->info.alive > 0) || f->scratch) continue;
        job.f = f;
        bw_workers_for(w, d->topo->pub.count, alive_tile, &job);
        if (bw_ranks_all_gather_rows(d, f->was_alive, NULL, sizeof *f->was_alive) != BW_OK ||
            bw_ranks_all_gather_rows(d, job.box, NULL, sizeof *job.box) != BW_OK)
            d->full = true;
        for (int64_t t = 0; t < d->topo->pub.count; t++) {
            if (!f->was_alive[t]) continue;
            int64_t a[3], b[3];
            for (int i = 0; i < 3; i++) {
                int64_t base = (int64_t)d->topo->coord[t][i] * d->info.tile[i];
                a[i] = base + job.box[t][0][i] - (int64_t)grow;
                b[i] = base + job.box[t][1][i] + (int64_t)grow;
            }
            bw_domain_request_cells(d, a, b);
            if (d->flow) flow_request_around(d, job.box[t], d->topo->coord[t], reach);
        }
    }
    bw_free(job.box);
    return d->full ? BW_ERR_MEMORY : BW_OK;
}

void bw_domain_request_flow(struct bw_domain *d)
{
    const int32_t m = d->flow_cells;
    for (int64_t t = 0; t < d->n_requested; t++) {
        int64_t lo[3], hi[3];
        for (int a = 0; a < 3; a++) {
            const int32_t first = d->requested[t][a] * d->info.tile[a];
            lo[a] = bw_floor_div(first, m);
            hi[a] = bw_floor_div(first + d->info.tile[a] - 1, m);
        }
        bw_domain_request_cells(d->flow, lo, hi);
    }
}

/* ---- moving fields to a new topology ---- */

static void plane_copy(const struct bw_field *f, int axis, void *block, int32_t plane, void *faces, bool to_faces)
{
    const int32_t *td = f->domain->info.tile;
    int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    int32_t stride[3] = {1, td[0], td[0] * td[1]};
    for (int32_t b = 0; b < td[v]; b++)
        for (int32_t a = 0; a < td[u]; a++) {
            char *cell = (char *)block + (size_t)(plane * stride[axis] + a * stride[u] + b * stride[v]) * f->elem;
            char *edge = (char *)faces + (size_t)(a + td[u] * b) * f->elem;
            memcpy(to_faces ? edge : cell, to_faces ? cell : edge, f->elem);
        }
}

struct move {
    void **data[3], **boundary_faces[3];
    uint8_t *was_alive;
};

static void move_free(struct bw_field *f, struct move *m, const struct bw_topo *to, const int64_t *old)
{
    const void *absent = f->domain->absent[f->elem == 8];
    for (int c = 0; c < 3; c++) {
        for (int64_t t = 0; m->data[c] && t < to->pub.count; t++)
            if (old[t] < 0 || m->data[c][t] == absent) bw_pool_unref(m->data[c][t]);
        for (int64_t t = 0; m->boundary_faces[c] && t < to->pub.count; t++) bw_free(m->boundary_faces[c][t]);
        bw_free(m->data[c]);
        bw_free(m->boundary_faces[c]);
    }
    bw_free(m->was_alive);
}

/* The boundary faces of tile t of the new set: kept, or copied from the low faces of a neighbour that is deactivated.
 * */
static void boundary_faces_fill(const struct bw_field *f, uint32_t c, const struct bw_topo *to, int64_t t, int64_t old,
                                void *faces)
{
    size_t n = bw_field_boundary_faces(&f->domain->info, (int)c);
    if (old >= 0 && f->src.boundary_faces[c][old]) {
        memcpy(faces, f->src.boundary_faces[c][old], n * f->elem);
        return;
    }
    int32_t q[3];
    memcpy(q, to->coord[t], sizeof q);
    q[c]++;
    int64_t gone = bw_topo_find(f->src.topo, &f->domain->info, q);
    if (gone >= 0) {
        plane_copy(f, (int)c, f->src.data[c][gone], 0, faces, true);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (f->elem == 4) ((float *)faces)[i] = (float)f->info.background[c];
        else ((double *)faces)[i] = f->info.background[c];
    }
}

/* Component c of a newly activated tile: the background; a velocity: extrapolated, with the faces of old tiles kept. */
static void new_tile_fill(const struct bw_field *f, uint32_t c, const int32_t coord[3], void *block, void *high)
{
    const bool mac = f->info.kind == BW_MAC;
    if (mac && f->info.lifetime == BW_STATE && !f->scratch) {
        bw_new_tile_velocity(f, c, coord, block, high);
    } else {
        for (int i = 0; i < BW_TILE_CELLS; i++) {
            if (f->elem == 4) ((float *)block)[i] = (float)f->info.background[c];
            else ((double *)block)[i] = f->info.background[c];
        }
    }
    int32_t q[3] = {coord[0], coord[1], coord[2]};
    q[c]--;
    const int64_t below = mac ? bw_topo_find(f->src.topo, &f->domain->info, q) : -1;
    if (below >= 0 && f->src.boundary_faces[c][below])
        plane_copy(f, (int)c, block, 0, f->src.boundary_faces[c][below], false);
    q[c] += 2;
    const int64_t above = high ? bw_topo_find(f->src.topo, &f->domain->info, q) : -1;
    if (above >= 0) plane_copy(f, (int)c, f->src.data[c][above], 0, high, true);
}

/* `partition`: of the new tiles, which only their owners store; NULL: one process. */
static enum bw_status move_component(struct bw_field *f, uint32_t c, const struct bw_topo *to, const int64_t *old,
                                     const struct bw_partition *partition, struct move *m)
{
    int64_t n = to->pub.count;
    bool mac = f->info.kind == BW_MAC;
    m->data[c] = bw_calloc((size_t)(n + 1) * sizeof(void *));
    if (mac) m->boundary_faces[c] = bw_calloc((size_t)(n + 1) * sizeof(void *));
    if (!m->data[c] || (mac && !m->boundary_faces[c])) return BW_ERR_MEMORY;
    for (int64_t t = 0; t < n; t++) {
        const bool here = !partition || partition->owner[t] == f->domain->ranks->rank, born = here && old[t] < 0;
        void *high = NULL;
        if (mac && to->neighbour[t][2 * c + 1] < 0) {
            high = m->boundary_faces[c][t] =
                bw_alloc_aligned(bw_field_boundary_faces(&f->domain->info, (int)c) * f->elem);
            if (!high) return BW_ERR_MEMORY;
            boundary_faces_fill(f, c, to, t, old[t], high);
        }
        if (!here) bw_pool_ref(m->data[c][t] = f->domain->absent[f->elem == 8]);
        else if (!born) m->data[c][t] = f->src.data[c][old[t]];
        else if (!(m->data[c][t] = bw_pool_get(f->pool))) return BW_ERR_MEMORY;
        if (born) new_tile_fill(f, c, to->coord[t], m->data[c][t], high);
    }
    return BW_OK;
}

static double tile_amount(const struct bw_field *f, int64_t t)
{
    double sum = 0;
    for (uint32_t c = 0; c < f->info.comps; c++)
        for (int32_t i = 0; i < BW_TILE_CELLS; i++) sum += fabs(value_at(f, c, t, i) - f->info.background[c]);
    return sum;
}

static enum bw_status drop_count(struct bw_domain *d, const struct bw_field *f, const struct bw_topo *to)
{
    const int64_t n = d->topo->pub.count;
    if (!(f->info.alive > 0)) return BW_OK;
    double *part = bw_calloc((size_t)(n + 1) * sizeof *part), sum = 0;
    if (!part) return BW_ERR_MEMORY;
    for (int64_t t = 0; t < n; t++)
        if (bw_topo_index(to, d->topo->coord[t]) < 0) part[t] = tile_amount(f, t);
    const enum bw_status status = bw_ranks_all_gather_rows(d, part, NULL, sizeof *part);
    for (int64_t t = 0; t < n; t++) sum += part[t];
    d->dropped += sum * d->info.h * d->info.h * d->info.h;
    bw_free(part);
    return status;
}

static void field_adopt(struct bw_field *f, struct move *m, struct bw_topo *to)
{
    const void *absent = f->domain->absent[f->elem == 8];
    int64_t n = f->src.topo->pub.count;
    for (int c = 0; c < 3; c++) {
        for (int64_t t = 0; f->src.data[c] && t < n; t++) {
            const int64_t at = bw_topo_index(to, f->src.topo->coord[t]);
            if (at < 0 || m->data[c][at] == absent) bw_pool_unref(f->src.data[c][t]);
        }
        for (int64_t t = 0; f->src.boundary_faces[c] && t < n; t++) bw_free(f->src.boundary_faces[c][t]);
        bw_free(f->src.data[c]);
        bw_free(f->src.boundary_faces[c]);
        f->src.data[c] = m->data[c];
        f->src.boundary_faces[c] = m->boundary_faces[c];
    }
    bw_free(f->was_alive);
    f->was_alive = m->was_alive;
    bw_topo_unref(f->src.topo);
    f->src.topo = bw_topo_ref(to);
}

static bool same_set(const struct bw_domain *d)
{
    if (d->n_requested != d->topo->pub.count) return false;
    for (int64_t i = 0; i < d->n_requested; i++)
        if (bw_topo_index(d->topo, d->requested[i]) < 0) return false;
    return true;
}

static void requested_reset(struct bw_domain *d)
{
    if (d->requested_table) memset(d->requested_table, 0, (size_t)(d->requested_mask + 1) * sizeof *d->requested_table);
    d->n_requested = 0;
    d->full = false;
}

/* After a new partition: each tile goes to its new owner, which also needs its neighbours and the tiles above those:
 * new tiles and boundary faces are made from them. */
static enum bw_status field_redistribute(struct bw_domain *d, struct bw_field *f, const struct bw_topo *to,
                                         const struct bw_partition *partition)
{
    uint64_t *need = bw_calloc((size_t)(d->topo->pub.count + 1) * sizeof *need);
    uint64_t *holders = bw_calloc((size_t)(to->pub.count + 1) * sizeof *holders);
    enum bw_status status = need && holders ? BW_OK : BW_ERR_MEMORY;
    for (int64_t t = 0; status == BW_OK && t < to->pub.count; t++)
        for (int n = 0; n < (f->info.kind == BW_MAC ? 28 : 1); n++) {
            const int e = n / 4 - 1, above = n % 4 - 1; // a neighbour; the axis along which the tile above it lies
            int32_t q[3] = {to->coord[t][0], to->coord[t][1], to->coord[t][2]};
            if (e >= 0) q[e / 2] += e & 1 ? 1 : -1;
            if (e >= 0 && above >= 0) q[above]++;
            const int64_t at = bw_topo_find(d->topo, &d->info, q);
            if (at >= 0) need[at] |= partition->own[t];
        }
    if (status == BW_OK) status = bw_ranks_fetch_masked(f, need);
    if (status == BW_OK) status = drop_count(d, f, to);
    if (status == BW_OK) bw_ranks_drop_unneeded(f, need);
    bw_free(need);
    bw_free(f->holders);
    f->holders = holders;
    return status;
}

/* For every field: redistribute its tiles, and count what goes with the tiles that are dropped. */
static enum bw_status fields_redistribute(struct bw_domain *d, const struct bw_topo *to,
                                          const struct bw_partition *partition)
{
    enum bw_status status = BW_OK;
    for (struct bw_field *f = d->fields; f && status == BW_OK; f = f->next)
        status = partition ? field_redistribute(d, f, to, partition) : drop_count(d, f, to);
    return status;
}

static void fields_own(struct bw_domain *d)
{
    for (struct bw_field *f = d->fields; d->ranks && f; f = f->next) bw_ranks_drop_copies(f);
}

static enum bw_status fields_move(struct bw_domain *d, struct bw_topo *to, const int64_t *old,
                                  const struct bw_partition *partition)
{
    int count = 0;
    for (struct bw_field *f = d->fields; f; f = f->next) count++;
    struct move *m = bw_calloc((size_t)(count + 1) * sizeof *m);
    enum bw_status status = m ? BW_OK : BW_ERR_MEMORY;
    int i = 0;
    for (struct bw_field *f = d->fields; f && status == BW_OK; f = f->next, i++) {
        for (uint32_t c = 0; c < f->info.comps && status == BW_OK; c++)
            status = move_component(f, c, to, old, partition, &m[i]);
        m[i].was_alive = bw_calloc((size_t)to->pub.count + 1);
        if (!m[i].was_alive) status = BW_ERR_MEMORY;
        for (int64_t t = 0; m[i].was_alive && t < to->pub.count; t++)
            m[i].was_alive[t] = old[t] >= 0 && f->was_alive[old[t]];
    }
    i = 0;
    for (struct bw_field *f = d->fields; f && m; f = f->next, i++) {
        if (status != BW_OK) {
            move_free(f, &m[i], to, old);
            continue;
        }
        field_adopt(f, &m[i], to);
    }
    bw_free(m);
    return status;
}

enum bw_status bw_domain_commit(struct bw_domain *d)
{
    enum bw_status status = bw_ranks_agree(d, d->full ? BW_ERR_MEMORY : BW_OK);
    for (int i = 0; i < 2; i++) bw_pool_trim(d->pool[i]);
    if (status != BW_OK || same_set(d)) {
        memset(d->topo->born, 0, (size_t)d->topo->pub.count);
        requested_reset(d);
        return status;
    }
    struct bw_topo *to = bw_topo_create(&d->info, d->requested, d->n_requested, d->version + 1);
    int64_t *old = bw_calloc((size_t)(d->n_requested + 1) * sizeof *old);
    status = to && old ? BW_OK : BW_ERR_MEMORY;
    for (int64_t t = 0; status == BW_OK && t < to->pub.count; t++) {
        old[t] = bw_topo_index(d->topo, to->coord[t]);
        to->born[t] = old[t] < 0;
    }
    struct bw_partition *partition = NULL;
    double *cost = status == BW_OK && d->ranks ? bw_ranks_tile_costs(d, to, old) : NULL;
    if (cost) partition = bw_partition_create(to, &d->info, cost, d->ranks->size, d->ranks->rank);
    if (status == BW_OK && d->ranks && !partition) status = BW_ERR_MEMORY;
    bw_free(cost);
    if (status == BW_OK) status = fields_redistribute(d, to, partition);
    if (status == BW_OK) status = fields_move(d, to, old, partition);
    if (status == BW_OK) {
        bw_topo_unref(d->topo);
        d->topo = bw_topo_ref(to);
        d->version++;
        bw_partition_free(d->partition);
        d->partition = partition;
        partition = NULL;
        fields_own(d);
    }
    bw_partition_free(partition);
    bw_topo_unref(to);
    bw_free(old);
    requested_reset(d);
    return status;
}
