// SPDX-License-Identifier: Apache-2.0
/* Wavelet turbulence at the cache's resolution: amplitudes of the noise from the flow's energy at its smallest scales,
 * and advected texture coordinates. */
#ifndef UPRES_TEXTURE_H
#define UPRES_TEXTURE_H

#include "dense.h"

enum { TEXTURES = 2 };

struct texture {
    struct dense offset[TEXTURES]; ///< texture coordinates less position, m
    struct dense share[TEXTURES];  ///< one component: weight of this set in the noise
    int64_t age[TEXTURES];         ///< number of resets, + 1
};

/// Energies of the two finest octaves, and from them the noise's amplitudes: rms of |u| in m/s.
struct spectrum {
    struct dense fill; ///< what the octave of 2 to 4 cells lacks
    struct dense fine; ///< what that octave should have; finer ones follow from it
};

/// Amplitudes from the flow `vel`; `decay`: an octave has 2^-decay of the one before. Errors are said.
enum bw_status spectrum_measure(struct bw_stage *s, const struct dense *vel, double decay, struct spectrum *out);

/// Sets amplitudes to 0 where neither of two files holds smoke within two cells. Errors are said.
enum bw_status spectrum_mask(struct bw_stage *s, const struct dense file[2], struct spectrum *out);

/// Advects the coordinates by `vel` for `dt` seconds and resets the set that is due at `time`, s; `renew`: period, s.
/// Errors are said.
enum bw_status texture_advect(struct bw_stage *s, struct texture *t, const struct dense *vel, double h, double time,
                              double dt, double renew);

#endif
