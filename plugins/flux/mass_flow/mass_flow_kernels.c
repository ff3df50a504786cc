// SPDX-License-Identifier: Apache-2.0
/* Loops of mode mass_flow (flux_kernels.h). Limits on a core of 45 GB/s and 83 Gflop/s (bench_gas prints both for the
 * machine at hand), ns a cell and step: 4 neighbours memory 1.6, arithmetic .6; 8: 1.6, 1.5; 6: 2.1, 1.2; 26: 2.1, 7.5.
 * Steps take 8, 11, 18 and 39: the copies with halo, in and out, cost more than the step of few neighbours, and
 * flows of 13 directions go through the second cache. */
#include "flux_kernels.h"
#include <common/simd.h>
#include <math.h>

/* All values are those half way between the two cells: F = m·d + D (rho_s - rho_d). With m_perp = m - (m·d) d the flow
 * of momentum is F/rho (m + (F - m·d) d) + friction (Δm - (Δm·d) d): along an axis, F²/rho and the other components.
 * Where the limiter applies, each flow takes the source's momentum in proportion to its mass, so that no more leaves
 * than the cell holds. */
INLINE void flow_row(const struct mass_flow_row *r, ptrdiff_t at, int odd, int dim, int aligned, int with_momentum,
                     int walls, int limited)
{
    const int n = r->n;
    const double *rs = r->mass[0] + at, *rd = r->mass[1] + at, *gate = r->gate;
    const double *fs = limited ? r->limiter[0] + at : rs, *fd = limited ? r->limiter[1] + at : rd;
    const double *as = r->momentum[0][0] + at, *ad = r->momentum[1][0] + at;
    const double *bs = r->momentum[0][1] + at, *bd = r->momentum[1][1] + at;
    const double *cs = dim > 2 ? r->momentum[0][2] + at : as, *cd = dim > 2 ? r->momentum[1][2] + at : ad;
    const double x = aligned ? 1 : r->dir[0], y = aligned ? 0 : r->dir[1], z = aligned || dim < 3 ? 0 : r->dir[2];
    const double half = 0.5 * r->scale, back = 2 / r->scale, diffusion = r->diffusion, k = r->friction;
    double *f = r->flow[odd][0], *p = with_momentum ? r->flow[odd][1] : f, *q = with_momentum ? r->flow[odd][2] : f;
    double *s = with_momentum && dim > 2 ? r->flow[odd][3] : f;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        const double mx = half * (as[i] + ad[i]), my = half * (bs[i] + bd[i]);
        const double mz = dim > 2 ? half * (cs[i] + cd[i]) : 0;
        const double along = aligned ? mx : mx * x + my * y + (dim > 2 ? mz * z : 0);
        double flow = along + diffusion * (rs[i] - rd[i]);
        if (walls) flow *= gate[i];
        const double limit = limited ? (flow > 0 ? fs[i] : fd[i]) : 1;
        flow *= limit;
        if (with_momentum) {
            const double rho = rs[i] + rd[i], v = rho > 0 ? back * flow / rho : 0; // two empty cells: no flow
            const double dx = as[i] - ad[i], dy = bs[i] - bd[i], dz = dim > 2 ? cs[i] - cd[i] : 0;
            const double friction = walls ? k * gate[i] : k;
            const double slip = aligned ? 0 : friction * (dx * x + dy * y + (dim > 2 ? dz * z : 0));
            double px = aligned ? v * flow : v * mx, py = v * my, pz = v * mz, turn = aligned ? 0 : v * (flow - along);
            if (limited) {
                const double giver = flow > 0 ? rs[i] : rd[i], part = giver > 0 ? flow / giver : 0;
                const int all = limit < 1;
                px = all ? part * (flow > 0 ? as[i] : ad[i]) : px;
                py = all ? part * (flow > 0 ? bs[i] : bd[i]) : py;
                pz = all && dim > 2 ? part * (flow > 0 ? cs[i] : cd[i]) : pz;
                turn = all ? 0 : turn;
            }
            turn -= slip;
            p[i] = aligned ? px : px + friction * dx + turn * x;
            q[i] = aligned ? py + friction * dy : py + friction * dy + turn * y;
            if (dim > 2) s[i] = aligned ? pz + friction * dz : pz + friction * dz + turn * z;
        }
        f[i] = flow;
    }
}

INLINE void flow_with_momentum(const struct mass_flow_row *r, ptrdiff_t at, int odd, int dim, int aligned)
{
    const int walls = r->gate != NULL, limited = r->limiter[0] != NULL;
    if (walls && limited) flow_row(r, at, odd, dim, aligned, 1, 1, 1);
    else if (walls) flow_row(r, at, odd, dim, aligned, 1, 1, 0);
    else if (limited) flow_row(r, at, odd, dim, aligned, 1, 0, 1);
    else flow_row(r, at, odd, dim, aligned, 1, 0, 0);
}

INLINE void flow_choose(const struct mass_flow_row *r, ptrdiff_t at, int odd, int dim)
{
    if (r->flow[0][1] && r->aligned) flow_with_momentum(r, at, odd, dim, 1);
    else if (r->flow[0][1]) flow_with_momentum(r, at, odd, dim, 0);
    else if (r->gate) flow_row(r, at, odd, dim, 0, 0, 1, 0);
    else flow_row(r, at, odd, dim, 0, 0, 0, 0);
}

static void flow_any(const struct mass_flow_row *r, ptrdiff_t at, int odd)
{
    if (r->dim == 2) flow_choose(r, at, odd, 2);
    else flow_choose(r, at, odd, 3);
}

