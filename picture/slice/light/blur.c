// SPDX-License-Identifier: Apache-2.0
/* A box along each axis, three times over, by running sums: a cost that does not grow with the width. */
#include "blur.h"

#include <math.h>
#include <stddef.h>

/// The mean of 2·r + 1 values of a line, whose ends go on.
static void line_blur(const float *from, float *to, int32_t n, ptrdiff_t step, int32_t r)
{
    double sum = 0;
    for (int32_t i = -r; i <= r; i++) sum += (double)from[step * (i < 0 ? 0 : i < n ? i : n - 1)];
    for (int32_t i = 0; i < n; i++) {
        to[step * i] = (float)(sum / (2 * r + 1));
        sum += (double)from[step * (i + r + 1 < n ? i + r + 1 : n - 1)] - (double)from[step * (i > r ? i - r : 0)];
    }
}

void bw_layer_blur(float *a, float *spare, int32_t w, int32_t h, double sigma)
{
    const int32_t r = (int32_t)lround(0.5 * (sqrt(4 * sigma * sigma + 1) - 1)); // a box has r·(r + 1)/3
    for (int pass = 0; pass < 3 && r > 0; pass++) {
        for (int32_t j = 0; j < h; j++) line_blur(a + (ptrdiff_t)j * w, spare + (ptrdiff_t)j * w, w, 1, r);
        for (int32_t i = 0; i < w; i++) line_blur(spare + i, a + i, h, w, r);
    }
}
