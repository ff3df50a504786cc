// SPDX-License-Identifier: Apache-2.0
/* Trilinear gathers for advection, compiled once a SIMD level (BW_LEVEL).
 *
 * A gather is limited by loads. Where a whole vector moves by the same number of cells, as most of a smooth flow does,
 * plain loads do; elsewhere neighbours along x are fetched together.
 * The cell offset is formed in float, which is exact (|offset| < 2^24), to spare integer multiplications. The fraction
 * is taken from the displacement, not from a coordinate, so its rounding does not grow with the distance from the
 * block's corner and mirrored flows stay mirrored. Lanes and the plain code do the same operations in the same order
 * without contraction: all levels agree bit for bit. Vectors of eight, by which the cubic gather gains, make traces
 * slower, 17 to 30 ns a cell: a trace reads 8 values, and finding lanes that move alike costs the same per vector. */
#include "advect_kernels.h"
#include "advect_clamp.h"
#include <math.h>
#include <stdbool.h>

/* ---- one cell at a time: rows' ends, and everything at the baseline ---- */

/// The 8 values around a displaced point, by x pairs, and where the point is between them.
struct cell_corners {
    float l[4], h[4]; ///< low and high x; (y,z) = 00, 10, 01, 11
    float a[3];
};

static inline float min_of(float a, float b) { return a < b ? a : b; }
static inline float max_of(float a, float b) { return a > b ? a : b; }

static inline void cell_corners_load(struct cell_corners *c, const float *f, int32_t sy, int32_t sz, const float d[3])
{
    float x = advect_floor(d[0]), y = advect_floor(d[1]), z = advect_floor(d[2]);
    const float *p = f + (int32_t)(x + y * (float)sy + z * (float)sz);
    const float *q[4] = {p, p + sy, p + sz, p + sy + sz};
    for (int e = 0; e < 4; e++) {
        c->l[e] = q[e][0];
        c->h[e] = q[e][1];
    }
    c->a[0] = d[0] - x;
    c->a[1] = d[1] - y;
    c->a[2] = d[2] - z;
}

static inline float cell_corners_value(const struct cell_corners *c)
{
    float p[4];
    for (int e = 0; e < 4; e++) p[e] = c->l[e] + c->a[0] * (c->h[e] - c->l[e]);
    float q0 = p[0] + c->a[1] * (p[1] - p[0]), q1 = p[2] + c->a[1] * (p[3] - p[2]);
    return q0 + c->a[2] * (q1 - q0);
}

static inline float cell_gather(const struct advect_row *r, int32_t i, struct cell_corners *c)
{
    float d[3] = {advect_displacement(r, 0, i), advect_displacement(r, 1, i), advect_displacement(r, 2, i)};
    cell_corners_load(c, r->f + i, r->sy, r->sz, d);
    return cell_corners_value(c);
}

static inline float cell_correct(const struct advect_row *hat, const struct advect_row *old, int32_t i)
{
    struct cell_corners c;
    float back = cell_gather(hat, i, &c);
    return hat->f[i] + 0.5f * (old->f[i] - back);
}

/// Least and greatest value so far.
struct range {
    float lo, hi;
};

/* Joins both ranges along an axis, but for one whose weight, by the fraction a, is negligible. */
static inline struct range range_join(struct range p, struct range q, float a)
{
    struct range low = a > 1.0f - ADVECT_CORNER_LEAST ? q : p, high = ADVECT_CORNER_LEAST > a ? p : q;
    return (struct range){min_of(low.lo, high.lo), max_of(low.hi, high.hi)};
}

static inline float cell_clamp(const struct advect_row *r, int32_t i, float v)
{
    const float d[3] = {advect_displacement(r, 0, i), advect_displacement(r, 1, i), advect_displacement(r, 2, i)};
    struct cell_corners c;
    cell_corners_load(&c, r->f + i, r->sy, r->sz, d);
    struct range x[4];
    for (int e = 0; e < 4; e++)
        x[e] = range_join((struct range){c.l[e], c.l[e]}, (struct range){c.h[e], c.h[e]}, c.a[0]);
    struct range all = range_join(range_join(x[0], x[1], c.a[1]), range_join(x[2], x[3], c.a[1]), c.a[2]);
    return min_of(max_of(v, all.lo), all.hi);
}

static inline float cell_bounded(const struct advect_trace *t, int32_t i, int c, float d)
{
    return min_of(max_of(d, t->least[c][i]), t->most[c][i]);
}

