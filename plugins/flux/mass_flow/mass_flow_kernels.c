// SPDX-License-Identifier: Apache-2.0
/* Loops of mode mass_flow (flux_kernels.h). Limits on a core of 45 GB/s and 83 Gflop/s (bench_gas prints both for the
 * machine at hand), ns a cell and step: 4 neighbours memory 1.6, arithmetic .6; 8: 1.6, 1.5; 6: 2.1, 1.2; 26: 2.1, 7.5.
 * Steps take 8, 11, 18 and 39: the copy with its halo and its way back cost more than the step of few neighbours, and
 * flows of 13 directions go through the second cache. */
#include "flux_kernels.h"
#include <common/simd.h>
#include <math.h>

/* All values are those half way between the two cells: F = m·d + D (rho_s - rho_d), and with m_perp = m - (m·d) d what
 * is pushed is F/rho (m + (F - m·d) d) + friction (Δm - (Δm·d) d): along an axis, F²/rho and the other components. Of a
 * cell that gives all it has, each parcel takes its own share of the momentum along, so that no more leaves than it
 * holds. */
INLINE void flow_row(const struct mass_flow_row *r, ptrdiff_t at, int odd, int dim, int aligned, int push, int walls,
                     int shares)
{
    const int n = r->n;
    const double *rs = r->mass[0] + at, *rd = r->mass[1] + at, *gate = r->gate;
    const double *fs = shares ? r->share[0] + at : rs, *fd = shares ? r->share[1] + at : rd;
    const double *as = r->momentum[0][0] + at, *ad = r->momentum[1][0] + at;
    const double *bs = r->momentum[0][1] + at, *bd = r->momentum[1][1] + at;
    const double *cs = dim > 2 ? r->momentum[0][2] + at : as, *cd = dim > 2 ? r->momentum[1][2] + at : ad;
    const double x = aligned ? 1 : r->dir[0], y = aligned ? 0 : r->dir[1], z = aligned || dim < 3 ? 0 : r->dir[2];
    const double half = 0.5 * r->scale, back = 2 / r->scale, diffusion = r->diffusion, k = r->friction;
    double *f = r->flow[odd][0], *p = push ? r->flow[odd][1] : f, *q = push ? r->flow[odd][2] : f;
    double *s = push && dim > 2 ? r->flow[odd][3] : f;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        const double mx = half * (as[i] + ad[i]), my = half * (bs[i] + bd[i]);
        const double mz = dim > 2 ? half * (cs[i] + cd[i]) : 0;
        const double along = aligned ? mx : mx * x + my * y + (dim > 2 ? mz * z : 0);
        double flow = along + diffusion * (rs[i] - rd[i]);
        if (walls) flow *= gate[i];
        const double share = shares ? (flow > 0 ? fs[i] : fd[i]) : 1;
        flow *= share;
        if (push) {
            const double rho = rs[i] + rd[i], v = rho > 0 ? back * flow / rho : 0; // two empty cells: no flow
            const double dx = as[i] - ad[i], dy = bs[i] - bd[i], dz = dim > 2 ? cs[i] - cd[i] : 0;
            const double rub = walls ? k * gate[i] : k;
            const double slip = aligned ? 0 : rub * (dx * x + dy * y + (dim > 2 ? dz * z : 0));
            double px = aligned ? v * flow : v * mx, py = v * my, pz = v * mz, turn = aligned ? 0 : v * (flow - along);
            if (shares) {
                const double giver = flow > 0 ? rs[i] : rd[i], part = giver > 0 ? flow / giver : 0;
                const int all = share < 1;
                px = all ? part * (flow > 0 ? as[i] : ad[i]) : px;
                py = all ? part * (flow > 0 ? bs[i] : bd[i]) : py;
                pz = all && dim > 2 ? part * (flow > 0 ? cs[i] : cd[i]) : pz;
                turn = all ? 0 : turn;
            }
            turn -= slip;
            p[i] = aligned ? px : px + rub * dx + turn * x;
            q[i] = aligned ? py + rub * dy : py + rub * dy + turn * y;
            if (dim > 2) s[i] = aligned ? pz + rub * dz : pz + rub * dz + turn * z;
        }
        f[i] = flow;
    }
}

INLINE void flow_push(const struct mass_flow_row *r, ptrdiff_t at, int odd, int dim, int aligned)
{
    const int walls = r->gate != NULL, shares = r->share[0] != NULL;
    if (walls && shares) flow_row(r, at, odd, dim, aligned, 1, 1, 1);
    else if (walls) flow_row(r, at, odd, dim, aligned, 1, 1, 0);
    else if (shares) flow_row(r, at, odd, dim, aligned, 1, 0, 1);
    else flow_row(r, at, odd, dim, aligned, 1, 0, 0);
}

