// SPDX-License-Identifier: Apache-2.0
/* How far noise moves a place: for files that are compiled once a SIMD level. */
#ifndef BW_DETAIL_MOVE_H
#define BW_DETAIL_MOVE_H

#include "detail.h"
#include <common/simd.h>

#include <string.h>

INLINE vec4 four_load(const float *p)
{
    vec4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/// Four values of two cells side by side, at any address. By address: how the baseline returns such a vector depends on
/// the compiler.
typedef float pair_lanes __attribute__((vector_size(32), aligned(4), may_alias));

INLINE void pair_load(pair_lanes *v, const float *p) { *v = *(const pair_lanes *)p; }

INLINE void pair_expand(pair_lanes *v, const int8_t *p)
{
#if defined(__AVX2__)
    int64_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    *v = (pair_lanes)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_cvtsi64_si128(bytes)));
#else
    *v = (pair_lanes){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]};
#endif
}

/// The mean of two such, by how far between them a place is.
INLINE vec4 pair_mean(const pair_lanes *v, float f)
{
    const float g = 1 - f;
    const pair_lanes shares = *v * (pair_lanes){g, g, g, g, f, f, f, f};
    vec4 half[2];
    memcpy(half, &shares, sizeof half);
    return half[0] + half[1];
}

/// Of four pairs, two along y and two along z.
INLINE float share_of(int q, const float f[3]) { return (q & 1 ? f[1] : 1 - f[1]) * (q & 2 ? f[2] : 1 - f[2]); }

/// The first of the eight blocks about a place, in cells from the first one's centre, and how far between them it is.
INLINE size_t blocks_at(const struct bw_detail *d, const float p[3], float f[3])
{
    const size_t step[3] = {1, (size_t)d->box.n[0], (size_t)d->box.n[0] * (size_t)d->box.n[1]};
    size_t at = 0;
    for (int a = 0; a < 3; a++) { // at least two blocks
        const int last = d->box.n[a] - 2;
        float x = (p[a] + 0.5f + (float)d->before[a]) * (1.0f / BW_DETAIL_BLOCK) - 0.5f;
        x = x > 0 ? x : 0;
        int i = (int)x;
        i = i < last ? i : last;
        f[a] = x - (float)i < 1 ? x - (float)i : 1;
        at += (size_t)i * step[a];
    }
    return at;
}

/// Of the four pairs of blocks about `at`.
INLINE size_t blocks_pair(const struct bw_detail *d, size_t at, int q)
{
    const size_t row = (size_t)d->box.n[0];
    return at + (q & 1 ? row : 0) + (q & 2 ? row * (size_t)d->box.n[1] : 0);
}

/// {cells a frame, roughness} at p.
INLINE vec4 flow_at(const struct bw_detail *d, const float p[3])
{
    float f[3];
    const size_t at = blocks_at(d, p, f);
    pair_lanes sum = {0}, pair;
    for (int q = 0; q < 4; q++) {
        pair_load(&pair, d->flow + 4 * blocks_pair(d, at, q));
        sum += share_of(q, f) * pair;
    }
    return pair_mean(&sum, f[0]);
}

/// How strong displacements are at p by the smoke's age: {fine, twice as wide}.
INLINE void lobes_at(const struct bw_detail *d, const float p[3], float out[2])
{
    float f[3];
    out[0] = 1, out[1] = 0;
    if (!d->lobes) return;
    const size_t at = blocks_at(d, p, f);
    vec4 sum = {0};
    for (int q = 0; q < 4; q++) sum += share_of(q, f) * four_load(d->lobes + 2 * blocks_pair(d, at, q));
    for (int c = 0; c < 2; c++) out[c] = (1 - f[0]) * sum[c] + f[0] * sum[2 + c];
}

