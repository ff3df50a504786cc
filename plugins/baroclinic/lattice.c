// SPDX-License-Identifier: Apache-2.0
/* Particle-to-grid and grid-to-particle transfer: from vortons to a lattice and back, conserving mass and vorticity.
 *
 *   mass, volume   M_i = Σ_p ρ'_p V_p w_ip,  W_i = Σ_p V_p w_ip,   w quadratic B-splines over 3×3×3 nodes: Σ_i w_ip = 1
 *   generation     A_i = h³ (∇q)_i × g,  q = ρ'/ρ₀ or ln(1 + ρ'/ρ₀), whose gradient is ∇ρ/ρ;  ρ'_i = M_i/h³
 *                  (∇q)_i is the difference of faces over h; a face is the mean of two nodes, or ambient, 0, where one
 *                  of them holds no vortons: differences are one-sided at the edge of what there is, and Σ A_i = 0 to
 *                  rounding
 *   vortons        dα_p/dt = V_p Σ_i w_ip A_i / W_i:  Σ dα_p/dt = Σ A_i, and V_p ∇q × g where vortons fill space
 *
 * Interpolating the gradient to the vortons, as Gourlay does, loses the generation beside them: half of a layer with no
 * vortons outside. Second order inside. The lattice is fixed in space and sparse: bricks of 8³ nodes where vortons are.
 * Bricks scatter to their neighbours, one of eight parities (colours) at a time: the order of additions is fixed. */
#include "lattice.h"
#include "lattice_kernels.h"
#include <common/vec3.h>
#include <math.h>
#include <string.h>

enum { NODES = EDGE * EDGE * EDGE, VALUES = 3 };
#define MOST_BRICKS (1 << 26) /* of the box round all; 4 bytes each */
#define VOLUME_MIN 1e-9       /* nodes with a smaller fraction of their volume count as empty */

struct brick {
    int32_t at[3];
    int64_t begin, end; ///< its vortons in `order`
    double mass[NODES], volume[NODES], q[NODES];
    double rate[NODES][VALUES]; ///< A / W
    double lattice, all, made[VALUES];
    int64_t nodes, thinned;
};

struct shared {
    int16_t brick, node;
};

struct lattice {
    const struct mass_points *m;
    const struct density_law *w;
    const struct lattice_kernels *k;
    double h, per;        ///< per: 1/h
    int64_t low[3], n[3]; ///< first brick and bricks along each axis of the box
    int32_t *table;       ///< of the box: brick, or -1
    struct brick *brick;
    int64_t bricks, *order, *home; ///< home: of each vorton
    int64_t *parity, n_parity[9];  ///< bricks by parity, and where each begins
    int32_t now;                   ///< parity at work
    struct shared map[WIDE_NODES];
    double *rate;
};

static int64_t floor_div(int64_t a) { return (a & -EDGE) / EDGE; } // whole eights, below 0 too

static int64_t table_at(const struct lattice *l, const int64_t at[3])
{
    int64_t k = 0;
    for (int a = 2; a >= 0; a--) {
        int64_t i = at[a] - l->low[a];
        if (i < 0 || i >= l->n[a]) return -1;
        k = k * l->n[a] + i;
    }
    return k;
}

static struct brick *brick_at(const struct lattice *l, const int32_t at[3], int dx, int dy, int dz)
{
    const int64_t there[3] = {at[0] + dx, at[1] + dy, at[2] + dz};
    int64_t k = table_at(l, there);
    return k >= 0 && l->table[k] >= 0 ? &l->brick[l->table[k]] : NULL;
}

/* ---- which bricks there are ---- */

/// The first and the last brick along each axis that the nodes around a vorton lie in, and its own.
struct reached {
    int64_t lo[3], own[3], hi[3];
};

static struct reached bricks_of(const struct lattice *l, int64_t p)
{
    struct reached r;
    double w[3];
    for (int a = 0; a < 3; a++) {
        const int64_t c = spline(l->m->pos[p][a] * l->per, w);
        r.own[a] = floor_div(c);
        r.lo[a] = r.own[a] - ((c & (EDGE - 1)) == 0);
        r.hi[a] = r.own[a] + ((c & (EDGE - 1)) == EDGE - 1);
    }
    return r;
}

