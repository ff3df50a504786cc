// SPDX-License-Identifier: Apache-2.0
#include "turbulence.h"

#include <math.h>

/* The curl of three noises of size 1 has the root mean square 1.15; one alone, in 2D, 0.66. */
void turbulence_octaves(struct turbulence_plan *t, const struct bw_domain_info *d, double strength, int64_t octaves)
{
    double square = 0, size = t->size, gain = 1, rms = d->thin < 0 ? 1.15 : 0.66;
    t->octaves = 0;
    for (int o = 0; o < octaves && size >= 2 * d->h; o++, size /= 2, gain *= 0.7937005259840998) {
        square += gain * gain;
        t->factor[o] = gain * size;
        t->octaves = o + 1;
    }
    for (int o = 0; o < t->octaves; o++) t->factor[o] *= strength / (rms * sqrt(square));
}
