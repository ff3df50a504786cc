// SPDX-License-Identifier: Apache-2.0
/* The filter of `guide`. With K a Gaussian smoothing of standard deviation σ = size/4, the large scales are 2K - K²:
 * flat where scales are large (0.99 at 4·size, 0.9 at 2·size), one half at `size`, and gone below (0.014 at size/2).
 * Values go onto the lattice by hat functions and come back by the same; what these blur (a variance of step²/6 each)
 * the Gaussian is narrower by. Everything is a ratio of smoothed value and smoothed weight (normalised convolution,
 * Knutsson & Westin 1993), so a border, or air without tiles, pulls towards nothing. A task is a plane of nodes: the
 * same bits for any number of threads. */
#include "lowpass.h"
#include <common/ranks.h>

#include <math.h>
#include <string.h>

enum { TAPS_MOST = 64 };
#define REACH 3.2f  ///< standard deviations
#define FAINT 1e-6f ///< weights that tell nothing

static int is_periodic(const struct bw_stage *s, int a)
{
    return a != s->grid->thin && s->grid->n[a] > 0 && s->grid->side[2 * a].kind == BW_PERIODIC;
}

/* Nodes go round a periodic side where a whole number of steps does: the widest step that divides all periods, but no
 * finer than what the taps reach over. Where there is none (a prime number of cells), the side is a border. */
static int32_t cells_choose(struct bw_stage *s, double sigma, int32_t round[3])
{
    const int32_t widest = (int32_t)fmax(floor(0.7 * sigma), 1);
    for (int a = 0; a < 3; a++) round[a] = is_periodic(s, a);
    for (int32_t cells = widest; cells >= 1 && (double)cells * TAPS_MOST >= (double)REACH * sigma; cells--) {
        int divides = 1;
        for (int a = 0; a < 3; a++) divides &= !round[a] || s->grid->n[a] % cells == 0;
        if (divides) return cells;
    }
    memset(round, 0, 3 * sizeof *round);
    if (s->step == 0)
        s->host->log(s, BW_LOG_WARNING,
                     "the cells of the periodic sides cannot be divided by a step of the filter of "
                     "this `size`: it pulls some 10 %% less beside them");
    return widest;
}

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
        if (l->round[a]) l->lo[a] = 0, l->n[a] = s->grid->n[a] / l->cells;
        if (a == s->grid->thin) l->n[a] = 1, l->origin[a] += 0.5 * s->grid->h;
    }
}

/* What hats blur on a lattice of cells must leave something for the Gaussian to do. */
static double blur_cells2(const struct bw_stage *s, double size, int32_t cells)
{
    double sigma = 0.25 * size / s->grid->h;
    return sigma * sigma - (double)cells * cells / 3;
}

int lattice_is_needed(const struct bw_stage *s, double size) { return blur_cells2(s, size, 1) > 0; }

enum bw_status lattice_make(struct bw_stage *s, double size, struct lattice *l)
{
    const struct bw_tiles_api *tiles = s->host->extension(BW_TILES);
    double sigma = 0.25 * size / s->grid->h; // cells
    *l = (struct lattice){.cells = 0};
    l->cells = cells_choose(s, sigma, l->round);
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
        l->target[c] = memory + 2 * count;
        l->difference[c] = memory + 3 * count;
    }
    l->known = memory;
    l->spare[0] = memory + count;
    l->spare[1] = memory + 2 * count;
    return BW_OK;
}

/* ---- gathering ---- */

/* A tile's values on the nodes that its cells touch, a row of them; rows are added in the order of tiles. So each of
 * several ranks makes the rows of its own tiles, gets the others', and all have the same sums. */
enum { NODES_MOST = 66 };  ///< that a tile touches along an axis: 64 cells, a step each
enum { FLOATS = 1 << 20 }; ///< in rows at a time

struct gathering {
    const struct bw_domain_info *grid;
    const struct bw_tiles_api *tiles;
    const struct bw_topology *topology;
    const struct bw_field *vel, *force;
    double span; ///< s, for which the force pushes
    const struct lattice *l;
    const int32_t *owner; ///< of each tile, or NULL: all are made here
    int32_t rank, n[3];   ///< nodes of a row along each axis
    int64_t first, end;   ///< the tiles whose rows there are
    float *row;           ///< by tile, component, z, y, x
};

