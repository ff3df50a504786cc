// SPDX-License-Identifier: Apache-2.0
/* Inner loops of the Biot–Savart sums (biot_savart.h). With s = ρ² every kernel is f = F(s)/(4πσ³) and g = H(s)/(4πσ⁵),
 * H = 2F':
 *   algebraic   F = (1 + 1.5t) t^(3/2),  H = -(3 + 7.5t) t^(5/2),  t = 1/(1 + s)
 *   moore       F = t^(3/2),             H = -3 t^(5/2)
 *   gaussian    F, H by Chebyshev fits of degree 14 over s < 26 (largest relative error 1e-6 and 1e-5, in single
 *               precision as well), beyond it as if q = 1, which is wrong by 1e-5 there and by less further out.
 * A pair costs 22 (moore) to 36 (gaussian) vector operations, its gradient as many again: this loop is bound by
 * arithmetic, not memory; 32 points stay in registers while the vortons stream by. */
#include "biot_savart.h"
#include <common/simd.h>
#include <string.h>

enum { GROUPS = 2 }; ///< vectors of points at a time

/// 1/sqrt(x), off by 1e-4 at most. No _mm_rsqrt_ps: makers of processors differ in its bits.
INLINE vec rsqrt_rough(vec x)
{
#if VEC_LANES == 16
    return (vec)_mm512_rsqrt14_ps((__m512)x);
#else
    vec y = (vec)(0x5f3759df - ((vec_int)x >> 1));
    vec c = x * y * y;
    return y * (1.875f + c * (0.375f * c - 1.25f));
#endif
}

/// 1/sqrt(x) to the last bit or two.
INLINE vec rsqrt(vec x)
{
    vec y = rsqrt_rough(x);
    return y * (1.5f - 0.5f * x * y * y);
}

/// `times` x^(-3/2), and *t = 1/x, as well: y³(1 - 3/2 e) and y²(1 - e) with e = xy² - 1, whose square is below
/// rounding.
INLINE vec rsqrt_cubed(vec x, float times, vec *t)
{
    vec y = rsqrt_rough(x), y2 = y * y, e = x * y2 - 1;
    *t = y2 - y2 * e;
    return y * y2 * (times - 1.5f * times * e);
}

#define DEGREE 14
INLINE vec polynomial(const float *c, vec x)
{
    vec r = vec_set(c[DEGREE]);
    for (int i = DEGREE - 1; i >= 0; i--) r = r * x + c[i];
    return r;
}
#define GAUSSIAN_END 26.0f
/* In x = s/13 - 1. */
static const float gaussian_f[DEGREE + 1] = {0.0212357014f,   -0.031253873f,    0.0371180696f,  -0.0390768781f,
                                             0.0370992978f,   -0.031931931f,    0.0249092909f,  -0.01749257f,
                                             0.0113952792f,   -0.0073271013f,   0.00400296651f, -0.0013675339f,
                                             0.000683421756f, -0.000759437288f, 0.000308159682f};
static const float gaussian_h[DEGREE + 1] = {-0.00480827091f,  0.011420991f,    -0.0180374129f,  0.0228288481f,
                                             -0.0245282715f,   0.0230065928f,   -0.0190698342f,  0.013973907f,
                                             -0.00941707394f,  0.00625200545f,  -0.00347931733f, 0.00118001842f,
                                             -0.000600972793f, 0.000690956306f, -0.000282431318f};