/// One set's noise: its displacement in the tile's own axes, and the scalar.
INLINE vec4 tile_at(const struct bw_detail *d, vec4 x)
{
    enum { N = BW_DETAIL_TILE, ROW = N + 1 }; // rows end with their first point
    vec4_int i = __builtin_convertvector(x, vec4_int);
    i += x < __builtin_convertvector(i, vec4); // down, below 0 too
    const vec4 in = x - __builtin_convertvector(i, vec4);
    const float f[3] = {in[0], in[1], in[2]};
    i &= N - 1;
    const ptrdiff_t next[2] = {i[1] < N - 1 ? ROW : ROW - N * ROW, i[2] < N - 1 ? N * ROW : N * ROW - N * N * ROW};
    const int8_t *first = d->tile + 4 * ((size_t)i[0] + (size_t)ROW * (size_t)(i[1] + N * i[2]));
    pair_lanes sum = {0}, pair;
    for (int q = 0; q < 4; q++) {
        pair_expand(&pair, first + 4 * ((q & 1 ? next[0] : 0) + (q & 2 ? next[1] : 0)));
        sum += share_of(q, f) * pair;
    }
    return pair_mean(&sum, f[0]);
}

/// One set's noise at p, carried there by the flow.
INLINE vec4 carried_noise(const struct bw_detail *d, const struct bw_detail_phase *s, const float p[3], vec4 flow)
{
    const vec4 t0 = four_load(s->turn[0]), t1 = four_load(s->turn[1]), t2 = four_load(s->turn[2]);
    return tile_at(d, four_load(s->first) + (p[0] - s->age * flow[0]) * t0 + (p[1] - s->age * flow[1]) * t1 +
                          (p[2] - s->age * flow[2]) * t2);
}

/// One set's displacement at p, `share` of it, is added to `sum`.
INLINE void displacement_add(const struct bw_detail *d, const struct bw_detail_phase *s, const float p[3], vec4 flow,
                             float share, vec4 *sum)
{
    const vec4 n = carried_noise(d, s, p, flow);
    *sum += share * (n[0] * four_load(s->back[0]) + n[1] * four_load(s->back[1]) + n[2] * four_load(s->back[2]));
}

/// At p, in cells from the first one's centre: its displacement, cells, as strong as the flow there and the smoke's age
/// have it; `flow` is flow_at's. *rms: of such displacements, cells; 0: there is none.
INLINE vec4 displacement_at(const struct bw_detail *d, const float p[3], vec4 flow, float *rms)
{
    const float rough = d->displacement * flow[3];
    vec4 sum = {0};
    float lobes[2];
    *rms = 0;
    if (!(rough > BW_DETAIL_FAINT)) return sum;
    lobes_at(d, p, lobes);
    const float most = rough * (lobes[0] > lobes[1] ? lobes[0] : lobes[1]);
    if (!(most > BW_DETAIL_FAINT)) return sum;
    *rms = most;
    for (int q = 0; q < BW_DETAIL_PHASES; q++) {
        if (lobes[0] > 0) displacement_add(d, &d->phase[q], p, flow, lobes[0], &sum);
        if (lobes[1] > 0) displacement_add(d, &d->wide[q], p, flow, lobes[1], &sum);
    }
    return rough * sum;
}

/// At p: by what flames are multiplied. Noise e is drawn out by the flow since it was born; 1 + e of what is above 0,
/// 1/(1 - e) of what is below, over the mean of that.
INLINE float filaments_at(const struct bw_detail *d, const float p[3], vec4 flow)
{
    const float full = BW_DETAIL_DRAWN * d->filaments, share = 6 * flow[3], most = share < 1 ? share * full : full;
    float e = 0;
    if (!(most > BW_DETAIL_FAINT)) return 1;
    for (int q = 0; q < BW_DETAIL_PHASES; q++) e += d->drawn[q].weight * carried_noise(d, &d->drawn[q], p, flow)[3];
    e *= most * BW_DETAIL_UNIT;
    return (e > 0 ? 1 + e : 1 / (1 - e)) / (1 + 0.25f * most);
}

#endif
