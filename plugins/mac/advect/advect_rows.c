// SPDX-License-Identifier: Apache-2.0
/* Advection of a block row by row with SIMD kernels: single precision, all traces within the block's halo. */
#include "edges/valid_region.h"

#include <string.h>

/// Cells whose traces ahead end inside the open sides for any displacement of the block: lo … hi along each axis.
struct within {
    int32_t lo[3], hi[3];
};

/// Displacements of two planes of cells, this one and the one below, one cell more a side.
struct traced {
    float *plane[2][2][3];                ///< direction, parity of k, axis: cell (0,0) of the plane
    float *straight[2][3], *shortened[3]; ///< one row: straight traces; traces cut short,
    float *decay;                         ///< and the decay of the velocity beyond their ends
    float *least[3], *most[3];            ///< of a row's displacements, of the cell below the block on
    ptrdiff_t stride;
    const struct range3 *displacement; ///< range of displacements ahead, cells
    const struct empty_space *empty;
    struct open_sides inside;
    struct within within;
    bool bounded[4];              ///< traces may leave the valid region: as `valid`
    struct valid_region valid[4]; ///< of cell centres, then of the faces along each axis
};

enum advect_rule advect_rule(const struct pass *p)
{
    if (p->trace == TRACE_CENTRED) return ADVECT_TRAPEZOID;
    return p->trace == TRACE_RK3 ? ADVECT_RK3 : ADVECT_MIDPOINT;
}

size_t advect_rows_floats(struct pass *p)
{
    const int32_t *td = p->stage->grid->tile;
    p->stride = (size_t)(2 * td[0] + 2 + 15) & ~(size_t)15;
    return 6 * p->stride * (size_t)(2 * (2 * td[1] + 2) + 1) + 10 * p->stride;
}

static float displacement_least(const struct range3 *displacement, int dir, int a)
{
    return dir == AHEAD ? displacement->least[a] : -displacement->most[a];
}

static float displacement_most(const struct range3 *displacement, int dir, int a)
{
    return dir == AHEAD ? displacement->most[a] : -displacement->least[a];
}

/* Bounds of the displacements of the cells of row (j,k), from -1 to n: each those of its own sub-tile. */
static void row_bounds(const struct traced *t, const struct bw_block *b, const struct pass *p, int dir, int32_t j,
                       int32_t k)
{
    const struct sub_tiles by = sub_tiles_of(b->grid);
    const struct range3 *row =
        p->worker_block[b->worker].sub_tile[tile_coord(k, by.edge[2]) + 1][tile_coord(j, by.edge[1]) + 1];
    for (int32_t first = -1; first <= b->n[0]; row++) {
        const int32_t end = first < 0 ? 0 : first + by.edge[0] < b->n[0] ? first + by.edge[0] : b->n[0] + 1;
        for (int a = 0; a < 3; a++) {
            const float least = displacement_least(row, dir, a), most = displacement_most(row, dir, a);
            for (int32_t i = first; i < end; i++) t->least[a][i] = least, t->most[a][i] = most;
        }
        first = end;
    }
}

/* Range of displacements of row (j,k). */
static const struct range3 *row_range(const struct traced *t, int32_t j, int32_t k)
{
    return t->empty->by_sub_tile ? &t->empty->displacement[k >> t->empty->shift[1]][j >> t->empty->shift[0]]
                                 : t->displacement;
}

/* From the range of displacements. */
static struct within within_init(const struct open_sides *r, const struct range3 *displacement)
{
    struct within w;
    for (int a = 0; a < 3; a++) {
        const double far = 1 << 24; // cells: more than any block has
        w.lo[a] = (int32_t)fmin(fmax(ceil(r->low[a] - (double)displacement->least[a]), 0), far);
        w.hi[a] = (int32_t)fmax(fmin(floor(r->high[a] - (double)displacement->most[a]), far), -1);
    }
    return w;
}

