// SPDX-License-Identifier: Apache-2.0
/* Expels amounts from cells that moving obstacles cover. Sweeps blur the interface between gas and obstacle by a cell
 * or two, and the flow had the obstacle's velocity at the start of the step. After a step the amounts in covered cells
 * (donors) are moved to gas cells within reach (takers), in proportion to what these have, as far as the values around
 * a taker allow; what no taker accepts is moved in the same proportions, so that the sum is conserved. Values can leave
 * their bounds only beside obstacles that change their speed.
 *
 * What a taker accepts depends on all its donors, and what a donor gives on all its takers: each block computes it from
 * the donors around it, in the order of coordinates. */
#include "flux.h"
#include <float.h>
#include <string.h>

/* Cells around a block: donors of its own cells; donors of the takers of these; gas that counts. */
enum { NEAREST = 2, GIVERS = NEAREST, DONORS = 3 * NEAREST, SEEN = 4 * NEAREST };

static const float NOT_KNOWN = -1;

/// Where a donor's amount goes.
struct donor {
    int32_t at[3];
    ptrdiff_t place;
    float amount, rejected; ///< over the background; the fraction that was not accepted
    int32_t n;              ///< gas within reach
    uint8_t taker[124];     ///< offsets
    float part[124];        ///< of the amount
};

/// Cells up to NEAREST away.
struct offset {
    int32_t by[3], square;
    ptrdiff_t place;
};

/// A block and SEEN cells around it, x fastest.
struct region {
    const struct bw_block *block;
    ptrdiff_t step[3], zero;
    int32_t pad[3]; ///< 0 along the thin axis, else 1
    size_t size;
    const uint8_t *cells;     ///< as walls.h says
    const ptrdiff_t *covered; ///< covered cells that can be donors, in the order of coordinates
    int32_t n_covered;
    float *offered, *accepted; ///< to gas cells; the fraction accepted, NOT_KNOWN: not computed yet
    struct offset offset[124];
    int32_t n_offsets;
};

/// One component.
struct values {
    const float *q;
    ptrdiff_t step[3];
    float background;
};

static ptrdiff_t region_at(const struct region *g, const int32_t c[3])
{
    return g->zero + c[0] + c[1] * g->step[1] + c[2] * g->step[2];
}

static bool is_gas(const struct region *g, ptrdiff_t at) { return g->cells[at] & WALLS_FLUID; }

static float amount_at(const struct values *v, const int32_t c[3])
{
    return v->q[c[0] + c[1] * v->step[1] + c[2] * v->step[2]] - v->background;
}

/* Is a cell within `pad` cells of the block? */
static bool is_within(const struct region *g, const int32_t c[3], int32_t pad)
{
    bool in = true;
    for (int a = 0; a < 3; a++) in = in && c[a] >= -pad && c[a] < g->block->n[a] + pad;
    return in;
}

/* Lists a donor's takers, with parts in proportion to what they have: the amount came from that side. */
static bool donor_find_takers(const struct region *g, const struct values *v, struct donor *d)
{
    float sum = 0;
    for (int32_t m = 0; m < g->n_offsets; m++) {
        const struct offset *q = &g->offset[m];
        if (!is_gas(g, d->place + q->place)) continue;
        const float own =
            amount_at(v, (const int32_t[3]){d->at[0] + q->by[0], d->at[1] + q->by[1], d->at[2] + q->by[2]});
        d->taker[d->n] = (uint8_t)m;
        d->part[d->n++] = fabsf(own);
        sum += fabsf(own);
    }
    for (int32_t m = 0; m < d->n; m++) d->part[m] = sum > FLT_MIN ? d->part[m] / sum : 1 / (float)d->n;
    return d->n > 0;
}

static void cell_of(const struct region *g, ptrdiff_t at, int32_t c[3])
{
    at -= g->zero - SEEN * (g->pad[0] + g->pad[1] * g->step[1] + g->pad[2] * g->step[2]);
    c[2] = (int32_t)(at / g->step[2]) - SEEN * g->pad[2];
    c[1] = (int32_t)(at % g->step[2] / g->step[1]) - SEEN * g->pad[1];
    c[0] = (int32_t)(at % g->step[1]) - SEEN * g->pad[0];
}

static int32_t donors_find(const struct region *g, const struct values *v, struct donor *donor)
{
    int32_t count = 0, c[3];
    for (int32_t q = 0; q < g->n_covered; q++) {
        cell_of(g, g->covered[q], c);
        if (amount_at(v, c) == 0) continue;
        struct donor *d = &donor[count];
        memcpy(d->at, c, sizeof c);
        d->place = g->covered[q];
        d->amount = amount_at(v, c);
        d->n = 0;
        count += donor_find_takers(g, v, d);
    }
    return count;
}