/// f·4π and, where asked for, g·4π at |r|² = r2, with 1/σ² and 1/σ³.
INLINE void shape(enum pair_kernel k, int gradient, vec r2, float per2, float per3, vec *f, vec *g)
{
    const vec s = r2 * per2;
    if (k == PAIR_GAUSSIAN) {
        vec t, far = rsqrt_cubed(s + 1e-9f, 1, &t), x = s * (2 / GAUSSIAN_END) - 1;
        vec_int near = s < GAUSSIAN_END;
        *f = per3 * vec_pick(near, polynomial(gaussian_f, x), far);
        if (gradient) *g = per3 * per2 * vec_pick(near, polynomial(gaussian_h, x), -3 * far * t);
    } else if (k == PAIR_GOURLAY) {
        vec q = rsqrt(s + 1e-5f), q2 = q * q; // speed jumps at the centre: rounding there must not choose a direction
        vec_int in = s < 1.0f;
        *f = per3 * (q * vec_pick(in, vec_set(1), q2));
        if (gradient) *g = per3 * per2 * (q * q2 * vec_pick(in, vec_set(-1), -3 * q2));
    } else {
        vec t, q3 = rsqrt_cubed(k == PAIR_FAR ? r2 : s + 1, k == PAIR_FAR ? 1 : per3, &t);
        *f = k == PAIR_ALGEBRAIC ? q3 * (1 + 1.5f * t) : q3;
        if (!gradient) return;
        const vec h = k == PAIR_FAR ? q3 * t : per2 * (q3 * t);
        *g = k == PAIR_ALGEBRAIC ? -h * (3 + 7.5f * t) : -3 * h;
    }
}

/// The same with the mean of the point's and the vorton's σ², of which `half2` are halves.
INLINE void shape_between(enum pair_kernel k, int gradient, vec r2, vec point_half2, float half2, vec *f, vec *g)
{
    const vec q = rsqrt(point_half2 + half2), q2 = q * q;
    shape(k, gradient, r2 * q2, 1, 1, f, g);
    *f *= q2 * q;
    if (gradient) *g *= q2 * q2 * q;
}

struct one_source {
    float x, y, z, a, b, c, per2, per3;
};

INLINE struct one_source source_at(enum pair_kernel k, const struct pair_sources *s, int64_t j)
{
    return (struct one_source){s->pos[0][j],
                               s->pos[1][j],
                               s->pos[2][j],
                               s->strength[0][j],
                               s->strength[1][j],
                               s->strength[2][j],
                               k == PAIR_FAR ? 1 : s->per2[j],
                               k == PAIR_FAR ? 1 : s->per3[j]};
}

INLINE void add_out(double *out, vec v)
{
    for (int l = 0; l < VEC_LANES; l++) out[l] += (double)v[l];
}

/// `groups` vectors of points from point i on.
INLINE void velocity_groups(enum pair_kernel k, int between, int groups, const struct pair_sources *src, int64_t first,
                            int64_t count, const float shift[3], const struct pair_points *p, int32_t i)
{
    vec x[GROUPS], y[GROUPS], z[GROUPS], u[GROUPS], v[GROUPS], w[GROUPS], half2[GROUPS];
    for (int e = 0; e < groups; e++) {
        x[e] = vec_load(p->pos[0] + i + e * VEC_LANES) - shift[0];
        y[e] = vec_load(p->pos[1] + i + e * VEC_LANES) - shift[1];
        z[e] = vec_load(p->pos[2] + i + e * VEC_LANES) - shift[2];
        u[e] = v[e] = w[e] = vec_set(0);
        if (between) half2[e] = 0.5f / vec_load(p->per2 + i + e * VEC_LANES);
    }
    for (int64_t j = first; j < first + count; j++) {
        struct one_source s = source_at(k, src, j);
        for (int e = 0; e < groups; e++) {
            vec dx = x[e] - s.x, dy = y[e] - s.y, dz = z[e] - s.z, f, g;
            vec r2 = dx * dx + dy * dy + dz * dz;
            if (between) shape_between(k, 0, r2, half2[e], 0.5f / s.per2, &f, &g);
            else shape(k, 0, r2, s.per2, s.per3, &f, &g);
            u[e] += f * (s.b * dz - s.c * dy);
            v[e] += f * (s.c * dx - s.a * dz);
            w[e] += f * (s.a * dy - s.b * dx);
        }
    }
    for (int e = 0; e < groups; e++) {
        add_out(p->out + i + e * VEC_LANES, u[e]);
        add_out(p->out + p->stride + i + e * VEC_LANES, v[e]);
        add_out(p->out + 2 * p->stride + i + e * VEC_LANES, w[e]);
    }
}

