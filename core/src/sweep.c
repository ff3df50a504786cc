// SPDX-License-Identifier: Apache-2.0
/* A sweep: every block of tiles gets its fields as small dense arrays, the body runs on it, results go back. Reads
 * see the state before the sweep: whatever is written with a neighbour looking on goes to fresh tiles that take the
 * old ones' place at the end. Sums are kept by block and added in the order of coordinates. */
#include "grid.h"
#include "alloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ACCESS 32
#define MAX_REDUCE 16
#define MAX_HALO 16

struct row {
    struct bw_field *f;
    uint32_t mode;
    int32_t halo;
    bool fresh;           /* results go to new tiles */
    bool spent;           /* what is read is not wanted afterwards: tiles go as soon as no block needs them */
    void **data[3], **rim[3];
};

struct block_result {
    double sum[MAX_REDUCE], max[MAX_REDUCE];
    enum bw_status status;
    struct bw_sweep_fault fault;
};

struct job {
    const struct bw_sweep_env *env;
    const struct bw_sweep *s;
    struct bw_domain *d;
    struct row row[MAX_ACCESS];
    struct block_result *result;
    int64_t n_blocks;
    _Atomic int32_t *readers; /* by tile: how often blocks still to run may read it; NULL: nothing is spent */
};

static bool is_cell(const struct row *r) { return r->f->info.kind != BW_MAC; }

/* The row that replaces what row i reads, or NULL. */
static struct row *row_replacing(struct job *j, uint32_t i)
{
    for (uint32_t k = 0; k < j->s->n_access; k++)
        if (j->row[k].f == j->row[i].f && j->row[k].mode == BW_WRITE) return &j->row[k];
    return NULL;
}

static enum bw_status plan_rows(struct job *j)
{
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        const struct bw_access *a = &j->s->access[i];
        struct row *r = &j->row[i];
        if (!a->field || a->field->domain != j->d || a->halo < 0 || a->halo > MAX_HALO) return BW_ERR_PLUGIN;
        if ((a->mode == BW_UPDATE || a->mode == BW_WRITE) && a->halo) return BW_ERR_PLUGIN;
        if (a->mode != BW_WRITE && j->d->topo->pub.count && !a->field->src.data[0][0]) return BW_ERR_PLUGIN; /* unwritten scratch */
        *r = (struct row){.f = a->field, .mode = a->mode, .halo = a->halo};
        r->spent = a->mode == BW_READ_LAST;
        if (r->spent) r->mode = BW_READ;
        r->fresh = a->mode == BW_WRITE || (a->mode == BW_UPDATE && !is_cell(r));
        for (uint32_t k = 0; k < i; k++) {
            bool both = j->row[k].f == r->f;
            bool in_place = (j->row[k].mode == BW_UPDATE && !j->row[k].fresh) || (r->mode == BW_UPDATE && !r->fresh);
            if (both && (in_place || (j->row[k].mode != BW_READ && r->mode != BW_READ))) return BW_ERR_PLUGIN;
        }
    }
    size_t n = (size_t)j->d->topo->pub.count + 1;
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        struct row *r = &j->row[i];
        if (r->spent && !r->f->scratch && !row_replacing(j, i)) return BW_ERR_PLUGIN;
        for (uint32_t c = 0; r->fresh && c < r->f->info.comps; c++) {
            if (!(r->data[c] = bw_calloc(n * sizeof(void *)))) return BW_ERR_MEMORY;
            if (!is_cell(r) && !(r->rim[c] = bw_calloc(n * sizeof(void *)))) return BW_ERR_MEMORY;
        }
    }
    return BW_OK;
}

/* A sweep that fails leaves its fields as they were, but for tiles that are spent already: those have their new values.
 * Spent scratch is as if never written. */
static void spent_end(struct job *j, bool good)
{
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        struct row *r = &j->row[i], *by = r->spent ? row_replacing(j, i) : NULL;
        for (uint32_t c = 0; r->spent && c < r->f->info.comps; c++)
            for (int64_t t = 0; t < j->d->topo->pub.count; t++) {
                void **slot = &r->f->src.data[c][t];
                if (r->f->scratch) {
                    bw_pool_unref(*slot);
                    *slot = NULL;
                } else if (by && !good && !*slot) {
                    *slot = by->data[c][t];
                    by->data[c][t] = NULL;
                }
            }
    }
    bw_free((void *)j->readers);
}

