// SPDX-License-Identifier: Apache-2.0
/* See flux_kernels.h: mode euler's loops, and the check of a row's state for both modes. Limits on a core of 45 GB/s
 * and 167 Gflop/s (bench_gas prints both for the machine at hand), ns a cell and substep of an ideal gas: in 2D memory
 * 1.1, arithmetic 2.5; in 3D 1.3, 4.3. Substeps take 13 and 24: a third of it the faces, whose four divisions and two
 * roots count as ten operations each, the rest passes over rows in the cache, and a sixth the copy with its halo. That
 * is HLLC; what the hybrid has more at each face, two roots, a division and Rusanov's flux, takes a twentieth. */
#include "flux_kernels.h"
#include <common/simd.h>
#include <math.h>

INLINE void primitive_row(const struct flux_gas *g, int n, const float *const u[], float *const w[], int dim, int ideal)
{
    const float *r = u[0], *mx = u[1], *my = u[2], *mz = dim > 2 ? u[3] : mx, *e = ideal ? u[dim + 1] : r;
    float *wr = w[0], *wx = w[1], *wy = w[2], *wz = dim > 2 ? w[3] : wx, *wp = ideal ? w[dim + 1] : wr;
    const float gas = g->gamma - 1, rest = g->energy;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        const float one = 1 / r[i], x = mx[i] * one, y = my[i] * one, z = dim > 2 ? mz[i] * one : 0;
        wr[i] = r[i];
        wx[i] = x;
        wy[i] = y;
        if (dim > 2) wz[i] = z;
        if (ideal) wp[i] = gas * (rest + e[i] - 0.5f * r[i] * (x * x + y * y + z * z));
    }
}

static void primitive(const struct flux_gas *g, int n, const float *const u[FLUX_VARS], float *const w[FLUX_VARS])
{
    if (g->dim == 2 && g->ideal) primitive_row(g, n, u, w, 2, 1);
    else if (g->dim == 2) primitive_row(g, n, u, w, 2, 0);
    else if (g->ideal) primitive_row(g, n, u, w, 3, 1);
    else primitive_row(g, n, u, w, 3, 0);
}

INLINE float smaller(float a, float b) { return a < b ? a : b; }
INLINE float larger(float a, float b) { return a > b ? a : b; }

/* Monotonised central (van Leer 1977): half the central difference, at most twice either one-sided one. */
INLINE float slope_limit(float a, float b, int limiter)
{
    if (limiter == LIMITER_NONE) return 0.5f * (a + b);
    const float x = fabsf(a), y = fabsf(b), least = smaller(x, y);
    const float size = limiter == LIMITER_MC ? smaller(2 * least, 0.5f * (x + y)) : least;
    return a * b > 0 ? copysignf(size, a) : 0;
}

/* walls: 1, some near; 2, and they may move. */
INLINE void slope_row(const struct flux_slope *s, int limiter, int walls)
{
    const int n = s->n;
    const float *at = s->at, *low = s->low, *high = s->high, *ol = s->open[0], *oh = s->open[1], *vl = s->speed[0],
                *vh = s->speed[1];
    const float turn = s->normal ? 2 : 0; // a mirrored normal velocity differs by twice itself, other variables by 0
    float *to = s->slope;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        float a = at[i] - low[i], b = high[i] - at[i];
        if (walls) {
            a = ol[i] > 0 ? a : turn * (walls > 1 ? at[i] - vl[i] : at[i]);
            b = oh[i] > 0 ? b : -turn * (walls > 1 ? at[i] - vh[i] : at[i]);
        }
        to[i] = slope_limit(a, b, limiter);
    }
}

INLINE void slope_walls(const struct flux_slope *s, int limiter)
{
    if (!s->open[0]) slope_row(s, limiter, 0);
    else if (!s->speed[0]) slope_row(s, limiter, 1);
    else slope_row(s, limiter, 2);
}

static void slope(const struct flux_slope *s)
{
    if (s->limiter == LIMITER_MC) slope_walls(s, LIMITER_MC);
    else if (s->limiter == LIMITER_MINMOD) slope_walls(s, LIMITER_MINMOD);
    else slope_walls(s, LIMITER_NONE);
}

/* W - dt/2 (A dW/dx + B dW/dy + C dW/dz): Hancock's half step in primitive variables. Where it would leave less than a
 * tenth of mass or pressure, the cell keeps its values. */
