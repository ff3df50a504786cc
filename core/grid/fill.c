// SPDX-License-Identifier: Apache-2.0
/* Reading a box of cells out of tiles: a product of segments along the three axes is copied from tiles (periodic
 * sides lead round), then cells beyond closed, open and inflow sides are made by each field kind's rule.
 *
 * Rules at a side, for what lies beyond it:
 *   scalar, vector   closed: mirrored; open and inflow: the background
 *   mac, along the side's axis   closed: the boundary face moves with the wall, odd mirror beyond; open: as the
 *                                boundary face; inflow: the stream
 *   mac, tangential  closed: mirrored (free slip) or odd about the wall's velocity (no slip); open: as the nearest
 *                    cell; inflow: the stream. Of what is no velocity, such as a force, walls and streams have 0 */
#include "grid.h"
#include <math.h>
#include <string.h>

/* One coordinate beyond a side: value = scale · value(at) + add. */
struct ghost {
    int32_t at;
    double scale, add;
};

/* Number of valid coordinates along axis a for component c: faces have one more than cells. */
static int32_t axis_count(const struct bw_field_info *f, uint32_t c, int a)
{
    const struct bw_domain_info *d = f->domain;
    return d->n[a] + (f->kind == BW_MAC && (int)c == a && d->side[2 * a].kind != BW_PERIODIC);
}

/* The rule for coordinate x along axis a, once; `at` may still lie beyond the other side (thin boxes). */
static struct ghost ghost_rule(const struct bw_field_info *f, uint32_t c, int a, int32_t x)
{
    const struct bw_domain_info *d = f->domain;
    int32_t n = d->n[a];
    bool normal = f->kind == BW_MAC && (int)c == a, high = x >= n;
    const struct bw_side *s = &d->side[2 * a + (high ? 1 : 0)];
    if (f->kind != BW_MAC) {
        if (s->kind == BW_CLOSED) return (struct ghost){high ? 2 * n - 1 - x : -1 - x, 1, 0};
        return (struct ghost){high ? n - 1 : 0, 0, f->background[c]};
    }
    const double u = f->still ? 0 : s->velocity[c];
    if (s->kind == BW_INFLOW) return (struct ghost){high ? n - 1 : 0, 0, u};
    if (normal) {
        if (s->kind == BW_OPEN) return (struct ghost){high ? n : 0, 1, 0};
        if (x == 0 || x == n) return (struct ghost){x, 0, u};
        return (struct ghost){high ? 2 * n - x : -x, -1, 2 * u};
    }
    if (s->kind == BW_OPEN) return (struct ghost){high ? n - 1 : 0, 1, 0};
    int32_t at = high ? 2 * n - 1 - x : -1 - x;
    return s->no_slip ? (struct ghost){at, -1, 2 * u} : (struct ghost){at, 1, 0};
}

/* Is x ruled by a side rather than stored? Boundary faces of closed and inflow sides are. */
static bool is_ghost(const struct bw_field_info *f, uint32_t c, int a, int32_t x)
{
    const struct bw_domain_info *d = f->domain;
    if (!bw_bounded(d) || d->side[2 * a].kind == BW_PERIODIC) return false;
    int32_t count = axis_count(f, c, a);
    if (x < 0 || x >= count) return true;
    if (f->kind != BW_MAC || (int)c != a) return false;
    return (x == 0 && d->side[2 * a].kind != BW_OPEN) || (x == d->n[a] && d->side[2 * a + 1].kind != BW_OPEN);
}

/* Apply rules until the coordinate is a stored one. */
static struct ghost ghost_resolve(const struct bw_field_info *f, uint32_t c, int a, int32_t x)
{
    struct ghost g = {x, 1, 0};
    for (int turn = 0; turn < 64 && is_ghost(f, c, a, g.at); turn++) {
        struct ghost r = ghost_rule(f, c, a, g.at);
        g.add += g.scale * r.add;
        g.scale *= r.scale;
        g.at = r.at;
        if (g.scale == 0) break;
    }
    return g;
}

static int32_t wrap(int32_t x, int32_t n)
{
    x %= n;
    return x < 0 ? x + n : x;
}