static void rows_end(struct job *j, bool good)
{
    int64_t n = j->d->topo->pub.count;
    spent_end(j, good);
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        struct row *r = &j->row[i];
        for (uint32_t c = 0; r->fresh && c < r->f->info.comps; c++) {
            void **data = r->data[c], **rim = r->rim[c];
            if (good) {
                data = r->f->src.data[c];
                rim = r->f->src.rim[c];
                r->f->src.data[c] = r->data[c];
                r->f->src.rim[c] = r->rim[c];
            }
            for (int64_t t = 0; data && t < n; t++) bw_pool_unref(data[t]);
            for (int64_t t = 0; rim && t < n; t++) bw_free(rim[t]);
            bw_free(data);
            bw_free(rim);
        }
    }
}

/* ---- one block ---- */

struct place {
    int32_t lo[3], n[3];     /* owned cells, cut to the box */
    int32_t tile[3], tiles[3]; /* first tile and tiles a side */
    int64_t index;           /* of the tile when there is one only, else -1 */
    bool whole;              /* the box cuts nothing off */
};

static struct place block_place(const struct job *j, int64_t b)
{
    const struct bw_topo *t = j->d->topo;
    struct place p = {.index = -1, .whole = true};
    for (int a = 0; a < 3; a++) {
        int wide = j->s->block == 2;
        p.tile[a] = wide ? t->runs[b].coord[a] : t->coord[b][a];
        p.tiles[a] = wide ? t->runs[b].n[a] : 1;
        p.lo[a] = p.tile[a] * j->d->info.tile[a];
        p.n[a] = p.tiles[a] * j->d->info.tile[a];
        if (bw_bounded(&j->d->info) && p.lo[a] + p.n[a] > j->d->info.n[a]) {
            p.n[a] = j->d->info.n[a] - p.lo[a];
            p.whole = false;
        }
    }
    if (p.tiles[0] * p.tiles[1] * p.tiles[2] == 1) p.index = j->s->block == 2 ? bw_topo_index(t, p.tile) : b;
    return p;
}

/* ---- tiles that nobody reads any more ---- */

/* Every tile that a block may read, up to a tile's edge around it; the same ones, as often, whenever it is asked. */
static void block_tiles(const struct job *j, int64_t b, void (*each)(const struct job *, int64_t tile))
{
    const struct place p = block_place(j, b);
    int32_t q[3];
    for (q[2] = p.tile[2] - 1; q[2] <= p.tile[2] + p.tiles[2]; q[2]++)
        for (q[1] = p.tile[1] - 1; q[1] <= p.tile[1] + p.tiles[1]; q[1]++)
            for (q[0] = p.tile[0] - 1; q[0] <= p.tile[0] + p.tiles[0]; q[0]++) {
                const int64_t t = bw_topo_find(j->d->topo, &j->d->info, q);
                if (t >= 0) each(j, t);
            }
}

static void reader_add(const struct job *j, int64_t t) { atomic_fetch_add_explicit(&j->readers[t], 1, memory_order_relaxed); }

static void reader_done(const struct job *j, int64_t t)
{
    if (atomic_fetch_sub_explicit(&j->readers[t], 1, memory_order_acq_rel) != 1) return;
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        const struct row *r = &j->row[i];
        for (uint32_t c = 0; r->spent && c < r->f->info.comps; c++) {
            bw_pool_unref(r->f->src.data[c][t]);
            r->f->src.data[c][t] = NULL;
        }
    }
}

/* Where a periodic axis ends inside a tile, halos reach over more than one: then all tiles wait for the end. */
static bool halos_are_near(const struct job *j)
{
    const struct bw_domain_info *d = &j->d->info;
    for (int a = 0; a < 3; a++)
        if (bw_bounded(d) && d->side[2 * a].kind == BW_PERIODIC && d->n[a] % d->tile[a]) return false;
    return true;
}

static enum bw_status readers_count(struct job *j)
{
    bool any = false;
    for (uint32_t i = 0; i < j->s->n_access; i++) any |= j->row[i].spent;
    if (!any || !halos_are_near(j)) return BW_OK;
    j->readers = bw_calloc((size_t)(j->d->topo->pub.count + 1) * sizeof *j->readers);
    for (int64_t b = 0; j->readers && b < j->n_blocks; b++) block_tiles(j, b, reader_add);
    return j->readers ? BW_OK : BW_ERR_MEMORY;
}

