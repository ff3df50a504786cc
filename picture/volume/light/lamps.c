// SPDX-License-Identifier: Apache-2.0
/* A fire lights what is around it. Its emission is gathered into at most LAMPS lamps, each at the centre of the
 * light of a block of cells; a lamp of strength J = ∫ j dV (W/sr/m per volume) gives the mean radiance J/(4π r²) at
 * a distance r, less what smoke and the soot of the flames between take away for good, which is marched through the
 * coarse grid. A lamp is as wide as its block: r² has a floor R²/3, which gives a ball of even light and the block's
 * volume, radius R, what it has at its centre; and of what lies within R of it as much lies behind its light as before,
 * so that the mean (1 - exp(-2d))/2d of it gets out. Within the lamp, r from its centre, its light comes from as far as
 * R + r: as deep flames are there, 1/s of what they send out is seen. */
#include "lamps.h"
#include <picture/volume/scene/fast_math.h>
#include <picture/volume/scene/phase.h>

#include <math.h>

enum { LAMPS = 96, MARCH = 32 };

/// Coarse cells a lamp's block is wide: as few as leave LAMPS blocks with light in them.
static int32_t block_choose(const struct bw_dense *b)
{
    for (int32_t width = 1;; width++) {
        double blocks = 1;
        for (int a = 0; a < 3; a++) blocks *= (b->n[a] + width - 1) / width;
        if (blocks <= LAMPS * 3) return width;
    }
}

/// Light of one block of coarse cells, as a lamp. 0: it is dark.
static int lamp_make(const struct bw_dense *b, float *const glow[4], const int at[3], int32_t width,
                     struct bw_lamp *lamp)
{
    const double volume = b->h * b->h * b->h;
    double weight = 0, sum[3] = {0}, mid[3] = {0};
    int hi[3];
    for (int c = 0; c < 3; c++) hi[c] = (at[c] + 1) * width < b->n[c] ? (at[c] + 1) * width : b->n[c];
    for (int k = at[2] * width; k < hi[2]; k++)
        for (int j = at[1] * width; j < hi[1]; j++)
            for (int i = at[0] * width; i < hi[0]; i++) {
                const size_t n = ((size_t)k * (size_t)b->n[1] + (size_t)j) * (size_t)b->n[0] + (size_t)i;
                const double w = (double)(glow[0][n] + glow[1][n] + glow[2][n]);
                const int cell[3] = {i, j, k};
                for (int c = 0; c < 3; c++) sum[c] += (double)glow[c][n], mid[c] += w * (cell[c] + 0.5);
                weight += w;
            }
    if (!(weight > 0)) return 0;
    for (int c = 0; c < 3; c++) {
        lamp->at[c] = b->origin[c] + b->h * mid[c] / weight;
        lamp->rgb[c] = (float)(sum[c] * volume);
    }
    lamp->floor = (float)(0.13 * width * width * b->h * b->h);
    return 1;
}

/// Lamps that nobody would miss cost as much as the others.
static void lamps_thin(struct bw_lamps *l)
{
    float most = 0;
    int kept = 0;
    for (int i = 0; i < l->n; i++) most = bw_most(most, l->lamp[i].rgb[0]);
    for (int i = 0; i < l->n; i++)
        if (l->lamp[i].rgb[0] > 2e-3f * most) l->lamp[kept++] = l->lamp[i];
    l->n = kept;
}