/* Raw value at stored coordinates. */
static double fetch_raw(const struct bw_source *s, uint32_t c, const int32_t at[3])
{
    const struct bw_domain_info *d = s->info->domain;
    int32_t tile[3], in[3];
    for (int a = 0; a < 3; a++) {
        int32_t x = bw_bounded(d) && d->side[2 * a].kind == BW_PERIODIC ? wrap(at[a], d->n[a]) : at[a];
        tile[a] = bw_floor_div(x, d->tile[a]);
        in[a] = x - tile[a] * d->tile[a];
    }
    int64_t t = bw_topo_index(s->topo, tile);
    bool f64 = s->info->precision == BW_F64P;
    if (t >= 0) {
        size_t i = (size_t)in[0] + (size_t)d->tile[0] * ((size_t)in[1] + (size_t)d->tile[1] * (size_t)in[2]);
        return f64 ? ((const double *)s->data[c][t])[i] : ((const float *)s->data[c][t])[i];
    }
    if (s->info->kind == BW_MAC && in[c] == 0) {
        tile[c]--;
        t = bw_topo_find(s->topo, d, tile);
        if (t >= 0 && s->boundary_faces[c][t]) {
            int u = c == 0 ? 1 : 0, v = c == 2 ? 1 : 2;
            size_t i = (size_t)in[u] + (size_t)d->tile[u] * (size_t)in[v];
            return f64 ? ((const double *)s->boundary_faces[c][t])[i] : ((const float *)s->boundary_faces[c][t])[i];
        }
    }
    return s->info->background[c];
}

double bw_fetch(const struct bw_source *s, uint32_t c, const int32_t at[3])
{
    struct ghost g[3];
    int32_t x[3];
    for (int a = 0; a < 3; a++) {
        g[a] = ghost_resolve(s->info, c, a, at[a]);
        x[a] = g[a].at;
        if (g[a].scale == 0) x[a] = 0;
    }
    double v = fetch_raw(s, c, x);
    for (int a = 0; a < 3; a++) v = g[a].scale == 0 ? g[a].add : g[a].scale * v + g[a].add;
    return v;
}

/* A stretch of coordinates that lies in one tile (along one axis). */
struct segment {
    int32_t dst, len, tile, in;
};

#define MAX_SEGMENTS 32

/* Cut [lo, lo+n) into segments of stored coordinates; returns how many, or -1 when there are too many. */
static int segments_cut(const struct bw_field_info *f, uint32_t c, int a, int32_t lo, int32_t n, struct segment *seg)
{
    const struct bw_domain_info *d = f->domain;
    int32_t td = d->tile[a], count = 0;
    bool bounded = bw_bounded(d), periodic = bounded && d->side[2 * a].kind == BW_PERIODIC;
    int32_t limit = bounded ? axis_count(f, c, a) : 0;
    for (int32_t i = 0; i < n;) {
        int32_t x = lo + i, room;
        if (periodic) {
            x = wrap(x, limit);
            room = limit - x;
        } else if (bounded) {
            if (x < 0) {
                i += -x < n - i ? -x : n - i;
                continue;
            }
            if (x >= limit) break;
            room = limit - x;
        } else {
            room = n;
        }
        int32_t tile = bw_floor_div(x, td), in = x - tile * td, len = td - in;
        if (len > room) len = room;
        if (len > n - i) len = n - i;
        if (count == MAX_SEGMENTS) return -1;
        seg[count++] = (struct segment){i, len, tile, in};
        i += len;
    }
    return count;
}

struct copy {
    const struct bw_source *s;
    uint32_t c;
    size_t elem;
    char *out;
    ptrdiff_t sy, sz;
};

static void value_set(char *p, size_t elem, double v)
{
    if (elem == 4) *(float *)p = (float)v;
    else *(double *)p = v;
}

static void rows_set(char *p, size_t elem, double v, int32_t n)
{
    if (elem == 4)
        for (int32_t i = 0; i < n; i++) ((float *)p)[i] = (float)v;
    else
        for (int32_t i = 0; i < n; i++) ((double *)p)[i] = v;
}