/* First stage: displacement by the velocity at the centre, times `factor`. */
static inline void cell_start(const struct advect_trace *t, int32_t i, float factor, float d[3])
{
    const int32_t step[3] = {1, t->sy, t->sz};
    for (int c = 0; c < 3; c++) {
        float u = 0.5f * (t->u[c][i] + t->u[c][i + step[c]]);
        d[c] = cell_bounded(t, i, c, factor * t->scale[c] * u);
    }
}

/* A further stage: displacement by the velocity at the centre moved by e. */
static inline void cell_stage(const struct advect_trace *t, int32_t i, const float e[3], float d[3])
{
    for (int c = 0; c < 3; c++) {
        float x[3] = {e[0], e[1], e[2]};
        x[c] += 0.5f; // a centre lies half a cell above its low face
        struct cell_corners k;
        cell_corners_load(&k, t->u[c] + i, t->sy, t->sz, x);
        d[c] = cell_bounded(t, i, c, t->scale[c] * cell_corners_value(&k));
    }
}

static inline void cell_trace(const struct advect_trace *t, int32_t i)
{
    float e[3], d[3];
    cell_start(t, i, 0.5f, e);
    cell_stage(t, i, e, d);
    for (int c = 0; c < 3; c++) t->d[c][i] = d[c];
}

static inline void cell_trace3(const struct advect_trace *t, int32_t i)
{
    float first[3], second[3], third[3], e[3];
    cell_start(t, i, 1, first);
    for (int c = 0; c < 3; c++) e[c] = 0.5f * first[c];
    cell_stage(t, i, e, second);
    for (int c = 0; c < 3; c++) e[c] = 0.75f * second[c];
    cell_stage(t, i, e, third);
    for (int c = 0; c < 3; c++) {
        float d = (2 * first[c] + 3 * second[c] + 4 * third[c]) * (1.0f / 9.0f);
        t->d[c][i] = cell_bounded(t, i, c, d);
    }
}

static inline float cell_load(const float *p) { return *p; }
static inline void cell_store(float *p, float v) { *p = v; }
static inline float cell_set(float x) { return x; }
static inline bool cell_any(float x) { return x != 0; }
static inline float cell_above(float a, float t, float x, float y) { return a > t ? x : y; }
#define LANES float
#define LANES_NAME(name) cell_##name
#include "advect_newton.h"

/* ---- VEC_LANES cells at a time ---- */

#if VEC_LANES > 4
#if VEC_LANES == 16
/// Values at q[e][lane + offset] and one further. Lanes that move alike share a masked load: there are few such groups
/// even in turbulence, and loads beat gathers from memory.
static inline void vec_pairs(const float *const q[4], vec offset, vec low[4], vec high[4])
{
    const __m512i at = _mm512_cvttps_epi32(offset);
    for (int e = 0; e < 4; e++) low[e] = high[e] = _mm512_setzero_ps();
    for (unsigned left = 0xffff; left;) {
        const __m512i one = _mm512_permutexvar_epi32(_mm512_set1_epi32(__builtin_ctz(left)), at);
        const __mmask16 group = _mm512_cmpeq_epi32_mask(at, one);
        const ptrdiff_t same = _mm_cvtsi128_si32(_mm512_castsi512_si128(one));
        for (int e = 0; e < 4; e++) {
            low[e] = _mm512_mask_loadu_ps(low[e], group, q[e] + same);
            high[e] = _mm512_mask_loadu_ps(high[e], group, q[e] + same + 1);
        }
        left &= ~(unsigned)group;
    }
}
#else
/// Values at q[e][lane + offset] and one further, fetched as one 64-bit pair: 4 pairs a point, not 8 values.
static inline void vec_pairs(const float *const q[4], vec offset, vec low[4], vec high[4])
{
    const vec lane = {0, 1, 2, 3, 4, 5, 6, 7};
    // Lanes 0 1 4 5 and 2 3 6 7, since the shuffles below work within halves.
    const __m256i at = _mm256_permute4x64_epi64(_mm256_cvttps_epi32(offset + lane), 0xd8);
    const __m128i first = _mm256_castsi256_si128(at), second = _mm256_extracti128_si256(at, 1);
    for (int e = 0; e < 4; e++) {
        const long long *p = (const long long *)(const void *)q[e];
        __m256 a = _mm256_castsi256_ps(_mm256_i32gather_epi64(p, first, 4));
        __m256 b = _mm256_castsi256_ps(_mm256_i32gather_epi64(p, second, 4));
        low[e] = _mm256_shuffle_ps(a, b, 0x88);
        high[e] = _mm256_shuffle_ps(a, b, 0xdd);
    }
}
#endif

