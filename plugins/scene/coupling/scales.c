// SPDX-License-Identifier: Apache-2.0
/* The averages are those by which `transfer` feeds the coarser domain, so what it has just been given differs by
 * nothing, and what it did to it since (its projection) is all that comes back: no detail is lost on the way to and
 * fro. */
#include "scales.h"
#include "means.h"
#include <common/tiles.h>

#include <math.h>
#include <string.h>

/* Tiles along an axis round one of the coarse places: its own, and the fine ones that its space touches. */
struct span {
    int32_t coarse, lo, hi;
    int inside; ///< its space lies in the fine box
};

struct finding {
    const struct bw_tiles_api *tiles;
    const struct bw_domain_info *fine_info;
    struct bw_domain *coarse_domain, *fine_domain;
    struct means mean;  ///< of the fine field
    struct means own;   ///< of the coarse one
    struct span *along; ///< of them
    struct scales *d;
};

/* What lies beyond the sides of a domain counts as its border. */
static int tile_at(const struct bw_domain_info *d, int a, double x, int32_t *tile)
{
    double cell = floor((x - d->origin[a]) / d->h);
    if (d->n[0] > 0) cell = fmin(fmax(cell, 0), d->n[a] - 1);
    if (!(fabs(cell) < 1e9)) return 0;
    *tile = tile_coord((int32_t)cell, d->tile[a]);
    return 1;
}

static struct span span_at(const struct finding *f, int a, double x)
{
    const struct bw_domain_info *fine = f->fine_info;
    const double r = a == fine->thin ? 0 : 0.5 * f->d->coarse->h * (1 - 1e-9), lo = x - r, hi = x + r;
    struct span s = {0};
    s.inside = fine->n[0] <= 0 || (lo >= fine->origin[a] && hi - fine->origin[a] <= fine->n[a] * fine->h);
    s.inside &= tile_at(f->d->coarse, a, x, &s.coarse) && tile_at(fine, a, lo, &s.lo) && tile_at(fine, a, hi, &s.hi);
    return s;
}

/* Is the coarse cell's space round a place inside the fine box, and active all over in both domains? `last` and *known:
 * of the place before. */
static int place_known(const struct finding *f, const struct span s[3], struct span last[3], int *known)
{
    int32_t tile[3];
    if (!s[0].inside || !s[1].inside || !s[2].inside) return 0;
    if (*known >= 0 && memcmp(last, s, 3 * sizeof *s) == 0) return *known;
    memcpy(last, s, 3 * sizeof *s);
    *known = f->tiles->find(f->coarse_domain, (const int32_t[3]){s[0].coarse, s[1].coarse, s[2].coarse}) >= 0;
    for (tile[2] = s[2].lo; tile[2] <= s[2].hi; tile[2]++)
        for (tile[1] = s[1].lo; tile[1] <= s[1].hi; tile[1]++)
            for (tile[0] = s[0].lo; tile[0] <= s[0].hi && *known; tile[0]++)
                *known = f->tiles->find(f->fine_domain, tile) >= 0;
    return *known;
}

static double place_coord(const struct scales *d, int a, int64_t i)
{
    return d->coarse->origin[a] + ((double)(d->lo[a] + i) + 0.5 - d->back[a]) * d->coarse->h;
}

enum { RUN = 64 };

/* Places i … end-1 of a row that begins at place `begin`, all known. */
static void run_find(const struct finding *f, struct means_rows *rows, const int32_t begin[3], int32_t i, int32_t end,
                     float *difference)
{
    const struct scales *d = f->d;
    double coarse[RUN], fine[RUN];
    means_row(rows, i, end, fine);
    means_values(&f->own, (const int32_t[3]){d->lo[0] + begin[0] + i, d->lo[1] + begin[1], d->lo[2] + begin[2]},
                 end - i, coarse);
    for (int32_t q = i; q < end; q++) difference[q] = (float)(coarse[q - i] - fine[q - i]);
}

/* RUN places or less of each row of a plane, from begin[0] on. */
static void strip_find(const struct finding *f, int32_t begin[3], int32_t n)
{
    struct scales *d = f->d;
    struct span span[3] = {{0}}, last[3];
    struct means_rows rows;
    struct means_across y, z;
    int known = -1;
    means_rows(&f->mean, d->x + begin[0], n, &rows);
    means_across(&f->mean, 2, place_coord(d, 2, begin[2]), &z);
    rows.y = &y, rows.z = &z;
    span[2] = span_at(f, 2, place_coord(d, 2, begin[2]));
    for (begin[1] = 0; begin[1] < d->n[1]; begin[1]++) {
        const int64_t row = begin[0] + (int64_t)d->n[0] * (begin[1] + (int64_t)d->n[1] * begin[2]);
        means_across(&f->mean, 1, place_coord(d, 1, begin[1]), &y);
        span[1] = span_at(f, 1, place_coord(d, 1, begin[1]));
        for (int32_t i = 0; i < n; i++) {
            span[0] = f->along[begin[0] + i];
            d->difference[row + i] = 0;
            d->known[row + i] = place_known(f, span, last, &known) ? 1 : 0;
        }
        for (int32_t i = 0, end; i < n; i = end) {
            for (end = i; end < n && d->known[row + end] == d->known[row + i];) end++;
            if (d->known[row + i] > 0) run_find(f, &rows, begin, i, end, d->difference + row);
        }
    }
}

