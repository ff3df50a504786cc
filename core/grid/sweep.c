// SPDX-License-Identifier: Apache-2.0
/* A sweep: every block of tiles gets its fields as small dense arrays, the body runs on it, results go back. Reads
 * see the state before the sweep: whatever is written with a neighbour looking on goes to fresh tiles that take the
 * old ones' place at the end. Sums are kept by block and added in the order of coordinates. */
#include "sweep.h"
#include "base/machine.h"
#include "base/alloc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The row that replaces what row i reads, or NULL. */
static struct sweep_row *row_replacing(struct sweep_job *j, uint32_t i)
{
    for (uint32_t k = 0; k < j->s->n_access; k++)
        if (j->row[k].f == j->row[i].f && j->row[k].mode == BW_WRITE) return &j->row[k];
    return NULL;
}

static enum bw_status plan_rows(struct sweep_job *j)
{
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        const struct bw_access *a = &j->s->access[i];
        struct sweep_row *r = &j->row[i];
        if (!a->field || a->field->domain != j->d || a->halo < 0 || a->halo > BW_HALO_MOST) return BW_ERR_PLUGIN;
        const bool own = a->mode == BW_UPDATE_OWN || a->mode == BW_WRITE_OWN;
        const uint32_t mode = a->mode == BW_UPDATE_OWN ? BW_UPDATE : a->mode == BW_WRITE_OWN ? BW_WRITE : a->mode;
        if ((mode == BW_UPDATE || mode == BW_WRITE) && a->halo) return BW_ERR_PLUGIN;
        if (own && mode == BW_WRITE && j->s->block == 2) return BW_ERR_PLUGIN;
        if (mode != BW_WRITE && j->d->topo->pub.count && !a->field->src.data[0][0])
            return BW_ERR_PLUGIN; /* unwritten scratch */
        *r = (struct sweep_row){.f = a->field, .mode = mode, .halo = a->halo, .own = own};
        r->consumed = mode == BW_READ_LAST;
        if (r->consumed) r->mode = BW_READ;
        r->fresh = mode == BW_WRITE || (mode == BW_UPDATE && !sweep_is_cell(r) && !own);
        for (uint32_t k = 0; k < i; k++) {
            bool both = j->row[k].f == r->f;
            bool in_place = (j->row[k].mode == BW_UPDATE && !j->row[k].fresh) || (r->mode == BW_UPDATE && !r->fresh);
            if (both && (in_place || (j->row[k].mode != BW_READ && r->mode != BW_READ))) return BW_ERR_PLUGIN;
        }
    }
    size_t n = (size_t)j->d->topo->pub.count + 1;
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        struct sweep_row *r = &j->row[i];
        if (r->consumed && !r->f->scratch && !row_replacing(j, i)) {
            if (r->f->info.lifetime != BW_STEP) return BW_ERR_PLUGIN;
            r->consumed = false;
            r->cleared = true;
        }
        for (uint32_t c = 0; r->fresh && c < r->f->info.comps; c++) {
            if (!(r->data[c] = bw_calloc(n * sizeof(void *)))) return BW_ERR_MEMORY;
            if (!sweep_is_cell(r) && !(r->boundary_faces[c] = bw_calloc(n * sizeof(void *)))) return BW_ERR_MEMORY;
        }
    }
    return BW_OK;
}

/* A sweep that fails leaves its fields as they were, but for tiles that are consumed already: those have their new
 * values. Consumed scratch is as if never written. */
static void consumed_end(struct sweep_job *j, bool good)
{
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        struct sweep_row *r = &j->row[i], *by = r->consumed ? row_replacing(j, i) : NULL;
        for (uint32_t c = 0; r->consumed && c < r->f->info.comps; c++)
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

static void rows_end(struct sweep_job *j, bool good)
{
    int64_t n = j->d->topo->pub.count;
    consumed_end(j, good);
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        struct sweep_row *r = &j->row[i];
        for (uint32_t c = 0; r->fresh && c < r->f->info.comps; c++) {
            void **data = r->data[c], **faces = r->boundary_faces[c];
            if (good) {
                data = r->f->src.data[c];
                faces = r->f->src.boundary_faces[c];
                r->f->src.data[c] = r->data[c];
                r->f->src.boundary_faces[c] = r->boundary_faces[c];
            }
            for (int64_t t = 0; data && t < n; t++) bw_pool_unref(data[t]);
            for (int64_t t = 0; faces && t < n; t++) bw_free(faces[t]);
            bw_free(data);
            bw_free(faces);
        }
    }
}