static enum bw_status box_find(struct bw_stage *s, struct lattice *l)
{
    double lo[3], hi[3], all = 1;
    points_box(l->m, lo, hi);
    for (int a = 0; a < 3; a++) all *= (hi[a] - lo[a]) / (EDGE * l->h) + 3;
    if (!(all < MOST_BRICKS) || !(fabs(lo[0]) + fabs(lo[1]) + fabs(lo[2]) < 1e12 * l->h))
        return s->host->fail(
            s, BW_ERR_DIVERGED,
            "vortons from (%g, %g, %g) to (%g, %g, %g) m are too far apart for a lattice of %g m: raise `cell`, or "
            "lower "
            "vorton.advect's `limit`",
            lo[0], lo[1], lo[2], hi[0], hi[1], hi[2], l->h);
    for (int a = 0; a < 3; a++) {
        double w[3];
        l->low[a] = floor_div(spline(lo[a] * l->per, w)) - 1;
        l->n[a] = floor_div(spline(hi[a] * l->per, w)) + 2 - l->low[a];
    }
    return BW_OK;
}

/// Bricks that vortons reach, numbered in the order of their coordinates.
static enum bw_status bricks_find(struct bw_stage *s, struct lattice *l)
{
    int64_t cells = l->n[0] * l->n[1] * l->n[2], b = 0;
    l->table = s->host->scratch(s, (size_t)cells * sizeof *l->table);
    l->home = s->host->scratch(s, (size_t)l->m->count * sizeof *l->home);
    if (!l->table || !l->home) return BW_ERR_MEMORY;
    memset(l->table, 0xff, (size_t)cells * sizeof *l->table);
    struct reached now, last = {.own = {INT64_MAX}};
    for (int64_t p = 0; p < l->m->count; p++) {
        now = bricks_of(l, p);
        l->home[p] = table_at(l, now.own);
        if (memcmp(&now, &last, sizeof now) == 0) continue;
        last = now;
        for (int64_t z = now.lo[2]; z <= now.hi[2]; z++)
            for (int64_t y = now.lo[1]; y <= now.hi[1]; y++)
                for (int64_t x = now.lo[0]; x <= now.hi[0]; x++) l->table[table_at(l, (const int64_t[3]){x, y, z})] = 0;
    }
    for (int64_t k = 0; k < cells; k++) l->bricks += l->table[k] >= 0;
    l->brick = s->host->scratch(s, (size_t)l->bricks * sizeof *l->brick);
    if (!l->brick) return BW_ERR_MEMORY;
    memset(l->brick, 0, (size_t)l->bricks * sizeof *l->brick);
    for (int64_t k = 0; k < cells; k++) {
        if (l->table[k] < 0) continue;
        const int64_t at[3] = {k % l->n[0], k / l->n[0] % l->n[1], k / l->n[0] / l->n[1]};
        for (int a = 0; a < 3; a++) l->brick[b].at[a] = (int32_t)(l->low[a] + at[a]);
        l->table[k] = (int32_t)b++;
    }
    return BW_OK;
}

/// Vortons by brick, then number; bricks by parity.
static enum bw_status order_make(struct bw_stage *s, struct lattice *l)
{
    int64_t first = 0, *next = s->host->scratch(s, (size_t)(l->bricks + 1) * sizeof *next); // not bricks far apart
    l->order = s->host->scratch(s, (size_t)l->m->count * sizeof *l->order);
    l->parity = s->host->scratch(s, (size_t)l->bricks * sizeof *l->parity);
    if (!l->order || !l->parity || !next) return BW_ERR_MEMORY;
    memset(next, 0, (size_t)l->bricks * sizeof *next);
    for (int64_t p = 0; p < l->m->count; p++) next[l->home[p] = l->table[l->home[p]]]++;
    for (int64_t b = 0; b < l->bricks; b++) {
        l->brick[b].begin = first;
        first += next[b];
        l->brick[b].end = first;
        next[b] = l->brick[b].begin;
    }
    for (int64_t p = 0; p < l->m->count; p++) l->order[next[l->home[p]]++] = p;
    for (int32_t c = 0; c < 8; c++) {
        l->n_parity[c + 1] = l->n_parity[c];
        for (int64_t b = 0; b < l->bricks; b++) {
            const int32_t *at = l->brick[b].at;
            if (((at[0] & 1) | (at[1] & 1) << 1 | (at[2] & 1) << 2) == c && l->brick[b].end > l->brick[b].begin)
                l->parity[l->n_parity[c + 1]++] = b;
        }
    }
    return BW_OK;
}

