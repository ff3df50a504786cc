// SPDX-License-Identifier: Apache-2.0
/* Gourlay, Fluid Simulation for Video Games, part 8, as it stands: masses go to a uniform grid round all vortons, of
 * about as many cells as there are, by trilinear weights (Σ grid·cell = Σ mass); its gradient is central, one-sided on
 * the six faces of the box; it is read at the vortons, dα/dt = V ∇ρ × g / ρ₀. (His factor ½ belongs to angular
 * velocity, which is what he keeps instead of vorticity.) Memory is waited for, not arithmetic: 13 ns a vorton. Serial
 * where it adds up, so that the order of additions is always the same. */
#include "lattice.h"
#include <common/simd.h>
#include <math.h>
#include <string.h>

enum { CHUNK = 1024 };

/// Low corner of the cell that holds a vorton, and where in it.
struct place {
    vec4 f;
    int64_t at;
};

struct gourlay_lattice {
    const struct mass_points *m;
    const struct density_law *w;
    double lo[3], h[3], per[3]; ///< low corner; cell; 1/cell
    int64_t n[3];               ///< points
    struct place *place;
    vec4 *corner; ///< readable a row and a point before the first
    float *density;
    /// ∇ρ × g, kg/(m³ s²): of points, so that vortons, which are looked up in it eight times, have less to do.
    vec4 *curl;
    double *rate;
};

static void shape_choose(struct gourlay_lattice *l)
{
    double hi[3], size[3], most = 0, volume = 1;
    points_box(l->m, l->lo, hi);
    for (int a = 0; a < 3; a++) most = fmax(most, hi[a] - l->lo[a]);
    for (int a = 0; a < 3; a++) volume *= size[a] = fmax(hi[a] - l->lo[a], most > 0 ? 1e-3 * most : 1);
    double edge = cbrt(volume / (double)l->m->count);
    for (int a = 0; a < 3; a++) {
        l->n[a] = 1 + (int64_t)fmax(1, fmin(ceil(size[a] / edge), 1 << 12));
        l->h[a] = size[a] * (1 + 1e-6) / (double)(l->n[a] - 1); // nobody at the last point, in single precision either
        l->per[a] = 1 / l->h[a];
    }
}

static struct place place_of(const struct gourlay_lattice *l, const double *x)
{
    const vec4 y = {(float)((x[0] - l->lo[0]) * l->per[0]), (float)((x[1] - l->lo[1]) * l->per[1]),
                    (float)((x[2] - l->lo[2]) * l->per[2]), 0};
    const vec4_int at = __builtin_convertvector(y, vec4_int);
    return (struct place){y - __builtin_convertvector(at, vec4), at[0] + l->n[0] * (at[1] + l->n[1] * at[2])};
}

/* What a cell's vortons give to its corners is kept by the cell, four at its low z and four at its high as of the cell
 * above, and handed to the points afterwards: a sum over the same memory in the same places does not wait for what was
 * written last. */
static void masses_add(struct gourlay_lattice *l, struct transfer *found)
{
    const double per = 1 / (l->h[0] * l->h[1] * l->h[2]);
    const int64_t up = l->n[0] * l->n[1];
    double mass = 0, size = 0; // sums through a pointer wait for memory
    for (int64_t p = 0; p < l->m->count; p++) {
        const double own = l->m->deviation[p] * l->m->volume[p];
        const struct place c = l->place[p] = place_of(l, l->m->pos[p]);
        const vec4 along = c.f[0] * (vec4){-1, 1, -1, 1} + (vec4){1, 0, 1, 0},
                   across = c.f[1] * (vec4){-1, -1, 1, 1} + (vec4){1, 1, 0, 0};
        const vec4 all = (float)(own * per) * along * across, high = all * c.f[2];
        l->corner[c.at] += all - high;
        l->corner[c.at + up] += high;
        mass += own;
        size += fabs(own);
    }
    found->mass = mass;
    found->size = size;
}

