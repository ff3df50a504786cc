// SPDX-License-Identifier: Apache-2.0
/* Semi-Lagrangian advection of scalars near obstacles, with one-sided interpolation (cf. Guendelman et al. 2005):
 * nothing is advected through a shut face, and nothing is read from inside an obstacle.
 *
 * A trajectory that meets a shut face is clipped there. At its end the interpolation uses only those of the 8 nodes
 * around that are connected to the nearest one through open faces; their weights are normalised to sum to 1. So a
 * constant stays one, walls thinner than a cell are tight, and values inside obstacles never count. Such nodes keep the
 * first sweep's result, so they are first order; all others are unchanged.
 *
 * Moving obstacles: the field is that at the start of the step, the result that at its end. So the trajectory is tested
 * against the obstacles' present position in their own frame (its displacement less theirs), and interpolation uses
 * their position at the start: gas moves with a wall, and none crosses it, as long as it moves no more than two cells a
 * step relative to the gas beside it.
 *
 * Cells less than one cell deep inside obstacles take the nearest gas's value, for interpolation at the surface; deeper
 * values move with the obstacle. */
#include "obstacles.h"
#include <string.h>

enum { NEAREST = 2 };
#define SHORT_OF 1e-3 ///< cells by which a clipped trajectory ends before the face

/// Obstacles in and around one block, at the end of the step and at its start: bytes of walls.h, x fastest.
struct solid_map {
    const struct bw_block *block;
    const struct pass *pass;
    int32_t pad, n[3];
    ptrdiff_t step[3], zero; ///< of the bytes; of cell (0,0,0)
    uint8_t *now, *old;
    uint8_t *beside; ///< not 0: a solid cell may be beside this one or in its stencil
    uint8_t *met;    ///< not 0: a trajectory from this cell may pass such a cell
    float limit;     ///< longest trace, cells
};

static ptrdiff_t solid_map_at(const struct solid_map *g, const int32_t c[3])
{
    return g->zero + c[0] + c[1] * g->step[1] + c[2] * g->step[2];
}

static bool solid_map_has(const struct solid_map *g, const int32_t c[3])
{
    bool in = true;
    for (int a = 0; a < 3; a++) in = in && c[a] >= -g->pad && c[a] < g->block->n[a] + g->pad;
    return in;
}

/// Two arrays of a byte a cell, swapped while marks are dilated.
struct marks {
    uint8_t *is, *next;
    size_t size;
};

/* Marks that wrap around ends of rows cost a test and change nothing. */
static void marks_spread(struct marks *m, ptrdiff_t step, int32_t low, int32_t high)
{
    uint8_t *const to = m->next;
    marks_dilate(to, m->is, m->size, step, low, high);
    m->next = m->is;
    m->is = to;
}

/* Cells around a trajectory that are read, and faces, which the cell above them owns. */
static int32_t read_around(const struct pass *p) { return 1 + p->scheme->beyond; }

static void marks_make(struct solid_map *g, uint8_t *const memory[3], size_t size)
{
    const struct pass *p = g->pass;
    const struct range3 *displacement = &p->worker_block[g->block->worker].displacement;
    const int32_t wide = read_around(p);
    const bool by_rows = p->worker_block[g->block->worker].by_rows;
    struct marks m = {.is = memory[0], .next = memory[1], .size = size};
    for (size_t i = 0; i < size; i++) m.is[i] = (g->now[i] & g->old[i]) != WALLS_FREE;
    for (int a = 0; a < 3; a++) marks_spread(&m, g->step[a], wide, wide + 1);
    g->beside = m.is;
    memcpy(memory[2], m.is, size);
    m.is = memory[2];
    for (int a = 0; a < 3; a++) {
        const float down = by_rows ? -displacement->least[a] : g->limit,
                    up = by_rows ? displacement->most[a] : g->limit;
        marks_spread(&m, g->step[a], (int32_t)ceilf(p->second ? fmaxf(down, up) : up),
                     (int32_t)ceilf(p->second ? fmaxf(down, up) : down));
    }
    g->met = m.is;
}