/* An inactive tile: the background, and its low faces from the boundary faces of the tile below. */
static void copy_inactive(const struct copy *q, const struct segment g[3])
{
    const struct bw_field_info *f = q->s->info;
    for (int32_t k = 0; k < g[2].len; k++)
        for (int32_t j = 0; j < g[1].len; j++)
            rows_set(q->out + (size_t)(g[0].dst + (g[1].dst + j) * q->sy + (g[2].dst + k) * q->sz) * q->elem, q->elem,
                     f->background[q->c], g[0].len);
    if (f->kind != BW_MAC || g[q->c].in != 0) return;
    int32_t coord[3] = {g[0].tile, g[1].tile, g[2].tile};
    coord[q->c]--;
    int64_t t = bw_topo_find(q->s->topo, f->domain, coord);
    if (t < 0 || !q->s->boundary_faces[q->c][t]) return;
    const char *faces = q->s->boundary_faces[q->c][t];
    int u = q->c == 0 ? 1 : 0, v = q->c == 2 ? 1 : 2;
    ptrdiff_t stride[3] = {1, q->sy, q->sz};
    for (int32_t b = 0; b < g[v].len; b++)
        for (int32_t a = 0; a < g[u].len; a++) {
            size_t from = (size_t)(g[u].in + a) + (size_t)f->domain->tile[u] * (size_t)(g[v].in + b);
            ptrdiff_t to = g[q->c].dst * stride[q->c] + (g[u].dst + a) * stride[u] + (g[v].dst + b) * stride[v];
            memcpy(q->out + (size_t)to * q->elem, faces + from * q->elem, q->elem);
        }
}

/* Rows of a whole tile are the common case: of a known size, they are a few vector moves instead of a call. */
static inline void row_copy(char *dst, const char *src, size_t bytes)
{
    if (bytes == 64) {
        memcpy(dst, src, 64);
    } else if (bytes >= 16 && bytes <= 32) { /* halos: two moves that overlap */
        memcpy(dst, src, 16);
        memcpy(dst + bytes - 16, src + bytes - 16, 16);
    } else if (bytes >= 8 && bytes < 16) {
        memcpy(dst, src, 8);
        memcpy(dst + bytes - 8, src + bytes - 8, 8);
    } else if (bytes == 4) {
        memcpy(dst, src, 4);
    } else {
        memcpy(dst, src, bytes);
    }
}

/// A row's part that one tile has: where it lies, and where it goes, from the row's beginning.
struct piece {
    const char *from;
    size_t to, bytes;
};

/* One stretch of tiles along x, row by row, so that the dense array is written front to back. */
static void copy_rows(const struct copy *q, const struct segment *x, int nx, const struct segment *y,
                      const struct segment *z)
{
    const struct bw_domain_info *d = q->s->info->domain;
    struct piece piece[MAX_SEGMENTS], *end = piece;
    const size_t row = (size_t)d->tile[0] * q->elem, plane = row * (size_t)d->tile[1];
    for (int i = 0; i < nx; i++) {
        int64_t t = bw_topo_index(q->s->topo, (int32_t[3]){x[i].tile, y->tile, z->tile});
        if (t < 0) copy_inactive(q, (struct segment[3]){x[i], *y, *z});
        else
            *end++ = (struct piece){(const char *)q->s->data[q->c][t] + (size_t)x[i].in * q->elem,
                                    (size_t)x[i].dst * q->elem, (size_t)x[i].len * q->elem};
    }
    const size_t ahead = z->len > 1 ? plane : 8 * row; /* the next plane, or a few rows on */
    for (int32_t k = 0; k < z->len && end > piece; k++) {
        char *dst = q->out + (size_t)(y->dst * q->sy + (z->dst + k) * q->sz) * q->elem;
        size_t in = row * (size_t)y->in + plane * (size_t)(z->in + k);
        for (int32_t j = 0; j < y->len; j++, dst += (size_t)q->sy * q->elem, in += row)
            for (const struct piece *p = piece; p < end; p++) {
                __builtin_prefetch(p->from + in + ahead);
                row_copy(dst + p->to, p->from + in, p->bytes);
            }
    }
}

static void plane_map(const struct copy *q, const int32_t n[3], int a, int32_t x, int32_t from, const struct ghost *g)
{
    ptrdiff_t stride[3] = {1, q->sy, q->sz};
    int u = a == 0 ? 1 : 0, v = a == 2 ? 1 : 2;
    for (int32_t j = 0; j < n[v]; j++) {
        char *to = q->out + (size_t)(x * stride[a] + j * stride[v]) * q->elem;
        const char *src = q->out + (size_t)(from * stride[a] + j * stride[v]) * q->elem;
        if (g->scale == 1 && g->add == 0 && u == 0) {
            memmove(to, src, (size_t)n[0] * q->elem);
        } else if (q->elem == 4) {
            float *p = (float *)to, s = (float)g->scale, add = (float)g->add;
            const float *r = (const float *)src;
            if (s == 0)
                for (int32_t i = 0; i < n[u]; i++) p[i * stride[u]] = add;
            else
                for (int32_t i = 0; i < n[u]; i++) p[i * stride[u]] = s * r[i * stride[u]] + add;
        } else {
            double *p = (double *)to;
            const double *r = (const double *)src;
            if (g->scale == 0)
                for (int32_t i = 0; i < n[u]; i++) p[i * stride[u]] = g->add;
            else
                for (int32_t i = 0; i < n[u]; i++) p[i * stride[u]] = g->scale * r[i * stride[u]] + g->add;
        }
    }
}