/* One tile without halo needs no copy; mac results do, for their extra plane. */
static bool is_direct(const struct row *r, const struct place *p, int32_t halo)
{
    if (p->index < 0 || halo) return false;
    return r->mode == BW_READ || is_cell(r);
}

static enum bw_status direct_view(struct job *j, struct row *r, const struct place *p, struct bw_view *v)
{
    const int32_t *td = j->d->info.tile;
    v->sy = td[0];
    v->sz = (ptrdiff_t)td[0] * td[1];
    for (uint32_t c = 0; c < r->f->info.comps; c++) {
        void **slot = &r->f->src.data[c][p->index];
        if (r->mode == BW_WRITE) {
            slot = &r->data[c][p->index];
            if (!(*slot = bw_pool_get(r->f->pool))) return BW_ERR_MEMORY;
            if (!p->whole) memset(*slot, 0, (size_t)BW_TILE_CELLS * r->f->elem);
        } else if (r->mode == BW_UPDATE && bw_pool_shared(*slot)) { /* a snapshot holds it: copy on write */
            void *copy = bw_pool_get(r->f->pool);
            if (!copy) return BW_ERR_MEMORY;
            memcpy(copy, *slot, (size_t)BW_TILE_CELLS * r->f->elem);
            bw_pool_unref(*slot);
            *slot = copy;
        }
        v->data[c] = *slot;
    }
    return BW_OK;
}

/* `reach`: cells around the block; `extra`: one more plane, for high faces. */
static enum bw_status dense_view(struct row *r, const struct place *p, const int32_t reach[6], int extra, struct bw_arena *arena,
                                 struct bw_view *v)
{
    int32_t lo[3], n[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = p->lo[a] - reach[2 * a];
        n[a] = p->n[a] + reach[2 * a] + reach[2 * a + 1] + extra;
    }
    v->sy = n[0];
    v->sz = (ptrdiff_t)n[0] * n[1];
    size_t bytes = (size_t)(v->sz * n[2]) * r->f->elem;
    size_t skip = (size_t)(reach[0] + reach[2] * v->sy + reach[4] * v->sz) * r->f->elem;
    for (uint32_t c = 0; c < r->f->info.comps; c++) {
        char *m = bw_arena_take(arena, bytes);
        if (!m) return BW_ERR_MEMORY;
        if (r->mode != BW_WRITE) bw_fill(&r->f->src, c, lo, n, m, v->sy, v->sz, r->mode == BW_READ);
        v->data[c] = m + skip;
    }
    return BW_OK;
}

/* The view of one row: as wide as the access row says, or as the stage asks for this block. */
static enum bw_status row_view(struct job *j, uint32_t i, const struct place *p, const struct bw_block *block, struct bw_arena *arena,
                               struct bw_view *v)
{
    struct row *r = &j->row[i];
    int32_t reach[6];
    bool asked = j->s->reach && r->mode != BW_WRITE, mac = !is_cell(r);
    *v = (struct bw_view){.comps = (int32_t)r->f->info.comps, .precision = r->f->info.precision, .halo = r->halo};
    for (int s = 0; s < 6; s++) reach[s] = r->halo;
    if (asked && !j->s->reach(block, i, reach, j->s->user)) {
        v->halo = -1;
        return BW_OK;
    }
    asked = asked && r->mode == BW_READ;
    int32_t most = 0;
    for (int s = 0; s < 6; s++) {
        reach[s] = reach[s] < 0 ? 0 : reach[s] < r->halo ? reach[s] : r->halo;
        v->halo = reach[s] < v->halo ? reach[s] : v->halo;
        most = reach[s] > most ? reach[s] : most;
    }
    if (is_direct(r, p, most)) return direct_view(j, r, p, v);
    return dense_view(r, p, reach, mac && !asked && (v->halo || r->mode != BW_READ), arena, v);
}

/* Of what is not finite 0 times makes a NaN, and that stays in a sum: vectors of doubles, where comparing whole words
 * has none at the baseline level. */