static struct traced traced_init(const struct pass *p, const struct bw_block *b)
{
    const struct range3 *displacement = &p->worker_block[b->worker].displacement;
    struct traced t = {
        .stride = (ptrdiff_t)p->stride, .displacement = displacement, .empty = &p->worker_block[b->worker].empty};
    t.inside = open_sides_init(b);
    t.within = within_init(&t.inside, displacement);
    for (int axis = -1; axis < 3; axis++) {
        t.bounded[axis + 1] =
            p->options->outside != OUTSIDE_BACKGROUND || (axis >= 0 && p->worker_block[b->worker].at_exterior);
        if (t.bounded[axis + 1]) t.valid[axis + 1] = valid_region_init(b, p->tiles, axis);
    }
    float *at = p->memory + p->worker_floats * b->worker;
    size_t plane = p->stride * (size_t)(b->n[1] + 2);
    for (int dir = 0; dir < 2; dir++)
        for (int a = 0; a < 3; a++) {
            t.plane[dir][0][a] = at + p->stride + 1;
            t.plane[dir][1][a] = at + plane + p->stride + 1;
            t.straight[dir][a] = at + 2 * plane;
            at += 2 * plane + p->stride;
        }
    for (int a = 0; a < 3; a++, at += p->stride) t.shortened[a] = at;
    t.decay = at;
    for (int a = 0; a < 3; a++) t.least[a] = (at += p->stride) + 1, t.most[a] = (at += p->stride) + 1;
    return t;
}

/// Rows of cells whose traces are computed.
struct wanted {
    int32_t low; ///< first cell, and row, and plane
    int32_t high[3];
    const struct empty_space *empty; ///< NULL: faces need all of them
};

static struct wanted wanted_init(const struct bw_block *b, const struct pass *p)
{
    if (!pass_has_faces(p)) return (struct wanted){0, {b->n[0], b->n[1], b->n[2]}, &p->worker_block[b->worker].empty};
    return (struct wanted){-1, {b->n[0] + b->high[0], b->n[1] + b->high[1], b->n[2] + b->high[2]}, NULL};
}

/// Cells of a row, first to end - 1.
struct interval {
    int32_t first, end;
};

/* The cells of row (j,k) that are not empty; all where that is not known. */
static struct interval row_interval(const struct empty_space *is, int32_t j, int32_t k, int32_t n)
{
    const int32_t y = j >> is->shift[0], z = k >> is->shift[1];
    return is->by_sub_tile ? (struct interval){is->first[z][y], is->end[z][y]} : (struct interval){0, n};
}

static void plane_trace(const struct bw_block *b, const struct pass *p, const struct traced *t,
                        const struct wanted *rows, int32_t k)
{
    const struct bw_view *v = &b->view[0], *ahead = &b->view[p->view_ahead];
    const int32_t edge = sub_tiles_of(b->grid).edge[1];
    for (int dir = BACK; dir <= (p->second ? AHEAD : BACK); dir++) {
        struct advect_trace row = {.sy = (int32_t)v->sy,
                                   .sz = (int32_t)v->sz,
                                   .ahead_sy = (int32_t)ahead->sy,
                                   .ahead_sz = (int32_t)ahead->sz,
                                   .rule = advect_rule(p)};
        for (int a = 0; a < 3; a++) row.scale[a] = a == b->grid->thin ? 0 : (float)(dir == BACK ? -p->scale : p->scale);
        for (int32_t j = rows->low; j < rows->high[1]; j++) {
            if (j == rows->low || j % edge == 0) row_bounds(t, b, p, dir, j, k);
            if (rows->empty && !row_occupancy(rows->empty, j, k)) continue;
            const struct interval x =
                rows->empty ? row_interval(t->empty, j, k, rows->high[0]) : (struct interval){rows->low, rows->high[0]};
            row.n = x.end - x.first;
            for (int a = 0; a < 3; a++) {
                row.least[a] = t->least[a] + x.first;
                row.most[a] = t->most[a] + x.first;
                row.u[a] = bw_f32(v, a) + j * v->sy + k * v->sz + x.first;
                row.ahead[a] = bw_f32(ahead, a) + j * ahead->sy + k * ahead->sz + x.first;
                row.d[a] = t->plane[dir][k & 1][a] + j * t->stride + x.first;
            }
            p->kernels->trace(&row);
        }
    }
}

