// SPDX-License-Identifier: Apache-2.0
/* vorton.remesh: keeps vortons overlapping and their number bounded.
 *
 *   remesh   strengths (and mass and heat deviations) go to the nodes of a lattice of `spacing` h by M4' in each
 *            direction (Monaghan 1985), W(x) = 1 - 5x²/2 + 3|x|³/2 below 1, (2-|x|)²(1-|x|)/2 below 2: sums, first and
 *            second moments stay, so total vorticity, linear and angular impulse do. Nodes' cores are overlap·h; what
 *            a vorton's own σ² is more than theirs goes into its strength's spread over the nodes, by passes of
 *            (1/6, 2/3, 1/6), as flat as a Gaussian: the field stays. (Cores that just shrank raised a ring's peak by
 *            up to 43 %, and took back what vorton.diffuse: {method: core} had let them grow.) Narrower ones get the
 *            nodes' core: a lattice blurs what it cannot resolve. Vortons of more than 4.8 spacings are smooth as they
 *            are, and stay (metric `wide`). Nodes whose strength, mass and heat are all below `threshold` of the
 *            largest and that are further than `margin` nodes from any other are dropped, and what they held in sum is
 *            spread over the others in proportion to their strength.
 *   merge    pairs nearer than `merge` radii become one: strength and volume add, place and σ² are means.
 *   split    vortons stretched to `split` times their strength at birth become two halves along their strength.
 * A body's sheet (vorton.collide; no volume) is left alone.
 * Remeshing happens every `interval` of time, and at once where vorton.diffuse has a viscosity to exchange, merging
 * and splitting in every step. */
#include "flow/cell_list.h"
#include "vorton.h"
#include <common/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct params {
    double interval, spacing, overlap, threshold, margin, merge, split;
};

struct state {
    int32_t begun; ///< there have been vortons
};

static const struct bw_param params[] = {
    BW_F64(struct params, interval, "interval", "0 s", 0, 1e9, "s",
           "Time from one remesh to the next; 0: never. Where vorton.diffuse exchanges viscosity (pse), the first "
           "vortons are remeshed at once."),
    BW_F64(struct params, spacing, "spacing", "0 m", 0, 1e6, "m",
           "Of the lattice; 0: the smallest radius over `overlap`. Wider vortons are spread over it, narrower ones "
           "blurred."),
    BW_F64(struct params, overlap, "overlap", "1.5", 0.5, 10, NULL,
           "Radius of the vortons of a remesh, over their spacing."),
    BW_F64(struct params, threshold, "threshold", "1e-3", 0, 0.5, NULL,
           "Nodes weaker than this fraction of the strongest are dropped."),
    BW_AUTO(struct params, margin, "margin", 0, 3, NULL,
            "Empty nodes kept around strong ones, for what will be advected or diffused there; auto: 1, or 3 where "
            "vorton.diffuse exchanges viscosity (pse): strength goes as far in a step."),
    BW_F64(struct params, merge, "merge", "0", 0, 1, NULL, "Vortons nearer than this many radii become one; 0: never."),
    BW_F64(struct params, split, "split", "0", 0, 100, NULL,
           "Vortons stretched by this become two; 0: never; 2 is usual."),
};

static const struct bw_port ports[] = {
    {.name = "vortons",
     .kind = BW_PARTICLES,
     .access = BW_UPDATE,
     .doc = "The vortons.",
     .attributes = vorton_attributes,
     .n_attributes = BW_COUNT(vorton_attributes),
     .flags = BW_PORT_NO_CREATE},
};

/* ---- merge and split ---- */

static void pair_merge(struct vorton_arrays *v, int64_t to, int64_t from)
{
    double a = vec3_length(v->strength[to]), b = vec3_length(v->strength[from]), w = a + b > 0 ? a / (a + b) : 0.5;
    double mass = v->density[to] * v->volume[to] + v->density[from] * v->volume[from];
    double heat = v->temperature[to] * v->volume[to] + v->temperature[from] * v->volume[from];
    for (int c = 0; c < 3; c++) {
        v->pos[to][c] = w * v->pos[to][c] + (1 - w) * v->pos[from][c];
        v->strength[to][c] += v->strength[from][c];
    }
    v->radius[to] = sqrt(w * v->radius[to] * v->radius[to] + (1 - w) * v->radius[from] * v->radius[from]);
    v->volume[to] += v->volume[from];
    v->density[to] = v->volume[to] > 0 ? mass / v->volume[to] : 0;
    v->temperature[to] = v->volume[to] > 0 ? heat / v->volume[to] : 0;
    v->born[to] = vec3_length(v->strength[to]);
}

