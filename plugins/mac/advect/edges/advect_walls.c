// SPDX-License-Identifier: Apache-2.0
/* What mac.advect does for scalars near obstacles: nothing is carried through a shut face, and nothing is taken from
 * inside an obstacle.
 *
 * A node whose trace meets a shut face ends there. Where it ends, the interpolation counts only those of the 8 nodes
 * around that gas can reach from the nearest one through open faces, and their weights are made to sum to 1: a constant
 * stays one, a wall thinner than a cell holds, and what is inside an obstacle never counts. Such nodes keep the first
 * half of a scheme in two, so they are first order; all others are as they were.
 *
 * Obstacles move: the field is as they stood when the step began, the result as they stand when it ends. So the trace
 * is tested against the obstacles as they stand now, in their own frame (its way less theirs), and interpolation
 * against those at the start: gas goes with a wall, and none comes through it, while it does not move more than two
 * cells a step with respect to the gas beside it.
 *
 * Cells inside obstacles, less than one deep, take the nearest gas's value, for those who look at the surface; what
 * is deeper moves with the obstacle. */
#include "advect_walls.h"
#include <string.h>

enum { NEAREST = 2 };
#define SHORT_OF 1e-3 ///< cells by which a trace ends before the face that stops it

/// What stands in and round one block, at two times: bytes of walls.h, x fastest.
struct ground {
    const struct bw_block *block;
    const struct pass *pass;
    int32_t pad, n[3];
    ptrdiff_t step[3], zero; ///< of the bytes; of cell (0,0,0)
    uint8_t *now, *old;
    uint8_t *beside; ///< not 0: a cell that is not free may lie beside this one, or a node read from there
    uint8_t *met;    ///< not 0: a trace from this cell may lead beside one
    float limit;     ///< longest trace, cells
};

static ptrdiff_t ground_at(const struct ground *g, const int32_t c[3])
{
    return g->zero + c[0] + c[1] * g->step[1] + c[2] * g->step[2];
}

static bool ground_has(const struct ground *g, const int32_t c[3])
{
    bool in = true;
    for (int a = 0; a < 3; a++) in = in && c[a] >= -g->pad && c[a] < g->block->n[a] + g->pad;
    return in;
}

/// Arrays of a byte a cell that take turns while marks spread.
struct marks {
    uint8_t *is, *next;
    size_t size;
};

/* Marks every cell from which one of the cells -low … high further along an axis is marked. Rows are not told apart:
 * what spreads over a row's end marks a cell too many, which costs a look and changes nothing. */
static void marks_spread(struct marks *m, ptrdiff_t step, int32_t low, int32_t high)
{
    uint8_t *restrict to = m->next;
    const uint8_t *restrict from = m->is;
    memset(to, 0, m->size);
    for (int32_t by = -low; by <= high; by++) {
        const size_t skip = (size_t)((by < 0 ? -by : by) * step), n = skip < m->size ? m->size - skip : 0;
        const size_t read = by > 0 ? skip : 0, write = by < 0 ? skip : 0;
        for (size_t i = 0; i < n; i++) to[write + i] |= from[read + i];
    }
    m->next = m->is;
    m->is = to;
}

/* Cells that a trace leads over, with the nodes that are read around, and faces, which the cell above them owns. */
static int32_t read_around(const struct pass *p) { return 1 + p->scheme->beyond; }