/* ---- one block ---- */

/* Does a tile at the block's high end along axis a lack a neighbour there? Then it stores its high faces itself. */
static bool high_is_own(const struct bw_topo *t, const struct bw_domain_info *d, const struct sweep_block *p, int a)
{
    const int u = (a + 1) % 3, v = (a + 2) % 3;
    int32_t q[3];
    q[a] = p->tile[a] + p->tiles[a] - 1;
    for (q[u] = p->tile[u]; q[u] < p->tile[u] + p->tiles[u]; q[u]++)
        for (q[v] = p->tile[v]; q[v] < p->tile[v] + p->tiles[v]; q[v]++) {
            const int64_t at = bw_topo_find(t, d, q);
            if (at >= 0 && t->neighbour[at][2 * a + 1] < 0) return true;
        }
    return false;
}

static struct sweep_block block_extent(const struct sweep_job *j, int64_t b)
{
    const struct bw_topo *t = j->d->topo;
    struct sweep_block p = {.index = -1, .whole = true};
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
    for (int a = 0; a < 3; a++) {
        const bool cut = p.n[a] < p.tiles[a] * j->d->info.tile[a]; // within a tile, which stores what ends it
        p.high[a] = (j->s->block == 2 && cut) || high_is_own(t, &j->d->info, &p, a);
    }
    return p;
}

/* ---- BW_READ_LAST: free tiles after their last reader ---- */

/* Every tile that a block may read, up to a tile's edge around it; the same ones, as often, whenever it is asked. */
static void block_tiles(const struct sweep_job *j, int64_t b, void (*each)(const struct sweep_job *, int64_t tile))
{
    const struct sweep_block p = block_extent(j, b);
    int32_t q[3];
    for (q[2] = p.tile[2] - 1; q[2] <= p.tile[2] + p.tiles[2]; q[2]++)
        for (q[1] = p.tile[1] - 1; q[1] <= p.tile[1] + p.tiles[1]; q[1]++)
            for (q[0] = p.tile[0] - 1; q[0] <= p.tile[0] + p.tiles[0]; q[0]++) {
                const int64_t t = bw_topo_find(j->d->topo, &j->d->info, q);
                if (t >= 0) each(j, t);
            }
}

static void reader_add(const struct sweep_job *j, int64_t t)
{
    atomic_fetch_add_explicit(&j->readers[t], 1, memory_order_relaxed);
}

static void reader_done(const struct sweep_job *j, int64_t t)
{
    if (atomic_fetch_sub_explicit(&j->readers[t], 1, memory_order_acq_rel) != 1) return;
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        const struct sweep_row *r = &j->row[i];
        for (uint32_t c = 0; r->consumed && c < r->f->info.comps; c++) {
            bw_pool_unref(r->f->src.data[c][t]);
            r->f->src.data[c][t] = NULL;
        }
    }
}

/* Where halos reach over more than one tile all tiles wait for the end. They do where they are long, and where a
 * periodic axis ends inside a tile. */
static bool halos_are_near(const struct sweep_job *j)
{
    const struct bw_domain_info *d = &j->d->info;
    for (uint32_t i = 0; i < j->s->n_access; i++)
        if (sweep_is_far(&j->row[i])) return false;
    for (int a = 0; a < 3; a++)
        if (bw_bounded(d) && d->side[2 * a].kind == BW_PERIODIC && d->n[a] % d->tile[a]) return false;
    return true;
}

