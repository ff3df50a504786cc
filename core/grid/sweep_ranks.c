// SPDX-License-Identifier: Apache-2.0
/* A sweep over several ranks: each runs the blocks of its own tiles. Halos are exchanged before; sums, maxima and
 * faults of all blocks are gathered after, and added in the order of coordinates as in one process. A body that reads
 * beyond its halo (a sampler on a long trajectory) is detected: all ranks then fetch the whole field and run the blocks
 * again. */
#include "sweep.h"
#include "base/alloc.h"
#include <math.h>
#include <string.h>

/* ---- before ---- */

static int64_t block_tile(const struct sweep_job *j, int64_t b)
{
    return j->s->block == 2 ? bw_topo_index(j->d->topo, j->d->topo->runs[b].coord) : b;
}

static bool reads_beyond(const struct sweep_row *r)
{
    if (r->mode == BW_WRITE) return false;
    if (r->mode == BW_UPDATE) return !sweep_is_cell(r) && !r->own;
    return r->halo > 0;
}

enum bw_status sweep_ranks_begin(struct sweep_job *j)
{
    struct bw_field *field[SWEEP_ACCESS];
    int32_t n = 0;
    bool far = false;
    if (!j->d->ranks) return BW_OK;
    if (!(j->mine = bw_calloc((size_t)(j->n_blocks + 1) * sizeof *j->mine))) return BW_ERR_MEMORY;
    for (int64_t b = 0; b < j->n_blocks; b++)
        if (j->d->partition->owner[block_tile(j, b)] == j->d->ranks->rank) j->mine[j->n_mine++] = b;
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        bool listed = !reads_beyond(&j->row[i]);
        far = far || sweep_is_far(&j->row[i]);
        for (int32_t k = 0; k < n; k++) listed |= field[k] == j->row[i].f;
        if (!listed) field[n++] = j->row[i].f;
    }
    return bw_ranks_fetch(j->d, field, n, far ? BW_FETCH_ALL_RANKS : BW_FETCH_HALO);
}

/* ---- after ---- */

/// How it went on one rank.
struct outcome {
    int32_t status, row; ///< row: of the fault's field, -1: none
    int64_t block;       ///< of the fault
    int32_t cell[3], reserved;
    uint64_t missed; ///< fields, by the order in which their domains list them; the last bit for all further ones
    double max[SWEEP_REDUCE];
};

static int32_t row_of_field(const struct sweep_job *j, const struct bw_field *f)
{
    for (uint32_t i = 0; f && i < j->s->n_access; i++)
        if (j->row[i].f == f) return (int32_t)i;
    return -1;
}

static uint64_t field_bit(int i) { return (uint64_t)1 << (i < 63 ? i : 63); }

static uint64_t absent_reads_take(const struct sweep_job *j)
{
    uint64_t missed = 0;
    int i = 0;
    for (int32_t k = 0; k < j->env->n_domains; k++)
        for (struct bw_field *f = j->env->domains[k]->fields; f; f = f->next, i++)
            if (atomic_exchange(&f->absent_read, 0)) missed |= field_bit(i);
    return missed;
}

static enum bw_status absent_reads_fetch(const struct sweep_job *j, uint64_t missed)
{
    enum bw_status status = BW_OK;
    int i = 0;
    for (int32_t k = 0; k < j->env->n_domains; k++)
        for (struct bw_field *f = j->env->domains[k]->fields; f && status == BW_OK; f = f->next, i++)
            if (missed & field_bit(i)) status = bw_ranks_fetch(f->domain, &f, 1, BW_FETCH_ALL_RANKS);
    return status;
}

static void outcome_fill(const struct sweep_job *j, struct outcome *o)
{
    memset(o, 0, sizeof *o);
    o->row = -1;
    o->missed = absent_reads_take(j);
    for (uint32_t k = 0; k < j->s->n_maxs; k++) o->max[k] = -HUGE_VAL;
    for (int64_t i = 0; i < j->n_mine; i++) {
        const struct sweep_result *r = &j->result[j->mine[i]];
        for (uint32_t k = 0; k < j->s->n_maxs; k++) o->max[k] = r->max[k] > o->max[k] ? r->max[k] : o->max[k];
        if (r->status == BW_OK || o->status != BW_OK) continue;
        o->status = r->status;
        o->block = j->mine[i];
        o->row = row_of_field(j, r->fault.field);
        memcpy(o->cell, r->fault.cell, sizeof o->cell);
    }
}

