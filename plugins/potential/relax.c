// SPDX-License-Identifier: Apache-2.0
/* Schaefer's relaxation (2001), weighted Jacobi: each cell's new value from the old ones of itself and its neighbours,
 * by the table of masks.
 *
 * Single iterations are bound by memory. So a sweep makes several (temporal blocking): a block has a halo as wide as
 * their number, and each iteration invalidates one ring of it. Slices of the slowest axis go through all iterations in
 * a pipeline, three slices an iteration, which stay in the processor's cache. Cells beyond open sides and in inactive
 * tiles have walls all round and keep their value. */
#include "potential.h"
#include "relax_kernels.h"
#include <string.h>

enum { DEPTH_2D = 8, DEPTH_3D = 4, DEPTH = 8, SEGMENTS = 40, OUTSIDE = INT32_MIN, UNKNOWN = 255 };

struct relax {
    struct potential_task *t;
    const struct relax_kernels *k;
    int32_t depth; ///< iterations of this sweep
};

/// A block at work. Slices of iteration m lie in a ring of three.
struct work {
    const struct relax *q;
    const struct bw_block *b;
    int32_t slow, fast; ///< axes: of the slices, of the rows in one
    int32_t halo[3];
    ptrdiff_t step[3], view_step[3], origin; ///< of arrays here; of what is read, whose first cell is at -origin
    size_t cells, slice;                     ///< slice: cells of one
    uint8_t *walls;
    struct row_kind *kind; ///< a row
    double *source;        ///< NULL: none near
    double *ring[DEPTH][3];
};

/* ---- walls and sources round a block -------------------------------------------------------------------------------
 */

/// Coordinates that lie in one tile, along one axis.
struct segment {
    int32_t to, n, tile, in;
};

/* Beyond the box the tile is OUTSIDE. */
static int segments_cut(const struct bw_domain_info *d, int a, int32_t lo, int32_t n, struct segment *s)
{
    const int bounded = d->n[a] > 0, periodic = bounded && d->side[2 * a].kind == BW_PERIODIC;
    int count = 0;
    for (int32_t i = 0; i < n && count < SEGMENTS;) {
        int32_t x = lo + i;
        if (periodic) x = (x % d->n[a] + d->n[a]) % d->n[a];
        if (bounded && (x < 0 || x >= d->n[a])) {
            const int32_t beyond = x < 0 && -x < n - i ? -x : n - i;
            s[count++] = (struct segment){i, beyond, OUTSIDE, 0};
            i += beyond;
            continue;
        }
        const int32_t tile = x >= 0 ? x / d->tile[a] : -((d->tile[a] - 1 - x) / d->tile[a]);
        struct segment q = {i, d->tile[a] - (x - tile * d->tile[a]), tile, x - tile * d->tile[a]};
        if (bounded && q.n > d->n[a] - x) q.n = d->n[a] - x;
        if (q.n > n - i) q.n = n - i;
        s[count++] = q;
        i += q.n;
    }
    return count;
}

/* The share of one tile; walls are those of a plain one already, and so are its rows' kinds. */
static void tile_copy(struct work *w, int64_t tile, const struct segment *x, const struct segment *y,
                      const struct segment *z)
{
    const struct potential_task *t = w->q->t;
    const int inside = tile >= 0, plain = inside && t->l->plain[tile], sourced = inside && t->l->sourced[tile];
    if (plain && !sourced) return;
    for (int k = 0; k < z->n; k++)
        for (int j = 0; j < y->n; j++) {
            const ptrdiff_t to = x->to + (y->to + j) * w->step[1] + (z->to + k) * w->step[2];
            w->kind[to / w->step[1]].walls = UNKNOWN;
            const int64_t from = inside ? tile * TILE_CELLS + potential_at(w->b->grid, x->in, y->in + j, z->in + k) : 0;
            if (!inside) memset(w->walls + to, ALL_WALLS, (size_t)x->n);
            else if (!plain) memcpy(w->walls + to, t->l->walls + from, (size_t)x->n);
            if (sourced) memcpy(w->source + to, t->l->source + from, (size_t)x->n * sizeof(double));
        }
}

struct cuts {
    struct segment s[3][SEGMENTS];
    int n[3];
};

static int64_t cut_tile(const struct work *w, const struct cuts *c, int i, int j, int k)
{
    const struct potential_task *t = w->q->t;
    const int32_t coord[3] = {c->s[0][i].tile, c->s[1][j].tile, c->s[2][k].tile};
    if (coord[0] == OUTSIDE || coord[1] == OUTSIDE || coord[2] == OUTSIDE) return BW_TILE_OUTSIDE;
    return t->tiles->find(t->s->domain, coord);
}

