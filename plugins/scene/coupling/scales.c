// SPDX-License-Identifier: Apache-2.0
/* The averages are those by which `transfer` feeds the coarser domain, so what it has just been given differs by
 * nothing, and what it did to it since (its projection) is all that comes back: no detail is lost on the way to and
 * fro. */
#include "scales.h"
#include <common/tiles.h>

#include <math.h>

enum { FINER_MOST = 16 };

struct finding {
    const struct bw_sample_api *sample;
    const struct bw_tiles_api *tiles;
    const struct bw_field *coarse, *fine;
    const struct bw_domain_info *fine_info;
    struct bw_domain *coarse_domain, *fine_domain;
    uint32_t c;
    int finer;
    struct scales *d;
};

/* Are all tiles active that a box touches? What lies beyond the sides of a domain counts as its border. */
static int box_active(const struct bw_tiles_api *tiles, const struct bw_domain *domain, const struct bw_domain_info *d,
                      const double lo[3], const double hi[3])
{
    int32_t from[3], to[3], tile[3];
    for (int a = 0; a < 3; a++) {
        double first = floor((lo[a] - d->origin[a]) / d->h), last = floor((hi[a] - d->origin[a]) / d->h);
        if (d->n[0] > 0) first = fmin(fmax(first, 0), d->n[a] - 1), last = fmin(fmax(last, 0), d->n[a] - 1);
        if (!(fabs(first) < 1e9) || !(fabs(last) < 1e9)) return 0;
        from[a] = (int32_t)first;
        to[a] = (int32_t)last;
    }
    const struct tile_box box = tile_box_of(d, from, to);
    for (tile[2] = box.lo[2]; tile[2] <= box.hi[2]; tile[2]++)
        for (tile[1] = box.lo[1]; tile[1] <= box.hi[1]; tile[1]++)
            for (tile[0] = box.lo[0]; tile[0] <= box.hi[0]; tile[0]++)
                if (tiles->find(domain, tile) < 0) return 0;
    return 1;
}

/* Is the coarse cell's space round x inside the fine box, and active all over in both domains? */
static int place_known(const struct finding *f, const double x[3])
{
    const struct bw_domain_info *fine = f->fine_info;
    const double r = 0.5 * f->d->coarse->h * (1 - 1e-9);
    double lo[3], hi[3];
    for (int a = 0; a < 3; a++) {
        lo[a] = x[a] - (a == fine->thin ? 0 : r);
        hi[a] = x[a] + (a == fine->thin ? 0 : r);
        if (fine->n[0] > 0 && (lo[a] < fine->origin[a] || hi[a] - fine->origin[a] > fine->n[a] * fine->h)) return 0;
    }
    return box_active(f->tiles, f->coarse_domain, f->d->coarse, x, x) &&
           box_active(f->tiles, f->fine_domain, fine, lo, hi);
}

/* A plane of samples at a time. */
static double fine_mean(const struct finding *f, const double x[3])
{
    double sum = 0, value[FINER_MOST * FINER_MOST];
    int parts[3];
    bw_vec3 pos[FINER_MOST * FINER_MOST];
    for (int a = 0; a < 3; a++) parts[a] = a == f->fine_info->thin ? 1 : f->finer;
    const int plane = parts[0] * parts[1];
    for (int k = 0; k < parts[2]; k++) {
        for (int i = 0; i < plane; i++) {
            const int q[3] = {i % parts[0], i / parts[0], k};
            for (int a = 0; a < 3; a++) pos[i][a] = x[a] + ((q[a] + 0.5) / parts[a] - 0.5) * f->d->coarse->h;
        }
        f->sample->component(f->fine, f->c, (size_t)plane, (const bw_vec3 *)pos, value);
        for (int i = 0; i < plane; i++) sum += value[i];
    }
    return sum / (plane * parts[2]);
}

static void plane_find(int64_t k, uint32_t worker, void *user)
{
    (void)worker;
    const struct finding *f = user;
    struct scales *d = f->d;
    for (int32_t j = 0; j < d->n[1]; j++)
        for (int32_t i = 0; i < d->n[0]; i++) {
            const int64_t q[3] = {i, j, k}, at = i + (int64_t)d->n[0] * (j + (int64_t)d->n[1] * k);
            bw_vec3 x;
            double value;
            for (int a = 0; a < 3; a++)
                x[a] = d->coarse->origin[a] + ((double)(d->lo[a] + q[a]) + 0.5 - d->back[a]) * d->coarse->h;
            d->known[at] = (uint8_t)place_known(f, x);
            if (!d->known[at]) continue;
            f->sample->component(f->coarse, f->c, 1, (const bw_vec3 *)&x, &value);
            d->difference[at] = (float)(value - fine_mean(f, x));
        }
}

enum bw_status scales_find(struct bw_stage *s, const struct bw_field *coarse, const struct bw_field *fine, uint32_t c,
                           struct scales *d)
{
    const struct bw_field_info *info = s->host->field_info(fine);
    const struct bw_tiles_api *tiles = s->host->extension(BW_TILES);
    struct finding f = {s->host->extension(BW_SAMPLE), tiles, coarse, fine, info->domain, tiles->domain(coarse),
                        tiles->domain(fine),           c,     1,      d};
    *d = (struct scales){.coarse = s->host->field_info(coarse)->domain};
    f.finer = (int)fmin(fmax(ceil(d->coarse->h / info->domain->h - 1e-6), 1), FINER_MOST);
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
    if (!d->difference || !d->known) return BW_ERR_MEMORY;
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