static bool all_finite(const void *p, uint32_t elem, int32_t n)
{
    if (elem == 8) {
        const double *v = p;
        double zero[8] = {0};
        int32_t i = 0;
        for (; i + 8 <= n; i += 8)
            for (int c = 0; c < 8; c++) zero[c] += 0 * v[i + c];
        for (; i < n; i++) zero[0] += 0 * v[i];
        for (int c = 1; c < 8; c++) zero[0] += zero[c];
        return zero[0] == 0;
    }
    const uint32_t *v = p;
    uint32_t bad = 0;
    for (int32_t i = 0; i < n; i++) bad |= (v[i] & 0x7f800000u) == 0x7f800000u;
    return !bad;
}

/* The first NaN or infinity of a block. */
static void finite_find(const struct row *r, const struct place *p, const struct bw_view *v, struct block_result *out)
{
    bool dense = v->sy == p->n[0] && v->sz == (ptrdiff_t)p->n[0] * p->n[1], good = dense;
    for (uint32_t c = 0; good && c < r->f->info.comps; c++) good = all_finite(v->data[c], r->f->elem, p->n[0] * p->n[1] * p->n[2]);
    for (uint32_t c = 0; c < r->f->info.comps && !good; c++)
        for (int32_t k = 0; k < p->n[2]; k++)
            for (int32_t y = 0; y < p->n[1]; y++) {
                const char *line = (const char *)v->data[c] + (size_t)(y * v->sy + k * v->sz) * r->f->elem;
                if (all_finite(line, r->f->elem, p->n[0])) continue;
                int32_t i = 0;
                while (all_finite(line + (size_t)i * r->f->elem, r->f->elem, 1)) i++;
                out->status = BW_ERR_DIVERGED;
                out->fault = (struct bw_sweep_fault){r->f, {p->lo[0] + i, p->lo[1] + y, p->lo[2] + k}};
                return;
            }
}

/* The plane of high faces goes to the tile's rim where nobody owns it. */
static enum bw_status rim_store(const struct job *j, struct row *r, uint32_t c, int64_t t, const struct bw_view *v, const int32_t off[3],
                                const int32_t n[3])
{
    const int32_t *td = j->d->info.tile;
    if (j->d->topo->neighbour[t][2 * c + 1] >= 0) return BW_OK;
    size_t bytes = bw_field_rim_values(&j->d->info, (int)c) * r->f->elem;
    char *rim = r->rim[c][t] = bw_alloc_aligned(bytes);
    if (!rim) return BW_ERR_MEMORY;
    memset(rim, 0, bytes);
    if (n[c] < td[c]) return BW_OK; /* the box ends inside this tile: that face is stored in the tile itself */
    int u = c == 0 ? 1 : 0, w = c == 2 ? 1 : 2;
    ptrdiff_t stride[3] = {1, v->sy, v->sz};
    for (int32_t b = 0; b < n[w]; b++)
        for (int32_t a = 0; a < n[u]; a++) {
            ptrdiff_t from = (off[c] + n[c]) * stride[c] + (off[u] + a) * stride[u] + (off[w] + b) * stride[w];
            memcpy(rim + (size_t)(a + td[u] * b) * r->f->elem, (char *)v->data[c] + (size_t)from * r->f->elem, r->f->elem);
        }
    return BW_OK;
}

/* The boundary plane that only this tile stores: the NaN watch has not seen it yet. */
static bool edge_finite(const struct job *j, const struct row *r, uint32_t c, int64_t t, const int32_t n[3])
{
    const int32_t *td = j->d->info.tile;
    const char *rim = r->rim[c][t], *data = r->data[c][t];
    if (!rim) return true;
    if (n[c] == td[c]) return all_finite(rim, r->f->elem, (int32_t)bw_field_rim_values(&j->d->info, (int)c));
    int u = c == 0 ? 1 : 0, w = c == 2 ? 1 : 2;
    ptrdiff_t stride[3] = {1, td[0], (ptrdiff_t)td[0] * td[1]};
    for (int32_t b = 0; b < n[w]; b++)
        for (int32_t a = 0; a < n[u]; a++)
            if (!all_finite(data + (size_t)(n[c] * stride[c] + a * stride[u] + b * stride[w]) * r->f->elem, r->f->elem, 1)) return false;
    return true;
}

typedef uint32_t lanes32 __attribute__((vector_size(16)));
typedef uint64_t lanes64 __attribute__((vector_size(16)));

/* Copy and NaN watch at once. A whole tile's row has a known size: a few vector moves instead of calls, and written
 * as vectors, for compilers unroll a loop of sixteen before they think of them. */
