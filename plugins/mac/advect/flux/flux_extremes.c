// SPDX-License-Identifier: Apache-2.0
/* Extremes of the flow through rows of cells, compiled once a SIMD level (BW_LEVEL). */
#include "flux_extremes.h"
#include <common/simd.h>

INLINE float more(float a, float b) { return a > b ? a : b; }

INLINE void row_measure(int32_t thin, const float *const u[3], const float *const above[3], int32_t n,
                        struct flux_rows *r)
{
    float d[3][FLUX_ROW]; // net outflow along each axis
    for (int a = 0; a < 3; a++) {
        const float *low = u[a], *high = above[a];
        for (int32_t i = 0; i < n && a == thin; i++) d[a][i] = 0;
        for (int32_t i = 0; i < n && a != thin; i++) {
            r->up[a][i] = more(r->up[a][i], more(low[i], high[i]));
            r->down[a][i] = more(r->down[a][i], more(-low[i], -high[i]));
            d[a][i] = high[i] - low[i];
        }
    }
    for (int set = 1; set < FLUX_SETS; set++) {
        const float x = set & 1, y = set >> 1 & 1, z = set >> 2 & 1;
        float *most = r->emptied[set];
        for (int32_t i = 0; i < n; i++) most[i] = more(most[i], (x * d[0][i] + y * d[1][i]) + z * d[2][i]);
    }
}

flux_extremes_fn SIMD_NAME(flux_extremes);

void SIMD_NAME(flux_extremes)(int32_t thin, const float *const low[3], const float *const high[3], int32_t n,
                              struct flux_rows *r)
{
    enum { EDGE = 16 }; // of whole tiles in 3D
    if (n == EDGE && thin < 0) row_measure(-1, low, high, EDGE, r);
    else row_measure(thin, low, high, n, r);
}
