// SPDX-License-Identifier: Apache-2.0
/* The filter of `guide`. With K a Gaussian smoothing of standard deviation σ = size/4, the large scales are 2K - K²:
 * flat where scales are large (0.99 at 4·size, 0.9 at 2·size), one half at `size`, and gone below (0.014 at size/2).
 * Values go onto the lattice by hat functions and come back by the same; what these blur (a variance of step²/6 each)
 * the Gaussian is narrower by. Everything is a ratio of smoothed value and smoothed weight (normalised convolution,
 * Knutsson & Westin 1993), so a border, or air without tiles, pulls towards nothing. A task is a plane of nodes: the
 * same bits for any number of threads. */
#include "lowpass.h"

#include <math.h>
#include <string.h>

enum { TAPS_MOST = 64 };
#define REACH 3.2f  ///< standard deviations
#define FAINT 1e-6f ///< weights that tell nothing

/* Round the active tiles, in whole steps from the domain's first cell. */
static void box_find(const struct bw_stage *s, const struct bw_topology *t, struct lattice *l)
{
    for (int a = 0; a < 3; a++) {
        int32_t lo = INT32_MAX, hi = INT32_MIN, tile = s->grid->tile[a];
        for (int64_t k = 0; k < t->count; k++) {
            int32_t from = t->coord[k][a] * tile, to = from + tile;
            if (s->grid->n[0] > 0 && to > s->grid->n[a]) to = s->grid->n[a];
            lo = from < lo ? from : lo;
            hi = to > hi ? to : hi;
        }
        if (!t->count) lo = hi = 0;
        l->lo[a] = (int32_t)floor((double)lo / l->cells);
        l->n[a] = (int32_t)ceil((double)hi / l->cells) - l->lo[a] + 1;
        l->origin[a] = s->grid->origin[a];
        if (a == s->grid->thin) l->n[a] = 1, l->origin[a] += 0.5 * s->grid->h;
    }
}

/* What hats blur on a lattice of cells must leave something for the Gaussian to do. */
static double blur_cells2(const struct bw_stage *s, double size, int32_t cells)
{
    double sigma = 0.25 * size / s->grid->h;
    return sigma * sigma - (double)cells * cells / 3;
}

int lattice_wanted(const struct bw_stage *s, double size) { return blur_cells2(s, size, 1) > 0; }

enum bw_status lattice_make(struct bw_stage *s, double size, struct lattice *l)
{
    const struct bw_tiles_api *tiles = s->host->extension(BW_TILES);
    double sigma = 0.25 * size / s->grid->h; // cells
    *l = (struct lattice){.cells = (int32_t)fmax(floor(0.7 * sigma), 1)};
    l->step = l->cells * s->grid->h;
    l->blur = sqrt(blur_cells2(s, size, l->cells)) / l->cells;
    box_find(s, tiles->topology(s->domain), l);
    size_t count = (size_t)lattice_count(l);
    float *memory = s->host->scratch(s, 15 * count * sizeof *memory);
    if (!memory) return BW_ERR_MEMORY;
    memset(memory, 0, 15 * count * sizeof *memory);
    for (int c = 0; c < 3; c++, memory += 4 * count) {
        l->value[c] = memory;
        l->weight[c] = memory + count;
        l->wanted[c] = memory + 2 * count;
        l->push[c] = memory + 3 * count;
    }
    l->known = memory;
    l->spare[0] = memory + count;
    l->spare[1] = memory + 2 * count;
    return BW_OK;
}

/* ---- gathering ---- */

struct gathering {
    const struct bw_domain_info *grid;
    const struct bw_tiles_api *tiles;
    const struct bw_topology *topology;
    const struct bw_field *vel;
    struct lattice *l;
};

/* Node below a place (in cells along an axis) and how far beyond it that lies, in steps. */
static int32_t node_below(const struct lattice *l, int axis, double cells, float *beyond)
{
    double x = cells / l->cells - l->lo[axis], whole = floor(x);
    *beyond = (float)(x - whole);
    return (int32_t)whole;
}

/* A tile's row of values, added to two rows of nodes. */
static void row_gather(const struct gathering *g, int c, const float *row, int32_t first, int32_t n, float weight,
                       float *value, float *sum)
{
    double half = c == 0 ? 0 : 0.5;
    for (int32_t i = 0; i < n; i++) {
        float f;
        int32_t at = node_below(g->l, 0, first + i + half, &f);
        if (g->grid->thin == 0) at = 0, f = 0;
        value[at] += weight * (1 - f) * row[i];
        sum[at] += weight * (1 - f);
        if (at + 1 >= g->l->n[0]) continue;
        value[at + 1] += weight * f * row[i];
        sum[at + 1] += weight * f;
    }
}

