// SPDX-License-Identifier: Apache-2.0
/* What upres.flow keeps at the cache's resolution: how much energy the flow has at its smallest scales, and where the
 * noise's coordinates have been carried. */
#ifndef UPRES_TEXTURE_H
#define UPRES_TEXTURE_H

#include "dense.h"

enum { TEXTURES = 2 };

struct texture {
    struct dense way[TEXTURES];   ///< texture coordinates less position, m
    struct dense share[TEXTURES]; ///< one component: part that this set has in the noise
    int64_t age[TEXTURES];        ///< how many times it has been begun anew, + 1
};

/// Energies of the two finest octaves, and from them the noise's amplitudes: rms of |u| in m/s.
struct spectrum {
    struct dense fill; ///< what the octave of 2 to 4 cells lacks
    struct dense fine; ///< what that octave should have; finer ones follow from it
};

/// Amplitudes from the flow `vel`; `decay`: an octave has 2^-decay of the one before. Errors are said.
enum bw_status spectrum_measure(struct bw_stage *s, const struct dense *vel, double decay, struct spectrum *out);

/// Amplitudes become 0 where neither of two files holds anything of note within two cells. Errors are said.
enum bw_status spectrum_keep_around(struct bw_stage *s, const struct dense file[2], struct spectrum *out);

/// Carry the coordinates along `vel` for `dt` seconds and begin those anew whose turn it is at time `t`.
/// Errors are said.
enum bw_status texture_carry(struct bw_stage *s, struct texture *t, const struct dense *vel, double h, double time,
                             double dt, double renew);

#endif