/* Straight traces with the velocity at each node itself: no gathers, the faces around are at fixed places. */
static void row_straight(const struct bw_block *b, const struct pass *p, const struct traced *t, int dir, int axis,
                         int32_t j, int32_t k, struct advect_row *r)
{
    const struct bw_view *v = &b->view[0];
    const ptrdiff_t step[3] = {1, v->sy, v->sz}, below = axis < 0 ? 0 : -step[axis];
    const ptrdiff_t at = r->first + j * v->sy + k * v->sz;
    const float scale = (float)(dir == BACK ? -p->scale : p->scale);
    for (int c = 0; c < 3; c++) {
        const float *low = bw_f32(v, c) + at, *high = low + (c == axis ? 0 : step[c]);
        const ptrdiff_t back = c == axis ? 0 : below;
        const float scale4 = c == b->grid->thin ? 0 : 0.25f * scale;
        const float least = displacement_least(row_range(t, j, k), dir, c),
                    most = displacement_most(row_range(t, j, k), dir, c);
        float *to = t->straight[dir][c];
        for (int32_t i = 0; i < r->n; i++) {
            float d = scale4 * ((low[i + back] + high[i + back]) + (low[i] + high[i]));
            to[i] = d < least ? least : d > most ? most : d;
        }
        r->d[c] = to;
        r->e[c] = NULL;
    }
}

/* Displacements of row (j,k): of cells, or of the low faces along `axis`, which move as the cells on both sides do. */
static void row_displacement(const struct traced *t, int dir, int axis, int32_t j, int32_t k, struct advect_row *r)
{
    for (int a = 0; a < 3; a++) {
        const float *here = t->plane[dir][k & 1][a] + j * t->stride + r->first;
        r->d[a] = here;
        r->e[a] = axis < 0    ? NULL
                  : axis == 0 ? here - 1
                  : axis == 1 ? here - t->stride
                              : t->plane[dir][(k & 1) ^ 1][a] + j * t->stride + r->first;
    }
}

static struct advect_row row_of(const struct bw_view *v, int c, int32_t j, int32_t k, const struct interval *x)
{
    return (struct advect_row){.f = bw_f32(v, c) + j * v->sy + k * v->sz + x->first,
                               .sy = (int32_t)v->sy,
                               .sz = (int32_t)v->sz,
                               .n = x->end - x->first,
                               .first = x->first};
}

/* May traces of this row leave the valid region? */
static bool row_bounded(const struct traced *t, int dir, int axis, int32_t j, int32_t k, const struct advect_row *r)
{
    const struct valid_region *e = &t->valid[axis + 1];
    double low[3] = {r->first, j, k}, high[3] = {r->first + r->n - 1, j, k};
    if (!t->bounded[axis + 1]) return false;
    for (int a = 0; a < 3; a++) {
        if (a == e->block->grid->thin) continue;
        low[a] += (double)displacement_least(row_range(t, j, k), dir, a);
        high[a] += (double)displacement_most(row_range(t, j, k), dir, a);
    }
    return !valid_region_is_inner(e, low) || !valid_region_is_inner(e, high);
}

/* Nodes of a row whose traces surely end in the inner box, by the range of displacements. */
static struct interval row_inner(const struct traced *t, int axis, int32_t j, int32_t k, const struct advect_row *r)
{
    const struct valid_region *e = &t->valid[axis + 1];
    const struct range3 *range = row_range(t, j, k);
    double low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = a == e->block->grid->thin ? -HUGE_VAL : e->inner[0][a] - (double)displacement_least(range, BACK, a);
        high[a] = a == e->block->grid->thin ? HUGE_VAL : e->inner[1][a] - (double)displacement_most(range, BACK, a);
    }
    if (j < low[1] || j > high[1] || k < low[2] || k > high[2]) return (struct interval){0, 0};
    const double n = r->n, first = fmin(fmax(ceil(low[0] - r->first), 0), n);
    return (struct interval){(int32_t)first, (int32_t)fmax(fmin(floor(high[0] - r->first) + 1, n), first)};
}

