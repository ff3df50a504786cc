// SPDX-License-Identifier: Apache-2.0
/* Dense boxes; dense.h says what they are. */
#include "dense.h"
#include "dense_kernels.h"
#include <common/archive.h>
#include <common/ranks.h>
#include <common/tiles.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- memory ---- */

#define CELLS_MOST 1e15 ///< two voxels that lie far apart make a box of more, whose bytes no size_t counts

void dense_free(struct bw_stage *s, struct dense *d)
{
    for (int c = 0; c < 3; c++) {
        s->host->release(s, d->v[c]);
        d->v[c] = NULL;
    }
    d->comps = 0;
}

enum bw_status dense_make(struct bw_stage *s, struct dense *d, const struct dense *like, int32_t comps)
{
    struct dense box = *like; // `like` may be `d`
    const double cells = (double)box.n[0] * box.n[1] * box.n[2];
    dense_free(s, d);
    *d = (struct dense){.comps = comps};
    memcpy(d->lo, box.lo, sizeof d->lo);
    memcpy(d->n, box.n, sizeof d->n);
    for (int32_t c = 0; c < comps; c++) {
        if (cells < CELLS_MOST) d->v[c] = s->host->alloc(s, (dense_count(d) + 1) * sizeof(float));
        if (!d->v[c]) return s->host->fail(s, BW_ERR_MEMORY, "out of memory for %.15g cells of the cache", cells);
    }
    return BW_OK;
}

enum bw_status dense_move(struct bw_stage *s, struct dense *d, const struct dense *like)
{
    if (dense_same_box(d, like)) return BW_OK;
    struct dense old = *d;
    *d = (struct dense){.comps = 0};
    enum bw_status st = dense_make(s, d, like, old.comps);
    int32_t lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = old.lo[a] > d->lo[a] ? old.lo[a] : d->lo[a];
        hi[a] = old.lo[a] + old.n[a] < d->lo[a] + d->n[a] ? old.lo[a] + old.n[a] : d->lo[a] + d->n[a];
    }
    for (int32_t c = 0; !st && c < d->comps && lo[0] < hi[0]; c++)
        for (int32_t k = lo[2]; k < hi[2]; k++)
            for (int32_t j = lo[1]; j < hi[1]; j++) {
                size_t to = (size_t)(lo[0] - d->lo[0]) +
                            (size_t)d->n[0] * ((size_t)(j - d->lo[1]) + (size_t)d->n[1] * (size_t)(k - d->lo[2]));
                size_t from = (size_t)(lo[0] - old.lo[0]) +
                              (size_t)old.n[0] * ((size_t)(j - old.lo[1]) + (size_t)old.n[1] * (size_t)(k - old.lo[2]));
                memcpy(d->v[c] + to, old.v[c] + from, (size_t)(hi[0] - lo[0]) * sizeof(float));
            }
    dense_free(s, &old);
    return st;
}

enum bw_status dense_checkpoint(struct bw_stage *s, struct bw_archive *a, const char *name, struct dense *d)
{
    struct dense box = {.comps = d->comps};
    char key[64];
    memcpy(box.lo, d->lo, sizeof box.lo);
    memcpy(box.n, d->n, sizeof box.n);
    snprintf(key, sizeof key, "%s box", name);
    enum bw_status status = a->bytes(a, key, &box, sizeof box);
    snprintf(key, sizeof key, "%s x", name);
    const int64_t count = a->stored(a, key) / (int64_t)sizeof(float);
    if (!status && a->restoring && (box.comps < 0 || box.comps > 3 || (box.comps && !archive_cells_fit(box.n, count))))
        return s->host->fail(s, BW_ERR_IO, "checkpoint: the values of \"%s\" do not fit their box", name);
    if (!status && a->restoring) status = dense_make(s, d, &box, box.comps);
    for (int32_t c = 0; !status && c < box.comps; c++) {
        snprintf(key, sizeof key, "%s %c", name, "xyz"[c]);
        status = a->bytes(a, key, d->v[c], dense_count(d) * sizeof(float));
    }
    return status;
}