static void marks_make(struct ground *g, uint8_t *const room[3], size_t size)
{
    const struct pass *p = g->pass;
    const struct range3 *ways = &p->hand[g->block->worker].ways;
    const int32_t wide = read_around(p);
    const bool fast = p->hand[g->block->worker].fast;
    struct marks m = {.is = room[0], .next = room[1], .size = size};
    for (size_t i = 0; i < size; i++) m.is[i] = (g->now[i] & g->old[i]) != WALLS_FREE;
    for (int a = 0; a < 3; a++) marks_spread(&m, g->step[a], wide, wide + 1);
    g->beside = m.is;
    memcpy(room[2], m.is, size);
    m.is = room[2];
    for (int a = 0; a < 3; a++) {
        const float down = fast ? -ways->least[a] : g->limit, up = fast ? ways->most[a] : g->limit;
        marks_spread(&m, g->step[a], (int32_t)ceilf(p->second ? fmaxf(down, up) : up),
                     (int32_t)ceilf(p->second ? fmaxf(down, up) : down));
    }
    g->met = m.is;
}

static bool ground_init(struct ground *g, const struct bw_block *b, const struct pass *p)
{
    const struct bw_host *host = b->stage->host;
    int32_t lo[3];
    *g = (struct ground){.block = b, .pass = p, .pad = b->view[0].halo - 1, .step = {1}}; // - 1: the high faces
    const struct range3 *ways = &p->hand[b->worker].ways;
    const bool fast = p->hand[b->worker].fast;
    g->limit = fast ? 0 : (float)fmin(p->limit, g->pad - 2);
    for (int a = 0; a < 3 && fast; a++) g->limit = fmaxf(g->limit, fmaxf(-ways->least[a], ways->most[a]));
    for (int a = 0; a < 3; a++) {
        lo[a] = b->lo[a] - g->pad;
        g->n[a] = b->n[a] + 2 * g->pad;
    }
    g->step[1] = g->n[0];
    g->step[2] = (ptrdiff_t)g->n[0] * g->n[1];
    g->zero = g->pad * (1 + g->step[1] + g->step[2]);
    const size_t size = (size_t)(g->step[2] * g->n[2]);
    uint8_t *const bytes = host->body_scratch(b, 5 * size);
    if (!bytes) return false;
    g->now = bytes;
    g->old = bytes + size;
    walls_fill(p->walls, 0, lo, g->n, g->now);
    walls_fill(p->walls, 1, lo, g->n, g->old);
    marks_make(g, (uint8_t *const[3]){bytes + 2 * size, bytes + 3 * size, bytes + 4 * size}, size);
    return true;
}

/// Can gas go from a cell to the next one along axis a?
static bool lets_pass(const struct ground *g, const uint8_t *cells, const int32_t c[3], const int32_t to[3], int a)
{
    const ptrdiff_t from = ground_at(g, c), at = ground_at(g, to);
    return cells[from > at ? from : at] >> a & 1 && cells[at] & WALLS_FLUID;
}

/* Share of the way d from the middle of cell `at` that is free of shut faces; `hit` gets the cell where it ends. */
static double way_free(const struct ground *g, const int32_t at[3], const double d[3], int32_t hit[3])
{
    double next[3], each[3];
    int32_t c[3] = {at[0], at[1], at[2]};
    for (int a = 0; a < 3; a++) {
        each[a] = d[a] != 0 ? 1 / fabs(d[a]) : HUGE_VAL;
        next[a] = 0.5 * each[a];
    }
    for (;;) {
        const int a = next[0] <= next[1] ? (next[0] <= next[2] ? 0 : 2) : next[1] <= next[2] ? 1 : 2, up = d[a] > 0;
        memcpy(hit, c, sizeof c);
        if (!(next[a] < 1)) return 1;
        int32_t to[3] = {c[0], c[1], c[2]};
        to[a] += up ? 1 : -1;
        if (!ground_has(g, to)) return 1;
        if (!lets_pass(g, g->now, c, to, a)) return fmax(next[a] - SHORT_OF * each[a], 0);
        memcpy(c, to, sizeof c);
        next[a] += each[a];
    }
}