struct vec_corners {
    vec l[4], h[4], a[3];
};

static inline void vec_corners_load(struct vec_corners *c, const float *f, int32_t sy, int32_t sz, const vec d[3])
{
    vec x = vec_floor(d[0]), y = vec_floor(d[1]), z = vec_floor(d[2]);
    const vec offset = x + y * vec_set((float)sy) + z * vec_set((float)sz);
    const float *q[4] = {f, f + sy, f + sz, f + sy + sz};
    if (vec_same(offset)) {
        const ptrdiff_t same = (ptrdiff_t)offset[0];
        for (int e = 0; e < 4; e++) {
            c->l[e] = vec_load(q[e] + same);
            c->h[e] = vec_load(q[e] + same + 1);
        }
    } else {
        vec_pairs(q, offset, c->l, c->h);
    }
    c->a[0] = d[0] - x;
    c->a[1] = d[1] - y;
    c->a[2] = d[2] - z;
}

static inline vec vec_corners_value(const struct vec_corners *c)
{
    vec p[4];
    for (int e = 0; e < 4; e++) p[e] = c->l[e] + c->a[0] * (c->h[e] - c->l[e]);
    vec q0 = p[0] + c->a[1] * (p[1] - p[0]), q1 = p[2] + c->a[1] * (p[3] - p[2]);
    return q0 + c->a[2] * (q1 - q0);
}

static inline vec vec_displacement(const struct advect_row *r, int axis, int32_t i)
{
    vec d = vec_load(r->d[axis] + i);
    if (r->e[axis]) d = vec_set(0.5f) * (vec_load(r->e[axis] + i) + d);
    return d;
}

static inline vec vec_gather(const struct advect_row *r, int32_t i, struct vec_corners *c)
{
    const vec d[3] = {vec_displacement(r, 0, i), vec_displacement(r, 1, i), vec_displacement(r, 2, i)};
    vec_corners_load(c, r->f + i, r->sy, r->sz, d);
    return vec_corners_value(c);
}

static inline vec vec_correct(const struct advect_row *hat, const struct advect_row *old, int32_t i)
{
    struct vec_corners c;
    vec back = vec_gather(hat, i, &c);
    return vec_load(hat->f + i) + vec_set(0.5f) * (vec_load(old->f + i) - back);
}

static inline vec vec_clamp(const struct advect_row *r, int32_t i, vec v)
{
    const vec d[3] = {vec_displacement(r, 0, i), vec_displacement(r, 1, i), vec_displacement(r, 2, i)};
    struct vec_corners c;
    vec_corners_load(&c, r->f + i, r->sy, r->sz, d);
    return vec_clamp_to_corners(c.l, c.h, c.a, ADVECT_CORNER_LEAST, v);
}

static inline vec vec_bounded(const struct advect_trace *t, int32_t i, int c, vec d)
{
    return vec_min(vec_max(d, vec_load(t->least[c] + i)), vec_load(t->most[c] + i));
}

static inline void vec_start(const struct advect_trace *t, int32_t i, float factor, vec d[3])
{
    const int32_t step[3] = {1, t->sy, t->sz};
    for (int c = 0; c < 3; c++) {
        vec u = vec_set(0.5f) * (vec_load(t->u[c] + i) + vec_load(t->u[c] + i + step[c]));
        d[c] = vec_bounded(t, i, c, vec_set(factor * t->scale[c]) * u);
    }
}

static inline void vec_stage(const struct advect_trace *t, int32_t i, const vec e[3], vec d[3])
{
    for (int c = 0; c < 3; c++) {
        vec x[3] = {e[0], e[1], e[2]};
        x[c] = x[c] + vec_set(0.5f);
        struct vec_corners k;
        vec_corners_load(&k, t->u[c] + i, t->sy, t->sz, x);
        d[c] = vec_bounded(t, i, c, vec_set(t->scale[c]) * vec_corners_value(&k));
    }
}

static inline void vec_trace(const struct advect_trace *t, int32_t i)
{
    vec e[3], d[3];
    vec_start(t, i, 0.5f, e);
    vec_stage(t, i, e, d);
    for (int c = 0; c < 3; c++) vec_store(t->d[c] + i, d[c]);
}