INLINE void velocity_run(enum pair_kernel k, int between, const struct pair_sources *src, int64_t first, int64_t count,
                         const float shift[3], const struct pair_points *p)
{
    int32_t i = 0;
    for (; i + GROUPS * VEC_LANES <= p->count; i += GROUPS * VEC_LANES)
        velocity_groups(k, between, GROUPS, src, first, count, shift, p, i);
    for (; i < p->count; i += VEC_LANES) velocity_groups(k, between, 1, src, first, count, shift, p, i);
}

INLINE void gradient_run(enum pair_kernel k, int between, const struct pair_sources *src, int64_t first, int64_t count,
                         const float shift[3], const struct pair_points *p)
{
    for (int32_t i = 0; i < p->count; i += VEC_LANES) {
        vec x = vec_load(p->pos[0] + i) - shift[0], y = vec_load(p->pos[1] + i) - shift[1],
            z = vec_load(p->pos[2] + i) - shift[2], u[3], turn[3], m[9],
            half2 = between ? 0.5f / vec_load(p->per2 + i) : vec_set(0);
        for (int e = 0; e < 3; e++) u[e] = turn[e] = vec_set(0);
        for (int e = 0; e < 9; e++) m[e] = vec_set(0);
        for (int64_t j = first; j < first + count; j++) {
            struct one_source s = source_at(k, src, j);
            vec dx = x - s.x, dy = y - s.y, dz = z - s.z, f, g;
            vec r2 = dx * dx + dy * dy + dz * dz;
            if (between) shape_between(k, 1, r2, half2, 0.5f / s.per2, &f, &g);
            else shape(k, 1, r2, s.per2, s.per3, &f, &g);
            vec cx = s.b * dz - s.c * dy, cy = s.c * dx - s.a * dz, cz = s.a * dy - s.b * dx;
            u[0] += f * cx;
            u[1] += f * cy;
            u[2] += f * cz;
            turn[0] += f * s.a;
            turn[1] += f * s.b;
            turn[2] += f * s.c;
            vec gx = g * dx, gy = g * dy, gz = g * dz;
            m[0] += cx * gx;
            m[1] += cx * gy;
            m[2] += cx * gz;
            m[3] += cy * gx;
            m[4] += cy * gy;
            m[5] += cy * gz;
            m[6] += cz * gx;
            m[7] += cz * gy;
            m[8] += cz * gz;
        }
        m[1] -= turn[2];
        m[2] += turn[1];
        m[3] += turn[2];
        m[5] -= turn[0];
        m[6] -= turn[1];
        m[7] += turn[0];
        for (int e = 0; e < 3; e++) add_out(p->out + e * p->stride + i, u[e]);
        for (int e = 0; e < 9; e++) add_out(p->out + (3 + e) * p->stride + i, m[e]);
    }
}

static void velocity(enum pair_kernel k, const struct pair_sources *s, int64_t first, int64_t count,
                     const float shift[3], const struct pair_points *p)
{
    switch (k + (p->per2 && k != PAIR_FAR ? PAIR_KERNELS : 0)) { // a loop for each, where k is a constant
    case PAIR_GAUSSIAN: velocity_run(PAIR_GAUSSIAN, 0, s, first, count, shift, p); break;
    case PAIR_ALGEBRAIC: velocity_run(PAIR_ALGEBRAIC, 0, s, first, count, shift, p); break;
    case PAIR_MOORE: velocity_run(PAIR_MOORE, 0, s, first, count, shift, p); break;
    case PAIR_GOURLAY: velocity_run(PAIR_GOURLAY, 0, s, first, count, shift, p); break;
    case PAIR_GAUSSIAN + PAIR_KERNELS: velocity_run(PAIR_GAUSSIAN, 1, s, first, count, shift, p); break;
    case PAIR_ALGEBRAIC + PAIR_KERNELS: velocity_run(PAIR_ALGEBRAIC, 1, s, first, count, shift, p); break;
    case PAIR_MOORE + PAIR_KERNELS: velocity_run(PAIR_MOORE, 1, s, first, count, shift, p); break;
    case PAIR_GOURLAY + PAIR_KERNELS: velocity_run(PAIR_GOURLAY, 1, s, first, count, shift, p); break;
    default: velocity_run(PAIR_FAR, 0, s, first, count, shift, p);
    }
}

