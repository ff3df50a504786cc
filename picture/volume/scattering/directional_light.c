// SPDX-License-Identifier: Apache-2.0
/* How much of a directional light reaches each cell.
 *
 * The planes across the light's dominant axis are swept away from the light: T(x) = Σ_w w·T(x + o_w)·exp(-s ds),
 * where the weights w interpolate bilinearly in the plane before. A cell gets the mean over its own depth d, (1 -
 * exp(-d))/d, which is second order for thin cells and leaves a lit skin on those that nothing gets through. The three
 * weights along an axis have the mean that the light's slope asks for, and a variance, which adds up plane by plane and
 * widens a shadow's edge as the square root of the distance, as a light of some size does. Linear interpolation has
 * one of its own, d(1 - d) of a shift of d, so that light leaks into folds however small the lamp; none at all makes
 * waves beside edges (Lax and Wendroff 1960). BLUR of it is left, and what is below 0 or above 1 is cut. Cost: one
 * pass, 12 operations a cell, whatever the distance. */
#include "directional_light.h"
#include <picture/volume/scene/fast_math.h>

#include <math.h>

#define BLUR 0.35 ///< of the variance of linear interpolation

/// One sweep: planes along `a`, rows along `b` inside each plane.
struct sweep {
    int n[3];          ///< along b, c, a
    ptrdiff_t step[3]; ///< likewise
    float w[9], ds, weight;
    const float *extinction;
    float *out;
};

/// 3×3 weights of a shift by (db, dc) in -1 … 1, softened by `spread`, a variance in cells².
static void weights_make(double db, double dc, float spread, float w[9])
{
    const double d[2] = {db, dc};
    double line[2][3];
    for (int a = 0; a < 2; a++) {
        const double most = fabs(d[a]) * (1 - fabs(d[a])), soft = (double)spread, square = d[a] * d[a];
        const double wide = fmin(fmin(soft + BLUR * most, fmax(soft, most)), 1 - square);
        line[a][0] = 0.5 * (square + wide - d[a]);
        line[a][1] = 1 - square - wide;
        line[a][2] = 0.5 * (square + wide + d[a]);
    }
    for (int k = 0; k < 9; k++) w[k] = (float)(line[0][k % 3] * line[1][k / 3]);
}

/// T of one row from the plane before (`up`, with a border of one), and what leaves it (`down`).
static void row_sweep(const struct sweep *s, const float *up, ptrdiff_t pitch, const float *ext, float *out,
                      float *down)
{
    const float *r0 = up - pitch, *r1 = up, *r2 = up + pitch, *w = s->w;
    for (ptrdiff_t i = 0; i < s->n[0]; i++) {
        float t = w[0] * r0[i - 1] + w[1] * r0[i] + w[2] * r0[i + 1] + w[3] * r1[i - 1] + w[4] * r1[i] +
                  w[5] * r1[i + 1] + w[6] * r2[i - 1] + w[7] * r2[i] + w[8] * r2[i + 1];
        t = bw_least(bw_most(t, 0), 1);
        const float depth = s->ds * ext[i * s->step[0]], keep = bw_exp_neg(depth);
        out[i * s->step[0]] += s->weight * t * (depth > 0.02f ? (1 - keep) / depth : 1 - 0.5f * depth);
        down[i] = t * keep;
    }
}

/// The border of a plane lets all light in; so does the plane before the first.
static void plane_fill(float *plane, size_t count)
{
    for (size_t i = 0; i < count; i++) plane[i] = 1;
}

enum bw_status bw_directional_transmittance(const struct bw_tools *tools, const struct bw_dense *box,
                                            const float *extinction, const struct bw_light_beam *beam, float *out)
{
    const double *to = beam->to;
    int a = fabs(to[0]) > fabs(to[1]) ? 0 : 1;
    if (fabs(to[2]) >= fabs(to[a])) a = 2;
    int b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2;
    const ptrdiff_t step[3] = {1, box->n[0], (ptrdiff_t)box->n[0] * box->n[1]};
    struct sweep s = {
        {box->n[b], box->n[c], box->n[a]}, {step[b], step[c], step[a]}, {0}, 0, beam->weight, extinction, out};
    s.ds = (float)(box->h / fabs(to[a]));
    weights_make(to[b] / fabs(to[a]), to[c] / fabs(to[a]), beam->spread, s.w);
    ptrdiff_t pitch = s.n[0] + 2;
    size_t plane = (size_t)pitch * (size_t)(s.n[1] + 2);
    float *up = tools->alloc(tools->ctx, 2 * plane * sizeof(float));
    if (!up) return BW_ERR_MEMORY;
    float *down = up + plane, *first = up;
    plane_fill(up, 2 * plane);
    for (int k = 0; k < s.n[2]; k++) {
        ptrdiff_t p = (to[a] > 0 ? s.n[2] - 1 - k : k) * s.step[2];
        for (int j = 0; j < s.n[1]; j++)
            row_sweep(&s, up + (j + 1) * pitch + 1, pitch, extinction + p + j * s.step[1], out + p + j * s.step[1],
                      down + (j + 1) * pitch + 1);
        float *t = up;
        up = down;
        down = t;
    }
    tools->release(tools->ctx, first);
    return BW_OK;
}
