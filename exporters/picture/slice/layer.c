// SPDX-License-Identifier: Apache-2.0
#include "layer.h"

#include <math.h>

float bw_slice_read(const struct bw_slice *s, const float *data, double u, double v)
{
    double x = fmin(fmax(u - 0.5, 0), s->n[0] - 1), y = fmin(fmax(v - 0.5, 0), s->n[1] - 1);
    int i = (int)x, j = (int)y, in = i + 1 < s->n[0], jn = j + 1 < s->n[1] ? s->n[0] : 0;
    float fx = (float)(x - i), fy = (float)(y - j);
    const float *p = data + (size_t)j * (size_t)s->n[0] + i;
    return (p[0] * (1 - fx) + p[in] * fx) * (1 - fy) + (p[jn] * (1 - fx) + p[jn + in] * fx) * fy;
}