/* Weight of a coordinate for node q of an axis. */
static float hat(const struct gathering *g, int axis, double cells, int32_t q)
{
    if (axis == g->grid->thin) return 1;
    float x = (float)fabs(cells / g->l->cells - g->l->lo[axis] - q);
    return x < 1 ? 1 - x : 0;
}

static void tile_gather(const struct gathering *g, int64_t t, int c, int32_t plane)
{
    const struct bw_domain_info *d = g->grid;
    struct lattice *l = g->l;
    const int32_t *coord = g->topology->coord[t];
    const float *data = g->tiles->data(g->vel, (uint32_t)c, t);
    int32_t first[3], n[3];
    for (int a = 0; a < 3; a++) {
        first[a] = coord[a] * d->tile[a];
        n[a] = d->n[0] > 0 && first[a] + d->tile[a] > d->n[a] ? d->n[a] - first[a] : d->tile[a];
    }
    for (int32_t k = 0; k < n[2]; k++) {
        float wz = hat(g, 2, first[2] + k + (c == 2 ? 0 : 0.5), plane);
        for (int32_t j = 0; j < n[1] && wz > 0; j++) {
            float f;
            int32_t at = node_below(l, 1, first[1] + j + (c == 1 ? 0 : 0.5), &f);
            if (d->thin == 1) at = 0, f = 0;
            const float *row = data + (size_t)d->tile[0] * ((size_t)j + (size_t)d->tile[1] * (size_t)k);
            for (int e = 0; e < 2 && at + e < l->n[1]; e++) {
                size_t to = (size_t)l->n[0] * ((size_t)(at + e) + (size_t)l->n[1] * (size_t)plane);
                row_gather(g, c, row, first[0], n[0], wz * (e ? f : 1 - f), l->value[c] + to, l->weight[c] + to);
            }
        }
    }
}

static void plane_gather(int64_t task, uint32_t worker, void *user)
{
    (void)worker;
    const struct gathering *g = user;
    const struct lattice *l = g->l;
    int32_t plane = (int32_t)(task / 3), c = (int32_t)(task % 3);
    if (c == g->grid->thin) return;
    for (int64_t t = 0; t < g->topology->count; t++) {
        double lo = (double)g->topology->coord[t][2] * g->grid->tile[2], hi = lo + g->grid->tile[2];
        double at = (double)(l->lo[2] + plane) * l->cells;
        if (g->grid->thin == 2 || (hi > at - l->cells && lo < at + l->cells)) tile_gather(g, t, c, plane);
    }
}

void lattice_gather(struct bw_stage *s, const struct bw_field *vel, struct lattice *l)
{
    const struct bw_tiles_api *tiles = s->host->extension(BW_TILES);
    struct gathering g = {s->grid, tiles, tiles->topology(s->domain), vel, l};
    s->host->parallel_for(s, 3 * (int64_t)l->n[2], plane_gather, &g);
}

/* ---- smoothing ---- */

struct smoothing {
    const float *in;
    float *out;
    const int32_t *n;
    int axis, reach;
    float tap[TAPS_MOST + 1]; ///< [0]: the middle
};

/* One plane across z, row by row: a row is the weighted sum of rows beside it, or of itself moved. */
static void plane_smooth(int64_t plane, uint32_t worker, void *user)
{
    (void)worker;
    const struct smoothing *m = user;
    const int32_t *n = m->n;
    const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    for (int32_t j = 0; j < n[1]; j++) {
        const ptrdiff_t row = plane * stride[2] + j * stride[1];
        const int32_t at = m->axis == 1 ? j : (int32_t)plane;
        float *out = m->out + row;
        for (int32_t i = 0; i < n[0]; i++) out[i] = m->tap[0] * m->in[row + i];
        for (int q = -m->reach; q <= m->reach; q++) {
            int32_t lo = 0, hi = n[0];
            if (m->axis == 0) lo = q < 0 ? -q : 0, hi = q > 0 ? n[0] - q : n[0];
            else if (at + q < 0 || at + q >= n[m->axis]) continue;
            const float *in = m->in + row + q * stride[m->axis], tap = m->tap[q < 0 ? -q : q];
            for (int32_t i = lo; i < hi && q; i++) out[i] += tap * in[i];
        }
    }
}