INLINE void predict_row(const struct flux_predict *p, int dim, int ideal)
{
    const struct flux_gas *g = p->gas;
    const int n = p->n;
    const float half = g->half, gamma = g->gamma, square = g->sound * g->sound;
    const int e = ideal ? dim + 1 : 0;
    const float *w[FLUX_VARS], *slope[3][FLUX_VARS];
    float *out[FLUX_VARS];
    for (int v = 0; v < 1 + dim + ideal; v++) {
        w[v] = p->w[v];
        out[v] = p->out[v];
        for (int a = 0; a < dim; a++) slope[a][v] = p->slope[a][v];
    }
#pragma omp simd
    for (int i = 0; i < n; i++) {
        const float r = w[0][i], pr = ideal ? w[e][i] : 0, one = half / r;
        const float u = w[1][i], v = w[2][i], z = dim > 2 ? w[3][i] : 0;
        const float ux = slope[0][1][i], vy = slope[1][2][i], zz = dim > 2 ? slope[2][3][i] : 0, spread = ux + vy + zz;
        const float px = ideal ? slope[0][e][i] : square * slope[0][0][i];
        const float py = ideal ? slope[1][e][i] : square * slope[1][0][i];
        const float pz = dim > 2 ? (ideal ? slope[2][e][i] : square * slope[2][0][i]) : 0;
        const float dr = u * slope[0][0][i] + v * slope[1][0][i] + (dim > 2 ? z * slope[2][0][i] : 0);
        const float dp = ideal ? u * px + v * py + z * pz : 0;
        const float du = half * (u * ux + v * slope[1][1][i] + (dim > 2 ? z * slope[2][1][i] : 0)) + one * px;
        const float dv = half * (u * slope[0][2][i] + v * vy + (dim > 2 ? z * slope[2][2][i] : 0)) + one * py;
        const float dz = dim > 2 ? half * (u * slope[0][3][i] + v * slope[1][3][i] + z * zz) + one * pz : 0;
        const float rn = r - half * (dr + r * spread), pn = pr - half * (dp + gamma * pr * spread);
        const int good = (rn > 0.1f * r) & (!ideal | (pn > 0.1f * pr));
        out[0][i] = good ? rn : r;
        out[1][i] = good ? u - du : u;
        out[2][i] = good ? v - dv : v;
        if (dim > 2) out[3][i] = good ? z - dz : z;
        if (ideal) out[e][i] = good ? pn : pr;
    }
}

static void predict(const struct flux_predict *p)
{
    const int dim = p->gas->dim, ideal = p->gas->ideal;
    if (dim == 2 && ideal) predict_row(p, 2, 1);
    else if (dim == 2) predict_row(p, 2, 0);
    else if (ideal) predict_row(p, 3, 1);
    else predict_row(p, 3, 0);
}

/// State on one side of a face (left or right): u normal, t tangential.
struct face_state {
    float r, u, t[2], p, e, c;
};

INLINE struct face_state face_state_make(const struct flux_gas *g, float r, float u, float t0, float t1, float p,
                                         int ideal)
{
    struct face_state s = {r, u, {t0, t1}, ideal ? p : g->sound * g->sound * r, 0, 0};
    s.e = ideal ? p * g->heat + 0.5f * r * (u * u + t0 * t0 + t1 * t1) : 0;
    s.c = ideal ? sqrtf(g->gamma * p / r) : g->sound;
    return s;
}

/// Flux of mass, normal and tangential momentum, energy.
struct face_flux {
    float r, u, t[2], e;
};

/* Toro, Spruce, Speares 1994, with the speeds of Davis 1988: the state beside the contact of the side that S* is on. */
INLINE struct face_flux flux_hllc(struct face_state l, struct face_state r)
{
    const float sl = smaller(l.u - l.c, r.u - r.c), sr = larger(l.u + l.c, r.u + r.c);
    const float ml = l.r * (sl - l.u), mr = r.r * (sr - r.u);
    const float star = (r.p - l.p + ml * l.u - mr * r.u) / (ml - mr);
    const int left = star >= 0;
    const float d = left ? l.r : r.r, u = left ? l.u : r.u, p = left ? l.p : r.p, e = left ? l.e : r.e;
    const float a = left ? l.t[0] : r.t[0], b = left ? l.t[1] : r.t[1], wave = left ? sl : sr, m = left ? ml : mr;
    const int past = left ? wave > 0 : wave < 0; // the whole fan lies on the other side
    const float one = 1 / (wave - star), press = p + m * (star - u);
    const float de = past ? e : ((wave - u) * e - p * u + press * star) * one;
    const float dd = past ? d : m * one, v = past ? u : star, q = past ? p : press, mass = dd * v;
    return (struct face_flux){mass, mass * v + q, {mass * a, mass * b}, v * (de + q)};
}

