// SPDX-License-Identifier: Apache-2.0
#include "means.h"
#include <common/tiles.h>

#include <math.h>
#include <string.h>

enum { ROW = 64, TAPS = MEANS_FINER + 2, LINE = ROW * MEANS_FINER + 2, TILES = LINE / 2 };

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

/* Sample q of a cell along an axis, counted in the field's values. */
static double sample_at(const struct means *m, int a, double middle, int q)
{
    const struct bw_domain_info *d = m->info->domain;
    const double x = middle + ((q + 0.5) / m->parts[a] - 0.5) * m->size;
    return (x - d->origin[a]) / d->h - rise(m, a);
}

/* The values along an axis that a cell's samples lie between, and their weights. */
struct taps {
    int32_t first, n;
    double w[TAPS];
};

static void taps_make(const struct means *m, int a, double middle, struct taps *t)
{
    t->first = (int32_t)floor(sample_at(m, a, middle, 0));
    t->n = 0;
    memset(t->w, 0, sizeof t->w);
    for (int q = 0; q < m->parts[a]; q++) {
        const double u = sample_at(m, a, middle, q) - t->first;
        const int32_t at = (int32_t)u;
        t->w[at] += (1 - (u - at)) / m->parts[a];
        t->w[at + 1] += (u - at) / m->parts[a];
        t->n = u > at ? at + 2 : at + 1;
    }
}

/* The tiles along x that lines of values lie in: looked for again when y or z lead into others. */
struct met {
    int32_t y, z, first;
    int known;
    const void *data[TILES]; ///< NULL: inactive
};

static const void *tile_data(const struct means *m, const int32_t tile[3])
{
    const int64_t index = m->tiles->find(m->domain, tile);
    return index < 0 ? NULL : m->tiles->data(m->field, m->c, index);
}

static void tiles_meet(const struct means *m, const int32_t at[3], int32_t n, struct met *met)
{
    const int32_t *edge = m->info->domain->tile;
    const int32_t last = tile_coord(at[0] + n - 1, edge[0]), y = tile_coord(at[1], edge[1]),
                  z = tile_coord(at[2], edge[2]);
    if (met->known && met->y == y && met->z == z) return;
    met->known = 1, met->y = y, met->z = z, met->first = tile_coord(at[0], edge[0]);
    for (int32_t x = met->first; x <= last; x++) met->data[x - met->first] = tile_data(m, (const int32_t[3]){x, y, z});
}

/* Values first … end-1 of an axis are stored ones, not ruled by a side. */
static void stored_find(const struct means *m, int a, int32_t *first, int32_t *end)
{
    const struct bw_domain_info *d = m->info->domain;
    const int bounded = d->n[0] > 0;
    *first = bounded ? rise(m, a) == 0 : INT32_MIN;
    *end = bounded ? d->n[a] : INT32_MAX;
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

/* line += w · n values from `at` on along x. */
static void line_add(const struct means *m, const int32_t at[3], int32_t n, double w, struct met *met, double *line)
{
    const struct bw_domain_info *d = m->info->domain;
    int32_t first, end, stored = 1;
    for (int a = 1; a < 3; a++) {
        stored_find(m, a, &first, &end);
        stored &= at[a] >= first && at[a] < end;
    }
    stored_find(m, 0, &first, &end);
    tiles_meet(m, at, n, met);
    const ptrdiff_t row =
        d->tile[0] * ((at[1] - met->y * d->tile[1]) + (ptrdiff_t)d->tile[1] * (at[2] - met->z * d->tile[2]));
    for (int32_t i = 0, next; i < n; i = next) {
        const int32_t x = at[0] + i, tile = tile_coord(x, d->tile[0]), left = (tile + 1) * d->tile[0] - x;
        const void *data = stored && x >= first && x < end ? met->data[tile - met->first] : NULL;
        next = left < n - i ? i + left : n;
        if (!data) next = i + 1;
        else if (x + (next - i) > end) next = i + (end - x);
        const ptrdiff_t from = row + x - tile * d->tile[0];
        if (!data) line[i] += w * value_beyond(m, (const int32_t[3]){x, at[1], at[2]});
        else if (m->info->precision == BW_F64P)
            for (int32_t q = i; q < next; q++) line[q] += w * ((const double *)data)[from + q - i];
        else
            for (int32_t q = i; q < next; q++) line[q] += w * (double)((const float *)data)[from + q - i];
    }
}

static void row_make(const struct means *m, const double *x, double y, double z, int32_t n, double *out)
{
    struct taps ty, tz;
    struct met met;
    double line[LINE + 1];
    const int32_t first = (int32_t)floor(sample_at(m, 0, x[0], 0)),
                  count = (int32_t)floor(sample_at(m, 0, x[n - 1], m->parts[0] - 1)) + 2 - first;
    met.known = 0; // the rest is not looked at before
    taps_make(m, 1, y, &ty);
    taps_make(m, 2, z, &tz);
    for (int32_t i = 0; i < count; i++) line[i] = 0;
    for (int32_t k = 0; k < tz.n; k++)
        for (int32_t j = 0; j < ty.n; j++)
            if (tz.w[k] * ty.w[j] != 0)
                line_add(m, (const int32_t[3]){first, ty.first + j, tz.first + k}, count, tz.w[k] * ty.w[j], &met,
                         line);
    for (int32_t i = 0; i < n; i++) {
        double sum = 0;
        for (int q = 0; q < m->parts[0]; q++) {
            const double u = sample_at(m, 0, x[i], q) - first;
            const int32_t at = (int32_t)u;
            sum += line[at] + (u - at) * (line[at + 1] - line[at]);
        }
        out[i] = sum / m->parts[0];
    }
}

void means_row(const struct means *m, const double *x, double y, double z, int32_t n, double *out)
{
    for (int32_t i = 0; i < n; i += ROW) row_make(m, x + i, y, z, n - i < ROW ? n - i : ROW, out + i);
}
