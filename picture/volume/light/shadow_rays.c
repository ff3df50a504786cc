// SPDX-License-Identifier: Apache-2.0
/* Sweeps take a cell as a block of even smoke. Where a voxel is some optical depths thick that makes stairs of a smooth
 * cap, which shade each other, and lights what turns away from a lamp. From the middles of such cells a way goes
 * towards the lamp, through what lies between cells as it is read, as far as stairs matter; from there on
 * sweeps know. To a lamp far off all ways are alike: what they read is the same cells round each, with the same
 * weights, for many cells of a row at once. */
#include "shadow_rays.h"
#include "boundary.h"
#include <picture/volume/rays/step/read.h>
#include <picture/volume/scene/fast_math.h>

#include <math.h>

#define FAR 2.5f     ///< cells
#define STEP 0.5f    ///< likewise
#define DARK 60.0f   ///< optical depths: more is as dark
#define LEAST 1e-30f ///< of light
#define WALL 1e-3f   ///< of extinction, times it, that smoke and soot do not explain

enum { CHUNK = 16, REACH = 3, AROUND = 2 * REACH + 1 }; ///< cells at once; on either side that a way reads

/// Cells round each, how far off in memory, and their weights.
struct kernel {
    int n;
    ptrdiff_t at[AROUND * AROUND * AROUND];
    float w[AROUND * AROUND * AROUND];
};

struct go {
    const struct bw_shadow_rays *w;
    float *out;
    struct kernel way, end; ///< of a lamp far off: of extinction; of depths by sweeps where the way ends
};

/// Extinction of smoke and soot at a place, 1/m; *wall: an obstacle is beside it.
static float thin_at(const struct bw_shadow_rays *w, const float p[3], int *wall)
{
    const struct taps t = taps_at(&w->lit->box, p, 0);
    const float all = linear_one(w->extinction, &t);
    if (!w->walls) return all;
    float thin = linear_four(w->lit->rgbs, &t).v[3];
    if (w->emission) thin += linear_four(w->emission, &t).v[3];
    *wall |= all - thin > WALL * all;
    return thin;
}

/// To a cell's middle; -1: an obstacle lies near the way.
static float cell_depth(const struct bw_shadow_rays *w, const int at[3])
{
    const struct bw_dense *b = &w->lit->box;
    double p[3], end[3];
    for (int a = 0; a < 3; a++) p[a] = b->origin[a] + (at[a] + 0.5) * b->h;
    const struct bw_light_seen seen = bw_light_from(w->light, p, 0);
    const float way = (float)fmin((double)FAR, seen.away / b->h);
    float depth = 0;
    for (float t = 0.5f * STEP; t < way; t += STEP) {
        float q[3];
        int out = 0, wall = 0;
        for (int a = 0; a < 3; a++) {
            q[a] = (float)at[a] + t * (float)seen.to[a];
            out |= q[a] < 0 || q[a] > (float)(b->n[a] - 1);
        }
        if (out) return depth;
        depth += STEP * (float)b->h * thin_at(w, q, &wall);
        if (wall) return -1;
    }
    struct bw_tap tap;
    for (int a = 0; a < 3; a++) end[a] = p[a] + (double)way * b->h * seen.to[a];
    bw_tap_at(b, end, &tap);
    return bw_most(depth + bw_tap_read(&tap, w->share), 0);
}

/// Add what is read linearly at `p`, cells from a cell's middle, to weights of the cells round it.
static void weights_add(const float p[3], float times, float w[AROUND][AROUND][AROUND])
{
    int first[3];
    float f[3];
    for (int a = 0; a < 3; a++) first[a] = (int)floorf(p[a]), f[a] = p[a] - floorf(p[a]);
    for (int c = 0; c < 8; c++) {
        const int x = c & 1, y = c >> 1 & 1, z = c >> 2;
        w[first[2] + z + REACH][first[1] + y + REACH][first[0] + x + REACH] +=
            times * (x ? f[0] : 1 - f[0]) * (y ? f[1] : 1 - f[1]) * (z ? f[2] : 1 - f[2]);
    }
}

static void kernel_make(const struct bw_dense *b, float w[AROUND][AROUND][AROUND], struct kernel *k)
{
    k->n = 0;
    for (int z = 0; z < AROUND; z++)
        for (int y = 0; y < AROUND; y++)
            for (int x = 0; x < AROUND; x++) {
                if (!(w[z][y][x] > 0)) continue;
                k->at[k->n] = ((ptrdiff_t)(z - REACH) * b->n[1] + y - REACH) * b->n[0] + x - REACH;
                k->w[k->n++] = w[z][y][x];
            }
}

static void kernels_make(struct go *g)
{
    const struct bw_dense *b = &g->w->lit->box;
    const double *to = g->w->light->to;
    float way[AROUND][AROUND][AROUND] = {{{0}}}, end[AROUND][AROUND][AROUND] = {{{0}}}, p[3];
    for (float t = 0.5f * STEP; t < FAR; t += STEP) {
        for (int a = 0; a < 3; a++) p[a] = t * (float)to[a];
        weights_add(p, STEP * (float)b->h, way);
    }
    for (int a = 0; a < 3; a++) p[a] = FAR * (float)to[a];
    weights_add(p, 1, end);
    kernel_make(b, way, &g->way);
    kernel_make(b, end, &g->end);
}

