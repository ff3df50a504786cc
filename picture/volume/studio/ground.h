// SPDX-License-Identifier: Apache-2.0
/* What the floor is made of. */
#ifndef BW_GROUND_H
#define BW_GROUND_H

#include "noise_sums.h"
#include "texture.h"
#include <picture/volume/material/scorch.h>

#define BW_FLOOR 0.04f    ///< what the studio's floor scatters of the light it meets
#define BW_CYCLORAMA 0.5f ///< and white paint

enum bw_ground { BW_GROUND_STUDIO, BW_GROUND_EARTH, BW_GROUND_STREET, BW_GROUND_CYCLORAMA };

/// A place of it.
struct bw_ground_spot {
    float albedo[3];
    float tilt[2]; ///< of its normal, in x and y
    float wet;     ///< 0 … 1: mirrors as water does
};

/// The same in as few numbers: of earth how dry it is, less where there is soot, and how red; of asphalt how bright it
/// is, and how wet.
struct bw_ground_share {
    float main, other, tilt[2];
};

extern const float bw_ground_soil[2][3]; ///< what earth scatters where it is wet, and dry

/// Sums by an enum bw_simd.
bw_noise_fn bw_noise_sums(uint32_t level);
/// At places, m, seen through pixels that are `footprint` wide there: finer grain is left out, so that none flickers.
void bw_ground_at(bw_noise_fn sums, enum bw_ground kind, const struct bw_noise_places *at, double footprint,
                  struct bw_ground_share *s);
void bw_ground_look(enum bw_ground kind, const struct bw_ground_share *share, struct bw_ground_spot *s);

/// A floor of earth or asphalt, and what a fire has left on it, as a texture.
void bw_ground_plan(enum bw_ground kind, const struct bw_scorch *scorch, uint32_t simd, struct bw_texture_plan *plan);
/// The mean of n places where what is less wide than `wide` is not seen, `step` apart from `at` on.
void bw_ground_mean(struct bw_texture *t, const struct bw_texture_plan *plan, const double at[2], const double step[2],
                    int n, double wide, struct bw_ground_share *s);

#endif