/* Cells beyond the sides along axis a. False when a source cell is not in the box that is being filled. */
static bool sides_apply(const struct copy *q, const int32_t lo[3], const int32_t n[3], int a)
{
    const struct bw_field_info *f = q->s->info;
    for (int32_t x = 0; x < n[a]; x++) {
        if (!is_ghost(f, q->c, a, lo[a] + x)) {
            if (!bw_bounded(f->domain) || f->domain->side[2 * a].kind == BW_PERIODIC) return true;
            int32_t last = axis_count(f, q->c, a) - 1 - lo[a], to = last < n[a] ? last : n[a];
            if (x < to - 2) x = to - 2; /* skip the inside at once */
            continue;
        }
        struct ghost g = ghost_resolve(f, q->c, a, lo[a] + x);
        int32_t from = g.at - lo[a];
        if (g.scale == 0) from = x;
        if (from < 0 || from >= n[a]) return false;
        plane_map(q, n, a, x, from, &g);
    }
    return true;
}

static void fill_slow(const struct copy *q, const int32_t lo[3], const int32_t n[3])
{
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++)
            for (int32_t i = 0; i < n[0]; i++) {
                int32_t at[3] = {lo[0] + i, lo[1] + j, lo[2] + k};
                value_set(q->out + (size_t)(i + j * q->sy + k * q->sz) * q->elem, q->elem, bw_fetch(q->s, q->c, at));
            }
}

void bw_fill(const struct bw_source *s, uint32_t c, const int32_t lo[3], const int32_t n[3], void *out, ptrdiff_t sy,
             ptrdiff_t sz, bool sides)
{
    struct copy q = {s, c, s->info->precision == BW_F64P ? 8 : 4, out, sy, sz};
    struct segment seg[3][MAX_SEGMENTS];
    int count[3];
    for (int a = 0; a < 3; a++) {
        count[a] = segments_cut(s->info, c, a, lo[a], n[a], seg[a]);
        if (count[a] < 0 || (count[a] == 0 && sides)) {
            fill_slow(&q, lo, n);
            return;
        }
    }
    for (int k = 0; k < count[2]; k++)
        for (int j = 0; j < count[1]; j++) copy_rows(&q, seg[0], count[0], &seg[1][j], &seg[2][k]);
    if (!sides) return;
    for (int a = 0; a < 3; a++)
        if (!sides_apply(&q, lo, n, a)) {
            fill_slow(&q, lo, n);
            return;
        }
}

/* Tiles met last, by the parity of their coordinates: the eight round a place never collide. */
struct sample_cache {
    int32_t tile[8][3];
    int64_t at[8]; /* index, negative: inactive */
    int known[8];
};

static int64_t cache_find(struct sample_cache *m, const struct bw_source *s, const int32_t tile[3])
{
    int e = (tile[0] & 1) | (tile[1] & 1) << 1 | (tile[2] & 1) << 2;
    if (m->known[e] && m->tile[e][0] == tile[0] && m->tile[e][1] == tile[1] && m->tile[e][2] == tile[2])
        return m->at[e];
    m->known[e] = 1;
    memcpy(m->tile[e], tile, sizeof m->tile[e]);
    return m->at[e] = bw_topo_index(s->topo, tile);
}

/* Are the coordinates lo to hi of axis a stored ones, not ruled by a side? */
static bool span_stored(const struct bw_field_info *f, uint32_t c, int a, int32_t lo, int32_t hi)
{
    const struct bw_domain_info *d = f->domain;
    bool face = f->kind == BW_MAC && (int)c == a;
    return !bw_bounded(d) || (lo >= face && hi < d->n[a]);
}

/* The cell of a component's own lattice that a place lies in. */
struct sample_cell {
    int32_t base[3], tile[3], in[3]; /* its low corner: in the domain; which tile; in the tile */
    double f[3];                     /* the place within it */
    bool stored, whole;              /* all corners that count are stored; they lie in one tile */
};

/* Edges of tiles are powers of two. */
static int edge_shift(int32_t edge) { return __builtin_ctz((unsigned)edge); }