enum bw_status bw_lamps_make(const struct bw_tools *tools, const struct bw_coarse *c, float *const glow[4],
                             float albedo, struct bw_lamps *l)
{
    const int32_t width = block_choose(&c->box);
    int n[3];
    for (int a = 0; a < 3; a++) n[a] = (c->box.n[a] + width - 1) / width;
    const size_t cells = bw_dense_cells(&c->box);
    *l = (struct bw_lamps){.box = c->box, .share = 1 - BW_ONWARD * albedo, .gain = {1, 1, 1}};
    l->dim = tools->alloc(tools->ctx, cells * sizeof *l->dim);
    l->lamp = tools->alloc(tools->ctx, (size_t)n[0] * (size_t)n[1] * (size_t)n[2] * sizeof *l->lamp);
    if (!l->dim || !l->lamp) return BW_ERR_MEMORY;
    for (size_t i = 0; i < cells; i++) l->dim[i] = l->share * (c->extinction[i] - glow[3][i]) + glow[3][i];
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++) l->n += lamp_make(&c->box, glow, (int[3]){i, j, k}, width, &l->lamp[l->n]);
    lamps_thin(l);
    return BW_OK;
}

enum bw_status bw_lamps_solids(const struct bw_tools *tools, const struct bw_coarse *c, const float *smoke,
                               struct bw_lamps *l)
{
    const size_t cells = bw_dense_cells(&c->box);
    l->smoke = tools->alloc(tools->ctx, cells * sizeof *l->smoke);
    if (!l->smoke) return BW_ERR_MEMORY;
    for (size_t i = 0; i < cells; i++) l->smoke[i] = l->dim[i] - l->share * (c->extinction[i] - smoke[i]);
    return BW_OK;
}

void bw_lamps_free(const struct bw_tools *tools, struct bw_lamps *l)
{
    float *const owned[2] = {l->dim, l->smoke};
    for (int i = 0; i < 2; i++)
        if (owned[i]) tools->release(tools->ctx, owned[i]);
    if (l->lamp) tools->release(tools->ctx, l->lamp);
    l->dim = l->smoke = NULL;
    l->lamp = NULL;
    l->n = 0;
}

/// What dims light in a coarse cell, at a place in cells …
static float dim_near(const struct bw_dense *b, const float *dim, const float at[3])
{
    size_t q[3];
    for (int c = 0; c < 3; c++) {
        const int i = (int)bw_most(at[c], 0);
        q[c] = (size_t)(i < b->n[c] ? i : b->n[c] - 1);
    }
    return dim[(q[2] * (size_t)b->n[1] + q[1]) * (size_t)b->n[0] + q[0]];
}

/// … and between their middles, as far out as those lie.
static inline float dim_between(const struct bw_dense *b, const float *dim, const float at[3])
{
    float f[3];
    size_t first = 0, next[3], step = 1;
    for (int c = 0; c < 3; c++) {
        const float q = bw_least(bw_most(at[c] - 0.5f, 0), (float)(b->n[c] - 1));
        const int i = (int)q;
        f[c] = q - (float)i;
        first += (size_t)i * step;
        next[c] = i + 1 < b->n[c] ? step : 0;
        step *= (size_t)b->n[c];
    }
    float row[4];
    for (int r = 0; r < 4; r++) {
        const float *p = dim + first + (r & 1 ? next[1] : 0) + (r & 2 ? next[2] : 0);
        row[r] = p[0] + f[0] * (p[next[0]] - p[0]);
    }
    const float low = row[0] + f[1] * (row[1] - row[0]), high = row[2] + f[1] * (row[3] - row[2]);
    return low + f[2] * (high - low);
}