static float *row_of(const struct gathering *g, int64_t t, int c)
{
    return g->row + (size_t)((t - g->first) * 3 + c) * (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
}

/// The cells of a tile along an axis and the first node that they touch, from the lattice's first on.
struct stretch {
    int32_t first, n, node;
};

static struct stretch tile_stretch(const struct gathering *g, int64_t t, int a)
{
    const struct bw_domain_info *d = g->grid;
    struct stretch s = {g->topology->coord[t][a] * d->tile[a], d->tile[a], 0};
    if (d->n[0] > 0 && s.first + s.n > d->n[a]) s.n = d->n[a] - s.first;
    if (a != d->thin) s.node = (int32_t)floor((double)s.first / g->l->cells) - g->l->lo[a];
    return s;
}

/* Cell i of a stretch lies this far beyond which of its nodes, in steps: values of component c stand at low faces. */
static int32_t node_below(const struct gathering *g, const struct stretch *s, int a, int c, int32_t i, float *beyond)
{
    *beyond = 0;
    if (a == g->grid->thin) return 0;
    const double x = (s->first + i + (a == c ? 0 : 0.5)) / g->l->cells, whole = floor(x);
    *beyond = (float)(x - whole);
    return (int32_t)whole - g->l->lo[a] - s->node;
}

static void line_gather(const struct gathering *g, const struct stretch *x, int c, const float *value, float *line)
{
    memset(line, 0, (size_t)(g->n[0] + 1) * sizeof *line);
    for (int32_t i = 0; i < x->n; i++) {
        float f;
        const int32_t at = node_below(g, x, 0, c, i, &f);
        line[at] += (1 - f) * value[i];
        line[at + 1] += f * value[i];
    }
}

static void tile_gather(int64_t task, uint32_t worker, void *user)
{
    const struct gathering *g = user;
    const int64_t t = g->first + task / 3;
    const int c = (int)(task % 3), thin = g->grid->thin;
    (void)worker;
    if (c == thin || (g->owner && g->owner[t] != g->rank)) return;
    const float *data = g->tiles->data(g->vel, (uint32_t)c, t);
    const float *force = g->force ? g->tiles->data(g->force, (uint32_t)c, t) : NULL;
    const struct stretch s[3] = {tile_stretch(g, t, 0), tile_stretch(g, t, 1), tile_stretch(g, t, 2)};
    float *row = row_of(g, t, c), line[NODES_MOST + 1], advanced[NODES_MOST];
    memset(row, 0, (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2] * sizeof *row);
    for (int32_t k = 0; k < s[2].n; k++)
        for (int32_t j = 0; j < s[1].n; j++) {
            float y, z;
            const int32_t at[2] = {node_below(g, &s[1], 1, c, j, &y), node_below(g, &s[2], 2, c, k, &z)};
            const ptrdiff_t from = g->grid->tile[0] * (j + (ptrdiff_t)g->grid->tile[1] * k);
            const float *value = data + from;
            for (int32_t i = 0; force && i < s[0].n; i++) advanced[i] = value[i] + (float)g->span * force[from + i];
            line_gather(g, &s[0], c, force ? advanced : value, line);
            for (int e = 0; e < 4; e++) {
                const float w = (e & 1 ? y : 1 - y) * (e & 2 ? z : 1 - z);
                if (w <= 0) continue;
                float *to = row + g->n[0] * (at[0] + (e & 1) + (ptrdiff_t)g->n[1] * (at[1] + (e >> 1)));
                for (int32_t i = 0; i < g->n[0]; i++) to[i] += w * line[i];
            }
        }
}

/* What the cells of a stretch weigh at its nodes. */
static void weights_find(const struct gathering *g, const struct stretch *s, int a, int c, float *weight)
{
    memset(weight, 0, (NODES_MOST + 1) * sizeof *weight);
    for (int32_t i = 0; i < s->n; i++) {
        float f;
        const int32_t at = node_below(g, s, a, c, i, &f);
        weight[at] += 1 - f;
        weight[at + 1] += f;
    }
}

/* Where node `at` of an axis, none before the lattice's first, is kept; the count or more: nowhere, it lies beyond. */
static int32_t node_kept(const struct lattice *l, int a, int32_t at) { return l->round[a] ? at % l->n[a] : at; }

/* A row of n nodes from `at` on: in runs, the later ones from the axis' first node on. */
static void row_add(const struct lattice *l, size_t to, int c, int32_t at, int32_t n, const float *row,
                    const float *weight, float w)
{
    for (int32_t i = 0, x = node_kept(l, 0, at); i < n && x < l->n[0]; x = l->round[0] ? 0 : l->n[0]) {
        float *value = l->value[c] + to + x, *sum = l->weight[c] + to + x;
        const int32_t run = n - i < l->n[0] - x ? n - i : l->n[0] - x;
        for (int32_t q = 0; q < run; q++, i++) {
            value[q] += row[i];
            sum[q] += w * weight[i];
        }
    }
}

/* Plane q of a tile's row goes to the lattice. */
static void plane_add(const struct gathering *g, int64_t t, int c, int32_t q, int32_t plane)
{
    const struct lattice *l = g->l;
    const struct stretch s[3] = {tile_stretch(g, t, 0), tile_stretch(g, t, 1), tile_stretch(g, t, 2)};
    const float *row = row_of(g, t, c) + (size_t)q * (size_t)g->n[0] * (size_t)g->n[1];
    float weight[3][NODES_MOST + 1];
    for (int a = 0; a < 3; a++) weights_find(g, &s[a], a, c, weight[a]);
    for (int32_t j = 0; j < g->n[1]; j++, row += g->n[0]) {
        const int32_t y = node_kept(l, 1, s[1].node + j);
        if (y >= l->n[1]) break;
        row_add(l, (size_t)l->n[0] * ((size_t)y + (size_t)l->n[1] * (size_t)plane), c, s[0].node, g->n[0], row,
                weight[0], weight[1][j] * weight[2][q]);
    }
}

static void rows_add(int64_t task, uint32_t worker, void *user)
{
    const struct gathering *g = user;
    const struct lattice *l = g->l;
    const int32_t plane = (int32_t)(task / 3), c = (int32_t)(task % 3);
    const int64_t period = l->round[2] ? l->n[2] : INT32_MAX;
    (void)worker;
    for (int64_t t = g->first; t < g->end && c != g->grid->thin; t++) {
        const int64_t q = plane - node_kept(l, 2, tile_stretch(g, t, 2).node);
        for (int64_t k = q < 0 ? q + period : q; k < g->n[2]; k += period) plane_add(g, t, c, (int32_t)k, plane);
    }
}

/* As many tiles at a time as rows have room for. */
enum bw_status lattice_gather(struct bw_stage *s, const struct bw_field *vel, const struct bw_field *force,
                              struct lattice *l)
{
    const struct bw_tiles_api *tiles = s->host->extension(BW_TILES);
    struct gathering g = {s->grid, tiles, tiles->topology(s->domain), vel, force, s->span, l};
    int32_t ranks;
    size_t each = 3;
    g.owner = ranks_owners(s, &g.rank, &ranks);
    for (int a = 0; a < 3; a++)
        each *= (size_t)(g.n[a] = a == s->grid->thin ? 1 : (s->grid->tile[a] - 1) / l->cells + 3);
    const int64_t most = FLOATS / (int64_t)each + 1;
    int32_t *slot = s->host->scratch(s, (size_t)(g.topology->count + 1) * sizeof *slot);
    g.row =
        s->host->scratch(s, (size_t)(most < g.topology->count ? most : g.topology->count + 1) * each * sizeof *g.row);
    enum bw_status status = slot && g.row ? BW_OK : BW_ERR_MEMORY;
    for (; !status && g.first < g.topology->count; g.first = g.end) {
        g.end = g.first + most < g.topology->count ? g.first + most : g.topology->count;
        for (int64_t t = 0; t < g.topology->count; t++)
            slot[t] = t < g.first || t >= g.end ? -1 : (int32_t)(t - g.first);
        s->host->parallel_for(s, 3 * (g.end - g.first), tile_gather, &g);
        status = ranks_allgather(s, g.row, slot, each * sizeof *g.row);
        if (!status) s->host->parallel_for(s, 3 * (int64_t)l->n[2], rows_add, &g);
    }
    return status;
}

/* ---- smoothing ---- */

struct smoothing {
    const float *in;
    float *out;
    const int32_t *n, *round;
    int axis, reach;
    float tap[TAPS_MOST + 1]; ///< [0]: the middle
};

/* A row along a periodic axis: every value is there, those beyond its end from its begin on. */
static void row_smooth_round(const struct smoothing *m, const float *in, float *out)
{
    const int32_t n = m->n[0];
    for (int q = -m->reach; q <= m->reach; q++) {
        const float tap = m->tap[q < 0 ? -q : q];
        const int32_t from = (q % n + n) % n, end = n - from;
        if (!q) continue;
        for (int32_t i = 0; i < end; i++) out[i] += tap * in[from + i];
        for (int32_t i = end; i < n; i++) out[i] += tap * in[i - end];
    }
}

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
        if (m->axis == 0 && m->round[0]) {
            row_smooth_round(m, m->in + row, out);
            continue;
        }
        for (int q = -m->reach; q <= m->reach; q++) {
            int32_t lo = 0, hi = n[0], by = q;
            if (m->axis == 0) lo = q < 0 ? -q : 0, hi = q > 0 ? n[0] - q : n[0];
            else if (m->round[m->axis]) by = ((at + q) % n[m->axis] + n[m->axis]) % n[m->axis] - at;
            else if (at + q < 0 || at + q >= n[m->axis]) continue;
            const float *in = m->in + row + by * stride[m->axis], tap = m->tap[q < 0 ? -q : q];
            for (int32_t i = lo; i < hi && q; i++) out[i] += tap * in[i];
        }
    }
}