static void kernel_read(const struct kernel *k, const float *cell, float sum[CHUNK])
{
    for (int q = 0; q < k->n; q++)
        for (int i = 0; i < CHUNK; i++) sum[i] += k->w[q] * cell[k->at[q] + i];
}

static int is_boundary(uint8_t near) { return (near & BW_BOUNDARY_BOTH) == BW_BOUNDARY_BOTH; }

/// CHUNK cells of a row in the midst of the box.
static void chunk_depth(const struct go *g, size_t cell)
{
    const struct bw_shadow_rays *w = g->w;
    float sum[CHUNK] = {0};
    kernel_read(&g->way, w->extinction + cell, sum);
    kernel_read(&g->end, w->share + cell, sum);
    for (int i = 0; i < CHUNK; i++)
        if (is_boundary(w->near[cell + (size_t)i])) g->out[cell + (size_t)i] = bw_least(bw_most(sum[i], 0), DARK);
}

/// Cells of a row from `from` to before `to`, one by one.
static void cells_depth(const struct go *g, int from, int to, int j, int k)
{
    const int32_t *n = g->w->lit->box.n;
    const size_t row = ((size_t)k * (size_t)n[1] + (size_t)j) * (size_t)n[0];
    for (int i = from; i < to; i++) {
        if (!is_boundary(g->w->near[row + (size_t)i])) continue;
        const float depth = cell_depth(g->w, (int[3]){i, j, k});
        if (depth >= 0) g->out[row + (size_t)i] = bw_least(depth, DARK);
    }
}

static void layer_depth(int64_t k, void *user)
{
    const struct go *g = user;
    const int32_t *n = g->w->lit->box.n;
    const int alike = g->way.n && k >= REACH && k < n[2] - REACH;
    for (int j = 0; j < n[1]; j++) {
        const size_t row = ((size_t)k * (size_t)n[1] + (size_t)j) * (size_t)n[0];
        const int within = alike && j >= REACH && j < n[1] - REACH && n[0] >= 2 * REACH + CHUNK;
        const int first = within ? REACH : n[0], last = within ? n[0] - REACH : n[0];
        cells_depth(g, 0, first, j, (int)k);
        for (int i = first; i < last;) {
            if (is_boundary(g->w->near[row + (size_t)i])) {
                chunk_depth(g, row + (size_t)(i < last - CHUNK ? i : last - CHUNK));
                i += CHUNK;
            } else i++;
        }
        cells_depth(g, last, n[0], j, (int)k);
    }
}

/// What sweeps say: to *out; and in place of it, the mean over a cell through which it is `ds` metres made the value in
/// the middle.
static inline void swept_read(float extinction, float ds, float *share, float *out)
{
    const float own = ds * extinction, swept = -bw_log(bw_most(*share, LEAST));
    const float mean = own > 0.02f ? (1 - bw_exp_neg(own)) / own : 1 - own / 2;
    *out = bw_most(swept, 0);
    *share = 0.5f * own + bw_log(bw_most(mean, LEAST)) + swept;
}

/// Metres through a cell at p.
static float through_cell(const struct bw_shadow_rays *w, const double p[3])
{
    const struct bw_light_seen seen = bw_light_from(w->light, p, 0);
    return (float)(w->lit->box.h / fmax(fabs(seen.to[0]), fmax(fabs(seen.to[1]), fabs(seen.to[2]))));
}

static void layer_swept(int64_t k, void *user)
{
    const struct go *g = user;
    const struct bw_shadow_rays *w = g->w;
    const struct bw_dense *b = &w->lit->box;
    const size_t layer = (size_t)b->n[0] * (size_t)b->n[1], first = (size_t)k * layer;
    const float *extinction = w->extinction + first;
    float *share = w->share + first, *out = g->out + first;
    if (w->light->near) {
        for (int i = 0; i < (int)layer; i++) {
            const int x = i % b->n[0], y = i / b->n[0];
            const double p[3] = {b->origin[0] + (x + 0.5) * b->h, b->origin[1] + (y + 0.5) * b->h,
                                 b->origin[2] + ((double)k + 0.5) * b->h};
            swept_read(extinction[i], through_cell(w, p), &share[i], &out[i]);
        }
        return;
    }
    const float ds = through_cell(w, b->origin);
#pragma omp simd
    for (size_t i = 0; i < layer; i++) swept_read(extinction[i], ds, &share[i], &out[i]);
}

void bw_shadow_ray_depths(const struct bw_tools *tools, const struct bw_shadow_rays *s, float *out)
{
    struct go g = {.w = s, .out = out};
    if (!s->walls && !s->light->near) kernels_make(&g);
    tools->parallel(tools->ctx, s->lit->box.n[2], layer_swept, &g);
    tools->parallel(tools->ctx, s->lit->box.n[2], layer_depth, &g);
}

/// A layer of shares.
struct shares {
    float *at;
    size_t layer;
};

static void layer_log(int64_t k, void *user)
{
    const struct shares *s = user;
    float *at = s->at + s->layer * (size_t)k;
#pragma omp simd
    for (size_t i = 0; i < s->layer; i++) at[i] = bw_most(-bw_log(bw_most(at[i], LEAST)), 0);
}

void bw_shadow_swept_depths(const struct bw_tools *tools, const struct bw_dense *box, float *share)
{
    struct shares s = {share, (size_t)box->n[0] * (size_t)box->n[1]};
    tools->parallel(tools->ctx, box->n[2], layer_log, &s);
}