/// What lies between lets through, d from p to a lamp `own` metres wide: coarse cells along the part of the way inside
/// the box, read between them where each pixel is lit by itself.
static float lamp_transmittance(const struct bw_dense *b, const float *dim, int smooth, const double p[3],
                                const double d[3], double own)
{
    const float inv = (float)(1 / b->h), r = sqrtf((float)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    float t0 = 0, t1 = 1, x[3], way[3], depth[2] = {0};
    for (int c = 0; c < 3; c++) {
        way[c] = (float)d[c] * inv;
        x[c] = (float)(p[c] - b->origin[c]) * inv;
        const float turn = 1 / (way[c] < 0 ? bw_least(way[c], -1e-6f) : bw_most(way[c], 1e-6f));
        const float lo = -x[c] * turn, hi = ((float)b->n[c] - x[c]) * turn;
        t0 = bw_most(t0, bw_least(lo, hi));
        t1 = bw_least(t1, bw_most(lo, hi));
    }
    if (t1 <= t0) return 1;
    const int steps = (int)bw_least((t1 - t0) * r * inv + 1, MARCH);
    const float step = (t1 - t0) / (float)steps, near = 1 - (float)own / bw_most(r, 1e-20f);
    for (int i = 0; i < steps; i++) {
        const float t = t0 + ((float)i + 0.5f) * step;
        const float at[3] = {x[0] + t * way[0], x[1] + t * way[1], x[2] + t * way[2]};
        const float s = smooth ? dim_between(b, dim, at) : dim_near(b, dim, at);
        const float share = bw_least(bw_most((t - near) / step + 0.5f, 0), 1);
        depth[0] += (1 - share) * s, depth[1] += share * s;
    }
    const float within = depth[1] * step * r, twice = within * bw_most(2, 1 + (float)own / bw_most(r, 1e-20f));
    return bw_exp_neg(depth[0] * step * r) * (twice > 0.01f ? (1 - bw_exp_neg(twice)) / twice : 1 - 0.5f * twice);
}

void bw_lamps_light(const struct bw_lamps *all, const double p[3], const struct bw_shading_point *surface, float rgb[3])
{
    const int solid = surface && surface->solid;
    const float *dim = solid && all->smoke ? all->smoke : all->dim;
    const int has_face = surface && (surface->face[0] != 0 || surface->face[1] != 0 || surface->face[2] != 0);
    for (int i = 0; i < all->n; i++) {
        const struct bw_lamp *l = &all->lamp[i];
        double d[3], r2 = 0, cosine = 0, flat = 0;
        for (int c = 0; c < 3; c++) {
            d[c] = l->at[c] - p[c];
            r2 += d[c] * d[c];
            if (surface) cosine += d[c] * surface->normal[c], flat += d[c] * surface->face[c];
        }
        const double r = sqrt(r2), soft = sqrt((double)l->floor);
        // Of a lamp as wide as its block a surface sees something even when the centre is below its horizon.
        double facing = surface ? fmax(cosine + 0.3 * soft, 0) / (r + 0.3 * soft) : 1;
        if (flat < 0.3 * soft && has_face) facing *= fmax(flat + 0.3 * soft, 0) / (0.6 * soft);
        if (facing <= 0) continue;
        const float k = (float)(facing / (4 * 3.14159265358979 * (r2 + (double)l->floor))) *
                        lamp_transmittance(&all->box, dim, solid, p, d, sqrt(3) * soft);
        for (int c = 0; c < 3; c++) rgb[c] += k * (surface ? all->gain[c] : 1) * l->rgb[c];
    }
}

struct bw_light_seen bw_lamps_seen(const struct bw_lamps *all, int i, const double p[3], float rgb[3])
{
    const struct bw_lamp *l = &all->lamp[i];
    struct bw_light_seen s = {.share = 1};
    double r2 = 1e-30;
    for (int c = 0; c < 3; c++) s.to[c] = l->at[c] - p[c], r2 += s.to[c] * s.to[c];
    s.away = sqrt(r2), s.half = sqrt(3 * (double)l->floor / (r2 + (double)l->floor));
    for (int c = 0; c < 3; c++) {
        s.to[c] /= s.away;
        rgb[c] = all->gain[c] * l->rgb[c] / (float)(4 * 3.14159265358979 * (r2 + (double)l->floor));
    }
    return s;
}

float bw_lamps_clear(const struct bw_lamps *all, int i, const double p[3])
{
    const struct bw_lamp *l = &all->lamp[i];
    const double d[3] = {l->at[0] - p[0], l->at[1] - p[1], l->at[2] - p[2]};
    return lamp_transmittance(&all->box, all->smoke ? all->smoke : all->dim, 1, p, d, sqrt(3 * (double)l->floor));
}