static inline void vec_trace3(const struct advect_trace *t, int32_t i)
{
    vec first[3], second[3], third[3], e[3];
    vec_start(t, i, 1, first);
    for (int c = 0; c < 3; c++) e[c] = vec_set(0.5f) * first[c];
    vec_stage(t, i, e, second);
    for (int c = 0; c < 3; c++) e[c] = vec_set(0.75f) * second[c];
    vec_stage(t, i, e, third);
    for (int c = 0; c < 3; c++) {
        vec d = (vec_set(2) * first[c] + vec_set(3) * second[c] + vec_set(4) * third[c]) * vec_set(1.0f / 9.0f);
        vec_store(t->d[c] + i, vec_bounded(t, i, c, d));
    }
}
#define LANES vec
#define LANES_NAME(name) vec_##name
#include "advect_newton.h"
#endif

/* ---- rows: vectors where there are any, the last one moved back to end with the row, else cells ---- */

static void row_gather(const struct advect_row *r, float *out)
{
    int32_t i = 0;
#if VEC_LANES > 4
    for (struct vec_corners c; i < r->n && VEC_LANES <= r->n; i += VEC_LANES) {
        if (i > r->n - VEC_LANES) i = r->n - VEC_LANES;
        vec_store(out + i, vec_gather(r, i, &c));
    }
#endif
    for (struct cell_corners c; i < r->n; i++) out[i] = cell_gather(r, i, &c);
}

static void row_correct(const struct advect_row *hat, const struct advect_row *old, int clamp, float *out)
{
    int32_t i = 0;
#if VEC_LANES > 4
    for (; i < old->n && VEC_LANES <= old->n; i += VEC_LANES) {
        if (i > old->n - VEC_LANES) i = old->n - VEC_LANES;
        vec v = vec_correct(hat, old, i);
        vec_store(out + i, clamp ? vec_clamp(old, i, v) : v);
    }
#endif
    for (; i < old->n; i++) {
        float v = cell_correct(hat, old, i);
        out[i] = clamp ? cell_clamp(old, i, v) : v;
    }
}

static void row_clamp(const struct advect_row *r, float *out)
{
    int32_t i = 0;
#if VEC_LANES > 4
    for (; i + VEC_LANES <= r->n; i += VEC_LANES) vec_store(out + i, vec_clamp(r, i, vec_load(out + i)));
#endif
    for (; i < r->n; i++) out[i] = cell_clamp(r, i, out[i]);
}

static inline void cell_displacement_by_rule(const struct advect_trace *t, int32_t i)
{
    switch (t->rule) {
    case ADVECT_MIDPOINT: cell_trace(t, i); break;
    case ADVECT_RK3: cell_trace3(t, i); break;
    case ADVECT_TRAPEZOID: cell_trapezoid(t, i); break;
    }
}

#if VEC_LANES > 4
static inline void vec_displacement_by_rule(const struct advect_trace *t, int32_t i)
{
    switch (t->rule) {
    case ADVECT_MIDPOINT: vec_trace(t, i); break;
    case ADVECT_RK3: vec_trace3(t, i); break;
    case ADVECT_TRAPEZOID: vec_trapezoid(t, i); break;
    }
}
#endif

/* Blocks have one cell more than whole vectors: alone it costs less than a vector. */
enum { FEW = 2 };

static void row_trace(const struct advect_trace *t)
{
    int32_t i = 0;
#if VEC_LANES > 4
    for (; i + FEW < t->n && VEC_LANES <= t->n; i += VEC_LANES) {
        if (i > t->n - VEC_LANES) i = t->n - VEC_LANES;
        vec_displacement_by_rule(t, i);
    }
#endif
    for (; i < t->n; i++) cell_displacement_by_rule(t, i);
}

enum { MANY = 8 }; ///< a sub-tile's row

/* Several ranges at once: a single one would be a dependency chain. */
struct ranges {
    float least[MANY], most[MANY];
};

static struct ranges ranges_of(const float range[2])
{
    struct ranges r;
    for (int l = 0; l < MANY; l++) r.least[l] = range[0], r.most[l] = range[1];
    return r;
}

static inline void ranges_widen(struct ranges *r, int l, float v)
{
    r->least[l] = min_of(v, r->least[l]);
    r->most[l] = max_of(v, r->most[l]);
}

