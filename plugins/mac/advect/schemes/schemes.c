// SPDX-License-Identifier: Apache-2.0
/* The schemes of mac.advect, one row each. d-, d+: the trace back and ahead.
 *   - semi-lagrangian: q' = q(x + d-), trilinear: first order, never overshoots.
 *   - maccormack: qh = q(x + d-); q' = qh + (q - qh(x + d+)) / 2, clamped to the 8 values around x + d-: second order
 *     where the limiter is inactive.
 *   - cubic: q' = q(x + d-), cubic along each axis, clamped to the 8 values around x + d-: third order where the
 *     limiter is inactive. One sweep, but 32 values a node.
 *   - flux_ppm: scalars and vectors in flux form, conservative (flux/flux.c), fields in double as maccormack. Default.
 * All are stable for any dt. The velocity uses none of them: maccormack gains energy in 3D.
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
    "How all fields but the velocity are advected: semi-lagrangian blurs; maccormack keeps detail; cubic keeps sharp "
    "edges better, from 32 values a node; flux_ppm keeps sharp edges better still and conserves the sum of all "
    "scalars and vectors, such as smoke and heat.";

/* ---- trilinear ---- */

static void row_linear(const struct advect_kernels *k, const struct advect_row *old, bool clamp, float *out)
{
    (void)clamp; // it cannot overshoot
    k->gather(old, out);
}

static double node_linear(struct sampler *r, int c, const double x[3], bool clamp)
{
    (void)clamp;
    return sample_linear(r, c, x);
}

/* ---- the correction ---- */

static void row_correct(const struct advect_kernels *k, const struct advect_row *hat, const struct advect_row *old,
                        bool clamp, float *out)
{
    k->correct(hat, old, clamp, out);
}

static double node_correct(struct sampler *old, struct sampler *hat, int c, const struct node_ends *ends, bool clamp)
{
    double range[2];
    const double v =
        sample_node(hat, c, ends->at) + 0.5 * (sample_node(old, c, ends->at) - sample_linear(hat, c, ends->ahead));
    if (!clamp) return v;
    sample_range(old, c, ends->back, range);
    return fmin(fmax(v, range[0]), range[1]);
}

/* ---- Lagrange's cubic along each axis, linear along the others (cubic.c) ---- */

extern advect_cubic_fn advect_cubic_baseline, advect_cubic_avx2, advect_cubic_avx512;

static void row_cubic(const struct advect_kernels *k, const struct advect_row *old, bool clamp, float *out)
{
    if (!SIMD_PICK(advect_cubic, k->simd)(old, clamp, out) && clamp) k->clamp(old, out);
}

/* The `n` nodes in the middle along axis a, linear along the others. */
static void nodes_along(struct sampler *r, int c, const int32_t lo[3], const double t[3], int a, int n, double *f)
{
    const int p = (a + 1) % 3, q = (a + 2) % 3;
    for (int i = 0; i < n; i++) {
        f[i] = 0;
        for (int e = 0; e < 4; e++) {
            const int up[2] = {e & 1, e >> 1};
            const double w = (up[0] ? t[p] : 1 - t[p]) * (up[1] ? t[q] : 1 - t[q]);
            int32_t at[3];
            at[a] = lo[a] + i + 1 - n / 2;
            at[p] = lo[p] + up[0];
            at[q] = lo[q] + up[1];
            if (w != 0) f[i] += w * sample_node(r, c, at);
        }
    }
}

static double node_cubic_sum(struct sampler *r, int c, const double x[3], double soften)
{
    int32_t lo[3];
    double t[3], f[4], sum = 0, bend = 0;
    split_coordinates(x, lo, t);
    for (int a = 0; a < 3; a++) {
        const double s = 1 - t[a], ts = t[a] * s;
        if (ts == 0 && a > 0) continue; // nothing to add, and the linear one is known
        nodes_along(r, c, lo, t, a, 4, f);
        if (a == 0) sum = s * f[1] + t[a] * f[2];
        const double d0 = f[0] - 2 * f[1] + f[2], d1 = f[1] - 2 * f[2] + f[3];
        const double rough = clamp_between(-4 * d0 * d1 / (d0 * d0 + d1 * d1 + 1e-30), 0, 1);
        bend -= ts / 6 * ((1 + s) * d0 + (1 + t[a]) * d1) * (1 - soften * rough);
    }
    return sum + bend;
}

static double node_bounded(struct sampler *r, int c, const double x[3], bool clamp, double soften)
{
    const double v = node_cubic_sum(r, c, x, soften);
    double range[2];
    if (!clamp) return v;
    sample_range(r, c, x, range);
    return fmin(fmax(v, range[0]), range[1]);
}