/* ---- blur ---- */

struct blur {
    const struct dense_kernels *kernels;
    const float *in;
    float *out;
    int32_t n[3], axis, gap;
};

static const float taps[5] = {1 / 16.f, 4 / 16.f, 6 / 16.f, 4 / 16.f, 1 / 16.f};

/* Along x, where a tap lies outside the row. */
static void ends_blur(const struct blur *b, const float *in, int32_t from, int32_t to, float *out)
{
    for (int32_t i = from; i < to; i++) {
        out[i] = 0;
        for (int32_t t = 0; t < 5; t++) {
            const int32_t at = i + (t - 2) * b->gap;
            if (at >= 0 && at < b->n[0]) out[i] += taps[t] * in[at];
        }
    }
}

/* One plane across z; a tap outside the box weighs nothing. */
static void blur_plane(int64_t k, uint32_t worker, void *user)
{
    const struct blur *b = user;
    const size_t stride[3] = {1, (size_t)b->n[0], (size_t)b->n[0] * (size_t)b->n[1]};
    const int32_t n = b->n[0], low = b->axis ? 0 : 2 * b->gap < n ? 2 * b->gap : n;
    const int32_t high = b->axis ? n : n - 2 * b->gap > low ? n - 2 * b->gap : low;
    (void)worker;
    for (int32_t j = 0; j < b->n[1]; j++) {
        const size_t row = stride[1] * (size_t)j + stride[2] * (size_t)k;
        const float *in[5];
        float w[5];
        for (int32_t t = 0; t < 5; t++) {
            const int32_t shift = (t - 2) * b->gap, at = (b->axis == 1 ? j : (int32_t)k) + shift;
            const int inside = b->axis == 0 || (at >= 0 && at < b->n[b->axis]);
            in[t] = b->in + row + (inside ? (ptrdiff_t)stride[b->axis] * shift : 0);
            w[t] = inside ? taps[t] : 0;
        }
        for (int32_t t = 0; t < 5; t++) in[t] += low;
        b->kernels->blur(in, w, high - low, b->out + row + low);
        ends_blur(b, b->in + row, 0, low, b->out + row);
        ends_blur(b, b->in + row, high, n, b->out + row);
    }
}

void dense_blur(struct bw_stage *s, const struct dense *d, const float *in, int32_t gap, float *work, float *out)
{
    struct blur b = {.kernels = dense_kernels_for(s->host->simd), .n = {d->n[0], d->n[1], d->n[2]}, .gap = gap};
    const float *from[3] = {in, out, work};
    float *to[3] = {out, work, out};
    for (b.axis = 0; b.axis < 3; b.axis++) {
        b.in = from[b.axis], b.out = to[b.axis];
        s->host->parallel_for(s, d->n[2], blur_plane, &b);
    }
}

/* ---- single places ---- */

/* A cube of cells: where it lies in the box, or that it does not lie there whole. */
struct cube {
    int32_t at[3]; ///< its lowest cell, from the box's
    int inside;
    size_t sy, sz; ///< strides of what cube_of says
};

static struct cube cube_place(const struct dense *d, const int32_t at[3], int edge)
{
    struct cube q = {.inside = 1};
    for (int a = 0; a < 3; a++) {
        q.at[a] = at[a] - d->lo[a];
        q.inside &= q.at[a] >= 0 && q.at[a] + edge <= d->n[a];
    }
    q.sy = q.inside ? (size_t)d->n[0] : (size_t)edge, q.sz = q.sy * (size_t)(q.inside ? d->n[1] : edge);
    return q;
}