/// Each vorton takes in later ones that are near; pairs are found as they stood when the step began.
static enum bw_status merge_run(struct bw_stage *s, double fraction)
{
    struct bw_particles *p = s->ports[0].particles;
    struct vorton_arrays v = vorton_arrays(s, p);
    struct cell_list b;
    int64_t merged = 0;
    double reach = 0;
    for (int64_t i = 0; i < v.count; i++) reach = fmax(reach, fraction * v.radius[i]);
    if (!(reach > 0)) return BW_OK;
    uint8_t *drop = s->host->scratch(s, (size_t)v.count);
    bw_vec3 *old = s->host->scratch(s, (size_t)v.count * sizeof *old);
    if (!drop || !old || cell_list_make(s, &b, v.count, (const bw_vec3 *)v.pos, reach)) return BW_ERR_MEMORY;
    memset(drop, 0, (size_t)v.count);
    memcpy(old, v.pos, (size_t)v.count * sizeof *old);
    for (int64_t i = 0; i < v.count; i++) {
        int64_t run[25][2];
        double near = fraction * v.radius[i];
        int n = drop[i] || !(v.volume[i] > 0) ? 0 : cell_list_near(&b, old[i], 1, run);
        for (int r = 0; r < n; r++)
            for (int64_t k = run[r][0]; k < run[r][1]; k++) {
                int64_t q = b.order[k];
                const double d[3] = {old[q][0] - old[i][0], old[q][1] - old[i][1], old[q][2] - old[i][2]};
                if (q <= i || drop[q] || !(v.volume[q] > 0) || vec3_length(d) > near) continue;
                pair_merge(&v, i, q);
                drop[q] = 1;
                merged++;
            }
    }
    s->host->metric(s, "merged", (double)merged, BW_METRIC_SUM);
    if (merged) particles_of(s)->remove(p, drop);
    return BW_OK;
}

/// Half of what vorton i is goes to vorton `to`, both a quarter of its length (radius / 1.4, stretched) off the middle.
static void pair_split(struct vorton_arrays *v, int64_t i, int64_t to)
{
    double n = vec3_length(v->strength[i]), off = n > 0 ? 0.25 * v->radius[i] / 1.8 * n / v->born[i] : 0;
    v->volume[i] /= 2;
    for (int a = 0; a < 3; a++) {
        double step = off * v->strength[i][a] / n;
        v->strength[i][a] /= 2;
        v->strength[to][a] = v->strength[i][a];
        v->pos[to][a] = v->pos[i][a] + step;
        v->pos[i][a] -= step;
    }
    v->radius[to] = v->radius[i];
    v->volume[to] = v->volume[i];
    v->density[to] = v->density[i];
    v->temperature[to] = v->temperature[i];
    v->age[to] = v->age[i];
    v->life[to] = v->life[i];
    v->born[i] = v->born[to] = n / 2;
}

static int is_stretched(const struct vorton_arrays *v, int64_t i, double ratio)
{
    return v->volume[i] > 0 && v->born[i] > 0 && vec3_length(v->strength[i]) > ratio * v->born[i];
}

static enum bw_status split_run(struct bw_stage *s, double ratio)
{
    struct bw_particles *p = s->ports[0].particles;
    struct vorton_arrays v = vorton_arrays(s, p);
    int64_t many = 0, first = 0, old = v.count;
    for (int64_t i = 0; i < old; i++) many += is_stretched(&v, i, ratio);
    enum bw_status st = many ? particles_of(s)->add(p, many, &first) : BW_OK;
    if (st) return st;
    v = vorton_arrays(s, p);
    for (int64_t i = 0; i < old && many; i++)
        if (is_stretched(&v, i, ratio)) pair_split(&v, i, first++);
    s->host->metric(s, "split", (double)many, BW_METRIC_SUM);
    return BW_OK;
}