static enum bw_status readers_count(struct sweep_job *j)
{
    bool any = false;
    for (uint32_t i = 0; i < j->s->n_access; i++) any |= j->row[i].consumed;
    if (!any || !halos_are_near(j)) return BW_OK;
    j->readers = bw_calloc((size_t)(j->d->topo->pub.count + 1) * sizeof *j->readers);
    for (int64_t i = 0; j->readers && i < (j->mine ? j->n_mine : j->n_blocks); i++)
        block_tiles(j, j->mine ? j->mine[i] : i, reader_add);
    return j->readers ? BW_OK : BW_ERR_MEMORY;
}

/* One tile without halo needs no copy; mac results do, for their extra plane, unless that is the next tile's. */
static bool is_direct(const struct sweep_job *j, const struct sweep_row *r, const struct sweep_block *p, int32_t halo)
{
    if (p->index < 0 || halo || sweep_guard(j)) return false;
    if (r->mode == BW_READ || sweep_is_cell(r)) return true;
    return r->own && p->whole && !p->high[0] && !p->high[1] && !p->high[2];
}

static enum bw_status direct_view(struct sweep_job *j, struct sweep_row *r, const struct sweep_block *p,
                                  struct bw_view *v)
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

/* Of component c what is the tile's own: others may be at work on the faces beyond. */
static void own_fill(const struct sweep_row *r, const struct sweep_block *p, uint32_t c, const struct bw_view *v,
                     char *m)
{
    const ptrdiff_t stride[3] = {1, v->sy, v->sz};
    int32_t lo[3] = {p->lo[0], p->lo[1], p->lo[2]}, n[3] = {p->n[0], p->n[1], p->n[2]};
    bw_fill(&r->f->src, c, lo, n, m, v->sy, v->sz, false);
    if (!p->high[c]) return;
    lo[c] += n[c];
    m += (size_t)(n[c] * stride[c]) * r->f->elem;
    n[c] = 1;
    bw_fill(&r->f->src, c, lo, n, m, v->sy, v->sz, false);
}

/* A box of one tile's values, `n` of them along each axis, from its block to the view. */
static void tile_copy(const char *from, const int32_t td[3], const int32_t n[3], char *to, const struct bw_view *v,
                      size_t elem)
{
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t y = 0; y < n[1]; y++)
            memcpy(to + (size_t)(y * v->sy + k * v->sz) * elem, from + (size_t)(td[0] * (y + td[1] * k)) * elem,
                   (size_t)n[0] * elem);
}

/* The high faces of a tile that has no active neighbour there, from its boundary faces. */
static void boundary_faces_copy(const char *faces, uint32_t c, const int32_t td[3], const int32_t n[3], char *to,
                                const struct bw_view *v, size_t elem)
{
    const int u = c == 0 ? 1 : 0, w = c == 2 ? 1 : 2;
    const ptrdiff_t stride[3] = {1, v->sy, v->sz};
    for (int32_t b = 0; b < n[w]; b++)
        for (int32_t a = 0; a < n[u]; a++)
            memcpy(to + (size_t)(n[c] * stride[c] + a * stride[u] + b * stride[w]) * elem,
                   faces + (size_t)(a + td[u] * b) * elem, elem);
}

/* Of component c what is the block's tiles' own, and 0 where none is: others may be at work on all else. */
static void own_fill_wide(const struct sweep_job *j, const struct sweep_row *r, const struct sweep_block *p, uint32_t c,
                          const struct bw_view *v, char *m)
{
    const struct bw_topo *topo = j->d->topo;
    const int32_t *td = j->d->info.tile;
    const size_t elem = r->f->elem;
    int32_t q[3], off[3], n[3];
    for (int32_t k = 0; k <= p->n[2]; k++)
        for (int32_t y = 0; y <= p->n[1]; y++)
            memset(m + (size_t)(y * v->sy + k * v->sz) * elem, 0, (size_t)(p->n[0] + 1) * elem);
    for (q[2] = p->tile[2]; q[2] < p->tile[2] + p->tiles[2]; q[2]++)
        for (q[1] = p->tile[1]; q[1] < p->tile[1] + p->tiles[1]; q[1]++)
            for (q[0] = p->tile[0]; q[0] < p->tile[0] + p->tiles[0]; q[0]++) {
                const int64_t t = bw_topo_index(topo, q);
                if (t < 0) continue;
                for (int a = 0; a < 3; a++) {
                    off[a] = q[a] * td[a] - p->lo[a];
                    n[a] = p->n[a] - off[a] < td[a] ? p->n[a] - off[a] : td[a];
                }
                char *to = m + (size_t)(off[0] + off[1] * v->sy + off[2] * v->sz) * elem;
                const bool inside = n[c] < td[c]; /* the box ends there: the tile has that face itself */
                if (!inside && topo->neighbour[t][2 * c + 1] < 0)
                    boundary_faces_copy(r->f->src.boundary_faces[c][t], c, td, n, to, v, elem);
                n[c] += inside;
                tile_copy(r->f->src.data[c][t], td, n, to, v, elem);
            }
}