/* Its lowest corner; where the box does not hold it all, of a copy in `room` with 0 outside. */
static const float *cube_of(const struct dense *d, int c, const struct cube *at, int edge, float *room)
{
    const size_t sy = (size_t)d->n[0], sz = sy * (size_t)d->n[1];
    if (at->inside) return d->v[c] + ((size_t)at->at[0] + sy * (size_t)at->at[1] + sz * (size_t)at->at[2]);
    for (int q = 0; q < edge * edge * edge; q++) {
        int32_t i = at->at[0] + q % edge, j = at->at[1] + q / edge % edge, k = at->at[2] + q / edge / edge;
        int there = i >= 0 && j >= 0 && k >= 0 && i < d->n[0] && j < d->n[1] && k < d->n[2];
        room[q] = there ? d->v[c][(size_t)i + sy * (size_t)j + sz * (size_t)k] : 0;
    }
    return room;
}

/* floor(), which is a call where the processor's own is not to be had. */
static int32_t cell_below(double x)
{
    const int32_t cut = (int32_t)x;
    return cut - (x < cut);
}

void dense_sample(const struct dense *d, const double x[3], float out[3])
{
    int32_t at[3];
    float f[3], room[8];
    for (int a = 0; a < 3; a++) at[a] = cell_below(x[a]), f[a] = (float)(x[a] - at[a]);
    const struct cube q = cube_place(d, at, 2);
    const size_t sy = q.sy;
    for (int c = 0; c < d->comps; c++) {
        const float *p = cube_of(d, c, &q, 2, room);
        float low = (1 - f[1]) * ((1 - f[0]) * p[0] + f[0] * p[1]) + f[1] * ((1 - f[0]) * p[sy] + f[0] * p[sy + 1]);
        p += q.sz;
        float high = (1 - f[1]) * ((1 - f[0]) * p[0] + f[0] * p[1]) + f[1] * ((1 - f[0]) * p[sy] + f[0] * p[sy + 1]);
        out[c] = (1 - f[2]) * low + f[2] * high;
    }
}

static void weights_cubic(double t, float w[4])
{
    w[0] = (float)(((-.5 * t + 1) * t - .5) * t);
    w[1] = (float)((1.5 * t - 2.5) * t * t + 1);
    w[2] = (float)(((-1.5 * t + 2) * t + .5) * t);
    w[3] = (float)((.5 * t - .5) * t * t);
}

void dense_sample_cubic(const struct dense *d, const double x[3], float out[3])
{
    int32_t at[3];
    float w[3][4], room[64];
    for (int a = 0; a < 3; a++) {
        const int32_t base = cell_below(x[a]);
        at[a] = base - 1;
        weights_cubic(x[a] - base, w[a]);
    }
    const struct cube around = cube_place(d, at, 4);
    const size_t sy = around.sy, sz = around.sz;
    for (int c = 0; c < d->comps; c++) {
        float sum = 0, low = HUGE_VALF, high = -HUGE_VALF;
        const float *p = cube_of(d, c, &around, 4, room);
        for (size_t k = 0; k < 4; k++)
            for (size_t j = 0; j < 4; j++) {
                const float *q = p + j * sy + k * sz;
                sum += w[1][j] * w[2][k] * (w[0][0] * q[0] + w[0][1] * q[1] + w[0][2] * q[2] + w[0][3] * q[3]);
                if (j % 3 == 0 || k % 3 == 0) continue; // the eight around are those with 1 or 2
                low = fminf(low, fminf(q[1], q[2])), high = fmaxf(high, fmaxf(q[1], q[2]));
            }
        out[c] = sum < low ? low : sum > high ? high : sum;
    }
}

/* ---- to a block ---- */

/* Quadratic B-spline around the nearest cell, t in [0, 1) from half a cell below its centre. */
static void weights_smooth(double t, float w[4])
{
    w[0] = (float)(.5 * (1 - t) * (1 - t));
    w[1] = (float)(.75 - (t - .5) * (t - .5));
    w[2] = (float)(.5 * t * t);
    w[3] = 0;
}

