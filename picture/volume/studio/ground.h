// SPDX-License-Identifier: Apache-2.0
/* What the floor is made of. */
#ifndef BW_GROUND_H
#define BW_GROUND_H

#include "noise_sums.h"

#define BW_FLOOR 0.04f    ///< what the studio's floor scatters of the light it meets
#define BW_CYCLORAMA 0.5f ///< and white paint

enum bw_ground { BW_GROUND_STUDIO, BW_GROUND_EARTH, BW_GROUND_STREET, BW_GROUND_CYCLORAMA };

/// A place of it.
struct bw_ground_spot {
    float albedo[3];
    float tilt[2]; ///< of its normal, in x and y
    float wet;     ///< 0 … 1: mirrors as water does
};

extern const float bw_ground_soil[2][3]; ///< what earth scatters where it is wet, and dry

/// Sums by an enum bw_simd.
bw_noise_fn bw_noise_sums(uint32_t level);
/// At (x, y), m, seen through a pixel that is `footprint` wide there: finer grain is left out, so that none flickers.
void bw_ground_at(bw_noise_fn sums, enum bw_ground kind, const double at[2], double footprint,
                  struct bw_ground_spot *s);

#endif
