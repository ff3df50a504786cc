// SPDX-License-Identifier: Apache-2.0
/* See flux_kernels.h: the seed mode's loops. */
#include "flux_kernels.h"
#include "loops.h"
#include <math.h>

/* All values are those half way between the two cells: F = m·d + D (rho_s - rho_d). Of a cell that gives all it has,
 * each parcel takes its own share of the momentum along, so that no more leaves than it holds. */
INLINE void flow_row(const struct seed_row *r, int dim, int push, int walls, int shares)
{
    const int n = r->n;
    const double *rs = r->mass[0], *rd = r->mass[1], *gate = r->gate, *fs = r->share[0], *fd = r->share[1];
    const double *as = r->momentum[0][0], *ad = r->momentum[1][0], *bs = r->momentum[0][1], *bd = r->momentum[1][1];
    const double *cs = dim > 2 ? r->momentum[0][2] : as, *cd = dim > 2 ? r->momentum[1][2] : ad;
    const double x = r->dir[0], y = r->dir[1], z = dim > 2 ? r->dir[2] : 0, scale = r->scale, back = 1 / r->scale;
    const double diffusion = r->diffusion, k = r->friction;
    double *f = r->flow, *p = r->push[0], *q = r->push[1], *s = dim > 2 ? r->push[2] : f;
    ROW
    {
        const double mx = 0.5 * (as[i] + ad[i]) * scale, my = 0.5 * (bs[i] + bd[i]) * scale;
        const double mz = dim > 2 ? 0.5 * (cs[i] + cd[i]) * scale : 0;
        const double along = mx * x + my * y + mz * z;
        double flow = along + diffusion * (rs[i] - rd[i]);
        if (walls) flow *= gate[i];
        const double share = shares ? (flow > 0 ? fs[i] : fd[i]) : 1;
        flow *= share;
        if (push) {
            const double rho = 0.5 * (rs[i] + rd[i]), v = rho > 0 ? flow / rho : 0; // two empty cells: no flow
            const double dx = as[i] - ad[i], dy = bs[i] - bd[i], dz = dim > 2 ? cs[i] - cd[i] : 0;
            const double slip = dx * x + dy * y + dz * z, rub = walls ? k * gate[i] : k;
            const double parallel = v * flow * back, cross = v * back;
            double px = parallel * x + (mx - along * x) * cross, py = parallel * y + (my - along * y) * cross;
            double pz = dim > 2 ? parallel * z + (mz - along * z) * cross : 0;
            if (shares) {
                const double giver = flow > 0 ? rs[i] : rd[i], part = giver > 0 ? flow / giver : 0;
                const int all = share < 1;
                px = all ? part * (flow > 0 ? as[i] : ad[i]) : px;
                py = all ? part * (flow > 0 ? bs[i] : bd[i]) : py;
                pz = all && dim > 2 ? part * (flow > 0 ? cs[i] : cd[i]) : pz;
            }
            p[i] = px + rub * (dx - slip * x);
            q[i] = py + rub * (dy - slip * y);
            if (dim > 2) s[i] = pz + rub * (dz - slip * z);
        }
        f[i] = flow;
    }
}

INLINE void flow_choose(const struct seed_row *r, int dim, int push)
{
    const int walls = r->gate != NULL, shares = r->share[0] != NULL;
    if (walls && shares)
        flow_row(r, dim, push, 1, 1);
    else if (walls)
        flow_row(r, dim, push, 1, 0);
    else if (shares)
        flow_row(r, dim, push, 0, 1);
    else
        flow_row(r, dim, push, 0, 0);
}