int dense_axis_fill(struct dense_axis *a, const struct bw_block *b, const struct lattice *l, int axis, int32_t first,
                    int32_t n, double shift, enum dense_kernel kernel)
{
    const struct bw_host *host = b->stage->host;
    double ratio = b->grid->h / l->h, begin = (b->grid->origin[axis] - l->origin[axis]) / l->h - .5;
    a->n = n;
    a->at = host->body_scratch(b, (size_t)n * sizeof *a->at);
    a->w = host->body_scratch(b, (size_t)n * sizeof *a->w);
    if (!a->at || !a->w) return 0;
    for (int32_t i = 0; i < n; i++) {
        double x = begin + (first + i + shift) * ratio, low = floor(kernel == DENSE_SMOOTH ? x + .5 : x);
        a->at[i] = (int32_t)low - 1;
        if (kernel == DENSE_SMOOTH) weights_smooth(x + .5 - low, a->w[i]);
        else weights_cubic(x - low, a->w[i]);
    }
    a->lo = a->at[0];
    a->span = a->at[n - 1] + 4 - a->lo;
    for (int32_t i = 0; i < n; i++) a->at[i] -= a->lo;
    return 1;
}

/* The part of row (j,k), in cells of the lattice, that the axes touch: where it lies, or in `room` with 0 outside the
 * box. */
static const float *row_of(const struct dense *d, int c, const struct dense_axis ax[3], int32_t j, int32_t k,
                           float *room)
{
    const int32_t first = ax[0].lo - d->lo[0], last = first + ax[0].span, from = first > 0 ? first : 0,
                  to = last < d->n[0] ? last : d->n[0];
    j -= d->lo[1], k -= d->lo[2];
    const int there = from < to && j >= 0 && k >= 0 && j < d->n[1] && k < d->n[2];
    const float *row = there ? d->v[c] + (size_t)d->n[0] * ((size_t)j + (size_t)d->n[1] * (size_t)k) : NULL;
    if (there && from == first && to == last) return row + first;
    memset(room, 0, (size_t)ax[0].span * sizeof *room);
    if (there) memcpy(room + (from - first), row + from, (size_t)(to - from) * sizeof *room);
    return room;
}

int dense_any(const struct dense *d, int c, const struct dense_axis ax[3], float least)
{
    int32_t lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = ax[a].lo > d->lo[a] ? ax[a].lo - d->lo[a] : 0;
        hi[a] = ax[a].lo + ax[a].span - d->lo[a];
        if (hi[a] > d->n[a]) hi[a] = d->n[a];
    }
    for (int32_t k = lo[2]; k < hi[2]; k++)
        for (int32_t j = lo[1]; j < hi[1]; j++) {
            const float *row = d->v[c] + (size_t)d->n[0] * ((size_t)j + (size_t)d->n[1] * (size_t)k);
            for (int32_t i = lo[0]; i < hi[0]; i++)
                if (fabsf(row[i]) > least) return 1;
        }
    return 0;
}

float *dense_expand(const struct bw_block *b, const struct dense *d, int c, const struct dense_axis ax[3])
{
    const struct bw_host *host = b->stage->host;
    const struct dense_kernels *rows = dense_kernels_for(host->simd);
    size_t nx = (size_t)ax[0].n, ny = (size_t)ax[1].n, nz = (size_t)ax[2].n, sy = (size_t)ax[1].span;
    float *row = host->body_scratch(b, (size_t)ax[0].span * sizeof(float));
    float *x = host->body_scratch(b, nx * sy * (size_t)ax[2].span * sizeof(float));
    float *y = host->body_scratch(b, nx * ny * (size_t)ax[2].span * sizeof(float));
    float *out = host->body_scratch(b, nx * ny * nz * sizeof(float));
    if (!row || !x || !y || !out) return NULL;
    for (int32_t k = 0; k < ax[2].span; k++) {
        for (int32_t j = 0; j < ax[1].span; j++) {
            float *to = x + nx * ((size_t)j + sy * (size_t)k);
            rows->take(row_of(d, c, ax, ax[1].lo + j, ax[2].lo + k, row), ax[0].at, ax[0].w, ax[0].n, to);
        }
        for (size_t j = 0; j < ny; j++)
            rows->mix(x + nx * ((size_t)ax[1].at[j] + sy * (size_t)k), ax[0].n, ax[1].w[j], ax[0].n,
                      y + nx * (j + ny * (size_t)k));
    }
    for (size_t k = 0; k < nz; k++)
        rows->mix(y + nx * ny * (size_t)ax[2].at[k], (ptrdiff_t)(nx * ny), ax[2].w[k], (int32_t)(nx * ny),
                  out + nx * ny * k);
    return out;
}

