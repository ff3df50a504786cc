// SPDX-License-Identifier: Apache-2.0
/* One vorton, one point, in double: for what is not worth a vector loop. */
#ifndef VORTON_KERNEL_H
#define VORTON_KERNEL_H

#include "biot_savart.h"
#include <math.h>

/// q(ρ) of biot_savart.h.
static inline double kernel_q(enum pair_kernel k, double rho)
{
    double s = rho * rho;
    if (k == PAIR_GAUSSIAN) return erf(rho * 0.70710678118654752) - 0.79788456080286536 * rho * exp(-0.5 * s);
    if (k == PAIR_ALGEBRAIC) return rho * s * (s + 2.5) / pow(s + 1, 2.5);
    if (k == PAIR_MOORE) return rho * s / pow(s + 1, 1.5);
    return k == PAIR_GOURLAY && s < 1 ? s : 1;
}

/// velocity += what a vorton does at r = point - vorton.
static inline void kernel_add(enum pair_kernel k, const double strength[3], double sigma, const double r[3],
                              double velocity[3])
{
    double d2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (!(d2 > 0)) return;
    double d = sqrt(d2), f = kernel_q(k, d / sigma) / (4 * 3.14159265358979323846 * d2 * d);
    velocity[0] += f * (strength[1] * r[2] - strength[2] * r[1]);
    velocity[1] += f * (strength[2] * r[0] - strength[0] * r[2]);
    velocity[2] += f * (strength[0] * r[1] - strength[1] * r[0]);
}

#endif