/* Fraction of the offer that a gas cell accepts, by the values around it. */
static float accepted_fraction(const struct region *g, const struct values *v, const int32_t c[3], float offered)
{
    const ptrdiff_t at = region_at(g, c);
    const float own = amount_at(v, c);
    float least = own, most = own;
    for (int32_t m = 0; m < g->n_offsets; m++) {
        const struct offset *q = &g->offset[m];
        if (q->square > 3 || !is_gas(g, at + q->place)) continue;
        const float other = amount_at(v, (const int32_t[3]){c[0] + q->by[0], c[1] + q->by[1], c[2] + q->by[2]});
        least = other < least ? other : least;
        most = other > most ? other : most;
    }
    const float capacity = offered > 0 ? most - own : least - own;
    return offered == 0 ? 0 : capacity < offered || offered < 0 ? fminf(capacity / offered, 1) : 1;
}

static void taker_at(const struct region *g, const struct donor *d, int32_t m, int32_t c[3])
{
    for (int a = 0; a < 3; a++) c[a] = d->at[a] + g->offset[d->taker[m]].by[a];
}

static void accepted_find(const struct region *g, const struct values *v, struct donor *donor, int32_t count)
{
    int32_t c[3];
    for (size_t i = 0; i < g->size; i++) g->offered[i] = 0, g->accepted[i] = NOT_KNOWN;
    for (int32_t q = 0; q < count; q++)
        for (int32_t m = 0; m < donor[q].n; m++)
            g->offered[donor[q].place + g->offset[donor[q].taker[m]].place] += donor[q].amount * donor[q].part[m];
    for (int32_t q = 0; q < count; q++) {
        struct donor *d = &donor[q];
        d->rejected = 1;
        for (int32_t m = 0; m < d->n && is_within(g, d->at, GIVERS); m++) {
            const ptrdiff_t at = d->place + g->offset[d->taker[m]].place;
            taker_at(g, d, m, c);
            if (g->accepted[at] == NOT_KNOWN) g->accepted[at] = accepted_fraction(g, v, c, g->offered[at]);
            d->rejected -= g->accepted[at] * d->part[m];
        }
        d->rejected = fmaxf(d->rejected, 0); // rounding
    }
}

/* Applies the transfers to the block's own cells. */
static void donors_give(const struct region *g, const struct donor *donor, int32_t count, const struct values *v,
                        float *to, const ptrdiff_t step[3])
{
    int32_t c[3];
    for (int32_t q = 0; q < count; q++) {
        const struct donor *d = &donor[q];
        if (is_within(g, d->at, 0)) to[d->at[0] + d->at[1] * step[1] + d->at[2] * step[2]] = v->background;
        for (int32_t m = 0; m < d->n && is_within(g, d->at, GIVERS); m++) {
            const float fraction = g->accepted[d->place + g->offset[d->taker[m]].place] + d->rejected;
            taker_at(g, d, m, c);
            if (is_within(g, c, 0)) to[c[0] + c[1] * step[1] + c[2] * step[2]] += fraction * d->part[m] * d->amount;
        }
    }
}

static void offsets_fill(struct region *g)
{
    for (int32_t q = 0; q < 125; q++) {
        const int32_t x = q % 5 - 2, y = q / 5 % 5 - 2, z = q / 25 - 2, by[3] = {x, y, z};
        bool flat = q != 62; // itself
        for (int a = 0; a < 3; a++) flat = flat && (g->pad[a] || by[a] == 0);
        if (flat)
            g->offset[g->n_offsets++] =
                (struct offset){{x, y, z}, x * x + y * y + z * z, x + y * g->step[1] + z * g->step[2]};
    }
}

static bool region_make(const struct bw_block *b, const struct pass *p, struct region *g)
{
    int32_t n[3], lo[3];
    g->size = 1;
    for (int a = 0; a < 3; a++) {
        g->pad[a] = a != b->grid->thin;
        n[a] = b->n[a] + 2 * SEEN * g->pad[a];
        lo[a] = b->lo[a] - SEEN * g->pad[a];
        g->step[a] = (ptrdiff_t)g->size;
        g->zero += SEEN * g->pad[a] * g->step[a];
        g->size *= (size_t)n[a];
    }
    uint8_t *cells = b->stage->host->body_scratch(b, g->size);
    g->offered = b->stage->host->body_scratch(b, g->size * sizeof *g->offered);
    g->accepted = b->stage->host->body_scratch(b, g->size * sizeof *g->accepted);
    if (!cells || !g->offered || !g->accepted) return false;
    walls_fill(p->walls, 0, lo, n, cells);
    g->cells = cells;
    offsets_fill(g);
    return true;
}

