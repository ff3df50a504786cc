// SPDX-License-Identifier: Apache-2.0
/* Combustion of a parcel of gas without mixing: reaction rate laws.
 *
 *     linear         Y' = -r          while T > ignition     Y = max(Y0 - r t, 0): the artist's law, flames end sharply
 *     proportional   Y' = -r Y        while T > ignition     Y = Y0 exp(-r t)
 *     arrhenius      Y' = -r exp(-Ta/T) Y                    no ignition: cold fuel takes for ever
 * with T = T0 + (Y0 - Y) Q/c_p all the while, so a parcel that burns cannot go out by itself, and the first two are
 * exact. The third is one equation for ln Y, which Runge and Kutta's classical scheme follows in steps short enough
 * that Y and the exponential change by a fifth at most: error about 1e-6, a few hundred steps at worst. When the fuel
 * that is left can no longer warm the gas, the rest is an exponential. Every law stays within [0, Y0] for any dt. */
#include "combustion.h"

#define SHORT 0.2 ///< change of ln Y, or of the rate's logarithm, in a step
#define COLD 1e-9 ///< of T: heat that is too little to matter

static double arrhenius_rate(const struct burn *b, double start, double fuel, double log_left)
{
    return b->rate * exp(-b->activation / (start + b->heat * fuel * -expm1(log_left)));
}

/// ln of what is left of the fuel.
static double arrhenius_left(const struct burn *b, double fuel, double start, double dt)
{
    double left = 0;
    for (double rest = dt; rest > 0;) {
        const double warm = b->heat * fuel * exp(left), kelvin = start + b->heat * fuel - warm;
        const double rate = arrhenius_rate(b, start, fuel, left);
        const double pace = rate * (1 + b->activation * warm / (kelvin * kelvin));
        if (rest * pace <= SHORT * 1e-3 || warm < COLD * kelvin) return left - rest * rate;
        const double h = fmin(rest, SHORT / pace);
        const double k2 = arrhenius_rate(b, start, fuel, left - 0.5 * h * rate);
        const double k3 = arrhenius_rate(b, start, fuel, left - 0.5 * h * k2);
        const double k4 = arrhenius_rate(b, start, fuel, left - h * k3);
        left -= h / 6 * (rate + 2 * k2 + 2 * k3 + k4);
        rest -= h;
    }
    return left;
}

double burn_amount(const struct burn *b, double fuel, double excess, double most, double dt)
{
    double burnt;
    if (!(fuel > 0 && most > 0 && b->rate > 0)) return 0;
    if (b->law == BURN_ARRHENIUS) {
        const double kelvin = b->ambient + excess;
        if (!(kelvin > 0)) return 0;
        burnt = fuel * -expm1(arrhenius_left(b, fuel, kelvin, dt));
    } else {
        if (excess < b->ignition) return 0;
        burnt = b->law == BURN_LINEAR ? b->rate * dt : fuel * -expm1(-b->rate * dt);
    }
    return fmin(burnt, fmin(fuel, most));
}

double burn_rate_hot(const struct burn *b)
{
    return b->law == BURN_ARRHENIUS ? b->rate * exp(-b->activation / (b->ambient + b->heat)) : b->rate;
}

/* Burnt gas that glows for `life` on average: F' = -Y' - F/life from Y = 1 on. With a = r life its largest value is
 * a (1 - exp(-1/a)) where Y' = -r, and a^(1/(1 - a)) where Y' = -r Y. */
double burn_glow_peak(const struct burn *b, double life)
{
    const double a = burn_rate_hot(b) * life;
    if (!(a > 0)) return 1;
    if (b->law == BURN_LINEAR) return -a * expm1(-1 / a);
    return fabs(a - 1) < 1e-6 ? exp(-1) : pow(a, 1 / (1 - a));
}