static inline bool row_copy_finite(char *to, const char *from, uint32_t elem, int32_t n)
{
    if ((uint32_t)n * elem != 64) {
        memcpy(to, from, (size_t)n * elem);
        return all_finite(from, elem, n);
    }
    lanes32 bits[4], bad = {0};
    memcpy(bits, from, 64);
    for (int i = 0; i < 4; i++) {
        if (elem == 4) bad |= (lanes32)((bits[i] & 0x7f800000u) == 0x7f800000u);
        else bad |= (lanes32)(((lanes64)bits[i] & 0x7ff0000000000000ull) == 0x7ff0000000000000ull);
    }
    memcpy(to, bits, 64);
    const lanes64 any = (lanes64)bad;
    return !(any[0] | any[1]);
}

/* Copy one tile's share of a dense result to its block. */
static enum bw_status tile_store(struct job *j, struct row *r, int64_t t, const struct place *p, const struct bw_view *v,
                                 struct block_result *out)
{
    const int32_t *td = j->d->info.tile;
    int32_t off[3], n[3];
    for (int a = 0; a < 3; a++) {
        off[a] = j->d->topo->coord[t][a] * td[a] - p->lo[a];
        n[a] = p->n[a] - off[a] < td[a] ? p->n[a] - off[a] : td[a];
    }
    for (uint32_t c = 0; c < r->f->info.comps; c++) {
        void **slot = r->fresh ? &r->data[c][t] : &r->f->src.data[c][t];
        if (r->fresh || bw_pool_shared(*slot)) {
            void *fresh = bw_pool_get(r->f->pool);
            if (!fresh) return BW_ERR_MEMORY;
            if (!r->fresh) bw_pool_unref(*slot);
            if (!p->whole) memset(fresh, 0, (size_t)BW_TILE_CELLS * r->f->elem);
            *slot = fresh;
        }
        int32_t m[3] = {n[0], n[1], n[2]};
        if (!is_cell(r) && m[c] < td[c]) m[c]++; /* the boundary face inside a tile that the box cuts */
        bool finite = true;
        for (int32_t k = 0; k < m[2]; k++)
            for (int32_t y = 0; y < m[1]; y++) {
                char *to = (char *)*slot + (size_t)(td[0] * (y + td[1] * k)) * r->f->elem;
                const char *from = (char *)v->data[c] + (size_t)(off[0] + (off[1] + y) * v->sy + (off[2] + k) * v->sz) * r->f->elem;
                finite &= row_copy_finite(to, from, r->f->elem, m[0]);
            }
        if (!finite) {
            finite_find(r, p, v, out);
            if (out->status != BW_OK) return out->status;
        }
        if (!is_cell(r)) {
            enum bw_status st = rim_store(j, r, c, t, v, off, n);
            if (st != BW_OK) return st;
            if (edge_finite(j, r, c, t, n)) continue;
            out->fault = (struct bw_sweep_fault){r->f, {p->lo[0] + off[0], p->lo[1] + off[1], p->lo[2] + off[2]}};
            out->fault.cell[c] += n[c];
            return BW_ERR_DIVERGED;
        }
    }
    return BW_OK;
}

/* A block that leaves a row alone keeps its old tiles; rims are copied, for neighbours still read the old ones. */
static enum bw_status row_keep(struct job *j, struct row *r, int64_t t)
{
    for (uint32_t c = 0; r->fresh && c < r->f->info.comps; c++) {
        bw_pool_ref(r->data[c][t] = r->f->src.data[c][t]);
        const void *rim = is_cell(r) ? NULL : r->f->src.rim[c][t];
        if (!rim) continue;
        size_t bytes = bw_field_rim_values(&j->d->info, (int)c) * r->f->elem;
        if (!(r->rim[c][t] = bw_alloc_aligned(bytes))) return BW_ERR_MEMORY;
        memcpy(r->rim[c][t], rim, bytes);
    }
    return BW_OK;
}

static enum bw_status row_store(struct job *j, struct row *r, const struct place *p, const struct bw_view *v, struct block_result *out)
{
    int32_t q[3];
    for (q[2] = p->tile[2]; q[2] < p->tile[2] + p->tiles[2]; q[2]++)
        for (q[1] = p->tile[1]; q[1] < p->tile[1] + p->tiles[1]; q[1]++)
            for (q[0] = p->tile[0]; q[0] < p->tile[0] + p->tiles[0]; q[0]++) {
                int64_t t = bw_topo_index(j->d->topo, q);
                enum bw_status st = t < 0 ? BW_OK : v->halo < 0 ? row_keep(j, r, t) : tile_store(j, r, t, p, v, out);
                if (st != BW_OK) return st;
            }
    return BW_OK;
}