/* With the speed s (Rusanov 1961). */
INLINE struct face_flux flux_rusanov_at_speed(struct face_state l, struct face_state r, float s)
{
    const float fl = l.r * l.u, fr = r.r * r.u;
    struct face_flux f = {0.5f * (fl + fr - s * (r.r - l.r)),
                          0.5f * (fl * l.u + l.p + fr * r.u + r.p - s * (fr - fl)),
                          {0, 0},
                          0.5f * (l.u * (l.e + l.p) + r.u * (r.e + r.p) - s * (r.e - l.e))};
    for (int q = 0; q < 2; q++) f.t[q] = 0.5f * (fl * l.t[q] + fr * r.t[q] - s * (r.r * r.t[q] - l.r * l.t[q]));
    return f;
}

INLINE struct face_flux flux_rusanov(struct face_state l, struct face_state r)
{
    return flux_rusanov_at_speed(l, r, larger(fabsf(l.u) + l.c, fabsf(r.u) + r.c));
}

/* Largest wave speed in any direction: equal diffusion in all directions keeps a round blast round. */
INLINE float face_state_speed(struct face_state s)
{
    return sqrtf(s.u * s.u + s.t[0] * s.t[0] + s.t[1] * s.t[1]) + s.c;
}

INLINE float mix(float a, float b, float t) { return a + t * (b - a); }

/* HLLC blended with Rusanov's flux, of weight `shock`, at the full wave speed. */
INLINE struct face_flux flux_hybrid(struct face_state l, struct face_state r, float shock)
{
    const struct face_flux f = flux_hllc(l, r),
                           soft = flux_rusanov_at_speed(l, r, larger(face_state_speed(l), face_state_speed(r)));
    return (struct face_flux){mix(f.r, soft.r, shock),
                              mix(f.u, soft.u, shock),
                              {mix(f.t[0], soft.t[0], shock), mix(f.t[1], soft.t[1], shock)},
                              mix(f.e, soft.e, shock)};
}

/* Shock sensor between two cells: 1 where gas is compressed and its pressure changes by a fifth or more, 0 below a
 * tenth; u and p of the cells. */
INLINE float shock_sensor(float lu, float hu, float lp, float hp)
{
    const float jump = fabsf(hp - lp) / smaller(lp, hp);
    return lu > hu ? smaller(larger(10 * jump - 1, 0), 1) : 0;
}

#define SHOCK_SLOPE_CUT 0.25f ///< fraction by which slopes are reduced at shocks