static void bounds_momentum(int n, const double *restrict m, double *most)
{
    double top = *most;
    _Pragma("omp simd reduction(max: top)") for (int i = 0; i < n; i++)
    {
        const double size = fabs(m[i]);
        top = size > top ? size : top;
    }
    *most = top;
}

static void bounds_find(struct mass_flow_bounds *b)
{
    const int n = b->n;
    const double *mass = b->mass;
    double least = HUGE_VAL, most = -HUGE_VAL;
    _Pragma("omp simd reduction(min: least) reduction(max: most)") for (int i = 0; i < n; i++)
    {
        least = mass[i] < least ? mass[i] : least;
        most = mass[i] > most ? mass[i] : most;
    }
    b->least_mass = least;
    b->most_mass = most;
    b->most_momentum = 0;
    for (int a = 0; a < b->dim; a++) bounds_momentum(n, b->momentum[a], &b->most_momentum);
}

static void add_outflow(int n, const double *restrict flow, double *a, double *b)
{
    for (int i = 0; i < n; i++) a[i] += flow[i] > 0 ? flow[i] : 0;
    for (int i = 0; i < n; i++) b[i] -= flow[i] < 0 ? flow[i] : 0;
}

/* A trifle less than all, so that rounding in the sum of up to 26 flows cannot lead below 0. */
static int limit_outflow(int n, const double *restrict mass, const double *restrict out, double *restrict limiter)
{
    const double most = 1 - 1e-12;
    int any = 0;
    for (int i = 0; i < n; i++) {
        const int over = out[i] > most * mass[i];
        limiter[i] = over ? most * mass[i] / out[i] : 1;
        any |= over;
    }
    return any;
}

/* gain (+)= inflow less outflow, of two directions. */
INLINE void gain_two(int n, const double *restrict o, const double *restrict i0, const double *restrict p,
                     const double *restrict i1, double *restrict gain, int first)
{
#pragma omp simd
    for (int i = 0; i < n; i++) gain[i] = (((first ? 0 : gain[i]) - o[i]) + i0[i] - p[i]) + i1[i];
}

/* The last one to three directions. */
INLINE void update_row(int n, int directions, const double *const outflow[], const double *const inflow[],
                       const double *restrict gain, const double *restrict own, double keep, double back,
                       double *restrict out)
{
    const double *o0 = outflow[0], *i0 = inflow[0], *o1 = directions > 1 ? outflow[1] : o0,
                 *i1 = directions > 1 ? inflow[1] : i0, *o2 = directions > 2 ? outflow[2] : o0,
                 *i2 = directions > 2 ? inflow[2] : i0;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double sum = ((gain ? gain[i] : 0) - o0[i]) + i0[i];
        if (directions > 1) sum = (sum - o1[i]) + i1[i];
        if (directions > 2) sum = (sum - o2[i]) + i2[i];
        out[i] = (own[i] + sum) * keep + back;
    }
}

INLINE void update_by_count(int n, int directions, const double *const outflow[], const double *const inflow[],
                            const double *gain, const double *own, double keep, double back, double *out)
{
    if (directions == 1) update_row(n, 1, outflow, inflow, gain, own, keep, back, out);
    else if (directions == 2) update_row(n, 2, outflow, inflow, gain, own, keep, back, out);
    else update_row(n, 3, outflow, inflow, gain, own, keep, back, out);
}

/* One value: rows of two tiles' width have a loop of their own. */
static void update_value(const struct mass_flow_update *r, int c, ptrdiff_t from, ptrdiff_t to, int odd)
{
    const double *const(*out)[MASS_FLOW_VALUES] = r->outflow[odd], *const(*in)[MASS_FLOW_VALUES] = r->inflow[odd];
    const double keep = c ? r->damping : r->drain, back = c ? 0 : (1 - r->drain) * r->ambient;
    const int all = (r->rows - 1) * r->stride + r->n, pairs = r->directions > 3 ? (r->directions - 2) / 2 : 0,
              left = r->directions - 2 * pairs;
    for (int q = 0; q < 2 * pairs; q += 2) {
        if (q) gain_two(all, out[q][c], in[q][c], out[q + 1][c], in[q + 1][c], r->gain, 0);
        else gain_two(all, out[q][c], in[q][c], out[q + 1][c], in[q + 1][c], r->gain, 1);
    }
    for (int j = 0; j < r->rows; j++) {
        const ptrdiff_t at = (ptrdiff_t)j * r->stride;
        const double *outflow[3] = {NULL}, *inflow[3] = {NULL}, *gain = pairs ? r->gain + at : NULL;
        const double *own = r->own[c] + from + at;
        for (int q = 0; q < left; q++) {
            outflow[q] = out[2 * pairs + q][c] + at;
            inflow[q] = in[2 * pairs + q][c] + at;
        }
        if (r->n == 32)
            update_by_count(32, left, outflow, inflow, gain, own, keep, back, r->out[c] + to + j * r->out_stride);
        else update_by_count(r->n, left, outflow, inflow, gain, own, keep, back, r->out[c] + to + j * r->out_stride);
    }
}

static void update_line(const struct mass_flow_update *r, ptrdiff_t at, ptrdiff_t to, int odd)
{
    for (int c = 0; c <= r->dim; c++) update_value(r, c, at, to, odd);
}

const struct mass_flow_kernels SIMD_NAME(mass_flow_kernels) = {bounds_find, flow_any, update_line, add_outflow,
                                                               limit_outflow};