static int sourced_near(const struct work *w, const struct cuts *c)
{
    for (int k = 0; k < c->n[2]; k++)
        for (int j = 0; j < c->n[1]; j++)
            for (int i = 0; i < c->n[0]; i++) {
                const int64_t tile = cut_tile(w, c, i, j, k);
                if (tile >= 0 && w->q->t->l->sourced[tile]) return 1;
            }
    return 0;
}

/* Eight cells at once where they are alike. */
static struct row_kind kind_of(const uint8_t *walls, const double *source, int n)
{
    int begin = n / 2, end = begin + 1, sourced = 0;
    if (memcmp(walls, walls + 1, (size_t)n - 1) == 0) begin = 0, end = n;
    uint64_t eight, alike = UINT64_C(0x0101010101010101) * walls[begin];
    while (begin >= 8 && (memcpy(&eight, walls + begin - 8, 8), eight == alike)) begin -= 8;
    while (begin > 0 && walls[begin - 1] == walls[begin]) begin--;
    while (end + 8 <= n && (memcpy(&eight, walls + end, 8), eight == alike)) end += 8;
    while (end < n && walls[end] == walls[begin]) end++;
    for (int i = 0; source && i < n; i++) sourced |= source[i] != 0;
    return (struct row_kind){(uint8_t)sourced, (uint8_t)begin, (uint8_t)end, walls[begin]};
}

static void surroundings_fill(struct work *w, const struct cuts *c)
{
    memset(w->walls, w->q->t->base, w->cells);
    if (w->source) memset(w->source, 0, w->cells * sizeof *w->source);
    const size_t n = (size_t)w->step[1], rows = w->cells / n;
    for (size_t row = 0; row < rows; row++) w->kind[row] = (struct row_kind){0, 0, (uint8_t)n, (uint8_t)w->q->t->base};
    for (int k = 0; k < c->n[2]; k++)
        for (int j = 0; j < c->n[1]; j++)
            for (int i = 0; i < c->n[0]; i++)
                tile_copy(w, cut_tile(w, c, i, j, k), &c->s[0][i], &c->s[1][j], &c->s[2][k]);
    for (size_t row = 0; row < rows; row++)
        if (w->kind[row].walls == UNKNOWN)
            w->kind[row] = kind_of(w->walls + row * n, w->source ? w->source + row * n : NULL, (int)n);
}

/* ---- iterations ----------------------------------------------------------------------------------------------------
 */

static int work_begin(struct work *w, const struct relax *q, const struct bw_block *b)
{
    const struct bw_view *in = &b->view[0];
    const int thin = b->grid->thin;
    *w = (struct work){.q = q, .b = b, .slow = thin == 2 ? 1 : 2, .view_step = {1, in->sy, in->sz}, .cells = 1};
    struct cuts c;
    w->fast = 3 - w->slow;
    for (int a = 0; a < 3; a++) {
        w->halo[a] = a == thin ? 0 : q->depth;
        w->origin += w->halo[a] * w->view_step[a];
        w->step[a] = (ptrdiff_t)w->cells;
        w->cells *= (size_t)(b->n[a] + 2 * w->halo[a]);
        c.n[a] = segments_cut(b->grid, a, b->lo[a] - w->halo[a], b->n[a] + 2 * w->halo[a], c.s[a]);
    }
    w->slice = w->cells / (size_t)(b->n[w->slow] + 2 * w->halo[w->slow]);
    const int sourced = sourced_near(w, &c);
    const size_t room = w->slice + 16, rings = 3 * (size_t)(q->depth - 1) * room + 16; // rows are read a cell too far
    double *at = b->stage->host->body_scratch(b, (rings + (sourced ? w->cells : 0)) * sizeof *at + w->cells +
                                                     w->cells / (size_t)w->step[1] * sizeof *w->kind);
    if (!at) return 0;
    for (int m = 0; m < 3 * (q->depth - 1); m++) w->ring[1 + m / 3][m % 3] = at + 8 + (size_t)m * room;
    memset(at, 0, rings * sizeof *at);
    if (sourced) w->source = at + rings;
    w->walls = (uint8_t *)(at + rings + (sourced ? w->cells : 0));
    w->kind = (struct row_kind *)(w->walls + w->cells);
    surroundings_fill(w, &c);
    return 1;
}

/* Slice `p` after iteration m, from its first row within the halo on. */
static double *slice_of(const struct work *w, int m, int p)
{
    if (m > 0) return w->ring[m][(p + 3 * DEPTH) % 3];
    return bw_f64(&w->b->view[0], 0) - w->origin + (p + w->halo[w->slow]) * w->view_step[w->slow];
}

