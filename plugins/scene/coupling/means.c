// SPDX-License-Identifier: Apache-2.0
#include "means.h"
#include <common/tiles.h>

#include <math.h>
#include <string.h>

enum { LINE = MEANS_ROW * MEANS_FINER + 2 };

struct means means_of(const struct bw_stage *s, const struct bw_field *field, uint32_t c,
                      const struct bw_domain_info *over)
{
    const struct bw_tiles_api *tiles = s->host->extension(BW_TILES);
    const struct bw_field_info *info = s->host->field_info(field);
    struct means m = {s->host->extension(BW_SAMPLE), tiles, field, tiles->domain(field), info, c, {1, 1, 1}, over->h};
    for (int a = 0; a < 3; a++)
        if (a != over->thin) m.parts[a] = (int)fmin(fmax(ceil(over->h / info->domain->h - 1e-6), 1), MEANS_FINER);
    return m;
}

/* How far the field's values lie above the low side of their cells, in cells. */
static double rise(const struct means *m, int a) { return m->info->kind == BW_MAC && (int)m->c == a ? 0 : 0.5; }

/* Sample q of a cell along an axis, counted in the field's values. Where the grids' cells meet it is a value, and not
 * one and the rounding's share of the next, which would be looked for. */
static double sample_at(const struct means *m, int a, double middle, int q)
{
    const struct bw_domain_info *d = m->info->domain;
    const double x = middle + ((q + 0.5) / m->parts[a] - 0.5) * m->size;
    const double u = (x - d->origin[a]) / d->h - rise(m, a), whole = floor(u + 0.5);
    return fabs(u - whole) < 1e-9 ? whole : u;
}

/* Values first … end-1 of an axis are stored ones, not ruled by a side. */
static void stored_find(const struct means *m, int a, int32_t *first, int32_t *end)
{
    const struct bw_domain_info *d = m->info->domain;
    const int bounded = d->n[0] > 0;
    *first = bounded ? rise(m, a) == 0 : INT32_MIN;
    *end = bounded ? d->n[a] : INT32_MAX;
}

static void across_place(const struct means *m, int a, struct means_across *t)
{
    const int32_t edge = m->info->domain->tile[a];
    int32_t first, end;
    stored_find(m, a, &first, &end);
    for (int32_t i = 0; i < t->n; i++) {
        const int32_t at = t->first + i;
        t->tile[i] = tile_coord(at, edge);
        t->within[i] = at >= first && at < end ? at - t->tile[i] * edge : -1;
    }
}

void means_across(const struct means *m, int axis, double x, struct means_across *t)
{
    t->first = (int32_t)floor(sample_at(m, axis, x, 0));
    t->n = 0;
    memset(t->w, 0, sizeof t->w);
    for (int q = 0; q < m->parts[axis]; q++) {
        const double u = sample_at(m, axis, x, q) - t->first;
        const int32_t at = (int32_t)u;
        t->w[at] += (1 - (u - at)) / m->parts[axis];
        t->w[at + 1] += (u - at) / m->parts[axis];
        t->n = u > at ? at + 2 : at + 1;
    }
    across_place(m, axis, t);
}

void means_rows(const struct means *m, const double *x, int32_t n, struct means_rows *rows)
{
    const int parts = m->parts[0];
    rows->m = m;
    rows->along.n = n;
    for (int32_t i = 0; i < n; i++)
        for (int q = 0; q < parts; q++) {
            const double u = sample_at(m, 0, x[i], q), low = floor(u);
            rows->along.at[i * parts + q] = (int32_t)low;
            rows->along.part[i * parts + q] = u - low;
        }
    for (int i = 0; i < MEANS_TILES; i++) rows->met[i].known = 0;
}

static const void *tile_data(const struct means *m, const int32_t tile[3])
{
    const int64_t index = m->tiles->find(m->domain, tile);
    return index < 0 ? NULL : m->tiles->data(m->field, m->c, index);
}

/* The tiles at y, z that rows from value `first` to `last` lie in; looked for when y and z lead into others. */
static const struct means_tiles *tiles_meet(const struct means *m, int32_t first, int32_t last, int32_t y, int32_t z,
                                            struct means_tiles met[MEANS_TILES])
{
    const int32_t edge = m->info->domain->tile[0];
    struct means_tiles *t = &met[(y & 1) + 2 * (z & 1)];
    if (t->known && t->y == y && t->z == z) return t;
    t->known = 1, t->y = y, t->z = z, t->first = tile_coord(first, edge);
    for (int32_t x = t->first; x <= tile_coord(last, edge); x++)
        t->data[x - t->first] = tile_data(m, (const int32_t[3]){x, y, z});
    return t;
}

