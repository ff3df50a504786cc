// SPDX-License-Identifier: Apache-2.0
/* What lies beyond the field's bounds beside obstacles that change their speed. The flow that carried it was made for
 * the speed that they had: where one brakes it takes too much gas from behind itself and gets too much ahead, and where
 * smoke or dye is as thick as any there is no room for that nearby. The one is as much as the other, so what is over
 * goes to the gas next to obstacles that lacks it: to cells that are nearly full at first, and hardly to those with a
 * trace, which may lie behind a thin wall. What finds no room anywhere stays. */
#include "flux.h"

enum { NEXT = 4 }; ///< cells from an obstacle

/// Of one component, in cells: beyond its bound; what gas that is nearly full could hold more, and what the rest could.
enum { OVER, NEARLY, ROOM, N_LEVELS };

struct level {
    const struct flux *flux;
    float sign; ///< 1: beyond the upper bounds; -1: beyond the lower ones
    double found[FLUX_FIELDS * N_LEVELS];
};

/// One component, as `sign` turns it.
struct side {
    float sign, most, background;
};

/* Gas within NEXT cells of an obstacle: the byte of cell (0,0,0) of the block, and the steps. */
static const uint8_t *next_find(const struct level *l, const struct bw_block *b, ptrdiff_t step[3])
{
    struct region_marks m;
    if (!flux_marks_begin(b, NEXT, &m)) return NULL;
    walls_fill(l->flux->pass->walls, 0, m.lo, m.n, m.cells);
    for (ptrdiff_t i = 0; i < m.size; i++) m.is[i] = !(m.cells[i] & WALLS_FLUID);
    flux_marks_spread(&m);
    for (ptrdiff_t i = 0; i < m.size; i++) m.is[i] &= m.cells[i] / WALLS_FLUID & 1;
    for (int a = 0; a < 3; a++) step[a] = m.step[a];
    return m.is + m.zero;
}

static void cell_room(const struct side *s, float q, bool next, double room[N_LEVELS])
{
    if (!next || q <= s->background || q >= s->most) return;
    const double full = ((double)q - (double)s->background) / ((double)s->most - (double)s->background);
    const double nearly = full * full * full * full, more = (double)s->most - (double)q;
    room[NEARLY] += nearly * more;
    room[ROOM] += (fmin(4 * full * full, 1) - nearly) * more;
}

static void cell_find(const struct side *s, float *cell, bool next, double found[N_LEVELS])
{
    const float q = s->sign * *cell;
    if (q > s->most) found[OVER] += (double)q - (double)s->most;
    cell_room(s, q, next, found);
}

static double share(double wanted, double room) { return room > 0 ? fmin(wanted / room, 1) : 0; }

static void cell_level(const struct side *s, float *cell, bool next, double found[N_LEVELS])
{
    const float q = s->sign * *cell;
    double room[N_LEVELS] = {0};
    if (!(found[OVER] > 0)) return;
    cell_room(s, q, next, room);
    const double takes = room[NEARLY] * share(found[OVER], found[NEARLY]) +
                         room[ROOM] * share(fmax(found[OVER] - found[NEARLY], 0), found[ROOM]);
    const double gives = share(found[NEARLY] + found[ROOM], found[OVER]);
    if (q > s->most) *cell = s->sign * (float)((double)q + gives * ((double)s->most - (double)q));
    else if (takes > 0) *cell = s->sign * (float)((double)q + takes);
}

static bool block_is_near(const struct level *l, const struct bw_block *b)
{
    return walls_touch(l->flux->pass->walls, b, (const int32_t[6]){NEXT, NEXT, NEXT, NEXT, NEXT, NEXT});
}

typedef void cell_fn(const struct side *s, float *cell, bool next, double found[N_LEVELS]);

static void block_walk(const struct level *l, const struct bw_block *b, cell_fn *body, double *found)
{
    const struct flux *f = l->flux;
    const struct pass *p = f->pass;
    ptrdiff_t step[3];
    const uint8_t *next = block_is_near(l, b) ? next_find(l, b, step) : NULL;
    uint32_t m = 0;
    for (uint32_t item = 0; next && item < p->n_items; item++)
        for (int c = 0; c < (int)p->item[item].info->comps; c++, m++) {
            const struct bw_view *v = &b->view[item];
            const struct side s = {l->sign, l->sign > 0 ? f->most[m] : -f->least[m],
                                   l->sign * (float)p->item[item].info->background[c]};
            for (int32_t k = 0; k < b->n[2]; k++)
                for (int32_t j = 0; j < b->n[1]; j++)
                    for (int32_t i = 0; i < b->n[0]; i++)
                        body(&s, bw_f32(v, c) + i + j * v->sy + k * v->sz, next[i + j * step[1] + k * step[2]],
                             found + m * N_LEVELS);
        }
}

static void block_find(const struct bw_block *b, void *user) { block_walk(user, b, cell_find, b->sum); }

static void block_level(const struct bw_block *b, void *user)
{
    block_walk(user, b, cell_level, ((struct level *)user)->found);
}

static enum bw_status side_level(struct flux *f, float sign)
{
    const struct pass *p = f->pass;
    struct level l = {.flux = f, .sign = sign};
    struct bw_access row[FLUX_FIELDS];
    struct bw_sweep sweep = {.access = row, .body = block_find, .user = &l, .sums = l.found};
    bool any = false;
    for (; sweep.n_access < p->n_items; sweep.n_access++) {
        row[sweep.n_access] = (struct bw_access){p->item[sweep.n_access].field, BW_READ, 0};
        sweep.n_sums += N_LEVELS * p->item[sweep.n_access].info->comps;
    }
    enum bw_status st = p->stage->host->sweep(p->stage, &sweep);
    for (uint32_t m = 0; m < sweep.n_sums; m += N_LEVELS) any = any || l.found[m + OVER] > 0;
    if (st != BW_OK || !any) return st;
    for (uint32_t q = 0; q < p->n_items; q++) row[q].mode = BW_UPDATE;
    sweep.body = block_level;
    sweep.sums = NULL;
    sweep.n_sums = 0;
    return p->stage->host->sweep(p->stage, &sweep);
}

enum bw_status flux_level(struct flux *f)
{
    const enum bw_status st = side_level(f, 1);
    return st == BW_OK ? side_level(f, -1) : st;
}
