// SPDX-License-Identifier: Apache-2.0
/* The schemes of mac.advect, one row each. d-, d+: the trace back and ahead.
 *   - semi-lagrangian: q' = q(x + d-), trilinear: first order, never overshoots.
 *   - maccormack: qh = q(x + d-); q' = qh + (q - qh(x + d+)) / 2, clamped to the 8 values around x + d-: second order
 *     where the clamp rests.
 *   - cubic: q' = q(x + d-), cubic along each axis, clamped to the 8 values around x + d-: third order where the clamp
 *     rests. One sweep, but 32 values a node.
 *   - flux_ppm: amounts by fluxes (flux/flux.c), what is in double as maccormack. The default.
 * All are stable for any dt. The velocity goes by none of them: maccormack makes energy in 3D.
 *
 * To add one: its row here, with its name and a word about it; a row kernel of its own in a file beside this one, which
 * meson.build compiles once a SIMD level.
 *
 * Selle, Fedkiw, Kim, Liu, Rossignac, "An unconditionally stable MacCormack method", J. Sci. Comput. 35 (2008). */
#include "schemes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const char advect_scheme_names[] = "semi-lagrangian|maccormack|cubic|flux_ppm";
const char advect_scheme_doc[] =
    "How to carry all but the velocity: semi-lagrangian blurs; maccormack keeps detail; cubic keeps sharp edges "
    "better, from 32 values a node; flux_ppm keeps sharp edges better still and the amount of all "
    "scalars and vectors, such as smoke and heat.";

/* ---- trilinear ---- */

static void row_linear(const struct advect_kernels *k, const struct advect_row *old, bool clamp, float *out)
{
    (void)clamp; // it cannot overshoot
    k->gather(old, out);
}

static double node_linear(struct reach *r, int c, const double x[3], bool clamp)
{
    (void)clamp;
    return reach_value(r, c, x);
}

/* ---- the correction ---- */

static void row_correct(const struct advect_kernels *k, const struct advect_row *hat, const struct advect_row *old,
                        bool clamp, float *out)
{
    k->correct(hat, old, clamp, out);
}

static double node_correct(struct reach *old, struct reach *hat, int c, const struct node_ends *ends, bool clamp)
{
    double range[2];
    const double v =
        reach_node(hat, c, ends->at) + 0.5 * (reach_node(old, c, ends->at) - reach_value(hat, c, ends->ahead));
    if (!clamp) return v;
    reach_range(old, c, ends->back, range);
    return fmin(fmax(v, range[0]), range[1]);
}

/* ---- Lagrange's cubic along each axis, linear along the others (cubic.c) ---- */

extern advect_cubic_fn advect_cubic_baseline, advect_cubic_avx2, advect_cubic_avx512;

static void row_cubic(const struct advect_kernels *k, const struct advect_row *old, bool clamp, float *out)
{
    advect_cubic_fn *const gather[] = {[BW_SIMD_BASELINE] = advect_cubic_baseline,
                                       [BW_SIMD_AVX2] = advect_cubic_avx2,
                                       [BW_SIMD_AVX512] = advect_cubic_avx512};
    if (!gather[k->simd](old, clamp, out) && clamp) k->clamp(old, out);
}

static double node_cubic_sum(struct reach *r, int c, const double x[3], double soften)
{
    int32_t lo[3];
    double t[3], sum = 0, share = 0, far = 0;
    reach_split(x, lo, t);
    for (int a = 0; a < 3; a++) share += t[a] * (1 - t[a]);
    for (int e = 0; e < 8; e++) {
        const int32_t at[3] = {lo[0] + (e & 1), lo[1] + (e >> 1 & 1), lo[2] + (e >> 2)};
        double weight = 1;
        for (int a = 0; a < 3; a++) weight *= e >> a & 1 ? t[a] : 1 - t[a];
        if (weight != 0) sum += weight * reach_node(r, c, at);
        for (int a = 0; a < 3; a++) { // the node beyond this one along each axis, linear along the others
            const int up = e >> a & 1;
            const double own = up ? t[a] : 1 - t[a], across = own != 0 ? weight / own : 0;
            const double ends = across * t[a] * (1 - t[a]) * (1 + own);
            int32_t beyond[3] = {at[0], at[1], at[2]};
            beyond[a] += up ? 1 : -1;
            if (ends != 0) far += ends * reach_node(r, c, beyond);
        }
    }
    return sum + (1 - soften) * (share / 2 * sum - far / 6);
}

static double node_bounded(struct reach *r, int c, const double x[3], bool clamp, double soften)
{
    const double v = node_cubic_sum(r, c, x, soften);
    double range[2];
    if (!clamp) return v;
    reach_range(r, c, x, range);
    return fmin(fmax(v, range[0]), range[1]);
}

static double node_cubic(struct reach *r, int c, const double x[3], bool clamp)
{
    return node_bounded(r, c, x, clamp, 0);
}

/* ---- the velocity: what makes no energy is a little of the linear weights. With .01 and without bounds Taylor-Green's
 * flow, 32³, still gains .1 % in steps of .15 cells, with .02 none in any. ---- */

#define SOFTEN 0.02f

static void row_velocity(const struct advect_kernels *k, const struct advect_row *old, bool clamp, float *out)
{
    struct advect_row soft = *old;
    soft.soften = SOFTEN;
    row_cubic(k, &soft, clamp, out);
}

static double node_velocity(struct reach *r, int c, const double x[3], bool clamp)
{
    return node_bounded(r, c, x, clamp, (double)SOFTEN);
}

const struct advect_scheme advect_velocity_cubic = {
    .name = "cubic", .beyond = 1, .row_first = row_velocity, .node_first = node_velocity};
const struct advect_scheme advect_velocity_linear = {
    .name = "semi-lagrangian", .row_first = row_linear, .node_first = node_linear};

/* ---- all ---- */

static const struct advect_scheme schemes[] = {
    {.name = "semi-lagrangian", .row_first = row_linear, .node_first = node_linear},
    {.name = "maccormack",
     .row_first = row_linear,
     .node_first = node_linear,
     .row_second = row_correct,
     .node_second = node_correct},
    {.name = "cubic", .beyond = 1, .row_first = row_cubic, .node_first = node_cubic},
    {.name = "flux_ppm",
     .by_flux = true,
     .row_first = row_linear,
     .node_first = node_linear,
     .row_second = row_correct,
     .node_second = node_correct},
};

const struct advect_scheme *advect_scheme_at(int32_t choice)
{
    const char *name = advect_scheme_names;
    for (int32_t i = 0; i < choice; i++) name = strchr(name, '|') + 1;
    assert(choice < (int32_t)BW_COUNT(schemes) && strcspn(name, "|") == strlen(schemes[choice].name) &&
           !strncmp(name, schemes[choice].name, strlen(schemes[choice].name)));
    (void)name;
    return &schemes[choice];
}