/* Face values, then the Riemann solver. Where a slope would make mass or pressure negative, it is dropped. */
INLINE void faces_row(const struct flux_faces *f, int dim, int ideal, int riemann)
{
    const struct flux_gas *g = f->gas;
    const int n = f->n, a = 1 + f->axis, b = 1 + (f->axis + 1) % dim, c = dim > 2 ? 1 + (f->axis + 2) % dim : b,
              e = ideal ? dim + 1 : 0;
    const float *lr = f->low[0], *lu = f->low[a], *lt = f->low[b], *lv = f->low[c], *lp = f->low[e];
    const float *hr = f->high[0], *hu = f->high[a], *ht = f->high[b], *hv = f->high[c], *hp = f->high[e];
    const float *lrs = f->low_slope[0], *lus = f->low_slope[a], *lts = f->low_slope[b], *lvs = f->low_slope[c],
                *lps = f->low_slope[e];
    const float *hrs = f->high_slope[0], *hus = f->high_slope[a], *hts = f->high_slope[b], *hvs = f->high_slope[c],
                *hps = f->high_slope[e];
    float *fr = f->flux[0], *fu = f->flux[a], *ft = f->flux[b], *fv = f->flux[c], *fe = f->flux[e];
    const float nu = g->viscosity;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        const float shock = riemann == RIEMANN_HYBRID ? shock_sensor(lu[i], hu[i], lp[i], hp[i]) : 0;
        const float half = 0.5f - 0.5f * SHOCK_SLOPE_CUT * shock;
        const float low = fabsf(lrs[i]) < 1.9f * lr[i] && fabsf(lps[i]) < 1.9f * lp[i] ? half : 0;
        const float high = fabsf(hrs[i]) < 1.9f * hr[i] && fabsf(hps[i]) < 1.9f * hp[i] ? -half : 0;
        const struct face_state l = face_state_make(g, lr[i] + low * lrs[i], lu[i] + low * lus[i], lt[i] + low * lts[i],
                                                    dim > 2 ? lv[i] + low * lvs[i] : 0, lp[i] + low * lps[i], ideal);
        const struct face_state r =
            face_state_make(g, hr[i] + high * hrs[i], hu[i] + high * hus[i], ht[i] + high * hts[i],
                            dim > 2 ? hv[i] + high * hvs[i] : 0, hp[i] + high * hps[i], ideal);
        struct face_flux q = riemann == RIEMANN_RUSANOV  ? flux_rusanov(l, r)
                             : riemann == RIEMANN_HYBRID ? flux_hybrid(l, r, shock)
                                                         : flux_hllc(l, r);
        if (nu > 0) {
            const float k = 0.5f * nu * (lr[i] + hr[i]), x = k * (lu[i] - hu[i]), y = k * (lt[i] - ht[i]);
            const float z = dim > 2 ? k * (lv[i] - hv[i]) : 0;
            q.u += x;
            q.t[0] += y;
            q.t[1] += z;
            q.e += 0.5f * (x * (lu[i] + hu[i]) + y * (lt[i] + ht[i]) + (dim > 2 ? z * (lv[i] + hv[i]) : 0));
        }
        fr[i] = q.r;
        fu[i] = q.u;
        ft[i] = q.t[0];
        if (dim > 2) fv[i] = q.t[1];
        if (ideal) fe[i] = q.e;
    }
}

/* An isothermal gas uses HLLC for `hybrid`. */
static void faces(const struct flux_faces *f)
{
    const int dim = f->gas->dim, ideal = f->gas->ideal, riemann = f->gas->riemann;
    if (riemann == RIEMANN_RUSANOV) {
        if (dim == 2 && ideal) faces_row(f, 2, 1, RIEMANN_RUSANOV);
        else if (dim == 2) faces_row(f, 2, 0, RIEMANN_RUSANOV);
        else if (ideal) faces_row(f, 3, 1, RIEMANN_RUSANOV);
        else faces_row(f, 3, 0, RIEMANN_RUSANOV);
    } else if (riemann == RIEMANN_HYBRID && ideal) {
        if (dim == 2) faces_row(f, 2, 1, RIEMANN_HYBRID);
        else faces_row(f, 3, 1, RIEMANN_HYBRID);
    } else {
        if (dim == 2 && ideal) faces_row(f, 2, 1, RIEMANN_HLLC);
        else if (dim == 2) faces_row(f, 2, 0, RIEMANN_HLLC);
        else if (ideal) faces_row(f, 3, 1, RIEMANN_HLLC);
        else faces_row(f, 3, 0, RIEMANN_HLLC);
    }
}

static void advect_scalar(int n, const float *mass_flux, const float *low, const float *low_slope, const float *high,
                          const float *high_slope, float *flux)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        flux[i] = mass_flux[i] * (mass_flux[i] > 0 ? low[i] + 0.5f * low_slope[i] : high[i] - 0.5f * high_slope[i]);
}

INLINE void update_row(int n, int axes, float ratio, const float *restrict low0, const float *restrict high0,
                       const float *restrict low1, const float *restrict high1, const float *from, float *out)
{
#pragma omp simd
    for (int i = 0; i < n; i++)
        out[i] = from[i] - ratio * (axes > 1 ? (high0[i] - low0[i]) + (high1[i] - low1[i]) : high0[i] - low0[i]);
}

static void update(const struct flux_update *u)
{
    const int two = u->low[1] != NULL;
    for (int j = 0; j < u->rows; j++) {
        const ptrdiff_t at = j * u->stride;
        const float *low = u->low[0] + at, *high = u->high[0] + at, *from = u->from + j * u->from_stride;
        const float *low1 = two ? u->low[1] + at : low, *high1 = two ? u->high[1] + at : high;
        float *out = u->out + j * u->out_stride;
        if (two && u->n == 32) update_row(32, 2, u->ratio, low, high, low1, high1, from, out);
        else if (two) update_row(u->n, 2, u->ratio, low, high, low1, high1, from, out);
        else if (u->n == 32) update_row(32, 1, u->ratio, low, high, low1, high1, from, out);
        else update_row(u->n, 1, u->ratio, low, high, low1, high1, from, out);
    }
}

