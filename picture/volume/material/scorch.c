// SPDX-License-Identifier: Apache-2.0
#include "scorch.h"
#include "grain.h"

#include <math.h>

float bw_scorch_at(const struct bw_scorch *s, const double p[3], const double n[3])
{
    double to[3], r = 0, cosine = 0;
    if (!(s->radius > 0)) return 0;
    for (int a = 0; a < 3; a++) to[a] = s->at[a] - p[a], r += to[a] * to[a];
    r = sqrt(r);
    for (int a = 0; n && a < 3; a++) cosine += to[a] * n[a] / fmax(r, 1e-9);
    const double reach = s->radius * (n ? 0.75 + 0.35 * fmin(fmax(cosine + 0.3, 0), 1) : 1), t = 1.5 - r / reach;
    return (float)fmin(fmax(t, 0), 1);
}
