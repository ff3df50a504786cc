// SPDX-License-Identifier: Apache-2.0
/* Amplitudes and coordinates of the noise, on the cache's cells.
 *
 * Amplitudes. Two filters split the flow into bands: w1 = (1-B)² u, w2 = (1-B')² B u, where B is a B3 spline over five
 * cells and B' the same over every second one. Averaged over a few cells, e2 = |w2|²/0.31 is the energy of wavelengths
 * of 4 to 8 cells, the finest that a solver resolves well, and e1 = (|w1|² - 0.06 e2)/0.66 that of 2 to 4 cells, of
 * which most solvers lose a part (the numbers: integrals of the filters' response over isotropic spectra of slope -8/3;
 * slopes of -5/3 and -11/3 move them by a third at most). An octave should have q = 4^-decay of the energy before it.
 * Noise of 2 to 4 cells adds what is missing there, max(0, q e2 - e1), and each finer octave q of max(e1, q e2). All
 * means count only cells in which the cache has a flow: caches end a few cells outside of the smoke, and that edge is
 * no eddy.
 *
 * Texture coordinates. Noise fixed in space would boil; noise that is advected for ever is sheared to threads. So two
 * sets are advected, D(x + offset)/Dt = 0, semi-Lagrangian, and reset in turn every `renew` seconds. Each is faded by
 * sin(π age/renew): the squares add up to 1. Where a set is stretched its weight is less, since the curl of the noise
 * grows by as much, and the other set replaces it.
 * Kim, Thürey, James, Gross, "Wavelet turbulence for fluid simulation", SIGGRAPH 2008; Neyret, "Advected textures",
 * SCA 2003. */
#include "texture.h"

#include <common/number/whole.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- amplitudes ---- */

struct energy {
    const struct dense *vel;
    float *mask, *blurred, *low, *rest, *w[2]; ///< values of cells
    float *counts[2], *mask_blurred[2];        ///< counts: cells whose w is valid
    struct spectrum *out;
    double q;
    int c, octave;
};

static size_t plane_of(const struct energy *e, int64_t k, size_t *n)
{
    *n = (size_t)e->vel->n[0] * (size_t)e->vel->n[1];
    return *n * (size_t)k;
}

static void mask_plane(int64_t k, uint32_t worker, void *user)
{
    const struct energy *e = user;
    const struct dense *d = e->vel;
    size_t n, at = plane_of(e, k, &n);
    (void)worker;
    for (size_t i = at; i < at + n; i++) e->mask[i] = d->v[0][i] != 0 || d->v[1][i] != 0 || d->v[2][i] != 0;
}

/* Blurred value over blurred mask: the mean over masked cells (normalised convolution). */
static float part(float value, float mask) { return mask > 1e-4f ? value / mask : 0; }

/* Excludes w1 near the edge of the cache's cells, where it measures the edge and not eddies. */
static void counts_plane(int64_t k, uint32_t worker, void *user)
{
    const struct energy *e = user;
    size_t n, at = plane_of(e, k, &n);
    (void)worker;
    for (size_t i = at; i < at + n; i++) e->counts[0][i] = e->mask[i] > 0 && e->blurred[i] > .98f;
}

/* rest = in - B in, and for the first octave low = B in. */
static void split_plane(int64_t k, uint32_t worker, void *user)
{
    const struct energy *e = user;
    const float *in = e->octave ? e->low : e->vel->v[e->c], *m = e->mask_blurred[e->octave];
    size_t n, at = plane_of(e, k, &n);
    (void)worker;
    for (size_t i = at; i < at + n; i++) {
        float mean = e->mask[i] > 0 ? part(e->blurred[i], m[i]) : 0;
        e->rest[i] = in[i] - mean;
        if (!e->octave) e->low[i] = mean;
    }
}

/* w += (rest - B rest)² */
static void add_plane(int64_t k, uint32_t worker, void *user)
{
    const struct energy *e = user;
    const float *m = e->mask_blurred[e->octave];
    size_t n, at = plane_of(e, k, &n);
    (void)worker;
    for (size_t i = at; i < at + n; i++) {
        float fine = e->counts[e->octave][i] > 0 ? e->rest[i] - part(e->blurred[i], m[i]) : 0;
        e->w[e->octave][i] += fine * fine;
    }
}

static void amplitude_plane(int64_t k, uint32_t worker, void *user)
{
    const struct energy *e = user;
    size_t n, at = plane_of(e, k, &n);
    (void)worker;
    for (size_t i = at; i < at + n; i++) {
        float e2 = part(e->w[1][i], e->counts[1][i]) / .31f, want = (float)e->q * e2;
        float e1 = (part(e->w[0][i], e->counts[0][i]) - .06f * e2) / .66f;
        if (e1 < 0) e1 = 0;
        e->out->fill.v[0][i] = want > e1 ? sqrtf(want - e1) : 0;
        e->out->fine.v[0][i] = sqrtf(want > e1 ? want : e1);
    }
}