static bool solid_map_init(struct solid_map *g, const struct bw_block *b, const struct pass *p)
{
    const struct bw_host *host = b->stage->host;
    int32_t lo[3];
    *g = (struct solid_map){.block = b, .pass = p, .pad = b->view[0].halo - 1, .step = {1}}; // - 1: the high faces
    const struct range3 *displacement = &p->worker_block[b->worker].displacement;
    const bool by_rows = p->worker_block[b->worker].by_rows;
    g->limit = by_rows ? 0 : (float)fmin(p->limit, g->pad - 2);
    for (int a = 0; a < 3 && by_rows; a++)
        g->limit = fmaxf(g->limit, fmaxf(-displacement->least[a], displacement->most[a]));
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

/// Is the face between a cell and the next one along axis a open, and the next one fluid?
static bool face_is_open(const struct solid_map *g, const uint8_t *cells, const int32_t c[3], const int32_t to[3],
                         int a)
{
    const ptrdiff_t from = solid_map_at(g, c), at = solid_map_at(g, to);
    return cells[from > at ? from : at] >> a & 1 && cells[at] & WALLS_FLUID;
}

/* Grid traversal along the displacement d from the middle of cell `at`: the fraction before the first shut face; `hit`
 * gets the cell where it ends. */
static double path_free_fraction(const struct solid_map *g, const int32_t at[3], const double d[3], int32_t hit[3])
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
        if (!solid_map_has(g, to)) return 1;
        if (!face_is_open(g, g->now, c, to, a)) return fmax(next[a] - SHORT_OF * each[a], 0);
        memcpy(c, to, sizeof c);
        next[a] += each[a];
    }
}

/* Displacement of obstacles at a cell over the step, backward in time, in cells; false: at rest. */
static bool wall_displacement(const struct solid_map *g, const int32_t c[3], double d[3])
{
    const struct pass *p = g->pass;
    const struct bw_view *v = p->view_solid_vel ? &g->block->view[p->view_solid_vel] : NULL;
    bool moves = false;
    for (int a = 0; a < 3; a++) {
        d[a] = 0;
        if (!v || v->halo < 0 || a == g->block->grid->thin) continue;
        const float *u = bw_f32(v, a) + c[0] + c[1] * v->sy + c[2] * v->sz;
        const double low = (double)u[0], high = (double)u[a == 0 ? 1 : a == 1 ? v->sy : v->sz];
        const double speed = low == 0    ? high
                             : high == 0 ? low
                                         : 0.5 * (low + high); // the band of solid_vel may end between them
        d[a] = fmin(fmax(-p->scale * speed, -(double)g->pad), (double)g->pad);
        moves = moves || speed != 0;
    }
    return moves;
}

/// Interpolation stencil of a node: up to 125 cells, with weights that sum to 1.
struct stencil {
    int32_t n;
    int32_t at[(2 * NEAREST + 1) * (2 * NEAREST + 1) * (2 * NEAREST + 1)][3];
    double weight[(2 * NEAREST + 1) * (2 * NEAREST + 1) * (2 * NEAREST + 1)];
};

static void stencil_add(struct stencil *s, const int32_t at[3], double weight)
{
    if (weight <= 0) return;
    memcpy(s->at[s->n], at, sizeof s->at[0]);
    s->weight[s->n++] = weight;
}