/* ---- from a field ---- */

struct restriction {
    const struct lattice *l;
    struct dense *out;
    int c;
    float background;
};

/// The fine cells under a lattice cell along one axis: the first, how many, and their shares of it.
struct overlap {
    int32_t first, n;
    float w[16];
};

static struct overlap overlap_of(const struct bw_block *b, const struct lattice *l, int a, int32_t i)
{
    double ratio = l->h / b->grid->h, low = (l->origin[a] - b->grid->origin[a]) / b->grid->h + i * ratio,
           high = low + ratio;
    struct overlap o = {.first = (int32_t)floor(low + 1e-6)};
    for (int32_t j = o.first; j < high - 1e-6 && o.n < 16; j++)
        o.w[o.n++] = (float)((fmin(j + 1, high) - fmax(j, low)) / ratio);
    return o;
}

/// Lattice cells from lo to hi - 1.
struct under {
    int32_t lo[3], hi[3];
};

/* Those of the box whose centre lies in a tile: each belongs to one. */
static struct under tile_under(const struct bw_domain_info *g, const struct restriction *r, const int32_t coord[3])
{
    const struct dense *d = r->out;
    struct under u;
    for (int a = 0; a < 3; a++) {
        const int32_t first = coord[a] * g->tile[a];
        const int32_t n = g->n[0] > 0 && first + g->tile[a] > g->n[a] ? g->n[a] - first : g->tile[a];
        const double begin = (g->origin[a] + first * g->h - r->l->origin[a]) / r->l->h - .5;
        const double end = begin + n * g->h / r->l->h;
        u.lo[a] = (int32_t)ceil(begin - 1e-9), u.hi[a] = (int32_t)ceil(end - 1e-9);
        if (u.lo[a] < d->lo[a]) u.lo[a] = d->lo[a];
        if (u.hi[a] > d->lo[a] + d->n[a]) u.hi[a] = d->lo[a] + d->n[a];
    }
    return u;
}

static struct under block_under(const struct bw_block *b, const struct restriction *r)
{
    int32_t coord[3];
    tile_coords(b->grid, b->lo, coord);
    return tile_under(b->grid, r, coord);
}

/* Mean over the fine cells at `f`, the first of the block. */
static float mean_under(const struct bw_block *b, const float *f, const struct overlap *x, const struct overlap *y,
                        const struct overlap *z)
{
    const ptrdiff_t sy = b->view[0].sy, sz = b->view[0].sz;
    const float *corner = f + (x->first - b->lo[0]) + (y->first - b->lo[1]) * sy + (z->first - b->lo[2]) * sz;
    float sum = 0;
    for (int32_t k = 0; k < z->n; k++)
        for (int32_t j = 0; j < y->n; j++) {
            const float *row = corner + j * sy + k * sz;
            const float wyz = z->w[k] * y->w[j];
            for (int32_t i = 0; i < x->n; i++) sum += wyz * x->w[i] * row[i];
        }
    return sum;
}

static void restrict_body(const struct bw_block *b, void *user)
{
    const struct restriction *r = user;
    const struct dense *d = r->out;
    const struct under u = block_under(b, r);
    const int32_t *lo = u.lo, *hi = u.hi;
    if (lo[0] >= hi[0]) return;
    struct overlap *x = b->stage->host->body_scratch(b, (size_t)(hi[0] - lo[0]) * sizeof *x);
    if (!x) return;
    for (int32_t i = lo[0]; i < hi[0]; i++) x[i - lo[0]] = overlap_of(b, r->l, 0, i);
    for (int32_t k = lo[2]; k < hi[2]; k++) {
        const struct overlap z = overlap_of(b, r->l, 2, k);
        for (int32_t j = lo[1]; j < hi[1]; j++) {
            const struct overlap y = overlap_of(b, r->l, 1, j);
            float *row =
                d->v[r->c] + (size_t)d->n[0] * ((size_t)(j - d->lo[1]) + (size_t)d->n[1] * (size_t)(k - d->lo[2]));
            for (int32_t i = lo[0]; i < hi[0]; i++)
                row[i - d->lo[0]] = mean_under(b, bw_f32(&b->view[0], r->c), &x[i - lo[0]], &y, &z) - r->background;
        }
    }
}