enum bw_status spectrum_measure(struct bw_stage *s, const struct dense *vel, double decay, struct spectrum *out)
{
    const struct bw_host *host = s->host;
    size_t n = dense_count(vel);
    float *m = host->scratch(s, 10 * n * sizeof *m), *work = m + 8 * n;
    enum bw_status st = dense_make(s, &out->fill, vel, 1);
    if (!st) st = dense_make(s, &out->fine, vel, 1);
    if (!m || st) return st ? st : BW_ERR_MEMORY;
    struct energy e = {.vel = vel,
                       .mask = m,
                       .blurred = m + n,
                       .low = m + 2 * n,
                       .rest = m + 3 * n,
                       .w = {m + 4 * n, m + 5 * n},
                       .counts = {m + 9 * n, m},
                       .mask_blurred = {m + 6 * n, m + 7 * n},
                       .out = out,
                       .q = pow(4, -decay)};
    memset(e.w[0], 0, 2 * n * sizeof *m);
    host->parallel_for(s, vel->n[2], mask_plane, &e);
    for (int gap = 1; gap <= 2; gap++) dense_blur(s, vel, e.mask, gap, work, e.mask_blurred[gap - 1]);
    dense_blur(s, vel, e.mask_blurred[0], 1, work, e.blurred);
    host->parallel_for(s, vel->n[2], counts_plane, &e);
    for (e.c = 0; e.c < 3; e.c++)
        for (e.octave = 0; e.octave < 2; e.octave++) {
            dense_blur(s, vel, e.octave ? e.low : vel->v[e.c], e.octave + 1, work, e.blurred);
            host->parallel_for(s, vel->n[2], split_plane, &e);
            dense_blur(s, vel, e.rest, e.octave + 1, work, e.blurred);
            host->parallel_for(s, vel->n[2], add_plane, &e);
        }
    float *means[4] = {e.w[0], e.w[1], e.counts[0], e.counts[1]};
    for (int i = 0; i < 4; i++) { // over about five cells
        dense_blur(s, vel, means[i], 1, work, e.blurred);
        dense_blur(s, vel, e.blurred, 2, work, means[i]);
    }
    host->parallel_for(s, vel->n[2], amplitude_plane, &e);
    return BW_OK;
}

/* 1 in the cells of `d` in which a file holds more than a thousandth of its largest value. */
static void mark(const struct dense *file, const struct dense *d, float *mask)
{
    float most = 0;
    for (size_t i = 0; i < dense_count(file); i++) most = fmaxf(most, fabsf(file->v[0][i]));
    for (int32_t k = 0; k < file->n[2]; k++)
        for (int32_t j = 0; j < file->n[1]; j++) {
            const int32_t y = file->lo[1] + j - d->lo[1], z = file->lo[2] + k - d->lo[2];
            if (y < 0 || z < 0 || y >= d->n[1] || z >= d->n[2]) continue;
            const float *row = file->v[0] + (size_t)file->n[0] * ((size_t)j + (size_t)file->n[1] * (size_t)k);
            float *to = mask + (size_t)d->n[0] * ((size_t)y + (size_t)d->n[1] * (size_t)z);
            for (int32_t i = 0; i < file->n[0]; i++) {
                const int32_t x = file->lo[0] + i - d->lo[0];
                if (x >= 0 && x < d->n[0] && fabsf(row[i]) > 1e-3f * most) to[x] = 1;
            }
        }
}

enum bw_status spectrum_mask(struct bw_stage *s, const struct dense file[2], struct spectrum *out)
{
    const size_t n = dense_count(&out->fine);
    if (!file[1].comps) return BW_OK;
    float *mask = s->host->scratch(s, 3 * n * sizeof *mask), *near = mask + n;
    if (!mask) return BW_ERR_MEMORY;
    memset(mask, 0, n * sizeof *mask);
    for (int q = 0; q < 2; q++)
        if (file[q].comps) mark(&file[q], &out->fine, mask);
    dense_blur(s, &out->fine, mask, 1, near + n, near); // reaches two cells
    for (size_t i = 0; i < n; i++)
        if (!(near[i] > 0)) out->fill.v[0][i] = out->fine.v[0][i] = 0;
    return BW_OK;
}

/* ---- texture coordinates ---- */

struct texture_advection {
    const struct dense *vel;
    struct dense old[TEXTURES], *offset;
    double cells; ///< dt/h
    double h;
    int fresh[TEXTURES];
};