/// The 8 nodes around a place.
struct cube {
    int32_t lo[3];
    double f[3];
    unsigned reached; ///< bit e: corner e is connected to the nearest one
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

static bool cell_is_fluid(const struct solid_map *g, const uint8_t *cells, const int32_t c[3])
{
    return solid_map_has(g, c) && cells[solid_map_at(g, c)] & WALLS_FLUID;
}

/* Flood fill from the nearest corner through open faces. */
static void cube_flood_fill(const struct solid_map *g, const uint8_t *cells, struct cube *q)
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
                if (solid_map_has(g, to) && face_is_open(g, cells, c, to, a)) q->reached |= 1u << other;
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

/* Are all corners with weight connected to the nearest one? */
static bool cube_is_whole(const struct solid_map *g, const uint8_t *cells, struct cube *q)
{
    cube_flood_fill(g, cells, q);
    for (int e = 0; e < 8; e++)
        if (!(q->reached >> e & 1) && corner_weight(q, e) > 0) return false;
    return true;
}

static void stencil_scale(struct stencil *s)
{
    double sum = 0;
    for (int32_t m = 0; m < s->n; m++) sum += s->weight[m];
    for (int32_t m = 0; m < s->n; m++) s->weight[m] /= sum;
}

/* Fluid cells nearest to a place inside an obstacle; none farther, which may be on another side. */
static void stencil_search(const struct solid_map *g, const double x[3], struct stencil *s)
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
                stencil_add(s, c, 1);
            }
}

static void stencil_cube(const struct cube *q, struct stencil *s)
{
    int32_t c[3];
    for (int e = 0; e < 8; e++)
        if (q->reached >> e & 1) {
            corner_cell(q, e, c);
            stencil_add(s, c, corner_weight(q, e));
        }
}

/* Where a node's departure point lies in an obstacle: the stencils of its connected neighbours. */
static void stencil_beside(const struct solid_map *g, const int32_t at[3], const double x[3], struct stencil *s)
{
    for (int side = 0; side < 6; side++) {
        const int a = side >> 1, by = side & 1 ? 1 : -1;
        int32_t to[3] = {at[0], at[1], at[2]};
        double y[3] = {x[0], x[1], x[2]};
        to[a] += by;
        y[a] += by;
        if (a == g->block->grid->thin || !solid_map_has(g, to) || !face_is_open(g, g->now, at, to, a)) continue;
        struct cube q = cube_at(y);
        cube_flood_fill(g, g->old, &q);
        stencil_cube(&q, s);
    }
}

/* The stencil of a node whose trajectory or interpolation meets an obstacle. False: it meets none. */
static bool node_stencil(const struct solid_map *g, const int32_t at[3], const double d[3], struct stencil *s)
{
    double wall[3], rest[3], x[3], fraction = 1;
    int32_t hit[3];
    const uint8_t here = g->now[solid_map_at(g, at)];
    const bool inside = !(here & WALLS_FLUID);
    s->n = 0;
    bool moves = wall_displacement(g, at, wall);
    if (inside && !(here & WALLS_SURFACE)) {
        for (int a = 0; a < 3; a++) hit[a] = at[a] + (int32_t)floor(wall[a] + 0.5);
        stencil_add(s, solid_map_has(g, hit) ? hit : at, 1);
        return true;
    }
    for (int tries = 0; !inside && tries < 2; tries++) {
        for (int a = 0; a < 3; a++) rest[a] = d[a] - wall[a];
        fraction = path_free_fraction(g, at, rest, hit);
        if (fraction == 1 || moves || !wall_displacement(g, hit, wall)) break;
        moves = true; // once more, in the frame of that wall
    }
    for (int a = 0; a < 3; a++) x[a] = at[a] + (inside ? wall[a] : fraction < 1 ? fraction * rest[a] + wall[a] : d[a]);
    struct cube q = cube_at(x);
    const bool whole = cube_is_whole(g, g->old, &q);
    if (whole && fraction == 1 && !inside) return false;
    stencil_cube(&q, s);
    if (!s->n && !inside) stencil_beside(g, at, x, s);
    if (!s->n) stencil_search(g, x, s);
    if (!s->n) stencil_add(s, at, 1);
    stencil_scale(s);
    return true;
}