/* Way that obstacles at a cell made over the step, backward in time, in cells. */
static bool wall_way(const struct ground *g, const int32_t c[3], double way[3])
{
    const struct pass *p = g->pass;
    const struct bw_view *v = p->view_solid_vel ? &g->block->view[p->view_solid_vel] : NULL;
    bool moves = false;
    for (int a = 0; a < 3; a++) {
        way[a] = 0;
        if (!v || v->halo < 0 || a == g->block->grid->thin) continue;
        const float *u = bw_f32(v, a) + c[0] + c[1] * v->sy + c[2] * v->sz;
        const double low = (double)u[0], high = (double)u[a == 0 ? 1 : a == 1 ? v->sy : v->sz];
        const double speed = low == 0 ? high : high == 0 ? low : 0.5 * (low + high); // the band may end between them
        way[a] = fmin(fmax(-p->scale * speed, -(double)g->pad), (double)g->pad);
        moves = moves || speed != 0;
    }
    return moves;
}

/// Where a node's value comes from: up to 125 places relative to its own, with weights that sum to 1.
struct source {
    int32_t n;
    int32_t at[(2 * NEAREST + 1) * (2 * NEAREST + 1) * (2 * NEAREST + 1)][3];
    double weight[(2 * NEAREST + 1) * (2 * NEAREST + 1) * (2 * NEAREST + 1)];
};

static void source_add(struct source *s, const int32_t at[3], double weight)
{
    if (weight <= 0) return;
    memcpy(s->at[s->n], at, sizeof s->at[0]);
    s->weight[s->n++] = weight;
}

/// The 8 nodes around a place.
struct cube {
    int32_t lo[3];
    double f[3];
    unsigned reached; ///< bit e: corner e can be reached from the nearest one
};

static void corner_cell(const struct cube *q, int e, int32_t c[3])
{
    for (int a = 0; a < 3; a++) c[a] = q->lo[a] + (e >> a & 1);
}

static double corner_weight(const struct cube *q, int e)
{
    double w = 1;
    for (int a = 0; a < 3; a++) w *= e >> a & 1 ? q->f[a] : 1 - q->f[a];
    return w;
}

static bool cell_is_fluid(const struct ground *g, const uint8_t *cells, const int32_t c[3])
{
    return ground_has(g, c) && cells[ground_at(g, c)] & WALLS_FLUID;
}

/* Floods from the nearest corner through open faces. */
static void cube_flood(const struct ground *g, const uint8_t *cells, struct cube *q)
{
    int start = 0;
    int32_t c[3];
    for (int a = 0; a < 3; a++) start |= (q->f[a] >= 0.5) << a;
    corner_cell(q, start, c);
    q->reached = cell_is_fluid(g, cells, c) ? 1u << start : 0;
    for (int round = 0; round < 7 && q->reached; round++) {
        const unsigned before = q->reached;
        for (int e = 0; e < 8; e++)
            for (int a = 0; a < 3; a++) {
                const int other = e ^ 1 << a;
                if (!(before >> e & 1) || q->reached >> other & 1 || a == g->block->grid->thin) continue;
                int32_t to[3];
                corner_cell(q, e, c);
                corner_cell(q, other, to);
                if (ground_has(g, to) && lets_pass(g, cells, c, to, a)) q->reached |= 1u << other;
            }
        if (q->reached == before) break;
    }
}

static struct cube cube_at(const double x[3])
{
    struct cube q = {.reached = 0};
    for (int a = 0; a < 3; a++) {
        q.lo[a] = (int32_t)floor(x[a]);
        q.f[a] = x[a] - q.lo[a];
    }
    return q;
}

/* Can all corners that count be reached? */
static bool cube_is_whole(const struct ground *g, const uint8_t *cells, struct cube *q)
{
    cube_flood(g, cells, q);
    for (int e = 0; e < 8; e++)
        if (!(q->reached >> e & 1) && corner_weight(q, e) > 0) return false;
    return true;
}

static void source_scale(struct source *s)
{
    double sum = 0;
    for (int32_t m = 0; m < s->n; m++) sum += s->weight[m];
    for (int32_t m = 0; m < s->n; m++) s->weight[m] /= sum;
}

