// SPDX-License-Identifier: Apache-2.0
/* Restriction of mode large. The averages are those by which `transfer` feeds the coarser domain. So values it has just
 * been given differ by zero, and only what the coarse domain has changed since (its projection) is added back: no
 * detail is lost by going to the coarse grid and back. */
#include "scales.h"
#include "means.h"
#include <common/ranks.h>
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
    int32_t from[3], end[3]; ///< the places that are wanted here
};

/* What lies beyond the sides of a domain counts as its border. */
static int tile_of(const struct bw_domain_info *d, int a, double cell, int32_t *tile)
{
    if (d->n[0] > 0) cell = fmin(fmax(cell, 0), d->n[a] - 1);
    if (!(fabs(cell) < 1e9)) return 0;
    *tile = tile_coord((int32_t)cell, d->tile[a]);
    return 1;
}

static int tile_at(const struct bw_domain_info *d, int a, double x, int32_t *tile)
{
    return tile_of(d, a, floor((x - d->origin[a]) / d->h), tile);
}

static double place_coord(const struct scales *d, int a, int64_t i)
{
    return d->coarse->origin[a] + ((double)(d->lo[a] + i) + 0.5 - d->back[a]) * d->coarse->h;
}

/* Of place i. The space is a little less than a cell, and the place's own cell is counted instead of looked for: both
 * lie on borders of cells, where rounding would choose. */
static struct span span_at(const struct finding *f, int a, int64_t i)
{
    const struct bw_domain_info *fine = f->fine_info;
    const double x = place_coord(f->d, a, i), r = a == fine->thin ? 0 : 0.5 * f->d->coarse->h * (1 - 1e-9);
    const double lo = x - r, hi = x + r;
    struct span s = {0};
    s.inside = fine->n[0] <= 0 || (lo >= fine->origin[a] && hi - fine->origin[a] <= fine->n[a] * fine->h);
    s.inside &= tile_of(f->d->coarse, a, (double)(f->d->lo[a] + i), &s.coarse);
    s.inside &= tile_at(fine, a, lo, &s.lo) && tile_at(fine, a, hi, &s.hi);
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

enum { RUN = 64, BEYOND = 2 };

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
    span[2] = span_at(f, 2, begin[2]);
    for (begin[1] = f->from[1]; begin[1] < f->end[1]; begin[1]++) {
        const int64_t row = begin[0] + (int64_t)d->n[0] * (begin[1] + (int64_t)d->n[1] * begin[2]);
        means_across(&f->mean, 1, place_coord(d, 1, begin[1]), &y);
        span[1] = span_at(f, 1, begin[1]);
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
    const int32_t n = f->end[0];
    (void)worker;
    for (int32_t i = f->from[0]; i < n; i += RUN)
        strip_find(f, (int32_t[3]){i, 0, f->from[2] + (int32_t)k}, n - i < RUN ? n - i : RUN);
}

/* All of them, or, of several ranks, those in the box round its own tiles and two cells of the coarse domain beyond. */
static void places_find(struct bw_stage *s, struct finding *f)
{
    const struct bw_ranks_api *ranks = s->host->extension(BW_RANKS);
    const struct bw_topology *t = f->tiles->topology(f->fine_domain);
    const struct bw_domain_info *fine = f->fine_info;
    int32_t rank, size;
    const int32_t *owner = ranks ? ranks->owners(s, f->fine_domain, &rank, &size) : NULL;
    for (int a = 0; a < 3; a++) {
        int32_t lo = INT32_MAX, hi = INT32_MIN;
        f->from[a] = 0, f->end[a] = owner ? 0 : f->d->n[a];
        for (int64_t k = 0; k < t->count && owner; k++)
            if (owner[k] == rank)
                lo = t->coord[k][a] < lo ? t->coord[k][a] : lo, hi = t->coord[k][a] > hi ? t->coord[k][a] : hi;
        if (lo > hi) continue;
        const double first = fine->origin[a] + (double)lo * fine->tile[a] * fine->h;
        const double last = fine->origin[a] + ((double)hi + 1) * fine->tile[a] * fine->h;
        f->from[a] =
            (int32_t)fmax(floor((first - f->d->coarse->origin[a]) / f->d->coarse->h) - f->d->lo[a] - BEYOND, 0);
        f->end[a] = (int32_t)fmin(ceil((last - f->d->coarse->origin[a]) / f->d->coarse->h) - f->d->lo[a] + BEYOND + 1,
                                  f->d->n[a]);
    }
}

enum bw_status scales_fetch(struct bw_stage *s, struct bw_field *coarse, struct bw_field *fine)
{
    const double reach = (BEYOND + 3) * s->host->field_info(coarse)->domain->h + 2 * s->grid->h;
    const enum bw_status status = ranks_fetch_near(s, coarse, reach);
    return status == BW_OK ? ranks_fetch_near(s, fine, reach) : status;
}

enum bw_status scales_restrict(struct bw_stage *s, const struct bw_field *coarse, const struct bw_field *fine,
                               uint32_t c, struct scales *d)
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
    for (int32_t i = 0; i < d->n[0]; i++) d->x[i] = place_coord(d, 0, i), f.along[i] = span_at(&f, 0, i);
    places_find(s, &f);
    if (f.end[2] > f.from[2]) s->host->parallel_for(s, f.end[2] - f.from[2], plane_find, &f);
    return BW_OK;
}