/* A value that no tile holds. */
static double value_beyond(const struct means *m, const int32_t at[3])
{
    const struct bw_domain_info *d = m->info->domain;
    double x[3], v;
    for (int a = 0; a < 3; a++) x[a] = d->origin[a] + (at[a] + rise(m, a)) * d->h;
    m->sample->component(m->field, m->c, 1, (const bw_vec3 *)&x, &v);
    return v;
}

/* Values i … next-1 of a line lie in one tile, from place `within` on, or are ruled by a side: -1. */
struct piece {
    int32_t i, next, tile, within;
};

static int32_t pieces_find(const struct means *m, int32_t at, int32_t n, struct piece *piece)
{
    const int32_t edge = m->info->domain->tile[0];
    int32_t first, end, count = 0;
    stored_find(m, 0, &first, &end);
    for (int32_t i = 0; i < n; count++) {
        const int32_t x = at + i, tile = tile_coord(x, edge), within = x - tile * edge;
        struct piece *p = &piece[count];
        const int stored = x >= first && x < end;
        *p = (struct piece){i, i + (stored ? edge - within : 1), tile, stored ? within : -1};
        if (p->next > n) p->next = n;
        if (stored && at + p->next > end) p->next = end - at;
        i = p->next;
    }
    return count;
}

/* line += w · values of one piece. */
static void piece_add(const struct means *m, const void *data, ptrdiff_t from, int32_t n, double w,
                      double *restrict line)
{
    const double *twice = data;
    const float *single = data;
    if (m->info->precision == BW_F64P)
        for (int32_t q = 0; q < n; q++) line[q] += w * twice[from + q];
    else
        for (int32_t q = 0; q < n; q++) line[q] += w * (double)single[from + q];
}

/* A line of values: where it begins, and its row in the tiles at y and z; `within` < 0: ruled by a side. */
struct values {
    const struct means *m;
    const struct piece *piece;
    int32_t pieces, at[3], within[2];
    const struct means_tiles *met;
};

/* Value i of a line, which no active tile holds: a side's, the high face of the tile before, or the background. */
static double value_missing(const struct values *v, const struct piece *p, int32_t i)
{
    const struct means *m = v->m;
    const int32_t in[3] = {p->within, v->within[0], v->within[1]};
    const int inside = in[0] >= 0 && in[1] >= 0 && in[2] >= 0;
    const int high_face = m->info->kind == BW_MAC && (m->c == 0 ? in[0] + i - p->i : in[m->c]) == 0;
    return inside && !high_face ? m->info->background[m->c]
                                : value_beyond(m, (const int32_t[3]){v->at[0] + i, v->at[1], v->at[2]});
}

/* line += w · values. */
static void line_add(const struct values *v, double w, double *line)
{
    const struct bw_domain_info *d = v->m->info->domain;
    const ptrdiff_t row = d->tile[0] * (v->within[0] + (ptrdiff_t)d->tile[1] * v->within[1]);
    const int stored = v->within[0] >= 0 && v->within[1] >= 0;
    for (int32_t s = 0; s < v->pieces; s++) {
        const struct piece *p = &v->piece[s];
        const void *data = stored && p->within >= 0 ? v->met->data[p->tile - v->met->first] : NULL;
        if (data) piece_add(v->m, data, row + p->within, p->next - p->i, w, line + p->i);
        for (int32_t i = p->i; !data && i < p->next; i++) line[i] += w * value_missing(v, p, i);
    }
}

void means_row(struct means_rows *rows, int32_t from, int32_t to, double *out)
{
    const struct means *m = rows->m;
    const struct means_across *y = rows->y, *z = rows->z;
    const int parts = m->parts[0];
    const int32_t *at = rows->along.at, last = to * parts - 1, first = at[from * parts];
    const int32_t count = at[last] + 1 + (rows->along.part[last] > 0) - first;
    struct piece piece[LINE];
    double line[LINE + 1];
    struct values v = {m, piece, pieces_find(m, first, count, piece), {first, 0, 0}, {0, 0}, NULL};
    for (int32_t i = 0; i <= count; i++) line[i] = 0;
    for (int32_t k = 0; k < z->n; k++)
        for (int32_t j = 0; j < y->n; j++) {
            if (z->w[k] * y->w[j] == 0) continue;
            v.at[1] = y->first + j, v.at[2] = z->first + k;
            v.within[0] = y->within[j], v.within[1] = z->within[k];
            v.met = tiles_meet(m, at[0], at[rows->along.n * parts - 1] + 1, y->tile[j], z->tile[k], rows->met);
            line_add(&v, z->w[k] * y->w[j], line);
        }
    for (int32_t i = from; i < to; i++) {
        double sum = 0;
        for (int32_t q = i * parts; q < (i + 1) * parts; q++) {
            const double *l = line + (at[q] - first);
            sum += l[0] + rows->along.part[q] * (l[1] - l[0]);
        }
        out[i - from] = parts > 1 ? sum / parts : sum;
    }
}

