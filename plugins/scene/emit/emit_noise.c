// SPDX-License-Identifier: Apache-2.0
/* As bw_noise_at, a vector of places at a time. A place's eight lattice points are where they are: each is loaded as
 * one vector of four, and four of them are turned about into a vector of each number. */
#define VEC_LANES_MOST 8
#include "emit_noise.h"
#include <common/simd.h>

#define GAIN 0.55 // of an octave over the one before

/// Where a vector of places lies in an octave's lattice.
struct spot {
    const float *g[VEC_LANES]; ///< the low corner of its cell
    vec f[3], w[3];            ///< fractions, faded ones
};

static inline void spot_find(struct spot *s, const struct noise_places *p, int32_t first, int32_t octave)
{
    const struct bw_noise_lattice *l = &p->at[first][octave];
    const ptrdiff_t stride[3] = {4, 4 * (ptrdiff_t)l->n[0], 4 * (ptrdiff_t)l->n[0] * l->n[1]};
    const double per = 1 / l->size;
    ptrdiff_t base[VEC_LANES] = {0};
    for (int a = 0; a < 3; a++) {
        const double *x = p->x[a] + first, shift = l->shift[a], lo = (double)l->lo[a];
        float f[VEC_LANES];
        int32_t cell[VEC_LANES];
        for (int i = 0; i < VEC_LANES; i++) {
            const double u = x[i] * per + shift, low = floor(u);
            f[i] = (float)(u - low);
            cell[i] = (int32_t)(low - lo);
        }
        for (int i = 0; i < VEC_LANES; i++) base[i] += cell[i] * stride[a];
        s->f[a] = vec_load(f);
        s->w[a] = s->f[a] * s->f[a] * s->f[a] * (s->f[a] * (s->f[a] * 6 - 15) + 10);
    }
    for (int i = 0; i < VEC_LANES; i++) s->g[i] = p->at[first + i][octave].g + base[i];
}

/* Four of two vectors' numbers, 0 … 3 the first's and 4 … 7 the second's, in each four lanes alike. */
#if VEC_LANES == 8
#define LANE(i) ((i) < 4 ? (i) : (i) + 4)
#define FOUR(a, b, i, j, k, l)                                                                                         \
    __builtin_shufflevector(a, b, LANE(i), LANE(j), LANE(k), LANE(l), LANE(i) + 4, LANE(j) + 4, LANE(k) + 4,           \
                            LANE(l) + 4)
#else
#define FOUR(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#endif

/* Place i's point, and after it the one's of four places further. */
INLINE vec points_load(const struct spot *s, int i, ptrdiff_t corner)
{
    vec4 point[VEC_LANES / 4];
    for (int half = 0; half < VEC_LANES / 4; half++) memcpy(&point[half], s->g[i + 4 * half] + corner, sizeof *point);
#if VEC_LANES == 8
    return __builtin_shufflevector(point[0], point[1], 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return point[0];
#endif
}

/* Gx, Gy, Gz, C of a corner of all places. */
INLINE void corner_load(const struct spot *s, ptrdiff_t corner, vec g[4])
{
    vec point[4];
    for (int i = 0; i < 4; i++) point[i] = points_load(s, i, corner);
    const vec xy01 = FOUR(point[0], point[1], 0, 4, 1, 5), xy23 = FOUR(point[2], point[3], 0, 4, 1, 5),
              zc01 = FOUR(point[0], point[1], 2, 6, 3, 7), zc23 = FOUR(point[2], point[3], 2, 6, 3, 7);
    g[0] = FOUR(xy01, xy23, 0, 1, 4, 5);
    g[1] = FOUR(xy01, xy23, 2, 3, 6, 7);
    g[2] = FOUR(zc01, zc23, 0, 1, 4, 5);
    g[3] = FOUR(zc01, zc23, 2, 3, 6, 7);
}

static inline vec octave_noise(const struct noise_places *p, int32_t first, int32_t octave)
{
    const struct bw_noise_lattice *l = &p->at[first][octave];
    const ptrdiff_t row = 4 * (ptrdiff_t)l->n[0], plane = row * l->n[1];
    struct spot s;
    vec sum = vec_set(0), g[4];
    spot_find(&s, p, first, octave);
#pragma GCC unroll 8
    for (int e = 0; e < 8; e++) {
        const int a = e & 1, b = e >> 1 & 1, c = e >> 2;
        corner_load(&s, a * 4 + b * row + c * plane, g);
        const vec weight = (a ? s.w[0] : 1 - s.w[0]) * (b ? s.w[1] : 1 - s.w[1]) * (c ? s.w[2] : 1 - s.w[2]);
        sum += weight * (g[0] * (s.f[0] - (float)a) + g[1] * (s.f[1] - (float)b) + g[2] * (s.f[2] - (float)c) + g[3]);
    }
    return sum;
}

static void places_share(struct noise_places *p, int32_t octaves, double amount)
{
    double square = 0, gain = 1;
    for (int o = 0; o < octaves; o++, gain *= GAIN) square += gain * gain;
    const vec per = vec_set((float)(1 / (0.2 * sqrt(square)))), lost = vec_set((float)amount), zero = vec_set(0),
              one = vec_set(1);
    for (int32_t i = p->n; i < NOISE_PLACES && i % VEC_LANES; i++) { // the last vector's rest
        for (int a = 0; a < 3; a++) p->x[a][i] = p->x[a][p->n - 1];
        p->at[i] = p->at[p->n - 1];
    }
    for (int32_t i = 0; i < p->n; i += VEC_LANES) {
        vec sum = zero;
        gain = 1;
        for (int o = 0; o < octaves; o++, gain *= GAIN) sum += vec_set((float)gain) * octave_noise(p, i, o);
        vec edge = vec_max(vec_min((sum * per + 0.5f) * (1 / 1.2f), one), zero);
        edge = edge * edge * (3 - 2 * edge);
        vec_store(p->share + i, one - lost * (one - edge));
    }
}

static void lattice_fill(struct bw_noise_lattice *l, uint64_t seed, double time) { bw_noise_fill(l, seed, time); }

const struct emit_kernels SIMD_NAME(emit_kernels) = {lattice_fill, places_share};
