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

/// The mean of eight points about a place; `at`: of its low corner along each axis, and of the next.
INLINE vec4 eight_mean(const float *cells, const size_t at[3][2], const float f[3])
{
    vec4 sum = {0};
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++) {
            const float w = (k ? f[2] : 1 - f[2]) * (j ? f[1] : 1 - f[1]);
            const float *row = cells + 4 * (at[1][j] + at[2][k]);
            sum += w * ((1 - f[0]) * four_load(row + 4 * at[0][0]) + f[0] * four_load(row + 4 * at[0][1]));
        }
    return sum;
}

/// {cells a frame, cells} at p, a place in cells from the first one's centre.
INLINE vec4 flow_at(const struct bw_detail *d, const float p[3])
{
    const size_t step[3] = {1, (size_t)d->box.n[0], (size_t)d->box.n[0] * (size_t)d->box.n[1]};
    size_t at[3][2];
    float f[3];
    for (int a = 0; a < 3; a++) {
        const int last = d->box.n[a] - 1;
        float x = (p[a] + 0.5f + (float)d->before[a]) * (1.0f / BW_DETAIL_BLOCK) - 0.5f;
        x = x > 0 ? x : 0;
        int i = (int)x;
        i = i < last ? i : last;
        f[a] = x - (float)i < 1 ? x - (float)i : 1;
        at[a][0] = (size_t)i * step[a], at[a][1] = (size_t)(i < last ? i + 1 : last) * step[a];
    }
    return eight_mean(d->flow, (const size_t(*)[2])at, f);
}

/// One set's noise: its way in the tile's own axes, and its number.
INLINE vec4 tile_at(const struct bw_detail *d, vec4 x)
{
    enum { N = BW_DETAIL_TILE };
    static const size_t step[3] = {1, N, N * N};
    size_t at[3][2];
    float f[3];
    for (int a = 0; a < 3; a++) {
        const int i = (int)x[a] - (x[a] < (float)(int)x[a]);
        f[a] = x[a] - (float)i;
        at[a][0] = (size_t)(i & (N - 1)) * step[a], at[a][1] = (size_t)((i + 1) & (N - 1)) * step[a];
    }
    return eight_mean(d->tile, (const size_t(*)[2])at, f);
}

/// At p, in cells from the first one's centre: {way, cells; number, rms 1} as strong as the flow has it there.
/// *strength: what the way's rms is, cells; 0: nothing.
INLINE vec4 detail_at(const struct bw_detail *d, const float p[3], float *strength)
{
    const vec4 flow = flow_at(d, p);
    vec4 sum = {0};
    *strength = flow[3] > BW_DETAIL_FAINT ? flow[3] : 0;
    for (int q = 0; q<BW_DETAIL_PHASES && * strength> 0; q++) {
        const struct bw_detail_phase *s = &d->phase[q];
        const vec4 t0 = four_load(s->turn[0]), t1 = four_load(s->turn[1]), t2 = four_load(s->turn[2]);
        const vec4 n = tile_at(d, four_load(s->first) + (p[0] - s->age * flow[0]) * t0 +
                                      (p[1] - s->age * flow[1]) * t1 + (p[2] - s->age * flow[2]) * t2);
        const float back = s->weight * (1.0f / BW_DETAIL_FINE); // `turn` is as much longer
        sum[0] += back * (n[0] * t0[0] + n[1] * t0[1] + n[2] * t0[2]);
        sum[1] += back * (n[0] * t1[0] + n[1] * t1[1] + n[2] * t1[2]);
        sum[2] += back * (n[0] * t2[0] + n[1] * t2[1] + n[2] * t2[2]);
        sum[3] += s->weight * n[3];
    }
    return sum * (vec4){*strength, *strength, *strength, 1};
}

#endif
