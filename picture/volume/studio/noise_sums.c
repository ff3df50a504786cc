// SPDX-License-Identifier: Apache-2.0
#include "noise_sums.h"
#include "noise.h"
#include <common/simd.h>

#include <math.h>

typedef uint32_t vec_uint __attribute__((vector_size(4 * VEC_LANES)));
typedef uint32_t vec_uint_loose __attribute__((vector_size(4 * VEC_LANES), aligned(4), may_alias));

/// An octave: waves of that length, turned so far, its lattice moved by whole squares.
struct octave {
    double cosine, sine, length, aside[2];
    float share;
};

/// Of places in waves: squares of the lattice, and where in them.
struct squares {
    uint32_t i[BW_NOISE_MANY], j[BW_NOISE_MANY];
    float u[BW_NOISE_MANY], v[BW_NOISE_MANY];
};

/// By rounding, which a number of 2^52 and more does: there are no larger ones here.
INLINE double floor_of(double x)
{
    const double whole = (x + 6755399441055744.0) - 6755399441055744.0;
    return whole - (whole > x ? 1 : 0);
}

INLINE void square_find(double x, uint32_t *i, float *u)
{
    x -= BW_NOISE_REPEATS * floor_of(x * (1.0 / BW_NOISE_REPEATS));
    const double whole = floor_of(x);
    *i = (uint32_t)(int32_t)whole, *u = (float)(x - whole);
}

static void squares_find(const struct octave *o, const struct bw_noise_places *at, struct squares *s)
{
    const double c = o->cosine / o->length, n = o->sine / o->length;
    for (int k = 0; k < at->n; k++) {
        square_find(c * at->x[k] - n * at->y[k] + o->aside[0], &s->i[k], &s->u[k]);
        square_find(n * at->x[k] + c * at->y[k] + o->aside[1], &s->j[k], &s->v[k]);
    }
}

INLINE vec lattice(vec_uint x, vec_uint y)
{
    const uint32_t last = BW_NOISE_REPEATS - 1;
    vec_uint h = (x & last) * 0x8da6b343u + (y & last) * 0xd8163841u;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    h ^= h >> 15;
    return __builtin_convertvector((vec_int)(h >> 8), vec) * (1 / 16777216.0f);
}

/// Add an octave at VEC_LANES places from the k-th on.
INLINE void octave_add(const struct octave *o, const struct squares *at, int k, float *value, float *const slope[2])
{
    const vec_uint i = *(const vec_uint_loose *)(at->i + k), j = *(const vec_uint_loose *)(at->j + k);
    const vec u = vec_load(at->u + k), v = vec_load(at->v + k);
    const vec a = u * u * u * (u * (6 * u - 15) + 10), b = v * v * v * (v * (6 * v - 15) + 10);
    const vec p = lattice(i, j), q = lattice(i, j + 1), across = lattice(i + 1, j) - p,
              above = lattice(i + 1, j + 1) - q, low = p + a * across, up = q + a * above - low;
    vec_store(value + k, vec_load(value + k) + o->share * (low + b * up - 0.5f));
    if (!slope) return;
    const vec along = 30 * u * u * (u - 1) * (u - 1) * (across + b * (above - across)),
              rise = 30 * v * v * (v - 1) * (v - 1) * up;
    const float c = o->share * (float)(o->cosine / o->length), s = o->share * (float)(o->sine / o->length);
    vec_store(slope[0] + k, vec_load(slope[0] + k) + (c * along + s * rise));
    vec_store(slope[1] + k, vec_load(slope[1] + k) + (c * rise - s * along));
}

void SIMD_NAME(bw_noise_sums)(const struct bw_noise_wave *w, const struct bw_noise_places *at, double footprint,
                              float *value, float *const slope[2])
{
    const double aside[2] = {3.7 * w->length, -1.9 * w->length};
    struct octave o = {1, 0, w->length, {0, 0}, 1};
    struct squares squares;
    float all = 0, share = 1;
    for (int k = 0; k < w->octaves; k++, share *= w->keep) all += share;
    for (int i = 0; i < at->n; i++) value[i] = 0.5f;
    for (int i = 0; i < at->n && slope; i++) slope[0][i] = slope[1][i] = 0;
    share = 1;
    for (int k = 0; k < w->octaves; k++, o.length *= 0.5, share *= w->keep) {
        const float seen = (float)fmin(fmax(o.length / footprint - 2, 0) / 2, 1);
        const double turned = 0.8 * o.cosine - 0.6 * o.sine;
        o.sine = 0.6 * o.cosine + 0.8 * o.sine, o.cosine = turned;
        if (!(seen > 0)) break;
        o.share = share * seen / all;
        o.aside[0] = (o.cosine * aside[0] - o.sine * aside[1]) / o.length + 17 * k;
        o.aside[1] = (o.sine * aside[0] + o.cosine * aside[1]) / o.length - 31 * k;
        squares_find(&o, at, &squares);
        for (int i = 0; i < at->n; i += VEC_LANES) octave_add(&o, &squares, i, value, slope);
    }
}
