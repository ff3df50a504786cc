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
    const struct bw_sample_api *sample;
    const struct bw_tiles_api *tiles;
    const struct bw_field *coarse;
    const struct bw_domain_info *fine_info;
    struct bw_domain *coarse_domain, *fine_domain;
    struct means mean;  ///< of the fine field
    double *x;          ///< places along x
    struct span *along; ///< of them
    uint32_t c;
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

/* Places i … end-1 of a row, all known. */
static void run_find(const struct finding *f, const double *x, double y, double z, int32_t i, int32_t end, int64_t row)
{
    enum { RUN = 64 };
    double coarse[RUN], fine[RUN];
    bw_vec3 pos[RUN];
    for (int32_t from = i, n; from < end; from += n) {
        n = end - from < RUN ? end - from : RUN;
        for (int32_t q = 0; q < n; q++) pos[q][0] = x[from + q], pos[q][1] = y, pos[q][2] = z;
        f->sample->component(f->coarse, f->c, (size_t)n, (const bw_vec3 *)pos, coarse);
        means_row(&f->mean, x + from, y, z, n, fine);
        for (int32_t q = 0; q < n; q++) f->d->difference[row + from + q] = (float)(coarse[q] - fine[q]);
    }
}

static double place_coord(const struct scales *d, int a, int64_t i)
{
    return d->coarse->origin[a] + ((double)(d->lo[a] + i) + 0.5 - d->back[a]) * d->coarse->h;
}

static void plane_find(int64_t k, uint32_t worker, void *user)
{
    (void)worker;
    const struct finding *f = user;
    struct scales *d = f->d;
    struct span span[3] = {{0}}, last[3];
    int known = -1;
    span[2] = span_at(f, 2, place_coord(d, 2, k));
    for (int32_t j = 0; j < d->n[1]; j++) {
        const int64_t row = (int64_t)d->n[0] * (j + (int64_t)d->n[1] * k);
        const double y = place_coord(d, 1, j), z = place_coord(d, 2, k);
        span[1] = span_at(f, 1, y);
        for (int32_t i = 0; i < d->n[0]; i++) {
            span[0] = f->along[i];
            d->known[row + i] = (uint8_t)place_known(f, span, last, &known);
        }
        for (int32_t i = 0, end; i < d->n[0]; i = end) {
            for (end = i; end < d->n[0] && d->known[row + end] == d->known[row + i];) end++;
            if (d->known[row + i]) run_find(f, f->x, y, z, i, end, row);
        }
    }
}

enum bw_status scales_find(struct bw_stage *s, const struct bw_field *coarse, const struct bw_field *fine, uint32_t c,
                           struct scales *d)
{
    const struct bw_field_info *info = s->host->field_info(fine);
    const struct bw_tiles_api *tiles = s->host->extension(BW_TILES);
    *d = (struct scales){.coarse = s->host->field_info(coarse)->domain};
    struct finding f = {.sample = s->host->extension(BW_SAMPLE),
                        .tiles = tiles,
                        .coarse = coarse,
                        .fine_info = info->domain,
                        .coarse_domain = tiles->domain(coarse),
                        .fine_domain = tiles->domain(fine),
                        .mean = means_of(s, fine, c, d->coarse),
                        .c = c,
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
    d->known = s->host->scratch(s, (size_t)count);
    f.x = s->host->scratch(s, (size_t)d->n[0] * sizeof *f.x);
    f.along = s->host->scratch(s, (size_t)d->n[0] * sizeof *f.along);
    if (!d->difference || !d->known || !f.x || !f.along) return BW_ERR_MEMORY;
    for (int32_t i = 0; i < d->n[0]; i++) f.along[i] = span_at(&f, 0, f.x[i] = place_coord(d, 0, i));
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

/* Places base[0] … base[0]+n-1 of the four lines around. */
static void line_make(const struct scales *d, const int32_t base[3], const double f[3], int32_t n, struct line *l)
{
    for (int32_t i = 0; i < n; i++) l->sum[i] = l->weight[i] = 0;
    for (int e = 0; e < 4; e++) {
        const int32_t j = base[1] + (e & 1), k = base[2] + (e >> 1);
        const double w = (e & 1 ? f[1] : 1 - f[1]) * (e & 2 ? f[2] : 1 - f[2]);
        if (!(w > 0) || j < 0 || j >= d->n[1] || k < 0 || k >= d->n[2]) continue;
        const int64_t row = (int64_t)d->n[0] * (j + (int64_t)d->n[1] * k);
        for (int32_t i = 0; i < n; i++) {
            const int32_t at = base[0] + i;
            if (at < 0 || at >= d->n[0] || !d->known[row + at]) continue;
            l->sum[i] += w * (double)d->difference[row + at];
            l->weight[i] += w;
        }
    }
}

void scales_row(const struct scales *d, const double first[3], double step, int32_t n, double *out)
{
    struct line l;
    int32_t base[3];
    double f[3], u0 = scales_coord(d, 0, first[0]);
    for (int a = 0; a < 3; a++) {
        double u = scales_coord(d, a, first[a]);
        base[a] = (int32_t)floor(u);
        f[a] = u - base[a];
    }
    const double each = step / d->coarse->h;
    line_make(d, base, f, (int32_t)floor(u0 + (n - 1) * each) - base[0] + 2, &l);
    for (int32_t i = 0; i < n; i++) {
        const double u = u0 + i * each - base[0];
        const int32_t at = (int32_t)u;
        const double part = u - at, weight = l.weight[at] + part * (l.weight[at + 1] - l.weight[at]);
        out[i] = weight > 0 ? (l.sum[at] + part * (l.sum[at + 1] - l.sum[at])) / weight : 0;
    }
}
