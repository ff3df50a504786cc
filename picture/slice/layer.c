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

/// Catmull and Rom's weights of four values, `f` past the second.
static void spline(float f, float w[4])
{
    w[0] = f * (-0.5f + f * (1 - 0.5f * f)), w[1] = 1 + f * f * (1.5f * f - 2.5f);
    w[2] = f * (0.5f + f * (2 - 1.5f * f)), w[3] = f * f * (0.5f * f - 0.5f);
}

float bw_slice_read_sharp(const struct bw_slice *s, const float *data, double u, double v)
{
    const double x = fmin(fmax(u - 0.5, 0), s->n[0] - 1), y = fmin(fmax(v - 0.5, 0), s->n[1] - 1);
    const int i = (int)x, j = (int)y;
    float wx[4], wy[4], sum = 0, least = HUGE_VALF, most = -HUGE_VALF;
    spline((float)(x - i), wx), spline((float)(y - j), wy);
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 4; a++) {
            const int at[2] = {i + a - 1, j + b - 1}, in[2] = {at[0] < 0         ? 0
                                                               : at[0] < s->n[0] ? at[0]
                                                                                 : s->n[0] - 1,
                                                               at[1] < 0         ? 0
                                                               : at[1] < s->n[1] ? at[1]
                                                                                 : s->n[1] - 1};
            const float value = data[(size_t)in[1] * (size_t)s->n[0] + (size_t)in[0]];
            sum += wx[a] * wy[b] * value;
            if (a % 3 && b % 3) least = fminf(least, value), most = fmaxf(most, value);
        }
    return sum < least ? least : sum > most ? most : sum;
}