INLINE void flow_choose(const struct mass_flow_row *r, ptrdiff_t at, int odd, int dim)
{
    if (r->flow[0][1] && r->aligned) flow_push(r, at, odd, dim, 1);
    else if (r->flow[0][1]) flow_push(r, at, odd, dim, 0);
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

static void leave_add(int n, const double *restrict flow, double *a, double *b)
{
    for (int i = 0; i < n; i++) a[i] += flow[i] > 0 ? flow[i] : 0;
    for (int i = 0; i < n; i++) b[i] -= flow[i] < 0 ? flow[i] : 0;
}

/* A trifle less than all, so that rounding in the sum of up to 26 flows cannot lead below 0. */
static int share_find(int n, const double *restrict mass, const double *restrict out, double *restrict share)
{
    const double most = 1 - 1e-12;
    int any = 0;
    for (int i = 0; i < n; i++) {
        const int over = out[i] > most * mass[i];
        share[i] = over ? most * mass[i] / out[i] : 1;
        any |= over;
    }
    return any;
}

/* gain (+)= what comes in less what leaves, of two directions. */
INLINE void gain_two(int n, const double *restrict o, const double *restrict i0, const double *restrict p,
                     const double *restrict i1, double *restrict gain, int first)
{
#pragma omp simd
    for (int i = 0; i < n; i++) gain[i] = (((first ? 0 : gain[i]) - o[i]) + i0[i] - p[i]) + i1[i];
}

/* The last one to three directions. */
INLINE void end_row(int n, int ways, const double *const leaves[], const double *const comes[],
                    const double *restrict gain, const double *restrict own, double keep, double back,
                    double *restrict out)
{
    const double *o0 = leaves[0], *i0 = comes[0], *o1 = ways > 1 ? leaves[1] : o0, *i1 = ways > 1 ? comes[1] : i0,
                 *o2 = ways > 2 ? leaves[2] : o0, *i2 = ways > 2 ? comes[2] : i0;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double sum = ((gain ? gain[i] : 0) - o0[i]) + i0[i];
        if (ways > 1) sum = (sum - o1[i]) + i1[i];
        if (ways > 2) sum = (sum - o2[i]) + i2[i];
        out[i] = (own[i] + sum) * keep + back;
    }
}

INLINE void end_ways(int n, int ways, const double *const leaves[], const double *const comes[], const double *gain,
                     const double *own, double keep, double back, double *out)
{
    if (ways == 1) end_row(n, 1, leaves, comes, gain, own, keep, back, out);
    else if (ways == 2) end_row(n, 2, leaves, comes, gain, own, keep, back, out);
    else end_row(n, 3, leaves, comes, gain, own, keep, back, out);
}

/* One value: rows of two tiles' width have a loop of their own. */
static void end_value(const struct mass_flow_end *r, int c, ptrdiff_t from, ptrdiff_t to, int odd)
{
    const double *const(*out)[MASS_FLOW_VALUES] = r->leaves[odd], *const(*in)[MASS_FLOW_VALUES] = r->comes[odd];
    const double keep = c ? r->damping : r->drain, back = c ? 0 : (1 - r->drain) * r->ambient;
    const int all = (r->rows - 1) * r->stride + r->n, pairs = r->ways > 3 ? (r->ways - 2) / 2 : 0,
              left = r->ways - 2 * pairs;
    for (int q = 0; q < 2 * pairs; q += 2) {
        if (q) gain_two(all, out[q][c], in[q][c], out[q + 1][c], in[q + 1][c], r->gain, 0);
        else gain_two(all, out[q][c], in[q][c], out[q + 1][c], in[q + 1][c], r->gain, 1);
    }
    for (int j = 0; j < r->rows; j++) {
        const ptrdiff_t at = (ptrdiff_t)j * r->stride;
        const double *leaves[3] = {NULL}, *comes[3] = {NULL}, *gain = pairs ? r->gain + at : NULL;
        const double *own = r->own[c] + from + at;
        for (int q = 0; q < left; q++) {
            leaves[q] = out[2 * pairs + q][c] + at;
            comes[q] = in[2 * pairs + q][c] + at;
        }
        if (r->n == 32) end_ways(32, left, leaves, comes, gain, own, keep, back, r->out[c] + to + j * r->out_stride);
        else end_ways(r->n, left, leaves, comes, gain, own, keep, back, r->out[c] + to + j * r->out_stride);
    }
}

static void end_line(const struct mass_flow_end *r, ptrdiff_t at, ptrdiff_t to, int odd)
{
    for (int c = 0; c <= r->dim; c++) end_value(r, c, at, to, odd);
}

const struct mass_flow_kernels SIMD_NAME(mass_flow_kernels) = {bounds_find, flow_any, end_line, leave_add, share_find};