/* Smooth `in` along all axes with taps of the given reach into `out`, by way of `spare`. */
static void smooth(struct bw_stage *s, const struct lattice *l, const float *tap, int reach, const float *in,
                   float *out, float *spare)
{
    struct smoothing m = {.n = l->n, .round = l->round, .reach = reach};
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
    float *d = l->difference[c], *v = l->value[c], *w = l->weight[c], *g = l->target[c], *both = l->spare[1];
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

void lattice_filter(struct bw_stage *s, struct lattice *l)
{
    float tap[TAPS_MOST + 1];
    int reach = gauss_make(l->blur, tap);
    for (int c = 0; c < 3; c++)
        if (c != s->grid->thin) component_compare(s, l, c, tap, reach);
}

double lattice_difference(const struct lattice *l, int c, const double x[3])
{
    int32_t at[3];
    double f[3], sum = 0;
    for (int a = 0; a < 3; a++) {
        double u = (x[a] - l->origin[a]) / l->step - l->lo[a];
        if (l->round[a]) u -= l->n[a] * floor(u / l->n[a]);
        else u = u < 0 ? 0 : u > l->n[a] - 1 ? l->n[a] - 1 : u;
        at[a] = (int32_t)u;
        f[a] = u - at[a];
    }
    for (int e = 0; e < 8; e++) {
        int32_t q[3] = {at[0] + (e & 1), at[1] + (e >> 1 & 1), at[2] + (e >> 2)};
        for (int a = 0; a < 3; a++)
            if (l->round[a] && q[a] >= l->n[a]) q[a] -= l->n[a];
        double w = (e & 1 ? f[0] : 1 - f[0]) * (e & 2 ? f[1] : 1 - f[1]) * (e & 4 ? f[2] : 1 - f[2]);
        if (w > 0) sum += w * (double)l->difference[c][q[0] + (int64_t)l->n[0] * (q[1] + (int64_t)l->n[1] * q[2])];
    }
    return sum;
}
