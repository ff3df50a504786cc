// SPDX-License-Identifier: Apache-2.0
/* The phase function of smoke: two Henyey–Greenstein lobes. */
#ifndef BW_PHASE_H
#define BW_PHASE_H

/// Light scattered by an angle of that cosine, relative to isotropic scattering: two lobes, forward and a little back.
double bw_phase(double anisotropy, double cosine);
#define BW_ONWARD 0.65f ///< of what smoke scatters, the share that is taken to keep its direction

/// Mean cosine of the phase function that `anisotropy` stands for.
double bw_phase_mean(double anisotropy);

#endif