static void gradient(enum pair_kernel k, const struct pair_sources *s, int64_t first, int64_t count,
                     const float shift[3], const struct pair_points *p)
{
    switch (k + (p->per2 && k != PAIR_FAR ? PAIR_KERNELS : 0)) { // a loop for each, where k is a constant
    case PAIR_GAUSSIAN: gradient_run(PAIR_GAUSSIAN, 0, s, first, count, shift, p); break;
    case PAIR_ALGEBRAIC: gradient_run(PAIR_ALGEBRAIC, 0, s, first, count, shift, p); break;
    case PAIR_MOORE: gradient_run(PAIR_MOORE, 0, s, first, count, shift, p); break;
    case PAIR_GOURLAY: gradient_run(PAIR_GOURLAY, 0, s, first, count, shift, p); break;
    case PAIR_GAUSSIAN + PAIR_KERNELS: gradient_run(PAIR_GAUSSIAN, 1, s, first, count, shift, p); break;
    case PAIR_ALGEBRAIC + PAIR_KERNELS: gradient_run(PAIR_ALGEBRAIC, 1, s, first, count, shift, p); break;
    case PAIR_MOORE + PAIR_KERNELS: gradient_run(PAIR_MOORE, 1, s, first, count, shift, p); break;
    case PAIR_GOURLAY + PAIR_KERNELS: gradient_run(PAIR_GOURLAY, 1, s, first, count, shift, p); break;
    default: gradient_run(PAIR_FAR, 0, s, first, count, shift, p);
    }
}

/* ---- expansions ---- */

typedef float batch[EXPANSION_BATCH] __attribute__((aligned(64)));
enum { WIDE = EXPANSION_BATCH / VEC_LANES }; ///< vectors in a batch

/// Taylor coefficients a_k of 1/sqrt(|d|² + soft²) (Duan & Krasny 2001):
/// |k| (d² + soft²) a_k = -(2|k|-1) Σ d_i a_{k-e_i} - (|k|-1) Σ a_{k-2e_i}.
static void taylor(const struct expansion_table *t, const float d[3][EXPANSION_BATCH], const float *soft2, batch *a)
{
    for (int e = 0; e < WIDE; e++) {
        vec x[3] = {vec_load(d[0] + e * VEC_LANES), vec_load(d[1] + e * VEC_LANES), vec_load(d[2] + e * VEC_LANES)};
        vec q = rsqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + vec_load(soft2 + e * VEC_LANES)), q2 = q * q;
        *(vec *)(a[0] + e * VEC_LANES) = q;
        for (int k = 1; k < t->terms; k++) {
            int n = t->power[k][0] + t->power[k][1] + t->power[k][2];
            vec one = vec_set(0), two = vec_set(0);
            for (int i = 0; i < 3; i++) {
                if (t->lower[k][i] >= 0) one += x[i] * *(vec *)(a[t->lower[k][i]] + e * VEC_LANES);
                if (t->lower2[k][i] >= 0) two += *(vec *)(a[t->lower2[k][i]] + e * VEC_LANES);
            }
            *(vec *)(a[k] + e * VEC_LANES) = -q2 * ((2 - 1.0f / (float)n) * one + (1 - 1.0f / (float)n) * two);
        }
    }
}