/* ---- remesh ---- */

#define SPREAD_MOST 21.0 ///< h²: what the passes of NODES_MOST can do, 1² + 2² + 4²
enum { BLOCK = 8, BRICK_NODES = BLOCK * BLOCK * BLOCK, VALUES = 5 };

struct lattice_block {
    int64_t at[3];
    double node[BRICK_NODES][VALUES]; ///< strength, deviations of mass and heat
    uint8_t kept[BRICK_NODES];        ///< bit 0: strong; bit 1 … 3: near a strong one along x, then y, then z
};
enum { KEPT = 8 };

struct lattice {
    double h, core;           ///< spacing; radius of its vortons
    int64_t margin;           ///< nodes kept around strong ones
    int64_t count, (*key)[3]; ///< of the blocks, sorted
    struct lattice_block *block;
};

static int key_order(const void *x, const void *y)
{
    const int64_t *a = x, *b = y;
    for (int i = 2; i >= 0; i--)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static double m4(double x)
{
    x = fabs(x);
    if (x < 1) return 1 - 2.5 * x * x + 1.5 * x * x * x;
    return x < 2 ? 0.5 * (2 - x) * (2 - x) * (1 - x) : 0;
}

/// What goes to the lattice: no sheets, and nothing so wide that it is smooth as it is.
static int is_meshed(const struct lattice *l, const struct vorton_arrays *v, int64_t i)
{
    return v->volume[i] > 0 && v->radius[i] * v->radius[i] <= l->core * l->core + SPREAD_MOST * l->h * l->h;
}

/// Lowest of the four nodes that x reaches along an axis.
static int64_t node_low(const struct lattice *l, double x) { return (int64_t)floor(x / l->h) - 1; }

static int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

/* Nodes along the axes that a vorton reaches, and its weights there: M4's four, wider by every pass. A pass of ⅓ over
 * nodes `stride` apart adds stride²/3 to the variance; before strides of 2 and 4 three of each smaller one smooth what
 * they would skip, and the finest take what is left. */
enum { STRIDES = 3, FIRST = 3, NODES_MOST = 4 + 2 * ((2 * FIRST + 1) + 2 * 2 * FIRST + 4 * FIRST) };

struct footprint {
    int64_t low[3];
    int n;
    double w[3][NODES_MOST];
};

struct passes {
    int n[STRIDES], reach; ///< by stride, 1, 2, 4; nodes that they add on either side
    double last;           ///< weight of one more pass of stride 1; 0: none
};

/// Passes for the variance by which a vorton is wider than a node's core; none where it is not.
static struct passes passes_of(const struct lattice *l, double radius)
{
    struct passes p = {{0}, 0, 0};
    double thirds = 3 * fmax(0, (radius * radius - l->core * l->core) / (l->h * l->h));
    for (int q = 0; q < 2 * STRIDES; q++) {
        const int k = q < STRIDES ? q : 2 * STRIDES - 1 - q, n = (int)fmin(floor(thirds / (1 << 2 * k)), FIRST);
        p.n[k] += n;
        p.reach += n << k;
        thirds -= n << 2 * k;
    }
    if (!(thirds > 1e-9)) return p;
    p.last = thirds / 3;
    p.reach++;
    return p;
}

/// The weights w of n nodes become those of n + 2·stride.
static void pass(double *w, int n, int stride, double a)
{
    double old[NODES_MOST] = {0};
    memcpy(old + stride, w, (size_t)n * sizeof *w);
    for (int k = 0; k < n + 2 * stride; k++)
        w[k] =
            (1 - a) * old[k] + 0.5 * a * ((k >= stride ? old[k - stride] : 0) + (k < n + stride ? old[k + stride] : 0));
}

static void footprint_find(const struct lattice *l, const double x[3], double radius, struct footprint *f)
{
    const struct passes p = passes_of(l, radius);
    f->n = 4 + 2 * p.reach;
    for (int a = 0; a < 3; a++) {
        const int64_t low = node_low(l, x[a]);
        int n = 4;
        f->low[a] = low - p.reach;
        for (int k = 0; k < 4; k++) f->w[a][k] = m4(x[a] / l->h - (double)(low + k));
        for (int q = 0; q < STRIDES; q++)
            for (int k = 0; k < p.n[q]; k++, n += 2 << q) pass(f->w[a], n, 1 << q, 1. / 3);
        if (p.last > 0) pass(f->w[a], n, 1, p.last);
    }
}

/// First and last block along each axis that a vorton touches, `margin` around it included.
static void blocks_of(const struct lattice *l, const double x[3], double radius, int64_t first[3], int64_t last[3])
{
    const int64_t reach = passes_of(l, radius).reach + l->margin;
    for (int a = 0; a < 3; a++) {
        const int64_t low = node_low(l, x[a]);
        first[a] = floor_div(low - reach, BLOCK);
        last[a] = floor_div(low + 3 + reach, BLOCK);
    }
}

static enum bw_status blocks_find(struct bw_stage *s, struct lattice *l, const struct vorton_arrays *v)
{
    int64_t n = 0, keys = 0, at[3], first[3], last[3];
    for (int64_t i = 0; i < v->count; i++) {
        if (!is_meshed(l, v, i)) continue;
        blocks_of(l, v->pos[i], v->radius[i], first, last);
        keys += (last[0] - first[0] + 1) * (last[1] - first[1] + 1) * (last[2] - first[2] + 1);
    }
    l->key = s->host->scratch(s, (size_t)keys * sizeof *l->key + 1);
    if (!l->key) return BW_ERR_MEMORY;
    for (int64_t i = 0; i < v->count; i++) {
        if (!is_meshed(l, v, i)) continue;
        blocks_of(l, v->pos[i], v->radius[i], first, last);
        for (at[2] = first[2]; at[2] <= last[2]; at[2]++)
            for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
                for (at[0] = first[0]; at[0] <= last[0]; at[0]++) memcpy(l->key[n++], at, sizeof at);
    }
    qsort(l->key, (size_t)n, sizeof *l->key, key_order);
    for (int64_t i = 0; i < n; i++)
        if (!l->count || key_order(l->key[i], l->key[l->count - 1]))
            memmove(l->key[l->count++], l->key[i], sizeof *l->key);
    l->block = s->host->scratch(s, (size_t)l->count * sizeof *l->block + 1);
    if (!l->block)
        return s->host->fail(s, BW_ERR_MEMORY, "out of memory for a lattice of %lld nodes: raise `spacing` (now %g m)",
                             (long long)l->count * BRICK_NODES, l->h);
    memset(l->block, 0, (size_t)l->count * sizeof *l->block);
    for (int64_t i = 0; i < l->count; i++) memcpy(l->block[i].at, l->key[i], sizeof l->key[i]);
    return BW_OK;
}

/// The block of a node; `last` is where the search begins, NULL is fine.
static struct lattice_block *block_at(const struct lattice *l, struct lattice_block *last, const int64_t node[3],
                                      int *in)
{
    int64_t at[3];
    for (int a = 0; a < 3; a++) at[a] = floor_div(node[a], BLOCK);
    *in = (int)((node[0] - at[0] * BLOCK) + BLOCK * ((node[1] - at[1] * BLOCK) + BLOCK * (node[2] - at[2] * BLOCK)));
    if (last && !key_order(last->at, at)) return last;
    const int64_t(*found)[3] = bsearch(at, l->key, (size_t)l->count, sizeof *l->key, key_order);
    return found ? &l->block[found - (const int64_t(*)[3])l->key] : NULL;
}

static void vorton_spread(struct lattice *l, const struct vorton_arrays *v, int64_t i)
{
    struct footprint f;
    const double what[VALUES] = {v->strength[i][0], v->strength[i][1], v->strength[i][2], v->density[i] * v->volume[i],
                                 v->temperature[i] * v->volume[i]};
    struct lattice_block *b = NULL;
    footprint_find(l, v->pos[i], v->radius[i], &f);
    for (int e = 0; e < f.n * f.n * f.n; e++) {
        const int k[3] = {e % f.n, e / f.n % f.n, e / f.n / f.n};
        const int64_t node[3] = {f.low[0] + k[0], f.low[1] + k[1], f.low[2] + k[2]};
        int in;
        b = block_at(l, b, node, &in);
        for (int c = 0; c < VALUES; c++) b->node[in][c] += f.w[0][k[0]] * f.w[1][k[1]] * f.w[2][k[2]] * what[c];
    }
}

static void node_place(const struct lattice_block *b, int64_t k, int64_t node[3])
{
    node[0] = b->at[0] * BLOCK + k % BLOCK;
    node[1] = b->at[1] * BLOCK + k / BLOCK % BLOCK;
    node[2] = b->at[2] * BLOCK + k / BLOCK / BLOCK;
}

/// Marks nodes above the shares `weakest` of strength, mass and heat, and what is within the margin of them, axis by
/// axis.
static void nodes_mark(struct lattice *l, const double weakest[3])
{
    int64_t all = l->count * BRICK_NODES;
    for (int64_t i = 0; i < all; i++) {
        struct lattice_block *b = &l->block[i / BRICK_NODES];
        const double *n = b->node[i % BRICK_NODES];
        b->kept[i % BRICK_NODES] =
            (uint8_t)(vec3_length(n) > weakest[0] || fabs(n[3]) > weakest[1] || fabs(n[4]) > weakest[2]);
    }
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < all; i++) {
            struct lattice_block *b = &l->block[i / BRICK_NODES];
            int64_t node[3], middle;
            int in;
            if (!(b->kept[i % BRICK_NODES] >> a & 1)) continue;
            node_place(b, i % BRICK_NODES, node);
            middle = node[a];
            for (node[a] = middle - l->margin; node[a] <= middle + l->margin; node[a]++) {
                struct lattice_block *to = block_at(l, b, node, &in);
                if (to) to->kept[in] |= (uint8_t)(2 << a);
            }
        }
}