/* Gas nearest to a place inside an obstacle; no farther, for there may be another side. */
static void source_search(const struct ground *g, const double x[3], struct source *s)
{
    int32_t c[3], mid[3];
    double least = HUGE_VAL;
    for (int a = 0; a < 3; a++) mid[a] = (int32_t)floor(x[a] + 0.5);
    for (c[2] = mid[2] - NEAREST; c[2] <= mid[2] + NEAREST; c[2]++)
        for (c[1] = mid[1] - NEAREST; c[1] <= mid[1] + NEAREST; c[1]++)
            for (c[0] = mid[0] - NEAREST; c[0] <= mid[0] + NEAREST; c[0]++) {
                double square = 0;
                for (int a = 0; a < 3; a++) square += (c[a] - x[a]) * (c[a] - x[a]);
                if (square > least + 0.25 || !cell_is_fluid(g, g->old, c)) continue;
                if (square < least - 0.25) s->n = 0;
                least = fmin(least, square);
                source_add(s, c, 1);
            }
}

static void source_cube(const struct cube *q, struct source *s)
{
    int32_t c[3];
    for (int e = 0; e < 8; e++)
        if (q->reached >> e & 1) {
            corner_cell(q, e, c);
            source_add(s, c, corner_weight(q, e));
        }
}

/* Where a node's own way ends in an obstacle: what its neighbours would take, those that gas can go to from it. */
static void source_beside(const struct ground *g, const int32_t at[3], const double x[3], struct source *s)
{
    for (int side = 0; side < 6; side++) {
        const int a = side >> 1, by = side & 1 ? 1 : -1;
        int32_t to[3] = {at[0], at[1], at[2]};
        double y[3] = {x[0], x[1], x[2]};
        to[a] += by;
        y[a] += by;
        if (a == g->block->grid->thin || !ground_has(g, to) || !lets_pass(g, g->now, at, to, a)) continue;
        struct cube q = cube_at(y);
        cube_flood(g, g->old, &q);
        source_cube(&q, s);
    }
}

/* What a node takes instead of what its trace alone would say. False: that is right as it is. */
static bool node_source(const struct ground *g, const int32_t at[3], const double d[3], struct source *s)
{
    double wall[3], rest[3], x[3], share = 1;
    int32_t hit[3];
    const uint8_t here = g->now[ground_at(g, at)];
    const bool inside = !(here & WALLS_FLUID);
    s->n = 0;
    bool moves = wall_way(g, at, wall);
    if (inside && !(here & WALLS_SURFACE)) {
        for (int a = 0; a < 3; a++) hit[a] = at[a] + (int32_t)floor(wall[a] + 0.5);
        source_add(s, ground_has(g, hit) ? hit : at, 1);
        return true;
    }
    for (int tries = 0; !inside && tries < 2; tries++) {
        for (int a = 0; a < 3; a++) rest[a] = d[a] - wall[a];
        share = way_free(g, at, rest, hit);
        if (share == 1 || moves || !wall_way(g, hit, wall)) break;
        moves = true; // once more, in the frame of the wall that was met
    }
    for (int a = 0; a < 3; a++) x[a] = at[a] + (inside ? wall[a] : share < 1 ? share * rest[a] + wall[a] : d[a]);
    struct cube q = cube_at(x);
    const bool whole = cube_is_whole(g, g->old, &q);
    if (whole && share == 1 && !inside) return false;
    source_cube(&q, s);
    if (!s->n && !inside) source_beside(g, at, x, s);
    if (!s->n) source_search(g, x, s);
    if (!s->n) source_add(s, at, 1);
    source_scale(s);
    return true;
}

/* Does the trace ahead, which the correction needs, stay clear of obstacles? */
static bool ahead_is_clear(const struct ground *g, const int32_t at[3], const double d[3])
{
    const double x[3] = {at[0] + d[0], at[1] + d[1], at[2] + d[2]};
    int32_t hit[3];
    struct cube q = cube_at(x);
    return way_free(g, at, d, hit) == 1 && cube_is_whole(g, g->now, &q);
}

