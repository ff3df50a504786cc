// SPDX-License-Identifier: Apache-2.0
#include "uneven.h"

#include "grain.h"

#include <math.h>

enum { RUNS = 7 }; ///< of wax
#define POOL 0.16  ///< radii that molten wax stands lower than the rim

/// -½ … ½ over the surface: `around` and `along` waves of a radius.
static double swell(const double p[3], double slender, uint32_t lot, double waves, double stretch, int octaves)
{
    const double at[3] = {waves * p[0] + 31.7 * (lot % 997), waves * p[1] + 7.1 * (lot % 89),
                          waves * stretch * p[2] / slender};
    return (double)bw_grain_waves(at, 1, octaves, 0.5f, 1e-6) - 0.5;
}

/// Bent, thicker at one end, with knots and hollows; sawn off not quite square.
static void log_move(uint32_t lot, double slender, double p[3])
{
    const double along[3] = {0.5 * p[2] + 5.3 * (lot % 97), 0.5, 3.5 + lot % 13}, aside[3] = {along[0], 9.5, along[2]};
    const double r = 1 + 0.13 * swell(p, slender, lot, 0.8, 0.35, 2) + 0.07 * swell(p, slender, lot + 5, 3, 0.3, 2) +
                     0.045 * p[2] * (lot % 2 ? 1 : -1);
    const double lean = slender * (0.2 * ((lot % 7) / 3.0 - 1) * p[0] + 0.2 * ((lot % 5) / 2.0 - 1) * p[1]);
    const double ends = fabs(p[2]) > 0.999 ? 1 : 0, rough = 0.05 * swell(p, slender, lot, 4, 0, 2);
    p[2] += ends * (lean + slender * rough) * 0.6;
    p[0] = r * p[0] + 0.3 * ((double)bw_grain(along) - 0.5), p[1] = r * p[1] + 0.3 * ((double)bw_grain(aside) - 0.5);
}

/// Turns of cloth lie over one another, thickest in the middle.
static void rags_move(uint32_t lot, double slender, double p[3])
{
    const double wind = 2.6 * p[2] / slender / 2 + atan2(p[1], p[0]) / 6.283185307179586, lap = wind - floor(wind);
    const double r =
        0.97 + 0.09 * sqrt(fmax(1 - p[2] * p[2], 0)) - 0.05 * lap + 0.16 * swell(p, slender, lot, 1.6, 1, 3);
    p[0] *= r, p[1] *= r;
}

static double dice(uint32_t lot, int which, int what)
{
    return (double)bw_grain((const double[3]){lot % 1021, which, what});
}

/// Wax that ran over the rim in runs, down in drops and set there; a rim that sags round a pool that the flame has
/// melted, which is level.
static void wax_move(uint32_t lot, double slender, double p[3])
{
    const double turn = atan2(p[1], p[0]), out = hypot(p[0], p[1]), down = (1 - p[2]) / slender; // radii
    double on = 0;
    for (int k = 0; k < RUNS; k++) {
        const double wide = 0.12 + 0.12 * dice(lot, k, 2), far = 0.4 + 2.6 * pow(dice(lot, k, 1), 2);
        const double off = remainder(turn - 6.283185307179586 * dice(lot, k, 0), 6.283185307179586) / wide;
        const double end = 1 / (1 + exp((down - far) / 0.07)), drop = exp(-pow((down - far + 0.12) / 0.16, 2));
        on = fmax(on, exp(-off * off) * (0.035 + 0.012 * drop) * end * fmin(pow(out, 8), 1));
    }
    const double wave = swell(p, slender, lot, 1.4, 0.5, 2), edge = fmax(p[2] - 1 + 2 * slender * 0.2, 0);
    const double r = 1 + 0.05 * wave + on, t = fmin(fmax((0.92 - out) / 0.2, 0), 1), pool = t * t * (3 - 2 * t);
    p[0] *= r, p[1] *= r;
    p[2] += 0.7 * edge * swell(p, slender, lot + 3, 1.2, 0, 2);
    if (p[2] > 0) p[2] += pool * (1 - fmin(slender * POOL, 0.5) - p[2]);
}

void bw_uneven_move(enum bw_uneven kind, uint32_t lot, double slender, double p[3])
{
    if (kind == BW_UNEVEN_LOG) log_move(lot, slender, p);
    if (kind == BW_UNEVEN_RAGS) rags_move(lot, slender, p);
    if (kind == BW_UNEVEN_WAX) wax_move(lot, slender, p);
}
