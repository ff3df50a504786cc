// SPDX-License-Identifier: Apache-2.0
/* The averages are those by which `transfer` feeds the coarser domain, so what it has just been given differs by
 * nothing, and what it did to it since (its projection) is all that comes back: no detail is lost on the way to and
 * fro. */
#include "scales.h"

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

static int tile_active(const struct bw_tiles_api *tiles, const struct bw_domain *domain, const struct bw_domain_info *d,
                       const double x[3])
{
    int32_t tile[3];
    for (int a = 0; a < 3; a++) {
        double cell = floor((x[a] - d->origin[a]) / d->h);
        if (d->n[0] > 0) cell = fmin(fmax(cell, 0), d->n[a] - 1);
        if (!(fabs(cell) < 1e9)) return 0;
        tile[a] = (int32_t)floor(cell / d->tile[a]);
    }
    return tiles->find(domain, tile) >= 0;
}

/* Is the coarse cell's space round x inside the fine box, and active all over in both domains? */
static int place_known(const struct finding *f, const double x[3])
{
    const struct bw_domain_info *fine = f->fine_info;
    double r = 0.5 * f->d->coarse->h * (1 - 1e-9);
    if (!tile_active(f->tiles, f->coarse_domain, f->d->coarse, x)) return 0;
    for (int e = 0; e < 8; e++) {
        double corner[3];
        for (int a = 0; a < 3; a++) {
            corner[a] = x[a] + (a == fine->thin ? 0 : (e >> a & 1 ? r : -r));
            double beyond = corner[a] - fine->origin[a];
            if (fine->n[0] > 0 && (beyond < 0 || beyond > fine->n[a] * fine->h)) return 0;
        }
        if (!tile_active(f->tiles, f->fine_domain, fine, corner)) return 0;
    }
    return 1;
}

static double fine_mean(const struct finding *f, const double x[3])
{
    double sum = 0, value[FINER_MOST];
    int m = f->finer, parts[3];
    bw_vec3 pos[FINER_MOST];
    for (int a = 0; a < 3; a++) parts[a] = a == f->fine_info->thin ? 1 : m;
    for (int k = 0; k < parts[2]; k++)
        for (int j = 0; j < parts[1]; j++) {
            for (int i = 0; i < parts[0]; i++) {
                const int q[3] = {i, j, k};
                for (int a = 0; a < 3; a++) pos[i][a] = x[a] + ((q[a] + 0.5) / parts[a] - 0.5) * f->d->coarse->h;
            }
            f->sample->component(f->fine, f->c, (size_t)parts[0], (const bw_vec3 *)pos, value);
            for (int i = 0; i < parts[0]; i++) sum += value[i];
        }
    return sum / ((double)parts[0] * parts[1] * parts[2]);
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

double scales_read(const struct scales *d, const double x[3])
{
    double f[3], sum = 0, weight = 0;
    int32_t base[3];
    for (int a = 0; a < 3; a++) {
        double u = (x[a] - d->coarse->origin[a]) / d->coarse->h - 0.5 + d->back[a] - d->lo[a];
        base[a] = (int32_t)floor(u);
        f[a] = u - base[a];
    }
    for (int e = 0; e < 8; e++) {
        const int32_t q[3] = {base[0] + (e & 1), base[1] + (e >> 1 & 1), base[2] + (e >> 2)};
        double w = (e & 1 ? f[0] : 1 - f[0]) * (e & 2 ? f[1] : 1 - f[1]) * (e & 4 ? f[2] : 1 - f[2]);
        int64_t at = q[0] + (int64_t)d->n[0] * (q[1] + (int64_t)d->n[1] * q[2]);
        int inside = 1;
        for (int a = 0; a < 3; a++) inside &= q[a] >= 0 && q[a] < d->n[a];
        if (!inside || !(w > 0) || !d->known[at]) continue;
        sum += w * (double)d->difference[at];
        weight += w;
    }
    return weight > 0 ? sum / weight : 0;
}