/* As if all blocks had run here: a rank's maxima stand at its first block, which is as good as any. */
static void outcome_spread(struct sweep_job *j, const struct outcome *o, int64_t first)
{
    for (uint32_t k = 0; k < j->s->n_maxs && first >= 0; k++) j->result[first].max[k] = o->max[k];
    if (o->status == BW_OK) return;
    struct sweep_result *r = &j->result[o->block];
    r->status = (enum bw_status)o->status;
    r->fault = (struct bw_sweep_fault){o->row >= 0 ? j->row[o->row].f : NULL, {o->cell[0], o->cell[1], o->cell[2]}};
}

static void others_clear(struct sweep_job *j)
{
    for (int64_t b = 0; b < j->n_blocks; b++)
        if (j->d->partition->owner[block_tile(j, b)] != j->d->ranks->rank)
            for (uint32_t k = 0; k < SWEEP_REDUCE; k++) j->result[b].max[k] = -HUGE_VAL;
}

/* Sums of all blocks, each rank's in the order of its own. */
static enum bw_status sums_share(struct sweep_job *j)
{
    const size_t each = j->s->n_sums;
    size_t bytes[BW_RANKS_MOST] = {0}, at[BW_RANKS_MOST] = {0};
    if (!each) return BW_OK;
    for (int64_t b = 0; b < j->n_blocks; b++) bytes[j->d->partition->owner[block_tile(j, b)]] += each * sizeof(double);
    for (int32_t r = 1; r < j->d->ranks->size; r++) at[r] = at[r - 1] + bytes[r - 1] / sizeof(double);
    double *mine = bw_calloc(((size_t)j->n_mine + 1) * each * sizeof *mine),
           *all = bw_calloc(((size_t)j->n_blocks + 1) * each * sizeof *all);
    if (mine && all) {
        for (int64_t i = 0; i < j->n_mine; i++)
            memcpy(mine + (size_t)i * each, j->result[j->mine[i]].sum, each * sizeof *mine);
        j->d->ranks->gather(j->d->ranks, mine, bytes, all);
        for (int64_t b = 0; b < j->n_blocks; b++) {
            size_t *from = &at[j->d->partition->owner[block_tile(j, b)]];
            memcpy(j->result[b].sum, all + *from, each * sizeof *all);
            *from += each;
        }
    }
    const enum bw_status status = mine && all ? BW_OK : BW_ERR_MEMORY;
    bw_free(mine);
    bw_free(all);
    return status;
}

/* Tiles that were written are to be written again: where results went to fresh ones, they are dropped; of what is
 * consumed nothing is left to make them from. */
static bool rows_undo(struct sweep_job *j)
{
    if (j->readers) return false;
    for (uint32_t i = 0; i < j->s->n_access; i++)
        if (j->row[i].mode != BW_READ && !j->row[i].fresh) return false;
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        struct sweep_row *r = &j->row[i];
        for (uint32_t c = 0; r->fresh && c < r->f->info.comps; c++)
            for (int64_t t = 0; t < j->d->topo->pub.count; t++) {
                bw_pool_unref(r->data[c][t]);
                r->data[c][t] = NULL;
                if (!r->boundary_faces[c]) continue;
                bw_free(r->boundary_faces[c][t]);
                r->boundary_faces[c][t] = NULL;
            }
    }
    memset(j->result, 0, (size_t)j->n_blocks * sizeof *j->result);
    return true;
}

enum bw_status sweep_ranks_gather(struct sweep_job *j, bool *again)
{
    struct bw_transport *t = j->d->ranks;
    struct outcome mine, all[BW_RANKS_MOST];
    size_t bytes[BW_RANKS_MOST];
    int64_t first[BW_RANKS_MOST];
    uint64_t missed = 0;
    outcome_fill(j, &mine);
    for (int32_t r = 0; r < t->size; r++) bytes[r] = sizeof mine, first[r] = -1;
    t->gather(t, &mine, bytes, all);
    for (int32_t r = 0; r < t->size; r++) missed |= all[r].missed;
    if (missed && (*again = rows_undo(j))) return absent_reads_fetch(j, missed);
    if (missed) {
        j->result->status = BW_ERR_PLUGIN;
        j->result->fault = (struct bw_sweep_fault){.field = j->row->f, .far = true};
        return BW_OK;
    }
    for (int64_t b = j->n_blocks - 1; b >= 0; b--) first[j->d->partition->owner[block_tile(j, b)]] = b;
    others_clear(j);
    for (int32_t r = 0; r < t->size; r++) outcome_spread(j, &all[r], first[r]);
    return sums_share(j);
}

void sweep_ranks_end(struct sweep_job *j)
{
    for (uint32_t i = 0; i < j->s->n_access; i++) {
        const struct sweep_row *r = &j->row[i];
        if (r->mode == BW_READ || !j->d->ranks) continue;
        if (j->mine) bw_ranks_drop_copies(r->f);
        else bw_ranks_mark_replicated(r->f);
    }
}