/* Is the trace ahead, which the correction needs, clear of obstacles? */
static bool ahead_is_clear(const struct solid_map *g, const int32_t at[3], const double d[3])
{
    const double x[3] = {at[0] + d[0], at[1] + d[1], at[2] + d[2]};
    int32_t hit[3];
    struct cube q = cube_at(x);
    return path_free_fraction(g, at, d, hit) == 1 && cube_is_whole(g, g->now, &q);
}

static ptrdiff_t view_at(const struct bw_view *v, const int32_t c[3]) { return c[0] + c[1] * v->sy + c[2] * v->sz; }

static void node_apply_stencil(const struct solid_map *g, const struct item *it, const int32_t at[3],
                               const struct stencil *s)
{
    const struct bw_view *old = &g->block->view[it->view], *out = &g->block->view[it->view_out];
    for (int c = 0; c < old->comps; c++) {
        double sum = 0;
        for (int32_t m = 0; m < s->n; m++) sum += s->weight[m] * bw_get(old, c, view_at(old, s->at[m]));
        bw_put(out, c, view_at(out, at), sum);
    }
}

static void node_keep(const struct solid_map *g, const struct item *it, const int32_t at[3])
{
    const struct bw_view *hat = &g->block->view[it->view_hat], *out = &g->block->view[it->view_out];
    for (int c = 0; c < hat->comps; c++) bw_put(out, c, view_at(out, at), bw_get(hat, c, view_at(hat, at)));
}

static bool item_counts(const struct item *it) { return it->info->kind == BW_SCALAR || it->info->kind == BW_VECTOR; }

/// Displacements of one row, by direction, and their bounds, alike along all axes.
struct displacement {
    float *d[2][3], *least, *most;
};

static void row_trace(const struct solid_map *g, int dir, int32_t j, int32_t k, const struct displacement *w)
{
    const struct pass *p = g->pass;
    const struct bw_view *v = &g->block->view[0];
    struct advect_trace row = {.sy = (int32_t)v->sy, .sz = (int32_t)v->sz, .n = g->block->n[0], .rule = advect_rule(p)};
    for (int a = 0; a < 3; a++) {
        row.scale[a] = a == g->block->grid->thin ? 0 : (float)(dir == BACK ? -p->scale : p->scale);
        row.u[a] = bw_f32(v, a) + j * v->sy + k * v->sz;
        row.d[a] = w->d[dir][a];
        row.least[a] = w->least;
        row.most[a] = w->most;
    }
    p->kernels->trace(&row);
}

/* Is any cell between a node and the end of its displacement marked? */
static bool path_is_marked(const struct solid_map *g, const int32_t at[3], const double d[3])
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

static void node_correct_path(const struct solid_map *g, const int32_t at[3], const double back[3],
                              const double ahead[3])
{
    const struct pass *p = g->pass;
    struct stencil s;
    const bool correct = path_is_marked(g, at, back) && node_stencil(g, at, back, &s);
    const bool keep = p->second && (correct || (path_is_marked(g, at, ahead) && !ahead_is_clear(g, at, ahead)));
    for (uint32_t q = 0; q < p->n_items; q++) {
        if (!item_counts(&p->item[q])) continue;
        if (keep) node_keep(g, &p->item[q], at);
        else if (correct) node_apply_stencil(g, &p->item[q], at, &s);
    }
}

static void row_correct_paths(const struct solid_map *g, int32_t j, int32_t k, const struct displacement *w)
{
    const struct pass *p = g->pass;
    const uint8_t *met = g->met + solid_map_at(g, (const int32_t[3]){0, j, k});
    if (!memchr(met, 1, (size_t)g->block->n[0])) return;
    for (int dir = BACK; dir <= (p->second ? AHEAD : BACK); dir++) row_trace(g, dir, j, k, w);
    for (int32_t i = 0; i < g->block->n[0]; i++) {
        double d[2][3] = {{0}};
        if (!met[i]) continue;
        for (int dir = BACK; dir <= (p->second ? AHEAD : BACK); dir++)
            for (int a = 0; a < 3; a++) d[dir][a] = (double)w->d[dir][a][i];
        node_correct_path(g, (const int32_t[3]){i, j, k}, d[BACK], d[AHEAD]);
    }
}