/* ---- a brick and a node around it ---- */

struct wide {
    double v[WIDE_NODES][4]; ///< a fourth, so that rows are aligned
};

static struct brick_points points_of(const struct lattice *l, const struct brick *b)
{
    struct brick_points p = {.number = l->order + b->begin,
                             .count = b->end - b->begin,
                             .pos = l->m->pos,
                             .volume = l->m->volume,
                             .deviation = l->m->deviation,
                             .per = l->per};
    for (int a = 0; a < 3; a++) p.low[a] = (int64_t)b->at[a] * EDGE;
    return p;
}

/// The bricks around one, itself in the middle; NULL where there is none.
static void bricks_near(const struct lattice *l, const struct brick *b, struct brick *near[27])
{
    for (int e = 0; e < 27; e++) near[e] = brick_at(l, b->at, e % 3 - 1, e / 3 % 3 - 1, e / 9 - 1);
}

/// Maps each node of a wide copy to its brick (of the 27) and its node in that.
static void shared_fill(struct shared map[WIDE_NODES])
{
    for (int n = 0; n < WIDE_NODES; n++) {
        const int at[3] = {n % WIDE, n / WIDE % WIDE, n / WIDE / WIDE};
        int brick = 0, node = 0;
        for (int a = 2; a >= 0; a--) {
            brick = 3 * brick + (at[a] > 0) + (at[a] > EDGE);
            node = EDGE * node + (at[a] + EDGE - 1) % EDGE;
        }
        map[n] = (struct shared){(int16_t)brick, (int16_t)node};
    }
}

/* ---- the passes ---- */

static void brick_scatter(int64_t i, uint32_t worker, void *user)
{
    const struct lattice *l = user;
    struct brick *b = &l->brick[l->parity[l->n_parity[l->now] + i]];
    struct brick *near[27];
    const struct brick_points points = points_of(l, b);
    double sums[WIDE_NODES][2] = {{0}}; // of mass and of volume
    (void)worker;
    l->k->scatter(&points, sums);
    bricks_near(l, b, near);
    for (int n = 0; n < WIDE_NODES; n++) {
        struct brick *other = near[l->map[n].brick];
        if (!other) continue; // nothing reaches that far
        other->mass[l->map[n].node] += sums[n][0];
        other->volume[l->map[n].node] += sums[n][1];
    }
}

/// q of each node, once its mass is known.
static void brick_state(int64_t i, uint32_t worker, void *user)
{
    const struct lattice *l = user;
    struct brick *b = &l->brick[i];
    double h3 = l->h * l->h * l->h;
    (void)worker;
    for (int k = 0; k < NODES; k++) {
        if (!(b->volume[k] > VOLUME_MIN * h3)) b->volume[k] = 0;
        b->lattice += b->mass[k];
        b->nodes += b->volume[k] > 0;
        b->thinned += l->w->local && b->mass[k] < h3 * l->w->ambient * (DENSITY_MIN_RATIO - 1);
        if (b->mass[k] != 0) b->q[k] = density_potential(l->w, b->mass[k] / h3);
    }
}

/// Value of the face between two nodes, {q, W}.
static double face(const double a[4], const double b[4]) { return a[1] > 0 && b[1] > 0 ? 0.5 * (a[0] + b[0]) : 0; }