static void ranges_join(const struct ranges *r, float range[2])
{
    for (int l = 0; l < MANY; l++) {
        range[0] = min_of(r->least[l], range[0]);
        range[1] = max_of(r->most[l], range[1]);
    }
}

static void box_range(const float *u, const ptrdiff_t step[2], const int32_t n[3], float range[2])
{
    struct ranges r = ranges_of(range);
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++) {
            const float *row = u + j * step[0] + k * step[1];
            int32_t i = 0;
            for (; i + MANY <= n[0]; i += MANY)
                for (int l = 0; l < MANY; l++) ranges_widen(&r, l, row[i + l]);
            for (; i < n[0]; i++) ranges_widen(&r, 0, row[i]);
        }
    ranges_join(&r, range);
}

/* Ranges in a box, and, with `add`, what it becomes. */
static inline void increment_box(const struct advect_increment *b, const int32_t n[3], bool add,
                                 struct advect_increment_ranges *r)
{
    struct ranges now = ranges_of(r->now), mean = ranges_of(r->mean), half = ranges_of(r->half);
    for (int32_t k = 0; k < n[2]; k++)
        for (int32_t j = 0; j < n[1]; j++) {
            float *restrict vel = b->vel + j * b->vel_step[0] + k * b->vel_step[1];
            float *restrict advected = b->advected + j * b->advected_step[0] + k * b->advected_step[1];
            for (int32_t i = 0; i < n[0];) {
                const int32_t count = i + MANY <= n[0] ? MANY : 1;
                for (int l = 0; l < count; l++) {
                    const float u = vel[i + l], c = b->factor * (u - advected[i + l]);
                    if (add) vel[i + l] = u + 0.5f * c, advected[i + l] = u + c;
                    ranges_widen(&now, l, u);
                    ranges_widen(&mean, l, u + 0.5f * c);
                    ranges_widen(&half, l, 0.5f * c);
                }
                i += count;
            }
        }
    ranges_join(&now, r->now);
    ranges_join(&mean, r->mean);
    ranges_join(&half, r->half);
}

static void box_add_increment(struct advect_increment *b)
{
    int32_t n[3] = {b->n[0], b->n[1], b->n[2]};
    n[b->axis] = n[b->axis] > 0;
    increment_box(b, n, false, &b->first);
    increment_box(b, b->n, true, &b->all);
}

/* Derivative of a component across its own axis at a cell's centre. */
static inline float rotation_slope(const float *u, ptrdiff_t own, ptrdiff_t across)
{
    return 0.25f * ((u[across] + u[own + across]) - (u[-across] + u[own - across]));
}

static inline float rotation_rate2(const float *const u[3], const int32_t step[3], int32_t i)
{
    const float *x = u[0] + i, *y = u[1] + i, *z = u[2] + i;
    const ptrdiff_t sx = step[0], sy = step[1], sz = step[2];
    const float xx = x[sx] - x[0], yy = y[sy] - y[0], zz = z[sz] - z[0];
    const float cross = rotation_slope(x, sx, sy) * rotation_slope(y, sy, sx) +
                        rotation_slope(y, sy, sz) * rotation_slope(z, sz, sy) +
                        rotation_slope(z, sz, sx) * rotation_slope(x, sx, sz);
    return max_of(-0.5f * (xx * xx + yy * yy + zz * zz) - cross, 0);
}

static inline void rotation_add(struct advect_rotation *r, int l, float rate2)
{
    const double square = (double)rate2 * (double)rate2;
    r->most[l] = max_of(rate2, r->most[l]);
    r->squares[l] += square, r->cubes[l] += square * (double)rate2;
}

static void row_rotation(const float *const u[3], const int32_t step[3], int32_t n, struct advect_rotation *r)
{
    int32_t i = 0;
    for (; i + ADVECT_ROTATION_LANES <= n; i += ADVECT_ROTATION_LANES) {
        float rate2[ADVECT_ROTATION_LANES];
        for (int l = 0; l < ADVECT_ROTATION_LANES; l++) rate2[l] = rotation_rate2(u, step, i + l);
        for (int l = 0; l < ADVECT_ROTATION_LANES; l++) rotation_add(r, l, rate2[l]);
    }
    for (; i < n; i++) rotation_add(r, 0, rotation_rate2(u, step, i));
}

const struct advect_kernels SIMD_NAME(advect_kernels) = {SIMD_LEVEL, row_trace, row_gather,        row_correct,
                                                         row_clamp,  box_range, box_add_increment, row_rotation};