/* No halo where lattice cells end with the tile. */
static int restrict_reach(const struct bw_block *b, uint32_t row, int32_t reach[6], void *user)
{
    const struct restriction *r = user;
    const struct under u = block_under(b, r);
    (void)row;
    for (int a = 0; a < 3; a++) {
        if (u.lo[a] >= u.hi[a]) continue;
        const struct overlap low = overlap_of(b, r->l, a, u.lo[a]), high = overlap_of(b, r->l, a, u.hi[a] - 1);
        const int32_t below = b->lo[a] - low.first, above = high.first + high.n - b->lo[a] - b->n[a];
        reach[2 * a] = below > 0 ? below : 0;
        reach[2 * a + 1] = above > 0 ? above : 0;
    }
    return 1;
}

/* What a tile has made, to its row or from it. */
static void row_move(const struct restriction *r, const struct under *u, float *row, int to_row)
{
    const struct dense *d = r->out;
    const size_t n = u->hi[0] > u->lo[0] ? (size_t)(u->hi[0] - u->lo[0]) : 0;
    for (int32_t k = u->lo[2]; k < u->hi[2]; k++)
        for (int32_t j = u->lo[1]; j < u->hi[1]; j++, row += n) {
            float *at = d->v[r->c] + (size_t)(u->lo[0] - d->lo[0]) +
                        (size_t)d->n[0] * ((size_t)(j - d->lo[1]) + (size_t)d->n[1] * (size_t)(k - d->lo[2]));
            if (n) memcpy(to_row ? row : at, to_row ? at : row, n * sizeof *row);
        }
}

/* Of several ranks each has made the cells under its own tiles. */
static enum bw_status restriction_share(struct bw_stage *s, const struct restriction *r)
{
    const struct bw_tiles_api *tiles = s->host->extension(BW_TILES);
    const struct bw_topology *t = tiles->topology(s->domain);
    size_t most = 1;
    if (!ranks_many(s)) return BW_OK;
    for (int a = 0; a < 3; a++) most *= (size_t)ceil(s->grid->tile[a] * s->grid->h / r->l->h) + 1;
    float *row = s->host->scratch(s, ((size_t)t->count + 1) * most * sizeof *row);
    enum bw_status status = row ? BW_OK : BW_ERR_MEMORY;
    for (int to_row = 1; !status && to_row >= 0; to_row--) {
        for (int64_t i = 0; i < t->count; i++) {
            const struct under u = tile_under(s->grid, r, t->coord[i]);
            row_move(r, &u, row + (size_t)i * most, to_row);
        }
        if (to_row) status = ranks_allgather(s, row, NULL, most * sizeof *row);
    }
    return status;
}

enum bw_status dense_restrict(struct bw_stage *s, const struct lattice *l, struct bw_field *field, int c,
                              struct dense *out)
{
    struct restriction r = {l, out, c, (float)s->host->field_info(field)->background[c]};
    int32_t halo = (int32_t)ceil(.5 * l->h / s->grid->h) + 1;
    struct bw_access access[] = {{field, BW_READ, halo}};
    const struct bw_sweep sweep = {
        .access = access, .n_access = 1, .body = restrict_body, .reach = restrict_reach, .user = &r};
    memset(out->v[c], 0, dense_count(out) * sizeof(float));
    const enum bw_status status = s->host->sweep(s, &sweep);
    return status ? status : restriction_share(s, &r);
}
