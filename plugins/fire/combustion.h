// SPDX-License-Identifier: Apache-2.0
/* Combustion of one parcel of gas over one step: pure functions, in double. */
#ifndef FIRE_BURN_H
#define FIRE_BURN_H

#include <math.h>

enum burn_law { BURN_LINEAR, BURN_PROPORTIONAL, BURN_ARRHENIUS };

/// A law and what it burns; constant over a step.
struct burn {
    int law;
    double rate;       ///< 1/s
    double activation; ///< K, Arrhenius' law alone
    double ignition;   ///< K above ambient, the other laws
    double ambient;    ///< K
    double heat;       ///< K that a whole unit of fuel heats its gas by: Q/c_p
};

/// Fuel that burns in `dt` out of `fuel`, at a temperature that begins `excess` K above ambient and rises as it burns;
/// `most` is how much the oxygen is good for. Between 0 and the least of fuel and most, for any dt.
double burn_amount(const struct burn *b, double fuel, double excess, double most, double dt);

/// The law's rate, 1/s, where gas is as hot as pure fuel makes it.
double burn_rate_hot(const struct burn *b);

/// The most of what burnt lately, where what burnt is forgotten at the rate 1/life: that of pure fuel as it burns up.
/// 1: nothing burns.
double burn_glow_peak(const struct burn *b, double life);

/// What is left of 1 when the excess x obeys x' = -(k/3) x^4 in units of itself: (1 + k)^(-1/3) for k ≥ 0.
static inline double burn_cool(double k)
{
    return k < 1e-2 ? 1 - k / 3 * (1 - 2 * k / 3 * (1 - 7 * k / 9 * (1 - 5 * k / 6))) : 1 / cbrt(1 + k);
}

#endif