/* `reach`: cells around the block; `extra`: one more plane, for high faces. */
static enum bw_status dense_view(const struct sweep_job *j, struct sweep_row *r, const struct sweep_block *p,
                                 const int32_t reach[6], int extra, struct bw_arena *arena, struct bw_view *v)
{
    int32_t lo[3], n[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = p->lo[a] - reach[2 * a];
        n[a] = p->n[a] + reach[2 * a] + reach[2 * a + 1] + extra;
    }
    const int32_t guard = sweep_guard(j);
    v->sy = n[0] + 2 * guard;
    v->sz = v->sy * (n[1] + 2 * guard);
    const size_t values = (size_t)(v->sz * (n[2] + 2 * guard)), bytes = values * r->f->elem;
    const size_t begin = (size_t)(guard * (1 + v->sy + v->sz)) * r->f->elem;
    const size_t skip = (size_t)(reach[0] + reach[2] * v->sy + reach[4] * v->sz) * r->f->elem;
    for (uint32_t c = 0; c < r->f->info.comps; c++) {
        char *m = bw_arena_alloc(arena, bytes);
        if (!m) return BW_ERR_MEMORY;
        if (guard) sweep_guard_fill(j, m, values, r->f->elem);
        m += begin;
        if (r->mode == BW_UPDATE && r->own && j->s->block == 2) own_fill_wide(j, r, p, c, v, m);
        else if (r->mode == BW_UPDATE && r->own) own_fill(r, p, c, v, m);
        else if (r->mode != BW_WRITE) bw_fill(&r->f->src, c, lo, n, m, v->sy, v->sz, r->mode == BW_READ);
        if (guard && extra) sweep_guard_planes(j, n, c, v, m, r->f->elem);
        v->data[c] = m + skip;
    }
    return BW_OK;
}

/* The view of one row: as wide as the access row says, or as the stage asks for this block. */
static enum bw_status row_view(struct sweep_job *j, uint32_t i, const struct sweep_block *p,
                               const struct bw_block *block, struct bw_arena *arena, struct bw_view *v)
{
    struct sweep_row *r = &j->row[i];
    int32_t reach[6];
    bool asked = j->s->reach && r->mode != BW_WRITE, mac = !sweep_is_cell(r);
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
    if (is_direct(j, r, p, most)) return direct_view(j, r, p, v);
    return dense_view(j, r, p, reach, mac && !asked && (v->halo || r->mode != BW_READ), arena, v);
}

/* Of what is not finite 0 times makes a NaN, and that stays in a sum: vectors of doubles, where comparing whole words
 * has none at the baseline level. */