static struct sample_cell sample_cell_at(const struct bw_source *s, uint32_t c, const int shift[3], const double x[3])
{
    struct sample_cell q; /* all of it is set below: clearing it first costs as much */
    q.stored = q.whole = true;
    for (int a = 0; a < 3; a++) {
        const int32_t cut = (int32_t)x[a];
        q.base[a] = cut - (x[a] < cut);
        q.f[a] = x[a] - q.base[a];
        q.stored = q.stored && span_stored(s->info, c, a, q.base[a], q.base[a] + (q.f[a] > 0));
        q.tile[a] = q.base[a] >> shift[a];
        q.in[a] = q.base[a] - q.tile[a] * (1 << shift[a]);
        q.whole = q.whole && (q.in[a] + 1 < 1 << shift[a] || q.f[a] == 0);
    }
    return q;
}

static double value_read(const struct bw_source *s, uint32_t c, int64_t t, ptrdiff_t at)
{
    return s->info->precision == BW_F64P ? ((const double *)s->data[c][t])[at]
                                         : (double)((const float *)s->data[c][t])[at];
}

/* Corners of several tiles, or beyond sides. */
static double sample_across(const struct bw_source *s, uint32_t c, const int shift[3], const struct sample_cell *q,
                            struct sample_cache *m)
{
    double v = 0;
    for (int e = 0; e < 8; e++) {
        int32_t at[3], tile[3], in[3];
        double w = 1;
        for (int a = 0; a < 3; a++) {
            const int up = e >> a & 1;
            w *= up ? q->f[a] : 1 - q->f[a];
            at[a] = q->base[a] + up;
            tile[a] = at[a] >> shift[a];
            in[a] = at[a] - tile[a] * (1 << shift[a]);
        }
        if (w == 0) continue;
        const int64_t t = q->stored ? cache_find(m, s, tile) : -1;
        v += w * (t < 0 ? bw_fetch(s, c, at)
                        : value_read(s, c, t, in[0] + ((in[1] + ((ptrdiff_t)in[2] << shift[1])) << shift[0])));
    }
    return v;
}

static double mix(double low, double high, double f) { return low + f * (high - low); }

/* Corners of one tile. One that has no weight may lie in the next: its neighbour is read twice instead. */
static double sample_within(const struct bw_source *s, uint32_t c, const int shift[3], const struct sample_cell *q,
                            int64_t t)
{
    const ptrdiff_t sy = (ptrdiff_t)1 << shift[0], sz = sy << shift[1],
                    first = q->in[0] + q->in[1] * sy + q->in[2] * sz;
    const ptrdiff_t x = q->f[0] > 0, y = q->f[1] > 0 ? sy : 0, z = q->f[2] > 0 ? sz : 0;
    double line[4];
    for (int e = 0; e < 4; e++) {
        const ptrdiff_t at = first + (e & 1 ? y : 0) + (e & 2 ? z : 0);
        line[e] = mix(value_read(s, c, t, at), value_read(s, c, t, at + x), q->f[0]);
    }
    return mix(mix(line[0], line[1], q->f[1]), mix(line[2], line[3], q->f[1]), q->f[2]);
}

void bw_sample_component(const struct bw_source *s, uint32_t c, size_t count, const bw_vec3 *pos, double *out,
                         size_t stride)
{
    const struct bw_domain_info *d = s->info->domain;
    const int shift[3] = {edge_shift(d->tile[0]), edge_shift(d->tile[1]), edge_shift(d->tile[2])};
    struct sample_cache cache = {.known = {0}};
    for (size_t p = 0; p < count; p++) {
        double x[3];
        for (int a = 0; a < 3; a++) {
            x[a] = (pos[p][a] - d->origin[a]) / d->h - (s->info->kind == BW_MAC && (int)c == a ? 0 : .5);
            if (!(fabs(x[a]) < 1e9)) x[a] = x[a] > 0 ? 1e9 : x[a] < 0 ? -1e9 : 0;
        }
        const struct sample_cell q = sample_cell_at(s, c, shift, x);
        const int64_t t = q.stored && q.whole ? cache_find(&cache, s, q.tile) : -1;
        out[p * stride] = t < 0 ? sample_across(s, c, shift, &q, &cache) : sample_within(s, c, shift, &q, t);
    }
}

void bw_sample(const struct bw_source *s, size_t count, const bw_vec3 *pos, double *out)
{
    for (uint32_t c = 0; c < s->info->comps; c++) bw_sample_component(s, c, count, pos, out + c, s->info->comps);
}