void advect_obstacles_correct(const struct bw_block *b, const struct pass *p)
{
    struct solid_map g;
    struct displacement w;
    bool any = false;
    for (uint32_t q = 0; q < p->n_items; q++) any = any || item_counts(&p->item[q]);
    if (!p->walls || !any || !p->worker_block[b->worker].solid_halo) return;
    float *d = b->stage->host->body_scratch(b, 8 * (size_t)(b->n[0] + 16) * sizeof *d);
    if (!d || !solid_map_init(&g, b, p)) return; // the host sees that scratch memory ran out
    for (int m = 0; m < 6; m++) w.d[m / 3][m % 3] = d + m * (b->n[0] + 16);
    w.least = d + 6 * (b->n[0] + 16);
    w.most = d + 7 * (b->n[0] + 16);
    for (int32_t i = 0; i < b->n[0] + 16; i++) w.least[i] = -(w.most[i] = g.limit);
    for (int32_t k = 0; k < b->n[2]; k++)
        for (int32_t j = 0; j < b->n[1]; j++) row_correct_paths(&g, j, k, &w);
}

int32_t advect_obstacles_halo(const struct pass *p, int32_t halo)
{
    const double reach = ceil(p->scale * p->walls->speed) + NEAREST + 2;
    return reach <= halo ? halo : reach < WALLS_HALO ? (int32_t)reach : WALLS_HALO;
}

/* The widest halo that a block needs for obstacles; 0: none is near. */
static int32_t near_find(const struct bw_block *b, const struct pass *p, const int32_t reach[6])
{
    int32_t wide[6], most = 0;
    if (!p->walls) return 0;
    for (int s = 0; s < 6; s++) {
        wide[s] = advect_obstacles_halo(p, reach[s]);
        most = wide[s] > most ? wide[s] : most;
    }
    return walls_touch(p->walls, b, wide) ? most : 0;
}

/* By rows or by nodes? Near obstacles long traces go by nodes, and no row is skipped. */
static void block_classify(const struct bw_block *b, const struct pass *p)
{
    static const int32_t plain[6] = {NODES_HALO, NODES_HALO, NODES_HALO, NODES_HALO, NODES_HALO, NODES_HALO};
    int32_t *near = &p->worker_block[b->worker].solid_halo, reach[6];
    bool *by_rows = &p->worker_block[b->worker].by_rows;
    *by_rows = (advect_block_fits(b, p) || p->by_rows) && !p->f64;
    if (*by_rows) advect_block_reach(b, p, 0, reach);
    *near = near_find(b, p, *by_rows ? reach : plain);
    if (*by_rows && *near > WALLS_HALO) *by_rows = false;
    if (!*by_rows) *near = near_find(b, p, plain);
    empty_init(&p->worker_block[b->worker].empty, p, b, *by_rows && !*near);
}

/* Blocks whose trajectories reach no obstacle, present or former, ignore them. */
int advect_obstacles_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct pass *p = user;
    if (row == 0) block_classify(b, p);
    const int32_t near = p->worker_block[b->worker].solid_halo;
    const bool by_rows = p->worker_block[b->worker].by_rows;
    const struct empty_space *empty = &p->worker_block[b->worker].empty;
    if (empty->all) return 0;
    if (empty->by_sub_tile) return empty_reach(empty, p, row, reach);
    if (p->view_solid_vel && row == p->view_solid_vel && !near) return 0;
    if (by_rows) advect_block_reach(b, p, row, reach);
    for (int s = 0; s < 6; s++) {
        const int32_t most = by_rows ? BW_HALO_MOST : NODES_HALO;
        if (near) reach[s] = near;
        if (reach[s] > most) reach[s] = most;
    }
    return 1;
}