INLINE void max_wave_speed_row(const struct flux_gas *g, int n, const float *const u[], float mass, float pressure,
                               float *most, float *least, int dim, int ideal)
{
    const float *d = u[0], *x = u[1], *y = u[2], *z = dim > 2 ? u[3] : x, *e = ideal ? u[dim + 1] : d;
    const float gas = g->gamma - 1, rest = g->energy, gamma = g->gamma, sound = g->sound;
    float top = *most, thin = *least * mass, weak = *least * pressure;
    _Pragma("omp simd reduction(max: top) reduction(min: thin, weak)") for (int i = 0; i < n; i++)
    {
        const float one = 1 / d[i], a = x[i] * one, b = y[i] * one, c = dim > 2 ? z[i] * one : 0;
        const float p = ideal ? gas * (rest + e[i] - 0.5f * d[i] * (a * a + b * b + c * c)) : pressure;
        const float square = gamma * p * one;
        const float pace = ideal ? sqrtf(square > 0 ? square : 0) : sound;
        const float signal = fabsf(a) + fabsf(b) + fabsf(c) + (float)dim * pace;
        top = signal > top ? signal : top;
        thin = d[i] < thin ? d[i] : thin;
        weak = p < weak ? p : weak;
    }
    *most = top;
    *least = smaller(thin / mass, weak / pressure);
}

static void max_wave_speed(const struct flux_gas *g, int n, const float *const u[FLUX_VARS], float mass, float pressure,
                           float *most, float *least)
{
    if (g->dim == 2 && g->ideal) max_wave_speed_row(g, n, u, mass, pressure, most, least, 2, 1);
    else if (g->dim == 2) max_wave_speed_row(g, n, u, mass, pressure, most, least, 2, 0);
    else if (g->ideal) max_wave_speed_row(g, n, u, mass, pressure, most, least, 3, 1);
    else max_wave_speed_row(g, n, u, mass, pressure, most, least, 3, 0);
}

/* ---- both ---------------------------------------------------------------------------------------------------------
 */

INLINE void row_state_of(struct flux_row_state *s, int dim, int ideal)
{
    const int n = s->n;
    const double *r = s->mass, *x = s->momentum[0], *y = s->momentum[1], *z = dim > 2 ? s->momentum[2] : x,
                 *e = ideal ? s->energy : r;
    const double gamma = s->gamma, rest = s->rest_energy, ambient = s->ambient, sound = s->sound;
    double mass = HUGE_VAL, pressure = HUGE_VAL, signal = 0, off = 0, flow = 0, heat = 0;
    _Pragma("omp simd reduction(min: mass, pressure) reduction(max: signal, off, flow, heat)") for (int i = 0; i < n;
                                                                                                    i++)
    {
        const double ax = fabs(x[i]), ay = fabs(y[i]), az = dim > 2 ? fabs(z[i]) : 0, one = 1 / r[i];
        const double p = ideal ? (gamma - 1) * (rest + e[i] - 0.5 * one * (ax * ax + ay * ay + az * az)) : 1;
        const double c = ideal ? sqrt(gamma * p * one) : sound, speed = (ax + ay + az) * one + dim * c,
                     d = fabs(r[i] - ambient);
        const double most = ax > ay ? (ax > az ? ax : az) : (ay > az ? ay : az), h = ideal ? fabs(e[i]) : 0;
        mass = r[i] < mass ? r[i] : mass;
        pressure = p < pressure ? p : pressure;
        signal = speed > signal ? speed : signal;
        off = d > off ? d : off;
        flow = most > flow ? most : flow;
        heat = h > heat ? h : heat;
    }
    s->least_mass = mass;
    s->least_pressure = pressure;
    s->signal = signal;
    s->moves = off > s->still[0] || flow > s->still[1] || heat > s->still[2];
}

static void row_state(struct flux_row_state *s)
{
    if (s->dim == 2 && s->energy) row_state_of(s, 2, 1);
    else if (s->dim == 2) row_state_of(s, 2, 0);
    else if (s->energy) row_state_of(s, 3, 1);
    else row_state_of(s, 3, 0);
}

const struct flux_kernels SIMD_NAME(flux_kernels) = {row_state, primitive,     slope,  predict,
                                                     faces,     advect_scalar, update, max_wave_speed};
