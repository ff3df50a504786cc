// SPDX-License-Identifier: Apache-2.0
#include "phase.h"

#include <math.h>

#define AHEAD 0.6   ///< share of the phase function's forward lobe …
#define ASTERN 0.55 ///< … and how much of its anisotropy the other one has, backwards

/// Henyey and Greenstein's phase function relative to isotropic scattering.
static double lobe_value(double g, double cosine) { return (1 - g * g) / pow(1 + g * g - 2 * g * cosine, 1.5); }

double bw_phase(double anisotropy, double cosine)
{
    return AHEAD * lobe_value(anisotropy, cosine) + (1 - AHEAD) * lobe_value(-ASTERN * anisotropy, cosine);
}

double bw_phase_mean(double anisotropy) { return (AHEAD - (1 - AHEAD) * ASTERN) * anisotropy; }