static void m2l(const struct expansion_table *t, int32_t count, const float *const *moment,
                const float d[3][EXPANSION_BATCH], const float *soft2, float *local)
{
    batch a[EXPANSION_TERMS], m[3 * EXPANSION_TERMS];
    taylor(t, d, soft2, a);
    for (int32_t l = 0; l < EXPANSION_BATCH; l++)
        for (int32_t k = 0; k < 3 * t->terms; k++) m[k][l] = l < count ? moment[l][k] : 0;
    for (int32_t n = 0; n < t->terms; n++) {
        vec sum[3][WIDE];
        memset(sum, 0, sizeof sum);
        for (int32_t q = t->begin[n]; q < t->begin[n + 1]; q++) {
            const struct expansion_term *p = &t->product[q];
            for (int e = 0; e < WIDE; e++) {
                vec w = *(vec *)(a[p->by] + e * VEC_LANES) * p->times;
                for (int c = 0; c < 3; c++) sum[c][e] += w * *(vec *)(m[3 * p->from + c] + e * VEC_LANES);
            }
        }
        for (int c = 0; c < 3; c++) {
            float s = 0;
            for (int e = 0; e < WIDE; e++)
                for (int l = 0; l < VEC_LANES; l++) s += sum[c][e][l];
            local[3 * n + c] += s;
        }
    }
}

/// Monomials x^k for one vector of points.
INLINE void monomials(const struct expansion_table *t, int32_t terms, vec x, vec y, vec z, vec *power)
{
    power[0] = vec_set(1);
    for (int32_t k = 1; k < terms; k++) {
        int a = t->lower[k][0] >= 0 ? 0 : t->lower[k][1] >= 0 ? 1 : 2;
        power[k] = power[t->lower[k][a]] * (a == 0 ? x : a == 1 ? y : z);
    }
}

/// Where the derivatives of a term go: k - e_a, with the factor k_a.
static void evaluate(const struct expansion_table *t, const float *local, const struct pair_points *p, int32_t gradient)
{
    float u[EXPANSION_TERMS][3] = {{0}}, m[EXPANSION_TERMS][9] = {{0}};
    for (int32_t k = 0; k < t->terms; k++)
        for (int a = 0; a < 3; a++) {
            if (t->lower[k][a] < 0) continue;
            /* curl: u_{a+1} has -∂_a ψ_{a+2}… : (∇×ψ)_i = ε_iaj ∂_a ψ_j */
            int b = (a + 1) % 3, c = (a + 2) % 3, to = t->lower[k][a];
            u[to][b] -= (float)t->power[k][a] * local[3 * k + c];
            u[to][c] += (float)t->power[k][a] * local[3 * k + b];
        }
    for (int32_t k = 0; gradient && k < t->terms; k++)
        for (int a = 0; a < 3; a++)
            for (int i = 0; i < 3 && t->lower[k][a] >= 0; i++)
                m[t->lower[k][a]][3 * i + a] += (float)t->power[k][a] * u[k][i];
    for (int32_t i = 0; i < p->count; i += VEC_LANES) {
        vec power[EXPANSION_TERMS], sum[12];
        memset(sum, 0, sizeof sum);
        monomials(t, t->terms, vec_load(p->pos[0] + i), vec_load(p->pos[1] + i), vec_load(p->pos[2] + i), power);
        for (int32_t k = 0; k < t->terms; k++) {
            for (int c = 0; c < 3; c++) sum[c] += power[k] * u[k][c];
            for (int c = 0; gradient && c < 9; c++) sum[3 + c] += power[k] * m[k][c];
        }
        for (int c = 0; c < (gradient ? 12 : 3); c++) add_out(p->out + c * p->stride + i, sum[c]);
    }
}

const struct pair_table SIMD_NAME(pairs) = {
    velocity,
    gradient,
    m2l,
    evaluate,
};