/* Cuts traces short where they leave the valid region, in a copy of the displacements; false: none leaves. */
static bool row_shorten(const struct traced *t, int axis, int32_t j, int32_t k, struct advect_row *r)
{
    const struct valid_region *e = &t->valid[axis + 1];
    const struct interval inner = row_inner(t, axis, j, k, r);
    bool leaves = false;
    for (int32_t i = inner.first > 0 ? 0 : inner.end; i < r->n; i = i + 1 == inner.first ? inner.end : i + 1) {
        const double d[3] = {(double)advect_displacement(r, 0, i), (double)advect_displacement(r, 1, i),
                             (double)advect_displacement(r, 2, i)};
        const double fraction = valid_fraction(e, (const int32_t[3]){r->first + i, j, k}, d);
        for (int a = 0; a < 3; a++) t->shortened[a][i] = (float)(fraction * d[a]);
        t->decay[i] = fraction < 1 ? (float)exterior_decay(e, fraction, d) : 1;
        leaves = leaves || fraction < 1;
    }
    for (int32_t i = inner.first; i < inner.end && leaves; i++) t->decay[i] = 1;
    for (int a = 0; a < 3 && leaves; a++) {
        for (int32_t i = inner.first; i < inner.end; i++) t->shortened[a][i] = advect_displacement(r, a, i);
        r->d[a] = t->shortened[a];
        r->e[a] = NULL;
    }
    return leaves;
}

/* Takes `instead` where the row's trace leaves the valid region. */
static void row_replace(const struct valid_region *e, const struct advect_row *r, int32_t j, int32_t k,
                        const float *instead, float *to)
{
    for (int32_t i = 0; i < r->n; i++) {
        const double x[3] = {r->first + i + (double)advect_displacement(r, 0, i),
                             j + (double)advect_displacement(r, 1, i), k + (double)advect_displacement(r, 2, i)};
        if (!valid_region_contains(e, x)) to[i] = instead[i];
    }
}

static void row_trace(const struct bw_block *b, const struct pass *p, const struct traced *t, int dir, int axis,
                      int32_t j, int32_t k, struct advect_row *r)
{
    if (p->trace == TRACE_EULER) row_straight(b, p, t, dir, axis, j, k, r);
    else row_displacement(t, dir, axis, j, k, r);
}

/* First sweep: interpolation at the departure points. */
static void row_first(const struct pass *p, const struct traced *t, int axis, int32_t j, int32_t k,
                      struct advect_row *old, float back, float *to)
{
    const bool bounded = row_bounded(t, BACK, axis, j, k, old);
    const bool shorter = bounded && p->options->outside != OUTSIDE_KEEP && row_shorten(t, axis, j, k, old);
    p->scheme->row_first(p->kernels, old, p->options->clamp, to);
    for (int32_t i = 0; shorter && p->options->outside == OUTSIDE_BACKGROUND && i < old->n; i++)
        if (t->decay[i] < 1) to[i] = back + t->decay[i] * (to[i] - back);
    if (bounded && p->options->outside == OUTSIDE_KEEP) row_replace(&t->valid[axis + 1], old, j, k, old->f, to);
}

/* Cells whose trace ahead ends beyond an open side keep the first sweep's result. */
static void row_keep_hat(const struct traced *t, int32_t j, int32_t k, const struct advect_row *hat, float *to)
{
    const struct within *w = &t->within;
    const bool row = j >= w->lo[1] && j <= w->hi[1] && k >= w->lo[2] && k <= w->hi[2];
    for (int32_t i = 0; i < hat->n; i++) {
        if (row && hat->first + i >= w->lo[0] && hat->first + i <= w->hi[0]) continue;
        const double x[3] = {hat->first + i + (double)advect_displacement(hat, 0, i),
                             j + (double)advect_displacement(hat, 1, i), k + (double)advect_displacement(hat, 2, i)};
        if (!open_sides_contain(&t->inside, x)) to[i] = hat->f[i];
    }
}

