// SPDX-License-Identifier: Apache-2.0
/* Sweeps take a cell as a block of even smoke. Where a voxel is some optical depths thick that makes stairs of a smooth
 * cap, which shade each other, and lights what turns away from a lamp. From the middles of such cells a way goes
 * towards the lamp, through what lies between cells as it is read, as far as stairs matter; from there on
 * sweeps know. */
#include "straight.h"
#include "beside.h"
#include <picture/volume/rays/step/read.h>
#include <picture/volume/scene/quick.h>

#include <math.h>

#define FAR 2.5f     ///< cells
#define STEP 0.5f    ///< likewise
#define DARK 20.0f   ///< optical depths behind which it is dark
#define CLEAR 0.999f ///< what arrives where nothing is in the way, or next to nothing
#define WALL 1e-3f   ///< of extinction, times it, that smoke and soot do not explain

struct go {
    const struct bw_straight *w;
    float *out;
};

/// Extinction of smoke and soot at a place, 1/m; *wall: an obstacle is beside it.
static float thin_at(const struct bw_straight *w, const float p[3], int *wall)
{
    const struct taps t = taps_at(&w->lit->box, p, 0);
    const float all = linear_one(w->extinction, &t);
    if (!w->walls) return all;
    float thin = linear_four(w->lit->rgbs, &t).v[3];
    if (w->emission) thin += linear_four(w->emission, &t).v[3];
    *wall |= all - thin > WALL * all;
    return thin;
}

/// Optical depth from a lamp to a place, metres, by sweeps: their means over cells made values in the middle.
static float depth_swept(const struct bw_straight *w, const double p[3], const double to[3])
{
    const struct bw_dense *b = &w->lit->box;
    const float ds = (float)(b->h / fmax(fabs(to[0]), fmax(fabs(to[1]), fabs(to[2]))));
    struct bw_tap tap;
    float sum = 0;
    bw_tap_at(b, p, &tap);
    for (int c = 0; c < 8; c++) {
        const float own = ds * w->extinction[tap.at[c]];
        if (!(own > 0) && w->share[tap.at[c]] >= CLEAR) continue;
        const float mean = own > 0.02f ? (1 - bw_exp_neg(own)) / own : 1 - own / 2;
        sum += tap.w[c] * (0.5f * own - logf(bw_most(w->share[tap.at[c]], 1e-30f) / mean));
    }
    return sum;
}

/// What gets to a cell's middle; -1: an obstacle lies near the way.
static float cell_share(const struct bw_straight *w, const int at[3])
{
    const struct bw_dense *b = &w->lit->box;
    double p[3], end[3];
    for (int a = 0; a < 3; a++) p[a] = b->origin[a] + (at[a] + 0.5) * b->h;
    const struct bw_light_seen seen = bw_light_from(w->light, p, 0);
    const float way = (float)fmin((double)FAR, seen.away / b->h);
    float depth = 0;
    for (float t = 0.5f * STEP; t < way && depth < DARK; t += STEP) {
        float q[3];
        int out = 0, wall = 0;
        for (int a = 0; a < 3; a++) {
            q[a] = (float)at[a] + t * (float)seen.to[a];
            out |= q[a] < 0 || q[a] > (float)(b->n[a] - 1);
        }
        if (out) return bw_exp_neg(depth);
        depth += STEP * (float)b->h * thin_at(w, q, &wall);
        if (wall) return -1;
    }
    for (int a = 0; a < 3; a++) end[a] = p[a] + (double)way * b->h * seen.to[a];
    if (depth < DARK) depth += depth_swept(w, end, seen.to);
    return bw_exp_neg(bw_least(bw_most(depth, 0), 3 * DARK));
}

static void layer_share(int64_t k, void *user)
{
    const struct go *g = user;
    const int32_t *n = g->w->lit->box.n;
    size_t cell = (size_t)k * (size_t)n[0] * (size_t)n[1];
    for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++, cell++) {
            const float share =
                (g->w->near[cell] & BW_BESIDE_SKIN) == BW_BESIDE_SKIN ? cell_share(g->w, (int[3]){i, j, (int)k}) : -1;
            g->out[cell] = share < 0 ? g->w->share[cell] : share;
        }
}

void bw_straight_shares(const struct bw_tools *tools, const struct bw_straight *s, float *out)
{
    struct go g = {s, out};
    tools->parallel(tools->ctx, s->lit->box.n[2], layer_share, &g);
}