static void node_generate(const struct lattice *l, const double (*v)[4], double out[VALUES])
{
    static const int step[3] = {1, WIDE, WIDE * WIDE};
    double d[3];
    for (int a = 0; a < 3; a++) d[a] = l->h * l->h * (face(v[0], v[step[a]]) - face(v[-step[a]], v[0]));
    vec3_cross(d, l->w->gravity, out);
}

static void brick_generate(int64_t i, uint32_t worker, void *user)
{
    const struct lattice *l = user;
    struct brick *b = &l->brick[i];
    struct brick *near[27];
    struct wide wide;
    (void)worker;
    if (!b->nodes) return;
    memset(&wide, 0, sizeof wide);
    bricks_near(l, b, near);
    for (int n = 0; n < WIDE_NODES; n++) {
        const struct brick *other = near[l->map[n].brick];
        if (!other) continue;
        wide.v[n][0] = other->q[l->map[n].node];
        wide.v[n][1] = other->volume[l->map[n].node];
    }
    for (int k = 0; k < NODES; k++) {
        double a[VALUES];
        if (!(b->volume[k] > 0)) continue;
        node_generate(l,
                      (const double(*)[4])wide.v +
                          (k % EDGE + 1 + WIDE * (k / EDGE % EDGE + 1 + WIDE * (k / EDGE / EDGE + 1))),
                      a);
        b->all += vec3_length(a);
        for (int c = 0; c < VALUES; c++) {
            b->made[c] += a[c];
            b->rate[k][c] = a[c] / b->volume[k];
        }
    }
}

static void brick_interpolate(int64_t i, uint32_t worker, void *user)
{
    const struct lattice *l = user;
    const struct brick *b = &l->brick[i];
    struct brick *near[27];
    const struct brick_points points = points_of(l, b);
    struct wide wide;
    (void)worker;
    if (b->end == b->begin) return;
    memset(&wide, 0, sizeof wide);
    bricks_near(l, b, near);
    for (int n = 0; n < WIDE_NODES; n++) {
        const struct brick *other = near[l->map[n].brick];
        for (int c = 0; c < VALUES && other; c++) wide.v[n][c] = other->rate[l->map[n].node][c];
    }
    l->k->interpolate(&points, (const double(*)[4])wide.v, l->rate);
}

static void transfer_sum(const struct lattice *l, struct transfer *found)
{
    for (int64_t p = 0; p < l->m->count; p++) {
        found->mass += l->m->deviation[p] * l->m->volume[p];
        found->size += fabs(l->m->deviation[p]) * l->m->volume[p];
    }
    for (int64_t b = 0; b < l->bricks; b++) {
        found->lattice += l->brick[b].lattice;
        found->all += l->brick[b].all;
        found->nodes += l->brick[b].nodes;
        found->thinned += l->brick[b].thinned;
        for (int c = 0; c < VALUES; c++) found->made[c] += l->brick[b].made[c];
    }
}

enum bw_status lattice_generate(struct bw_stage *s, const struct mass_points *m, double h, const struct density_law *w,
                                double *rate, struct transfer *found)
{
    const uint32_t simd = s->host->simd;
    struct lattice l = {.m = m,
                        .w = w,
                        .h = h,
                        .per = 1 / h,
                        .rate = rate,
                        .k = simd >= BW_SIMD_AVX2 ? &lattice_kernels_avx2 : &lattice_kernels_baseline};
    enum bw_status st = box_find(s, &l);
    if (!st) st = bricks_find(s, &l);
    if (!st) st = order_make(s, &l);
    if (st) return st;
    shared_fill(l.map);
    for (l.now = 0; l.now < 8; l.now++)
        s->host->parallel_for(s, l.n_parity[l.now + 1] - l.n_parity[l.now], brick_scatter, &l);
    s->host->parallel_for(s, l.bricks, brick_state, &l);
    s->host->parallel_for(s, l.bricks, brick_generate, &l);
    s->host->parallel_for(s, l.bricks, brick_interpolate, &l);
    transfer_sum(&l, found);
    return BW_OK;
}