/* Second sweep: the correction. Nodes whose traces leave the valid region keep the first sweep's result. */
static void row_second(const struct pass *p, const struct traced *t, int axis, int32_t j, int32_t k,
                       const struct advect_row *old, const struct advect_row *hat, float *to)
{
    p->scheme->row_second(p->kernels, hat, old, p->options->clamp, to);
    if (row_bounded(t, BACK, axis, j, k, old)) row_replace(&t->valid[axis + 1], old, j, k, hat->f, to);
    if (row_bounded(t, AHEAD, axis, j, k, hat)) row_replace(&t->valid[axis + 1], hat, j, k, hat->f, to);
    if (axis < 0) row_keep_hat(t, j, k, hat, to);
}

/* Centred in time (advect_centred.c): A f - c = (A f - f) + u, u = 2 g - f, to both. */
static void row_centre(const struct bw_block *b, const struct pass *p, int c, int32_t j, int32_t k, const float *f,
                       int32_t n, float *restrict to)
{
    const struct bw_view *mean = &b->view[0], *advected = &b->view[p->view_advected];
    const float *g = bw_f32(mean, c) + j * mean->sy + k * mean->sz;
    float *restrict a = bw_f32(advected, c) + j * advected->sy + k * advected->sz;
    for (int32_t i = 0; i < n; i++) a[i] = to[i] = (to[i] - f[i]) + (2 * g[i] - f[i]);
}

static void row_advect(const struct bw_block *b, const struct pass *p, const struct item *it, const struct traced *t,
                       int c, int32_t j, int32_t k, const struct interval *x)
{
    int axis = it->info->kind == BW_MAC ? c : -1;
    const struct bw_view *out = &b->view[it->view_out];
    float *to = bw_f32(out, c) + j * out->sy + k * out->sz + x->first;
    struct advect_row old = row_of(&b->view[it->view], c, j, k, x);
    if (axis >= 0 && axis == b->grid->thin) { // the thin axis: not advected
        memcpy(to, old.f, sizeof *to * (size_t)old.n);
        if (p->advected) row_centre(b, p, c, j, k, old.f, old.n, to);
        return;
    }
    row_trace(b, p, t, BACK, axis, j, k, &old);
    if (!p->second) {
        row_first(p, t, axis, j, k, &old, (float)it->info->background[c], to);
        if (p->advected) row_centre(b, p, c, j, k, old.f, old.n, to);
        return;
    }
    struct advect_row hat = row_of(&b->view[it->view_hat], c, j, k, x);
    row_trace(b, p, t, AHEAD, axis, j, k, &hat);
    row_second(p, t, axis, j, k, &old, &hat, to);
}

static void plane_advect(const struct bw_block *b, const struct pass *p, const struct traced *t, uint32_t q, int c,
                         int32_t k)
{
    const struct item *it = &p->item[q];
    const bool mac = it->info->kind == BW_MAC;
    const struct interval faces = {0, b->n[0] + (mac && c == 0 && b->high[0])};
    if (k == b->n[2] && !(mac && c == 2)) return;
    for (int32_t j = 0; j < b->n[1] + (mac && c == 1 && b->high[1]); j++) {
        const bool occupied = mac || row_occupancy(t->empty, j, k) >> q & 1;
        const struct interval x = mac ? faces : row_interval(t->empty, j, k, b->n[0]);
        background_row(b, it, c, j, k, 0, occupied ? x.first : b->n[0]);
        if (occupied) row_advect(b, p, it, t, c, j, k, &x);
        if (occupied) background_row(b, it, c, j, k, x.end, b->n[0]);
    }
}

void advect_block_rows(const struct bw_block *b, void *user)
{
    const struct pass *p = user;
    const struct traced t = traced_init(p, b);
    const struct wanted rows = wanted_init(b, p);
    const int32_t first = b->grid->thin == 2 ? 0 : rows.low; // the next tile computes the high faces that it owns
    for (int32_t k = first; k < b->n[2] + b->high[2]; k++) {
        if (p->trace != TRACE_EULER && k < rows.high[2]) plane_trace(b, p, &t, &rows, k);
        if (k < 0) continue;
        for (uint32_t q = 0; q < p->n_items; q++)
            for (int c = 0; c < (int)p->item[q].info->comps; c++) plane_advect(b, p, &t, q, c, k);
    }
}