/* What the nodes hold that stay, and what the others held. */
struct census {
    int64_t kept;
    double weight, lost[VALUES];
};

static struct census nodes_count(struct lattice *l, double threshold)
{
    struct census c = {0};
    double weakest[3] = {0};
    for (int64_t i = 0; i < l->count * BRICK_NODES; i++) {
        const double *n = l->block[i / BRICK_NODES].node[i % BRICK_NODES];
        const double size[3] = {vec3_length(n), fabs(n[3]), fabs(n[4])};
        for (int k = 0; k < 3; k++) weakest[k] = fmax(weakest[k], threshold * size[k]);
    }
    nodes_mark(l, weakest);
    for (int64_t i = 0; i < l->count * BRICK_NODES; i++) {
        const struct lattice_block *b = &l->block[i / BRICK_NODES];
        const double *node = b->node[i % BRICK_NODES];
        int kept = b->kept[i % BRICK_NODES] & KEPT;
        c.kept += kept != 0;
        if (kept) c.weight += vec3_length(node);
        for (int k = 0; k < VALUES && !kept; k++) c.lost[k] += node[k];
    }
    return c;
}

static enum bw_status nodes_take(struct bw_stage *s, const struct lattice *l, const struct census *c)
{
    struct bw_particles *all = s->ports[0].particles;
    const struct bw_particles_api *api = particles_of(s);
    int64_t old = api->count(all), first = 0, to;
    uint8_t *drop = s->host->scratch(s, (size_t)(old + c->kept));
    if (!drop || api->add(all, c->kept, &first)) return BW_ERR_MEMORY;
    struct vorton_arrays v = vorton_arrays(s, all);
    to = first;
    for (int64_t i = 0; i < l->count * BRICK_NODES; i++) {
        const struct lattice_block *b = &l->block[i / BRICK_NODES];
        const double *node = b->node[i % BRICK_NODES];
        int64_t place[3];
        if (!(b->kept[i % BRICK_NODES] & KEPT)) continue;
        node_place(b, i % BRICK_NODES, place);
        double fraction = c->weight > 0 ? vec3_length(node) / c->weight : 1 / (double)c->kept,
               volume = l->h * l->h * l->h;
        for (int a = 0; a < 3; a++) {
            v.pos[to][a] = l->h * (double)place[a];
            v.strength[to][a] = node[a] + fraction * c->lost[a];
        }
        v.density[to] = (node[3] + fraction * c->lost[3]) / volume;
        v.temperature[to] = (node[4] + fraction * c->lost[4]) / volume;
        v.radius[to] = l->core;
        v.volume[to] = volume;
        v.born[to] = vec3_length(v.strength[to]);
        to++;
    }
    for (int64_t i = 0; i < old; i++) drop[i] = (uint8_t)is_meshed(l, &v, i);
    memset(drop + old, 0, (size_t)c->kept);
    api->remove(all, drop);
    return BW_OK;
}