static void plane_find(int64_t k, uint32_t worker, void *user)
{
    const struct finding *f = user;
    const int32_t n = f->d->n[0];
    (void)worker;
    for (int32_t i = 0; i < n; i += RUN) strip_find(f, (int32_t[3]){i, 0, (int32_t)k}, n - i < RUN ? n - i : RUN);
}

enum bw_status scales_find(struct bw_stage *s, const struct bw_field *coarse, const struct bw_field *fine, uint32_t c,
                           struct scales *d)
{
    const struct bw_field_info *info = s->host->field_info(fine);
    const struct bw_tiles_api *tiles = s->host->extension(BW_TILES);
    *d = (struct scales){.coarse = s->host->field_info(coarse)->domain};
    struct finding f = {.tiles = tiles,
                        .fine_info = info->domain,
                        .coarse_domain = tiles->domain(coarse),
                        .fine_domain = tiles->domain(fine),
                        .mean = means_of(s, fine, c, d->coarse),
                        .own = means_of(s, coarse, c, d->coarse),
                        .d = d};
    if (info->kind == BW_MAC) d->back[c] = 0.5;
    int64_t count = 1;
    for (int a = 0; a < 3; a++) {
        double lo = (info->domain->origin[a] - d->coarse->origin[a]) / d->coarse->h;
        double size = info->domain->n[a] * info->domain->h / d->coarse->h;
        d->lo[a] = (int32_t)floor(lo);
        d->n[a] = (int32_t)ceil(lo + size + d->back[a]) - d->lo[a];
        count *= d->n[a];
    }
    d->difference = s->host->scratch(s, (size_t)count * sizeof *d->difference);
    d->known = s->host->scratch(s, (size_t)count * sizeof *d->known);
    d->x = s->host->scratch(s, (size_t)d->n[0] * sizeof *d->x);
    f.along = s->host->scratch(s, (size_t)d->n[0] * sizeof *f.along);
    if (!d->difference || !d->known || !d->x || !f.along) return BW_ERR_MEMORY;
    for (int32_t i = 0; i < d->n[0]; i++) f.along[i] = span_at(&f, 0, d->x[i] = place_coord(d, 0, i));
    s->host->parallel_for(s, d->n[2], plane_find, &f);
    return BW_OK;
}

/// One line of the coarse domain's places along x: differences and how much is known, weighted along y and z.
struct line {
    double sum[SCALES_ROW], weight[SCALES_ROW];
};

static double scales_coord(const struct scales *d, int a, double x)
{
    return (x - d->coarse->origin[a]) / d->coarse->h - 0.5 + d->back[a] - d->lo[a];
}

static int32_t split(const struct scales *d, int a, double x, double *part)
{
    const double u = scales_coord(d, a, x);
    *part = u - floor(u);
    return (int32_t)floor(u);
}

/* Places first … first+n-1 of the four lines around y, z. */
static void line_make(const struct scales *d, int32_t first, int32_t n, double y, double z, struct line *l)
{
    double f[2];
    const int32_t base[2] = {split(d, 1, y, &f[0]), split(d, 2, z, &f[1])};
    const int32_t from = first < 0 ? -first : 0, to = n < d->n[0] - first ? n : d->n[0] - first;
    for (int32_t i = 0; i < n; i++) l->sum[i] = l->weight[i] = 0;
    for (int e = 0; e < 4; e++) {
        const int32_t j = base[0] + (e & 1), k = base[1] + (e >> 1);
        const double w = (e & 1 ? f[0] : 1 - f[0]) * (e & 2 ? f[1] : 1 - f[1]);
        if (!(w > 0) || j < 0 || j >= d->n[1] || k < 0 || k >= d->n[2]) continue;
        const int64_t row = first + (int64_t)d->n[0] * (j + (int64_t)d->n[1] * k);
        const float *difference = d->difference + row, *known = d->known + row;
        for (int32_t i = from; i < to; i++) l->sum[i] += w * (double)difference[i];
        for (int32_t i = from; i < to; i++) l->weight[i] += w * (double)known[i];
    }
}

void scales_rows(const struct scales *d, double first, double step, int32_t n, struct scales_along *along)
{
    const double u0 = scales_coord(d, 0, first), each = step / d->coarse->h;
    along->n = n;
    for (int32_t i = 0; i < n; i++) {
        const double u = u0 + i * each, low = floor(u);
        along->at[i] = (int32_t)low;
        along->part[i] = u - low;
    }
}

void scales_row(const struct scales *d, const struct scales_along *along, double y, double z, double *out)
{
    struct line l;
    const int32_t first = along->at[0];
    line_make(d, first, along->at[along->n - 1] - first + 2, y, z, &l);
    for (int32_t i = 0; i < along->n; i++) {
        const int32_t at = along->at[i] - first;
        const double part = along->part[i], weight = l.weight[at] + part * (l.weight[at + 1] - l.weight[at]);
        const double sum = l.sum[at] + part * (l.sum[at + 1] - l.sum[at]);
        out[i] = weight > 0 ? sum / weight : 0;
    }
}
