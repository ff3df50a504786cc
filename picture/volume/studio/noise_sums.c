// SPDX-License-Identifier: Apache-2.0
#include "noise_sums.h"
#include "noise.h"
#include <common/simd.h>

#include <math.h>

typedef uint32_t vec_uint __attribute__((vector_size(4 * VEC_LANES)));
typedef uint32_t vec_uint_loose __attribute__((vector_size(4 * VEC_LANES), aligned(4), may_alias));

/// Octaves that are seen: squares of their lattices, places in them, and what came of it.
struct octaves {
    int n;
    uint32_t i[BW_NOISE_OCTAVES], j[BW_NOISE_OCTAVES];
    float u[BW_NOISE_OCTAVES], v[BW_NOISE_OCTAVES];
    float value[BW_NOISE_OCTAVES], slope[2][BW_NOISE_OCTAVES];
    float share[BW_NOISE_OCTAVES], turn[2][BW_NOISE_OCTAVES]; ///< {cosine, sine} over the wave's length
    int sum[BW_NOISE_OCTAVES];
};

/// Of a place in waves: the square, and where in it.
static void square_find(double x, uint32_t *i, float *u)
{
    x -= BW_NOISE_REPEATS * floor(x / BW_NOISE_REPEATS);
    const double whole = floor(x);
    *u = (float)(x - whole), *i = (uint32_t)(int32_t)whole;
}

/// A sum's octaves, turned as those of bw_noise_waves are.
static void wave_add(const struct bw_noise_wave *w, int which, const double at[2], double footprint, struct octaves *o)
{
    float all = 0, share = 1;
    double length = w->length, x = at[0] + 3.7 * length, y = at[1] - 1.9 * length, c = 1, s = 0;
    const int first = o->n;
    for (int k = 0; k < w->octaves; k++, length *= 0.5, share *= w->keep) {
        const float seen = (float)fmin(fmax(length / footprint - 2, 0) / 2, 1);
        const double turned = 0.8 * x - 0.6 * y, cosine = 0.8 * c - 0.6 * s;
        y = 0.6 * x + 0.8 * y, x = turned;
        s = 0.6 * c + 0.8 * s, c = cosine;
        all += share;
        if (!(seen > 0) || o->n == BW_NOISE_OCTAVES) continue;
        square_find(x / length + 17 * k, &o->i[o->n], &o->u[o->n]);
        square_find(y / length - 31 * k, &o->j[o->n], &o->v[o->n]);
        o->share[o->n] = share * seen, o->sum[o->n] = which;
        o->turn[0][o->n] = (float)(c / length), o->turn[1][o->n] = (float)(s / length);
        o->n++;
    }
    for (int k = first; k < o->n; k++) o->share[k] /= all;
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

/// Those from the k-th on: values, and derivatives along the turned axes.
INLINE void octaves_read(struct octaves *o, int k)
{
    const vec_uint i = *(const vec_uint_loose *)(o->i + k), j = *(const vec_uint_loose *)(o->j + k);
    const vec u = vec_load(o->u + k), v = vec_load(o->v + k);
    const vec a = u * u * u * (u * (6 * u - 15) + 10), b = v * v * v * (v * (6 * v - 15) + 10);
    const vec p = lattice(i, j), q = lattice(i, j + 1), across = lattice(i + 1, j) - p,
              above = lattice(i + 1, j + 1) - q, low = p + a * across, up = q + a * above - low;
    vec_store(o->value + k, low + b * up);
    vec_store(o->slope[0] + k, 30 * u * u * (u - 1) * (u - 1) * (across + b * (above - across)));
    vec_store(o->slope[1] + k, 30 * v * v * (v - 1) * (v - 1) * up);
}

void SIMD_NAME(bw_noise_sums)(const struct bw_noise_wave *w, int n, const double at[2], double footprint,
                              struct bw_noise_sum *sum)
{
    struct octaves o = {.n = 0};
    for (int k = 0; k < n; k++) {
        sum[k] = (struct bw_noise_sum){0.5f, {0, 0}};
        wave_add(&w[k], k, at, footprint, &o);
    }
    for (int k = 0; k < o.n; k += VEC_LANES) octaves_read(&o, k);
    for (int k = 0; k < o.n; k++) {
        struct bw_noise_sum *s = &sum[o.sum[k]];
        const float along = o.slope[0][k], across = o.slope[1][k];
        s->value += o.share[k] * (o.value[k] - 0.5f);
        s->slope[0] += o.share[k] * (o.turn[0][k] * along + o.turn[1][k] * across);
        s->slope[1] += o.share[k] * (o.turn[0][k] * across - o.turn[1][k] * along);
    }
}