/* Memory for the donors of a component, and the cells that can be one. */
static struct donor *donors_begin(struct region *g)
{
    const struct bw_block *b = g->block;
    int32_t n = 0, pad[3], c[3];
    for (size_t i = 0; i < g->size; i++) n += !(g->cells[i] & WALLS_FLUID);
    ptrdiff_t *covered = b->stage->host->body_scratch(b, (size_t)(n + 1) * sizeof *covered);
    if (!covered) return NULL;
    for (int a = 0; a < 3; a++) pad[a] = DONORS * g->pad[a];
    for (c[2] = -pad[2]; c[2] < b->n[2] + pad[2]; c[2]++)
        for (c[1] = -pad[1]; c[1] < b->n[1] + pad[1]; c[1]++)
            for (c[0] = -pad[0]; c[0] < b->n[0] + pad[0]; c[0]++)
                if (!is_gas(g, region_at(g, c))) covered[g->n_covered++] = region_at(g, c);
    g->covered = covered;
    return b->stage->host->body_scratch(b, (size_t)(g->n_covered + 1) * sizeof(struct donor));
}

static void block_expel(const struct bw_block *b, void *user)
{
    const struct pass *p = ((const struct flux *)user)->pass;
    struct region g = {.block = b};
    struct donor *donor = NULL;
    if (walls_near(p->walls, b, SEEN) && (!region_make(b, p, &g) || !(donor = donors_begin(&g))))
        return; // the host sees that scratch memory ran out
    for (uint32_t q = 0; q < p->n_items; q++)
        for (int c = 0; c < (int)p->item[q].info->comps; c++) {
            const struct bw_view *from = &b->view[p->item[q].view], *to = &b->view[p->item[q].view_out];
            const struct values v = {bw_f32(from, c), {1, from->sy, from->sz}, (float)p->item[q].info->background[c]};
            for (int32_t k = 0; k < b->n[2]; k++)
                for (int32_t j = 0; j < b->n[1]; j++)
                    memcpy(bw_f32(to, c) + j * to->sy + k * to->sz, v.q + j * from->sy + k * from->sz,
                           (size_t)b->n[0] * sizeof(float));
            const int32_t count = g.n_covered ? donors_find(&g, &v, donor) : 0;
            if (!count) continue;
            accepted_find(&g, &v, donor, count);
            donors_give(&g, donor, count, &v, bw_f32(to, c), (const ptrdiff_t[3]){1, to->sy, to->sz});
        }
}

static int block_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)row;
    if (!walls_near(((const struct flux *)user)->pass->walls, b, SEEN)) memset(reach, 0, 6 * sizeof *reach);
    return 1;
}

enum bw_status flux_expel(struct flux *f)
{
    struct pass *p = f->pass;
    struct bw_access row[2 * FLUX_FIELDS];
    uint32_t n = 0;
    for (uint32_t q = 0; q < p->n_items; q++) {
        row[p->item[q].view = n++] = (struct bw_access){p->item[q].field, BW_READ_LAST, SEEN};
        row[p->item[q].view_out = n++] = (struct bw_access){p->item[q].field, BW_WRITE, 0};
    }
    return p->stage->host->sweep(
        p->stage,
        &(struct bw_sweep){.access = row, .n_access = n, .body = block_expel, .reach = block_reach, .user = f});
}

static void block_clear(const struct bw_block *b, void *user)
{
    const struct pass *p = ((const struct flux *)user)->pass;
    const size_t size = (size_t)b->n[0] * (size_t)b->n[1] * (size_t)b->n[2];
    uint8_t *cells = NULL;
    if (!walls_near(p->walls, b, 0)) return;
    if (!(cells = b->stage->host->body_scratch(b, size))) return; // the host sees that scratch memory ran out
    walls_fill(p->walls, 1, b->lo, b->n, cells);
    for (uint32_t q = 0; q < p->n_items; q++)
        for (int c = 0; c < (int)p->item[q].info->comps; c++) {
            const struct bw_view *v = &b->view[q];
            const uint8_t *at = cells;
            for (int32_t k = 0; k < b->n[2]; k++)
                for (int32_t j = 0; j < b->n[1]; j++)
                    for (int32_t i = 0; i < b->n[0]; i++)
                        if (!(*at++ & WALLS_FLUID))
                            bw_f32(v, c)[i + j * v->sy + k * v->sz] = (float)p->item[q].info->background[c];
        }
}

enum bw_status flux_clear(struct flux *f)
{
    const struct pass *p = f->pass;
    struct bw_access row[FLUX_FIELDS];
    for (uint32_t q = 0; q < p->n_items; q++) row[q] = (struct bw_access){p->item[q].field, BW_UPDATE, 0};
    return p->stage->host->sweep(
        p->stage, &(struct bw_sweep){.access = row, .n_access = p->n_items, .body = block_clear, .user = f});
}