static ptrdiff_t view_at(const struct bw_view *v, const int32_t c[3]) { return c[0] + c[1] * v->sy + c[2] * v->sz; }

static void node_take(const struct ground *g, const struct item *it, const int32_t at[3], const struct source *s)
{
    const struct bw_view *old = &g->block->view[it->view], *out = &g->block->view[it->view_out];
    for (int c = 0; c < old->comps; c++) {
        double sum = 0;
        for (int32_t m = 0; m < s->n; m++) sum += s->weight[m] * bw_get(old, c, view_at(old, s->at[m]));
        bw_put(out, c, view_at(out, at), sum);
    }
}

static void node_keep(const struct ground *g, const struct item *it, const int32_t at[3])
{
    const struct bw_view *hat = &g->block->view[it->view_hat], *out = &g->block->view[it->view_out];
    for (int c = 0; c < hat->comps; c++) bw_put(out, c, view_at(out, at), bw_get(hat, c, view_at(hat, at)));
}

static bool item_counts(const struct item *it) { return it->info->kind == BW_SCALAR || it->info->kind == BW_VECTOR; }

/// Displacements of one row.
struct way {
    float *d[2][3];
};

static void row_trace(const struct ground *g, int dir, int32_t j, int32_t k, const struct way *w)
{
    const struct pass *p = g->pass;
    const struct bw_view *v = &g->block->view[0];
    struct advect_trace row = {.sy = (int32_t)v->sy, .sz = (int32_t)v->sz, .n = g->block->n[0], .rule = advect_rule(p)};
    for (int a = 0; a < 3; a++) {
        row.scale[a] = a == g->block->grid->thin ? 0 : (float)(dir == BACK ? -p->scale : p->scale);
        row.u[a] = bw_f32(v, a) + j * v->sy + k * v->sz;
        row.d[a] = w->d[dir][a];
        row.least[a] = -g->limit;
        row.most[a] = g->limit;
    }
    p->kernels->trace(&row);
}

/* Is anything marked between a node and where it leads? */
static bool way_is_odd(const struct ground *g, const int32_t at[3], const double d[3])
{
    int32_t lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
        const int32_t to = at[a] + (int32_t)d[a];
        lo[a] = (d[a] < 0 ? to - 1 : at[a]) + g->pad;
        hi[a] = (d[a] > 0 ? to + 1 : at[a]) + g->pad;
        if (lo[a] < 0) lo[a] = 0;
        if (hi[a] >= g->n[a]) hi[a] = g->n[a] - 1;
    }
    unsigned any = 0;
    for (int32_t k = lo[2]; k <= hi[2]; k++)
        for (int32_t j = lo[1]; j <= hi[1]; j++)
            for (int32_t i = lo[0]; i <= hi[0]; i++) any |= g->beside[i + j * g->step[1] + k * g->step[2]];
    return any;
}

static void node_mend(const struct ground *g, const int32_t at[3], const double back[3], const double ahead[3])
{
    const struct pass *p = g->pass;
    struct source s;
    const bool mend = way_is_odd(g, at, back) && node_source(g, at, back, &s);
    const bool keep = p->second && (mend || (way_is_odd(g, at, ahead) && !ahead_is_clear(g, at, ahead)));
    for (uint32_t q = 0; q < p->n_items; q++) {
        if (!item_counts(&p->item[q])) continue;
        if (keep) node_keep(g, &p->item[q], at);
        else if (mend) node_take(g, &p->item[q], at, &s);
    }
}