static void block_run(int64_t b, uint32_t worker, void *user)
{
    struct job *j = user;
    struct block_result *out = &j->result[b];
    struct bw_arena *arena = j->env->arena[worker];
    struct place p = block_place(j, b);
    struct bw_view view[MAX_ACCESS];
    struct bw_range range[64];
    if (j->env->cancel && *j->env->cancel) {
        out->status = BW_ERR_CANCELLED;
        return;
    }
    bw_arena_reset(arena);
    for (int k = 0; k < MAX_REDUCE; k++) out->max[k] = -HUGE_VAL;
    struct bw_block block = {.stage = j->env->stage, .grid = &j->d->info, .sum = out->sum, .max = out->max, .worker = worker, .particles = range};
    for (int a = 0; a < 3; a++) {
        block.lo[a] = p.lo[a];
        block.n[a] = p.n[a];
        block.corner[a] = j->d->info.origin[a] + p.lo[a] * j->d->info.h;
    }
    for (uint32_t i = 0; i < j->s->n_access && out->status == BW_OK; i++)
        out->status = row_view(j, i, &p, &block, arena, &view[i]);
    if (out->status != BW_OK) return;
    block.view = view;
    if (j->s->particles) block.n_particles = bw_particles_ranges(j->s->particles, j->d, p.tile, p.tiles, range);
    j->s->body(&block, j->s->user);
    if (bw_arena_failed(arena)) out->status = BW_ERR_MEMORY; /* the body went without scratch: its results are not to be kept */
    for (uint32_t i = 0; i < j->s->n_access && out->status == BW_OK; i++) {
        struct row *r = &j->row[i];
        if (r->mode == BW_READ) continue;
        if (view[i].halo < 0 && !r->fresh) continue;
        if (is_direct(r, &p, 0)) finite_find(r, &p, &view[i], out);
        else out->status = row_store(j, r, &p, &view[i], out);
    }
    if (j->readers && out->status == BW_OK) block_tiles(j, b, reader_done);
}

static void reduce(const struct job *j)
{
    const struct bw_sweep *s = j->s;
    for (uint32_t k = 0; k < s->n_sums; k++) {
        double v = 0;
        for (int64_t b = 0; b < j->n_blocks; b++) v += j->result[b].sum[k];
        s->sums[k] = v;
    }
    for (uint32_t k = 0; k < s->n_maxs; k++) {
        double v = -HUGE_VAL;
        for (int64_t b = 0; b < j->n_blocks; b++) v = j->result[b].max[k] > v ? j->result[b].max[k] : v;
        s->maxs[k] = v;
    }
}

enum bw_status bw_sweep_run(const struct bw_sweep_env *e, const struct bw_sweep *s, struct bw_sweep_fault *fault)
{
    struct job j = {.env = e, .s = s, .d = s->domain ? s->domain : e->stage->domain};
    if (s->n_access > MAX_ACCESS || s->n_sums > MAX_REDUCE || s->n_maxs > MAX_REDUCE || !s->body || s->block < 0 || s->block > 2)
        return BW_ERR_PLUGIN;
    j.n_blocks = s->block == 2 ? j.d->topo->n_runs : j.d->topo->pub.count;
    j.result = bw_calloc((size_t)(j.n_blocks + 1) * sizeof *j.result);
    enum bw_status st = j.result ? plan_rows(&j) : BW_ERR_MEMORY;
    if (st == BW_OK) st = readers_count(&j);
    if (st == BW_OK && s->particles) st = bw_particles_table.sort(s->particles, j.d);
    if (st == BW_OK) bw_workers_for(e->workers, j.n_blocks, block_run, &j);
    for (int64_t b = 0; st == BW_OK && b < j.n_blocks; b++) {
        st = j.result[b].status;
        if (st != BW_OK && fault) *fault = j.result[b].fault;
    }
    if (st == BW_OK) reduce(&j);
    rows_end(&j, st == BW_OK);
    bw_free(j.result);
    return st;
}