static double scales_coord(const struct scales *d, int a, double x)
{
    return (x - d->coarse->origin[a]) / d->coarse->h - 0.5 + d->back[a] - d->lo[a];
}

struct refine_place scales_place(const struct scales *d, int a, double x)
{
    const double u = scales_coord(d, a, x), low = floor(u);
    return (struct refine_place){(int32_t)low, u > low ? 2 : 1, {1 - (u - low), u - low}};
}

void scales_rows(const struct scales *d, double first, double step, int32_t n, struct scales_along *along)
{
    const double u0 = scales_coord(d, 0, first), each = step / d->coarse->h;
    along->scales = d;
    along->n = n;
    for (int32_t i = 0; i < n; i++) {
        const double u = u0 + i * each, low = floor(u);
        along->at[i] = (int32_t)low;
        along->part[i] = u - low;
    }
}

void scales_line(void *user, int32_t y, int32_t z, double *out)
{
    const struct scales_along *l = user;
    const struct scales *d = l->scales;
    const int32_t n = l->n, first = l->at[0], count = l->at[n - 1] - first + 2;
    const int32_t from = first < 0 ? -first : 0, to = count < d->n[0] - first ? count : d->n[0] - first;
    double line[2][SCALES_ROW] = {{0}};
    const int64_t row = first + (int64_t)d->n[0] * (y + (int64_t)d->n[1] * z);
    const int inside = y >= 0 && y < d->n[1] && z >= 0 && z < d->n[2];
    for (int32_t i = from; i < to && inside; i++)
        line[0][i] = (double)d->difference[row + i], line[1][i] = (double)d->known[row + i];
    for (int part = 0; part < 2; part++)
        for (int32_t i = 0; i < n; i++) {
            const double *q = line[part] + (l->at[i] - first);
            out[part * n + i] = q[0] + l->part[i] * (q[1] - q[0]);
        }
}

/* A place that lies on an unknown one has a weight of 1e-16 from the known one beside it, or none: rounding chooses. So
 * what weighs less than this moves it by so much less: far more than rounding, and less than any place of cells three
 * times finer has that lies between the coarse ones (1/6 of each axis at least). */
#define WEIGHT_LEAST 1e-3

void scales_row(struct refine *lines, const struct refine_place *y, int32_t n, double *out)
{
    double row[2 * SCALES_ROW];
    refine_row(lines, y, row);
    for (int32_t i = 0; i < n; i++) out[i] = row[i] / fmax(row[n + i], WEIGHT_LEAST); // 0 where none is known
}