static double node_cubic(struct sampler *r, int c, const double x[3], bool clamp)
{
    return node_bounded(r, c, x, clamp, 0);
}

/* ---- the velocity ------------------------------------------------------------------------------------------------ */

/* Less of what cells do not resolve, so that no energy is gained. With nothing left out Taylor-Green's flow, 32³, gains
 * .5 % in steps of .15 cells, with .3 .1 %, of which the scheme's own |c|² is half (advect_centred.c). By 2 % less
 * everywhere it gains nothing either, and a vortex with a core of 5.7 cells loses 2 % more in five turns. */
#define SOFTEN 0.3f

static void row_velocity(const struct advect_kernels *k, const struct advect_row *old, bool clamp, float *out)
{
    struct advect_row soft = *old;
    soft.soften = SOFTEN;
    row_cubic(k, &soft, clamp, out);
}

static double node_velocity(struct sampler *r, int c, const double x[3], bool clamp)
{
    return node_bounded(r, c, x, clamp, (double)SOFTEN);
}

const struct advect_scheme advect_velocity_cubic = {
    .name = "cubic", .beyond = 1, .row_first = row_velocity, .node_first = node_velocity};
const struct advect_scheme advect_velocity_linear = {
    .name = "semi-lagrangian", .row_first = row_linear, .node_first = node_linear};

/* ---- the velocity by the quintic (quintic.c), which gains more, and so is softened more ---- */

#define QUINTIC_SOFTEN 0.6f

extern advect_cubic_fn advect_quintic_baseline, advect_quintic_avx2, advect_quintic_avx512;

static void row_quintic(const struct advect_kernels *k, const struct advect_row *old, bool clamp, float *out)
{
    struct advect_row soft = *old;
    soft.soften = QUINTIC_SOFTEN;
    if (!SIMD_PICK(advect_quintic, k->simd)(&soft, clamp, out) && clamp) k->clamp(old, out);
}

/* The weights of cubic interpolation at nodes -1 … 2 of an axis; 1 at 0 where t is 0. */
static void cubic_weights(double t, double w[4])
{
    const double s = 1 - t, a0 = -t * s * (1 + s) / 6, a1 = -t * s * (1 + t) / 6;
    w[0] = a0;
    w[1] = s + a1 - 2 * a0;
    w[2] = t + a0 - 2 * a1;
    w[3] = a1;
}

static double node_cubic_product(struct sampler *r, int c, const int32_t lo[3], const double t[3])
{
    double w[3][4], sum = 0;
    for (int a = 0; a < 3; a++) cubic_weights(t[a], w[a]);
    for (int e = 0; e < 64; e++) {
        const int32_t up[3] = {e & 3, e >> 2 & 3, e >> 4},
                      at[3] = {lo[0] + up[0] - 1, lo[1] + up[1] - 1, lo[2] + up[2] - 1};
        const double by = w[0][up[0]] * w[1][up[1]] * w[2][up[2]];
        if (by != 0) sum += by * sample_node(r, c, at);
    }
    return sum;
}

static double node_quintic(struct sampler *r, int c, const double x[3], bool clamp)
{
    int32_t lo[3];
    double t[3], range[2];
    split_coordinates(x, lo, t);
    double sum = node_cubic_product(r, c, lo, t);
    for (int a = 0; a < 3; a++) {
        const double s = 1 - t[a], a0 = -t[a] * s * (1 + s) / 6, a1 = -t[a] * s * (1 + t[a]) / 6;
        double f[6], d[4];
        if (t[a] == 0) continue; // nothing to add
        nodes_along(r, c, lo, t, a, 6, f);
        for (int i = 0; i < 4; i++) d[i] = f[i] - 2 * f[i + 1] + f[i + 2];
        const double more =
            a0 * (s * s - 4) / 20 * (d[0] - 2 * d[1] + d[2]) + a1 * (t[a] * t[a] - 4) / 20 * (d[1] - 2 * d[2] + d[3]);
        const double rough = clamp_between(-4 * d[1] * d[2] / (d[1] * d[1] + d[2] * d[2] + 1e-30), 0, 1);
        sum += more - (double)QUINTIC_SOFTEN * rough * (a0 * d[1] + a1 * d[2] + more);
    }
    if (!clamp) return sum;
    sample_range(r, c, x, range);
    return fmin(fmax(sum, range[0]), range[1]);
}

const struct advect_scheme advect_velocity_quintic = {
    .name = "quintic", .beyond = 2, .row_first = row_quintic, .node_first = node_quintic};

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