static void row_mend(const struct ground *g, int32_t j, int32_t k, const struct way *w)
{
    const struct pass *p = g->pass;
    const uint8_t *met = g->met + ground_at(g, (const int32_t[3]){0, j, k});
    if (!memchr(met, 1, (size_t)g->block->n[0])) return;
    for (int dir = BACK; dir <= (p->second ? AHEAD : BACK); dir++) row_trace(g, dir, j, k, w);
    for (int32_t i = 0; i < g->block->n[0]; i++) {
        double d[2][3] = {{0}};
        if (!met[i]) continue;
        for (int dir = BACK; dir <= (p->second ? AHEAD : BACK); dir++)
            for (int a = 0; a < 3; a++) d[dir][a] = (double)w->d[dir][a][i];
        node_mend(g, (const int32_t[3]){i, j, k}, d[BACK], d[AHEAD]);
    }
}

void advect_walls_mend(const struct bw_block *b, const struct pass *p)
{
    struct ground g;
    struct way w;
    bool any = false;
    for (uint32_t q = 0; q < p->n_items; q++) any = any || item_counts(&p->item[q]);
    if (!p->walls || !any || !p->hand[b->worker].near) return;
    float *d = b->stage->host->body_scratch(b, 6 * (size_t)(b->n[0] + 16) * sizeof *d);
    if (!d || !ground_init(&g, b, p)) return; // the host sees that scratch memory ran out
    for (int m = 0; m < 6; m++) w.d[m / 3][m % 3] = d + m * (b->n[0] + 16);
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++) row_mend(&g, j, k, &w);
}

int32_t advect_walls_halo(const struct pass *p, int32_t halo)
{
    const double reach = ceil(p->scale * p->walls->speed) + NEAREST + 2;
    return reach <= halo ? halo : reach < WALLS_HALO ? (int32_t)reach : WALLS_HALO;
}

/* The widest halo that a block's rows want for their obstacles; 0: none is near. */
static int32_t near_find(const struct bw_block *b, const struct pass *p, const int32_t reach[6])
{
    int32_t wide[6], most = 0;
    if (!p->walls) return 0;
    for (int s = 0; s < 6; s++) {
        wide[s] = advect_walls_halo(p, reach[s]);
        most = wide[s] > most ? wide[s] : most;
    }
    return walls_touch(p->walls, b, wide) ? most : 0;
}

/* Which way the block goes. Near obstacles long traces go the plain one, and all rows count. */
static void block_judge(const struct bw_block *b, const struct pass *p)
{
    static const int32_t plain[6] = {PLAIN_HALO, PLAIN_HALO, PLAIN_HALO, PLAIN_HALO, PLAIN_HALO, PLAIN_HALO};
    int32_t *near = &p->hand[b->worker].near, reach[6];
    bool *fast = &p->hand[b->worker].fast;
    *fast = (advect_block_fits(b, p) || p->fast) && !p->plain;
    if (*fast) advect_block_reach(b, p, 0, reach);
    *near = near_find(b, p, *fast ? reach : plain);
    if (*fast && *near > WALLS_HALO) *fast = false;
    if (!*fast) *near = near_find(b, p, plain);
    idle_init(&p->hand[b->worker].idle, p, b, *fast && !*near);
}

/* Blocks that no trace leads from to an obstacle, nor to where one was, go on as if there were none. */
int advect_walls_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct pass *p = user;
    if (row == 0) block_judge(b, p);
    const int32_t near = p->hand[b->worker].near;
    const bool fast = p->hand[b->worker].fast;
    const struct idle *idle = &p->hand[b->worker].idle;
    if (idle->all) return 0;
    if (idle->by_brick) return idle_reach(idle, p, row, reach);
    if (p->view_solid_vel && row == p->view_solid_vel && !near) return 0;
    if (fast) advect_block_reach(b, p, row, reach);
    for (int s = 0; s < 6; s++) {
        const int32_t most = fast ? BW_HALO_MOST : PLAIN_HALO;
        if (near) reach[s] = near;
        if (reach[s] > most) reach[s] = most;
    }
    return 1;
}
