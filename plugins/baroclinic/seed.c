// SPDX-License-Identifier: Apache-2.0
/* Gourlay, Fluid Simulation for Video Games, part 8, as it stands: masses go to a uniform grid round all vortons, of about as
 * many cells as there are, by trilinear weights (Σ grid·cell = Σ mass); its gradient is central, one-sided on the six faces of the box; it is read at the
 * vortons, dα/dt = V ∇ρ × g / ρ₀. (His factor ½ belongs to angular velocity, which is what he keeps instead of vorticity.)
 * Serial where it adds up, so that the order of additions is always the same. */
#include "lattice.h"
#include <math.h>
#include <string.h>

enum { CHUNK = 1024 };

struct seed_lattice {
    const struct mass_points *m;
    const struct weight *w;
    double lo[3], h[3], per[3]; ///< low corner; cell; 1/cell
    int64_t n[3];        ///< points
    float *density, (*gradient)[3];
    double *rate;
};

static void shape_choose(struct seed_lattice *l)
{
    double hi[3], size[3], most = 0, volume = 1;
    points_box(l->m, l->lo, hi);
    for (int a = 0; a < 3; a++) most = fmax(most, hi[a] - l->lo[a]);
    for (int a = 0; a < 3; a++) volume *= size[a] = fmax(hi[a] - l->lo[a], most > 0 ? 1e-3 * most : 1);
    double edge = cbrt(volume / (double)l->m->count);
    for (int a = 0; a < 3; a++) {
        l->n[a] = 1 + (int64_t)fmax(1, fmin(ceil(size[a] / edge), 1 << 12));
        l->h[a] = size[a] * (1 + 1e-9) / (double)(l->n[a] - 1);
        l->per[a] = 1 / l->h[a];
    }
}

/// The low corner's point of the cell that holds x, and where in it.
static int64_t cell_of(const struct seed_lattice *l, const double *x, float f[3])
{
    int64_t at[3];
    for (int a = 0; a < 3; a++) {
        double y = (x[a] - l->lo[a]) * l->per[a];
        at[a] = (int64_t)y;
        f[a] = (float)(y - (double)at[a]);
    }
    return at[0] + l->n[0] * (at[1] + l->n[1] * at[2]);
}

static void masses_add(struct seed_lattice *l)
{
    double per = 1 / (l->h[0] * l->h[1] * l->h[2]);
    for (int64_t p = 0; p < l->m->count; p++) {
        float f[3], d = (float)(l->m->deviation[p] * l->m->volume[p] * per);
        float *at = l->density + cell_of(l, l->m->pos[p], f);
        for (int e = 0; e < 4; e++, at += e == 2 ? l->n[0] * (l->n[1] - 1) : l->n[0]) {
            float row = d * (e & 1 ? f[1] : 1 - f[1]) * (e & 2 ? f[2] : 1 - f[2]);
            at[0] += row * (1 - f[0]);
            at[1] += row * f[0];
        }
    }
}

static void gradient_row(int64_t row, uint32_t worker, void *user)
{
    const struct seed_lattice *l = user;
    const int64_t step[3] = {1, l->n[0], l->n[0] * l->n[1]}, k = row / l->n[1], j = row % l->n[1];
    (void)worker;
    for (int64_t i = 0; i < l->n[0]; i++) {
        const int64_t at[3] = {i, j, k};
        const float *d = l->density + row * l->n[0] + i;
        for (int a = 0; a < 3; a++) {
            int64_t up = at[a] + 1 < l->n[a], down = at[a] > 0;
            l->gradient[row * l->n[0] + i][a] = (d[up * step[a]] - d[-down * step[a]]) * (up + down == 2 ? 0.5f : 1.0f) * (float)l->per[a];
        }
    }
}

static void vorton_turn(const struct seed_lattice *l, int64_t p)
{
    const double *g = l->w->gravity;
    double scale = l->m->volume[p] / l->w->ambient;
    float f[3], d[3] = {0};
    int64_t at = cell_of(l, l->m->pos[p], f);
    for (int e = 0; e < 8; e++) {
        float w = (e & 1 ? f[0] : 1 - f[0]) * (e & 2 ? f[1] : 1 - f[1]) * (e & 4 ? f[2] : 1 - f[2]);
        const float *from = l->gradient[at + (e & 1) + l->n[0] * ((e >> 1 & 1) + l->n[1] * (e >> 2))];
        for (int a = 0; a < 3; a++) d[a] += w * from[a];
    }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        l->rate[3 * p + a] += scale * ((double)d[b] * g[c] - (double)d[c] * g[b]);
    }
}

static void vortons_chunk(int64_t chunk, uint32_t worker, void *user)
{
    const struct seed_lattice *l = user;
    int64_t end = (chunk + 1) * CHUNK < l->m->count ? (chunk + 1) * CHUNK : l->m->count;
    (void)worker;
    for (int64_t p = chunk * CHUNK; p < end; p++) vorton_turn(l, p);
}

enum bw_status seed_generate(struct bw_stage *s, const struct mass_points *m, const struct weight *w, double *rate, struct transfer *found)
{
    struct seed_lattice l = {.m = m, .w = w, .rate = rate};
    shape_choose(&l);
    size_t points = (size_t)(l.n[0] * l.n[1] * l.n[2]);
    l.density = s->host->scratch(s, points * sizeof *l.density);
    l.gradient = s->host->scratch(s, points * sizeof *l.gradient);
    if (!l.density || !l.gradient) return BW_ERR_MEMORY;
    memset(l.density, 0, points * sizeof *l.density);
    masses_add(&l);
    s->host->parallel_for(s, l.n[1] * l.n[2], gradient_row, &l);
    s->host->parallel_for(s, (m->count + CHUNK - 1) / CHUNK, vortons_chunk, &l);
    for (size_t i = 0; i < points; i++) found->lattice += (double)l.density[i] * l.h[0] * l.h[1] * l.h[2];
    for (int64_t p = 0; p < m->count; p++) {
        found->mass += m->deviation[p] * m->volume[p];
        found->size += fabs(m->deviation[p]) * m->volume[p];
    }
    found->nodes = (int64_t)points;
    return BW_OK;
}