/// Whether vorton.diffuse exchanges viscosity. It brings about a part of it until vortons stand on a lattice, and
/// where nodes at the edge have none beyond them to give to.
static int lattice_wanted(struct bw_stage *s)
{
    const void *table = NULL;
    struct bw_stage *from;
    for (uint32_t k = 0; (from = s->host->find_stage(s, VORTON_EXCHANGE, k, &table)); k++)
        if (((const struct vorton_exchange_api *)table)->wants_lattice(from)) return 1;
    return 0;
}

static enum bw_status remesh_run(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct vorton_arrays v = vorton_arrays(s, s->ports[0].particles);
    struct lattice l = {.h = p->spacing};
    double least = HUGE_VAL, far = 0, wide = 0;
    for (int64_t i = 0; i < v.count; i++) {
        if (!(v.volume[i] > 0)) continue;
        least = fmin(least, v.radius[i]);
        for (int a = 0; a < 3; a++) far = fmax(far, fabs(v.pos[i][a]));
    }
    if (isinf(least)) return BW_OK; // nothing but sheets
    if (!(l.h > 0)) l.h = least / p->overlap;
    l.core = p->overlap * l.h;
    l.margin = isnan(p->margin) ? (lattice_wanted(s) ? 3 : 1) : (int64_t)ceil(p->margin);
    if (!(l.h > 0) || far / l.h > 1e12)
        return s->host->fail(s, BW_ERR_DIVERGED, "a lattice of %g m does not reach to %g m", l.h, far);
    enum bw_status st = blocks_find(s, &l, &v);
    for (int64_t i = 0; i < v.count && !st; i++) {
        if (is_meshed(&l, &v, i)) vorton_spread(&l, &v, i);
        else wide += v.volume[i] > 0;
    }
    if (st) return st;
    struct census c = nodes_count(&l, p->threshold);
    s->host->metric(s, "wide", wide, BW_METRIC_SUM);
    s->host->metric(s, "nodes", (double)c.kept, BW_METRIC_LAST);
    return nodes_take(s, &l, &c);
}