/* Smooth `in` along all axes with taps of the given reach into `out`, by way of `spare`. */
static void smooth(struct bw_stage *s, const struct lattice *l, const float *tap, int reach, const float *in,
                   float *out, float *spare)
{
    struct smoothing m = {.n = l->n, .reach = reach};
    memcpy(m.tap, tap, (size_t)(reach + 1) * sizeof *tap);
    const float *from[3] = {in, out, spare};
    float *to[3] = {out, spare, out};
    for (m.axis = 0; m.axis < 3; m.axis++) {
        m.in = from[m.axis], m.out = to[m.axis];
        s->host->parallel_for(s, l->n[2], plane_smooth, &m);
    }
}

static int gauss_make(double blur, float *tap)
{
    int reach = (int)fminf(ceilf(REACH * (float)blur), TAPS_MOST);
    double sum = 0;
    for (int q = 0; q <= reach; q++) {
        tap[q] = (float)exp(-0.5 * q * q / (blur * blur));
        sum += q ? 2 * (double)tap[q] : (double)tap[q];
    }
    for (int q = 0; q <= reach; q++) tap[q] = (float)((double)tap[q] / sum);
    return reach;
}

/* ---- comparing ---- */

/* out = smoothed value / smoothed weight, 0 where there is none. `value` and `weight` are overwritten. */
static void ratio_smooth(struct bw_stage *s, const struct lattice *l, const float *tap, int reach, float *value,
                         float *weight, float *out)
{
    smooth(s, l, tap, reach, value, out, l->spare[0]);
    smooth(s, l, tap, reach, weight, value, l->spare[0]);
    for (int64_t i = 0; i < lattice_count(l); i++) out[i] = value[i] > FAINT ? out[i] / value[i] : 0;
}

/* The twice smoothed difference of component c. */
static void component_compare(struct bw_stage *s, struct lattice *l, int c, const float *tap, int reach)
{
    static const float hat_taps[2] = {10.0f / 12, 1.0f / 12}; // the variance that gathering by hats has
    int64_t count = lattice_count(l);
    float *d = l->push[c], *v = l->value[c], *w = l->weight[c], *g = l->wanted[c], *both = l->spare[1];
    for (int64_t i = 0; i < count; i++) {
        both[i] = w[i] > FAINT ? l->known[i] : 0;
        g[i] *= both[i];
    }
    smooth(s, l, hat_taps, 1, g, d, l->spare[0]); // the goal goes through what the flow's values went through
    smooth(s, l, hat_taps, 1, both, g, l->spare[0]);
    for (int64_t i = 0; i < count; i++) g[i] = g[i] > FAINT ? both[i] * d[i] / g[i] : 0;
    for (int64_t i = 0; i < count; i++) g[i] = both[i] * (both[i] > 0 ? g[i] / both[i] - v[i] / w[i] : 0);
    for (int64_t i = 0; i < count; i++) w[i] = both[i];
    ratio_smooth(s, l, tap, reach, g, w, d);
    for (int64_t i = 0; i < count; i++) v[i] = d[i] * both[i], w[i] = both[i];
    ratio_smooth(s, l, tap, reach, v, w, g);
    for (int64_t i = 0; i < count; i++) d[i] = 2 * d[i] - g[i];
}

void lattice_compare(struct bw_stage *s, struct lattice *l)
{
    float tap[TAPS_MOST + 1];
    int reach = gauss_make(l->blur, tap);
    for (int c = 0; c < 3; c++)
        if (c != s->grid->thin) component_compare(s, l, c, tap, reach);
}

double lattice_push(const struct lattice *l, int c, const double x[3])
{
    int32_t at[3];
    double f[3], sum = 0;
    for (int a = 0; a < 3; a++) {
        double u = (x[a] - l->origin[a]) / l->step - l->lo[a];
        u = u < 0 ? 0 : u > l->n[a] - 1 ? l->n[a] - 1 : u;
        at[a] = (int32_t)u;
        f[a] = u - at[a];
    }
    for (int e = 0; e < 8; e++) {
        int32_t q[3] = {at[0] + (e & 1), at[1] + (e >> 1 & 1), at[2] + (e >> 2)};
        double w = (e & 1 ? f[0] : 1 - f[0]) * (e & 2 ? f[1] : 1 - f[1]) * (e & 4 ? f[2] : 1 - f[2]);
        if (w > 0) sum += w * (double)l->push[c][q[0] + (int64_t)l->n[0] * (q[1] + (int64_t)l->n[1] * q[2])];
    }
    return sum;
}