static void seed_flow(const struct seed_row *r)
{
    if (r->dim == 2 && r->push[0])
        flow_choose(r, 2, 1);
    else if (r->dim == 2)
        flow_choose(r, 2, 0);
    else if (r->push[0])
        flow_choose(r, 3, 1);
    else
        flow_choose(r, 3, 0);
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

static void seed_bounds(struct seed_bounds *b)
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

static void seed_leave(int n, const double *restrict flow, double *a, double *b)
{
    for (int i = 0; i < n; i++) a[i] += flow[i] > 0 ? flow[i] : 0;
    for (int i = 0; i < n; i++) b[i] -= flow[i] < 0 ? flow[i] : 0;
}

/* A trifle less than all, so that rounding in the sum of up to 26 flows cannot lead below 0. */
static int seed_share(int n, const double *restrict mass, const double *restrict out, double *restrict share)
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
    ROW gain[i] = (((first ? 0 : gain[i]) - o[i]) + i0[i] - p[i]) + i1[i];
}

/* The last one to three directions. */
INLINE void end_row(int n, int ways, const double *const leaves[], const double *const comes[],
                    const double *restrict gain, const double *restrict own, double keep, double back,
                    double *restrict out)
{
    const double *o0 = leaves[0], *i0 = comes[0], *o1 = ways > 1 ? leaves[1] : o0, *i1 = ways > 1 ? comes[1] : i0,
                 *o2 = ways > 2 ? leaves[2] : o0, *i2 = ways > 2 ? comes[2] : i0;
    ROW
    {
        double sum = ((gain ? gain[i] : 0) - o0[i]) + i0[i];
        if (ways > 1) sum = (sum - o1[i]) + i1[i];
        if (ways > 2) sum = (sum - o2[i]) + i2[i];
        out[i] = (own[i] + sum) * keep + back;
    }
}

INLINE void end_ways(int n, int ways, const double *const leaves[], const double *const comes[], const double *gain,
                     const double *own, double keep, double back, double *out)
{
    if (ways == 1)
        end_row(n, 1, leaves, comes, gain, own, keep, back, out);
    else if (ways == 2)
        end_row(n, 2, leaves, comes, gain, own, keep, back, out);
    else
        end_row(n, 3, leaves, comes, gain, own, keep, back, out);
}

/* One value: rows of a tile's width have a loop of their own. */
static void end_value(const struct seed_end *r, int c, const double *own, double keep, double back, double *out)
{
    const int all = (r->rows - 1) * r->stride + r->n, pairs = r->ways > 3 ? (r->ways - 2) / 2 : 0,
              left = r->ways - 2 * pairs;
    for (int q = 0; q < pairs; q++) {
        const double *o = r->leaves[2 * q][c], *i0 = r->comes[2 * q][c], *p = r->leaves[2 * q + 1][c],
                     *i1 = r->comes[2 * q + 1][c];
        if (q)
            gain_two(all, o, i0, p, i1, r->gain, 0);
        else
            gain_two(all, o, i0, p, i1, r->gain, 1);
    }
    for (int j = 0; j < r->rows; j++) {
        const ptrdiff_t at = (ptrdiff_t)j * r->stride;
        const double *leaves[3] = {NULL}, *comes[3] = {NULL}, *gain = pairs ? r->gain + at : NULL;
        for (int q = 0; q < left; q++) {
            leaves[q] = r->leaves[2 * pairs + q][c] + at;
            comes[q] = r->comes[2 * pairs + q][c] + at;
        }
        if (r->n == 16)
            end_ways(16, left, leaves, comes, gain, own + at, keep, back, out + j * r->out_stride);
        else
            end_ways(r->n, left, leaves, comes, gain, own + at, keep, back, out + j * r->out_stride);
    }
}

static void seed_end(const struct seed_end *r)
{
    end_value(r, 0, r->mass, r->drain, (1 - r->drain) * r->ambient, r->mass_out);
    for (int a = 0; a < r->dim; a++) end_value(r, 1 + a, r->momentum[a], r->damping, 0, r->momentum_out[a]);
}

const struct seed_kernels JOIN(seed_kernels_, BW_LEVEL) = {seed_bounds, seed_flow, seed_end, seed_leave, seed_share};
