// SPDX-License-Identifier: Apache-2.0
/* Conservative redistribution of amounts beyond the field's bounds, beside obstacles that change their speed. The flow
 * was balanced for the speed that they had: where one brakes, too much gas is taken from behind it and piled up ahead,
 * and where smoke is at its bound there is no capacity nearby. Surplus and deficit are equal, so the surplus goes to
 * gas next to obstacles below the bound: first to cells that are nearly full, and hardly to those with a trace, which
 * may be behind a thin wall. What finds no capacity stays. */
#include "flux.h"

enum { NEAR = 4 }; ///< cells from an obstacle

/// Sums of one component, in cells: surplus beyond its bound; capacity of nearly full gas, and of the rest.
enum { OVER, NEARLY, REST, N_AMOUNTS };

struct redistribution {
    const struct flux *flux;
    float sign; ///< 1: beyond the upper bounds; -1: beyond the lower ones
    double found[FLUX_FIELDS * N_AMOUNTS];
};

/// One component and its bound, times `sign`.
struct side {
    float sign, most, background;
};

/* Marks gas within NEAR cells of an obstacle: the byte of cell (0,0,0) of the block, and the strides. */
static const uint8_t *near_find(const struct redistribution *l, const struct bw_block *b, ptrdiff_t step[3])
{
    struct region_marks m;
    if (!flux_marks_begin(b, NEAR, &m)) return NULL;
    walls_fill(l->flux->pass->walls, 0, m.lo, m.n, m.cells);
    for (ptrdiff_t i = 0; i < m.size; i++) m.is[i] = !(m.cells[i] & WALLS_FLUID);
    flux_marks_spread(&m);
    for (ptrdiff_t i = 0; i < m.size; i++) m.is[i] &= m.cells[i] / WALLS_FLUID & 1;
    for (int a = 0; a < 3; a++) step[a] = m.step[a];
    return m.is + m.zero;
}

static void cell_capacity(const struct side *s, float q, bool near, double capacity[N_AMOUNTS])
{
    if (!near || q <= s->background || q >= s->most) return;
    const double full = ((double)q - (double)s->background) / ((double)s->most - (double)s->background);
    const double nearly = full * full * full * full, more = (double)s->most - (double)q;
    capacity[NEARLY] += nearly * more;
    capacity[REST] += (fmin(4 * full * full, 1) - nearly) * more;
}

static void cell_find(const struct side *s, float *cell, bool near, double found[N_AMOUNTS])
{
    const float q = s->sign * *cell;
    if (q > s->most) found[OVER] += (double)q - (double)s->most;
    cell_capacity(s, q, near, found);
}

static double fraction(double wanted, double capacity) { return capacity > 0 ? fmin(wanted / capacity, 1) : 0; }

static void cell_redistribute(const struct side *s, float *cell, bool near, double found[N_AMOUNTS])
{
    const float q = s->sign * *cell;
    double capacity[N_AMOUNTS] = {0};
    if (!(found[OVER] > 0)) return;
    cell_capacity(s, q, near, capacity);
    const double takes = capacity[NEARLY] * fraction(found[OVER], found[NEARLY]) +
                         capacity[REST] * fraction(fmax(found[OVER] - found[NEARLY], 0), found[REST]);
    const double gives = fraction(found[NEARLY] + found[REST], found[OVER]);
    if (q > s->most) *cell = s->sign * (float)((double)q + gives * ((double)s->most - (double)q));
    else if (takes > 0) *cell = s->sign * (float)((double)q + takes);
}

typedef void cell_fn(const struct side *s, float *cell, bool near, double found[N_AMOUNTS]);

static void block_visit(const struct redistribution *l, const struct bw_block *b, cell_fn *body, double *found)
{
    const struct flux *f = l->flux;
    const struct pass *p = f->pass;
    ptrdiff_t step[3];
    const uint8_t *near = walls_near(p->walls, b, NEAR) ? near_find(l, b, step) : NULL;
    uint32_t m = 0;
    for (uint32_t item = 0; near && item < p->n_items; item++)
        for (int c = 0; c < (int)p->item[item].info->comps; c++, m++) {
            const struct bw_view *v = &b->view[item];
            const struct side s = {l->sign, l->sign > 0 ? f->most[m] : -f->least[m],
                                   l->sign * (float)p->item[item].info->background[c]};
            for (int32_t k = 0; k < b->n[2]; k++)
                for (int32_t j = 0; j < b->n[1]; j++)
                    for (int32_t i = 0; i < b->n[0]; i++)
                        body(&s, bw_f32(v, c) + i + j * v->sy + k * v->sz, near[i + j * step[1] + k * step[2]],
                             found + m * N_AMOUNTS);
        }
}

static void block_find(const struct bw_block *b, void *user) { block_visit(user, b, cell_find, b->sum); }

static void block_redistribute(const struct bw_block *b, void *user)
{
    block_visit(user, b, cell_redistribute, ((struct redistribution *)user)->found);
}

static enum bw_status side_redistribute(struct flux *f, float sign)
{
    const struct pass *p = f->pass;
    struct redistribution l = {.flux = f, .sign = sign};
    struct bw_access row[FLUX_FIELDS];
    struct bw_sweep sweep = {.access = row, .body = block_find, .user = &l, .sums = l.found};
    bool any = false;
    for (; sweep.n_access < p->n_items; sweep.n_access++) {
        row[sweep.n_access] = (struct bw_access){p->item[sweep.n_access].field, BW_READ, 0};
        sweep.n_sums += N_AMOUNTS * p->item[sweep.n_access].info->comps;
    }
    enum bw_status st = p->stage->host->sweep(p->stage, &sweep);
    for (uint32_t m = 0; m < sweep.n_sums; m += N_AMOUNTS) any = any || l.found[m + OVER] > 0;
    if (st != BW_OK || !any) return st;
    for (uint32_t q = 0; q < p->n_items; q++) row[q].mode = BW_UPDATE;
    sweep.body = block_redistribute;
    sweep.sums = NULL;
    sweep.n_sums = 0;
    return p->stage->host->sweep(p->stage, &sweep);
}

enum bw_status flux_redistribute(struct flux *f)
{
    const enum bw_status st = side_redistribute(f, 1);
    return st == BW_OK ? side_redistribute(f, -1) : st;
}