static void block_run(int64_t number, uint32_t worker, void *user)
{
    struct sweep_job *j = user;
    const int64_t b = j->mine ? j->mine[number] : number;
    struct sweep_result *out = &j->result[b];
    struct bw_arena *arena = j->env->arena[worker];
    struct sweep_block p = block_extent(j, b);
    struct bw_view view[SWEEP_ACCESS];
    struct bw_range range[64];
    if (j->env->cancel && *j->env->cancel) {
        out->status = BW_ERR_CANCELLED;
        return;
    }
    bw_arena_reset(arena);
    for (int k = 0; k < SWEEP_REDUCE; k++) out->max[k] = -HUGE_VAL;
    struct bw_block block = {.stage = j->env->stage,
                             .grid = &j->d->info,
                             .sum = out->sum,
                             .max = out->max,
                             .worker = worker,
                             .particles = range};
    for (int a = 0; a < 3; a++) {
        block.lo[a] = p.lo[a];
        block.n[a] = p.n[a];
        block.high[a] = p.high[a];
        block.corner[a] = j->d->info.origin[a] + p.lo[a] * j->d->info.h;
    }
    for (uint32_t i = 0; i < j->s->n_access && out->status == BW_OK; i++)
        out->status = row_view(j, i, &p, &block, arena, &view[i]);
    if (out->status != BW_OK) return;
    block.view = view;
    if (j->s->particles) block.n_particles = bw_particles_ranges(j->s->particles, j->d, p.tile, p.tiles, range);
    const bool watched = sweep_checks_block(j, b);
    uint64_t sum[SWEEP_ACCESS];
    if (watched) sweep_checksums(j, &p, view, sum);
    j->s->body(&block, j->s->user);
    if (watched) sweep_check_unchanged(j, &p, view, sum, out);
    if (bw_arena_failed(arena))
        out->status = BW_ERR_MEMORY; /* the body went without scratch: its results are not to be kept */
    for (uint32_t i = 0; i < j->s->n_access && out->status == BW_OK; i++) {
        struct sweep_row *r = &j->row[i];
        if (r->mode == BW_READ) continue;
        if (view[i].halo < 0 && !r->fresh) continue;
        if (is_direct(j, r, &p, 0)) sweep_find_fault(r, &p, &view[i], out);
        else out->status = sweep_row_store(j, r, &p, &view[i], out);
    }
    if (j->readers && out->status == BW_OK) block_tiles(j, b, reader_done);
}

static void reduce(const struct sweep_job *j)
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

static enum bw_status first_fault(const struct sweep_job *j, struct bw_sweep_fault *fault)
{
    for (int64_t b = 0; b < j->n_blocks; b++) {
        if (j->result[b].status == BW_OK) continue;
        if (fault) *fault = j->result[b].fault;
        return j->result[b].status;
    }
    return BW_OK;
}

enum bw_status bw_sweep_run(const struct bw_sweep_env *e, const struct bw_sweep *s, struct bw_sweep_fault *fault)
{
    struct sweep_job j = {.env = e, .s = s, .d = s->domain ? s->domain : e->stage->domain};
    if (s->n_access > SWEEP_ACCESS || s->n_sums > SWEEP_REDUCE || s->n_maxs > SWEEP_REDUCE || !s->body ||
        s->block < 0 || s->block > 2)
        return BW_ERR_PLUGIN;
    j.n_blocks = s->block == 2 ? j.d->topo->n_runs : j.d->topo->pub.count;
    j.result = bw_calloc((size_t)(j.n_blocks + 1) * sizeof *j.result);
    enum bw_status status = j.result ? plan_rows(&j) : BW_ERR_MEMORY;
    if (status == BW_OK && e->distributed) status = sweep_ranks_begin(&j);
    if (status == BW_OK) status = readers_count(&j);
    if (status == BW_OK && s->particles) status = bw_particles_table.sort(s->particles, j.d);
    for (bool again = true; status == BW_OK && again;) {
        const double began = j.mine ? bw_processor_seconds() : 0;
        bw_workers_for(e->workers, j.mine ? j.n_mine : j.n_blocks, block_run, &j);
        if (j.mine) j.d->cpu_seconds += bw_processor_seconds() - began;
        again = false;
        if (j.mine) status = sweep_ranks_gather(&j, &again);
    }
    if (status == BW_OK) status = first_fault(&j, fault);
    if (status == BW_OK) reduce(&j);
    rows_end(&j, status == BW_OK);
    if (status == BW_OK) sweep_ranks_end(&j);
    for (uint32_t i = 0; i < s->n_access && status == BW_OK; i++)
        if (j.row[i].cleared) status = bw_field_clear(j.row[i].f);
    bw_free(j.mine);
    bw_free(j.result);
    return status;
}