/// Corners to points; no cell begins at the last point of a row or at the last row. Σ of the points.
static double points_gather(const struct gourlay_lattice *l)
{
    const int64_t points = l->n[0] * l->n[1] * l->n[2];
    double sum = 0;
    for (int64_t i = 0; i < points; i++) {
        const vec4 *c = l->corner + i, *below = c - l->n[0];
        l->density[i] = c[0][0] + c[-1][1] + (below[0][2] + below[-1][3]);
        sum += (double)l->density[i];
    }
    return sum;
}

static void curl_row(int64_t row, uint32_t worker, void *user)
{
    const struct gourlay_lattice *l = user;
    const int64_t step[3] = {1, l->n[0], l->n[0] * l->n[1]}, at[3] = {0, row % l->n[1], row / l->n[1]};
    const float g[3] = {(float)l->w->gravity[0], (float)l->w->gravity[1], (float)l->w->gravity[2]};
    const float *d = l->density + row * l->n[0];
    (void)worker;
    for (int64_t i = 0; i < l->n[0]; i++, d++) {
        float q[3];
        for (int a = 0; a < 3; a++) {
            int64_t x = a ? at[a] : i, up = x + 1 < l->n[a], down = x > 0;
            q[a] = (d[up * step[a]] - d[-down * step[a]]) * (up + down == 2 ? 0.5f : 1.0f) * (float)l->per[a];
        }
        l->curl[row * l->n[0] + i] =
            (vec4){q[1] * g[2] - q[2] * g[1], q[2] * g[0] - q[0] * g[2], q[0] * g[1] - q[1] * g[0], 0};
    }
}

static void vorton_turn(const struct gourlay_lattice *l, int64_t p)
{
    const struct place *c = &l->place[p];
    const vec4 *at = l->curl + c->at;
    const int64_t y = l->n[0], z = l->n[0] * l->n[1];
    const double scale = l->m->volume[p] / l->w->ambient;
    vec4 q[4] = {at[0] + c->f[0] * (at[1] - at[0]), at[y] + c->f[0] * (at[y + 1] - at[y]),
                 at[z] + c->f[0] * (at[z + 1] - at[z]), at[y + z] + c->f[0] * (at[y + z + 1] - at[y + z])};
    for (int e = 0; e < 4; e += 2) q[e] += c->f[1] * (q[e + 1] - q[e]);
    q[0] += c->f[2] * (q[2] - q[0]);
    for (int a = 0; a < 3; a++) l->rate[3 * p + a] += scale * (double)q[0][a];
}

static void vortons_chunk(int64_t chunk, uint32_t worker, void *user)
{
    const struct gourlay_lattice *l = user;
    int64_t end = (chunk + 1) * CHUNK < l->m->count ? (chunk + 1) * CHUNK : l->m->count;
    (void)worker;
    for (int64_t p = chunk * CHUNK; p < end; p++) vorton_turn(l, p);
}

enum bw_status gourlay_generate(struct bw_stage *s, const struct mass_points *m, const struct density_law *w,
                                double *rate, struct transfer *found)
{
    struct gourlay_lattice l = {.m = m, .w = w, .rate = rate};
    shape_choose(&l);
    const size_t points = (size_t)(l.n[0] * l.n[1] * l.n[2]), before = (size_t)l.n[0] + 1;
    vec4 *corner = s->host->scratch(s, (points + before) * sizeof *corner);
    l.density = s->host->scratch(s, points * sizeof *l.density);
    l.curl = s->host->scratch(s, points * sizeof *l.curl);
    l.place = s->host->scratch(s, (size_t)m->count * sizeof *l.place);
    if (!corner || !l.density || !l.curl || !l.place) return BW_ERR_MEMORY;
    memset(corner, 0, (points + before) * sizeof *corner);
    l.corner = corner + before;
    masses_add(&l, found);
    found->lattice = points_gather(&l) * l.h[0] * l.h[1] * l.h[2];
    found->nodes = (int64_t)points;
    s->host->parallel_for(s, l.n[1] * l.n[2], curl_row, &l);
    s->host->parallel_for(s, (m->count + CHUNK - 1) / CHUNK, vortons_chunk, &l);
    return BW_OK;
}