static enum bw_status step(struct bw_stage *s)
{
    const struct params *p = s->params;
    struct state *state = s->state;
    enum bw_status st = particles_tidy(s, s->ports[0].particles, 1e9);
    int due = p->interval > 0 && floor((s->time + s->dt) / p->interval + 1e-9) > floor(s->time / p->interval + 1e-9);
    if (p->interval > 0 && !state->begun && particles_of(s)->count(s->ports[0].particles)) {
        state->begun = 1;
        due |= lattice_wanted(s);
    }
    if (!st && p->split > 1) st = split_run(s, p->split);
    if (!st && p->merge > 0) st = merge_run(s, p->merge);
    if (!st && due && particles_of(s)->count(s->ports[0].particles)) st = remesh_run(s);
    return st;
}

static double interval_of(const struct bw_stage *s) { return ((const struct params *)s->params)->interval; }

static const void *extension(const char *id)
{
    static const struct vorton_lattice_api api = {interval_of};
    return strcmp(id, VORTON_LATTICE) ? NULL : &api;
}

const struct bw_stage_desc vorton_remesh_desc = {
    .id = "vorton.remesh",
    .version = "1.0",
    .brief = "Keeps vortons overlapping and bounded: remeshes, merges, splits.",
    .references = "Monaghan 1985 (M4'); Cottet & Koumoutsakos 2000",
    .params_size = sizeof(struct params),
    .state_size = sizeof(struct state),
    BW_PARAMS(params),
    BW_PORTS(ports),
    .step = step,
    .extension = extension,
    .flags = BW_STAGE_RANKS | BW_STAGE_PLAIN_STATE,
};