/* How many of the rows from `kind` on, at most `most`, are as the first: they are one long row. */
static int rows_alike(const struct row_kind *kind, ptrdiff_t step, int most)
{
    int n = 1;
    while (n < most && !kind->sourced && !kind[n * step].sourced && kind[n * step].walls == kind->walls) n++;
    return n;
}

/* Rows of slice p as iteration m makes them: whole ones, but the block's own cells from the last. */
static void slice_make(const struct work *w, int m, int p)
{
    const struct relax *q = w->q;
    const struct bw_view *out = &w->b->view[1];
    const int ring = q->depth - m, last = ring == 0, fast = w->fast, grow = w->halo[fast] ? ring : 0;
    const ptrdiff_t from = last ? w->halo[0] : 0, steps[3] = {1, out->sy, out->sz};
    const double *at = slice_of(w, m - 1, p), *below = slice_of(w, m - 1, p - 1), *above = slice_of(w, m - 1, p + 1);
    const int end = w->b->n[fast] + grow;
    const ptrdiff_t row = m == 1 ? w->view_step[1] : w->step[1]; // of what is read
    const ptrdiff_t skip = w->step[fast] / w->step[1]; // rows from one to the next of a slice: 1 where rows can be one
    struct relax_row r = {.n = last ? w->b->n[0] : (int)w->step[1],
                          .skip = (int)from,
                          .stride = (int)w->step[1],
                          .table = &q->t->table,
                          .strength = q->t->strength};
    for (int j = -grow; j < end; j += r.rows) {
        const ptrdiff_t to = (j + w->halo[fast]) * w->step[1] + from, read = (j + w->halo[fast]) * row + from;
        const ptrdiff_t cell = (j + w->halo[fast]) * w->step[fast] + (p + w->halo[w->slow]) * w->step[w->slow] + from;
        r.kind = &w->kind[cell / w->step[1]];
        r.rows = last || skip > 1 || row != w->step[1] ? 1 : rows_alike(r.kind, skip, end - j);
        r.sides = 0;
        r.at = at + read;
        for (int s = 0; s < 6; s++) {
            const int a = s >> 1;
            if (a == w->b->grid->thin) continue;
            r.column[r.sides] = 1 + s;
            r.near[r.sides++] =
                a == w->slow ? (s & 1 ? above : below) + read : r.at + (s & 1 ? 1 : -1) * (a == 0 ? 1 : row);
        }
        r.walls = w->walls + cell;
        r.source = r.kind->sourced ? w->source + cell : NULL;
        r.out = last ? bw_f64(out, 0) + j * steps[fast] + p * steps[w->slow] : slice_of(w, m, p) + to;
        q->k->row(&r);
    }
}

static void relax_body(const struct bw_block *b, void *user)
{
    struct work w;
    if (!work_begin(&w, user, b)) return;
    const int depth = w.q->depth, n = b->n[w.slow];
    for (int front = 1 - depth; front < n + depth - 1; front++)
        for (int m = 1; m <= depth; m++) {
            const int p = front - (m - 1), ring = depth - m;
            if (p >= -ring && p < n + ring) slice_make(&w, m, p);
        }
}

static int relax_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    (void)row, (void)user;
    if (b->grid->thin >= 0) reach[2 * b->grid->thin] = reach[2 * b->grid->thin + 1] = 0;
    return 1;
}

enum bw_status relax_run(struct potential_task *t, int64_t iterations)
{
    struct bw_stage *s = t->s;
    const uint32_t simd = s->host->simd;
    const int64_t depth = t->dim == 2 ? DEPTH_2D : DEPTH_3D;
    struct relax q = {.t = t,
                      .k = simd >= BW_SIMD_AVX512 ? &relax_kernels_avx512
                           : simd >= BW_SIMD_AVX2 ? &relax_kernels_avx2
                                                  : &relax_kernels_baseline};
    struct bw_field *phi = bw_port_field(s, PHI);
    enum bw_status status = BW_OK;
    for (int64_t left = iterations; left > 0 && status == BW_OK; left -= q.depth) {
        if (s->host->cancelled(s)) return BW_ERR_CANCELLED;
        q.depth = (int32_t)(left < depth ? left : depth);
        const struct bw_access access[] = {{phi, BW_READ, q.depth}, {phi, BW_WRITE, 0}};
        status = s->host->sweep(
            s, &(struct bw_sweep){
                   .access = access, .n_access = 2, .block = 2, .body = relax_body, .user = &q, .reach = relax_reach});
    }
    return status;
}