void means_values(const struct means *m, const int32_t at[3], int32_t n, double *out)
{
    struct piece piece[LINE];
    struct means_across own[2] = {{.first = at[1], .n = 1}, {.first = at[2], .n = 1}};
    struct means_tiles met[MEANS_TILES];
    for (int a = 0; a < 2; a++) across_place(m, a + 1, &own[a]);
    for (int i = 0; i < MEANS_TILES; i++) met[i].known = 0;
    struct values v = {
        m, piece, pieces_find(m, at[0], n, piece), {at[0], at[1], at[2]}, {own[0].within[0], own[1].within[0]}, NULL};
    v.met = tiles_meet(m, at[0], at[0] + n - 1, own[0].tile[0], own[1].tile[0], met);
    for (int32_t i = 0; i < n; i++) out[i] = 0;
    line_add(&v, 1, out);
}

/* ---- blocks ---- */

static struct refine_place place_of(const struct means *m, int axis, double x)
{
    const double u = sample_at(m, axis, x, 0), low = floor(u);
    return (struct refine_place){(int32_t)low, u > low ? 2 : 1, {1 - (u - low), u - low}};
}

/* The field's line at y, z, at the places along x that are asked for. */
static void line_along(void *user, int32_t y, int32_t z, double *out)
{
    struct means_block *l = user;
    const struct means *m = l->rows.m;
    const int32_t *at = l->rows.along.at, first = at[l->from], n = l->rows.along.n,
                  count = at[l->to - 1] + 1 + (l->rows.along.part[l->to - 1] > 0) - first;
    struct piece piece[LINE];
    double line[LINE + 1];
    struct means_across own[2] = {{.first = y, .n = 1}, {.first = z, .n = 1}};
    for (int a = 0; a < 2; a++) across_place(m, a + 1, &own[a]);
    struct values v = {
        m, piece, pieces_find(m, first, count, piece), {first, y, z}, {own[0].within[0], own[1].within[0]}, NULL};
    v.met = tiles_meet(m, at[0], at[n - 1] + 1, own[0].tile[0], own[1].tile[0], l->rows.met);
    for (int32_t i = 0; i <= count; i++) line[i] = 0;
    line_add(&v, 1, line);
    for (int32_t i = 0; i < n; i++) out[i] = 0;
    for (int32_t i = l->from; i < l->to; i++) {
        const double *q = line + (at[i] - first);
        out[i] = q[0] + l->rows.along.part[i] * (q[1] - q[0]);
    }
}

int means_block(const struct means *m, const struct bw_block *b, const double *const x[2], const int32_t n[2],
                int32_t from, int32_t to, struct means_block *out)
{
    const int plain = m->parts[0] == 1 && m->parts[1] == 1 && m->parts[2] == 1;
    out->from = from, out->to = to;
    out->refine = (struct refine){.line = line_along, .user = out};
    out->y = b->stage->host->body_scratch(b, (size_t)n[1] * (plain ? sizeof *out->row : sizeof *out->y));
    if (!out->y) return 0;
    out->row = plain ? (struct refine_place *)out->y : NULL;
    for (int32_t j = 0; j < n[1]; j++)
        if (plain) out->row[j] = place_of(m, 1, x[1][j]);
        else means_across(m, 1, x[1][j], &out->y[j]);
    means_rows(m, x[0], n[0], &out->rows);
    out->rows.z = &out->z;
    return !plain || refine_begin(&out->refine, b, n[0], &out->row[0], &out->row[n[1] - 1]);
}

void means_plane(struct means_block *b, double z)
{
    if (b->row) {
        b->plane = place_of(b->rows.m, 2, z);
        refine_plane(&b->refine, &b->plane);
    } else {
        means_across(b->rows.m, 2, z, &b->z);
    }
}

void means_block_row(struct means_block *b, int32_t j, const double *weight, double *out)
{
    const int32_t n = b->rows.along.n;
    if (b->row) {
        refine_row(&b->refine, &b->row[j], out);
        return;
    }
    b->rows.y = &b->y[j];
    for (int32_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && (weight[end] > 0) == (weight[i] > 0);) end++;
        if (weight[i] > 0) means_row(&b->rows, i, end, out + i);
    }
}