/* offset'(x) = x_b - x + offset(x_b), x_b found by the midpoint rule. */
static void advect_plane(int64_t k, uint32_t worker, void *user)
{
    const struct texture_advection *c = user;
    const struct dense *d = c->vel;
    size_t at = (size_t)d->n[0] * (size_t)d->n[1] * (size_t)k;
    (void)worker;
    for (int32_t j = 0; j < d->n[1]; j++)
        for (int32_t i = 0; i < d->n[0]; i++, at++) {
            float u[3] = {d->v[0][at], d->v[1][at], d->v[2][at]};
            const int still = u[0] == 0 && u[1] == 0 && u[2] == 0;
            double x[3] = {d->lo[0] + i, d->lo[1] + j, d->lo[2] + k}, mid[3], back[3];
            for (int a = 0; a < 3; a++) mid[a] = x[a] - .5 * c->cells * u[a];
            if (!still) dense_sample(d, mid, u);
            for (int a = 0; a < 3; a++) back[a] = x[a] - c->cells * u[a];
            for (int q = 0; q < TEXTURES; q++) {
                const int begins = still || c->fresh[q];
                float from[3];
                if (!begins) dense_sample(&c->old[q], back, from);
                for (int a = 0; a < 3; a++)
                    c->offset[q].v[a][at] = begins ? 0 : (float)((back[a] - x[a]) * c->h) + from[a];
            }
        }
}

struct stretch {
    const struct texture *t;
    const struct dense *vel;
    float per[2]; ///< 1/h, 1/(2h)
    float weight[TEXTURES];
};

static int is_still(const struct dense *vel, size_t at) { return vel->v[0][at] == 0 && vel->v[2][at] == 0; }

/* |∂(x + offset)/∂x| / √3, 1 without stretching; cells without a flow count as gradient 0. per: 1 over
 * one and over two cells. */
static float stretch_at(const struct dense *w, const struct dense *vel, size_t at, const int32_t i[3],
                        const float per[2])
{
    const size_t stride[3] = {1, (size_t)w->n[0], (size_t)w->n[0] * (size_t)w->n[1]};
    float sum = 0;
    for (int b = 0; b < 3; b++) {
        size_t low = i[b] > 0 ? at - stride[b] : at, high = i[b] + 1 < w->n[b] ? at + stride[b] : at;
        if (is_still(vel, low)) low = at;
        if (is_still(vel, high)) high = at;
        const float slopes = low == high ? 0 : per[low != at && high != at];
        for (int a = 0; a < 3; a++) {
            float slope = (a == b ? 1.f : 0.f) + slopes * (w->v[a][high] - w->v[a][low]);
            sum += slope * slope;
        }
    }
    return sqrtf(sum / 3);
}

static void share_plane(int64_t k, uint32_t worker, void *user)
{
    const struct stretch *c = user;
    const struct dense *d = &c->t->offset[0];
    size_t at = (size_t)d->n[0] * (size_t)d->n[1] * (size_t)k;
    (void)worker;
    for (int32_t j = 0; j < d->n[1]; j++)
        for (int32_t i = 0; i < d->n[0]; i++, at++) {
            float own[TEXTURES], gain[TEXTURES], sum = 0;
            for (int q = 0; q < TEXTURES; q++) {
                const int32_t cell[3] = {i, j, (int32_t)k};
                float f = is_still(c->vel, at) ? 1 : stretch_at(&c->t->offset[q], c->vel, at, cell, c->per);
                float sheared = f > 2 ? 4 / (f * f) : 1;
                own[q] = c->weight[q] * sheared, gain[q] = f > .5f ? 1 / f : 2;
                sum += own[q] * own[q];
            }
            float whole = sum > .1f ? 1 / sqrtf(sum) : 3.16f;
            for (int q = 0; q < TEXTURES; q++) c->t->share[q].v[0][at] = own[q] * gain[q] * whole;
        }
}

enum bw_status texture_advect(struct bw_stage *s, struct texture *t, const struct dense *vel, double h, double time,
                              double dt, double renew)
{
    struct stretch stretch = {.t = t, .vel = vel, .per = {(float)(1 / h), (float)(1 / (2 * h))}};
    struct texture_advection advection = {.vel = vel, .offset = t->offset, .cells = dt / h, .h = h};
    enum bw_status st = BW_OK;
    for (int q = 0; q < TEXTURES && !st; q++) {
        double phase = time / renew + (double)q / TEXTURES;
        int64_t age = whole_below(phase) + 1;
        advection.fresh[q] = !t->offset[q].comps || t->age[q] != age;
        stretch.weight[q] = (float)sin(PI * (phase - floor(phase)));
        st = t->offset[q].comps ? dense_move(s, &t->offset[q], vel) : dense_make(s, &t->offset[q], vel, 3);
        advection.old[q] = t->offset[q];
        t->offset[q] = (struct dense){.comps = 0};
        if (!st) st = dense_make(s, &t->offset[q], vel, 3);
        if (!st) st = dense_make(s, &t->share[q], vel, 1);
        t->age[q] = age;
    }
    if (!st) s->host->parallel_for(s, vel->n[2], advect_plane, &advection);
    for (int q = 0; q < TEXTURES; q++) dense_free(s, &advection.old[q]);
    if (!st) s->host->parallel_for(s, vel->n[2], share_plane, &stretch);
    return st;
}
