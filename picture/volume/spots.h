// SPDX-License-Identifier: Apache-2.0
/* What is kept from picture to picture of what stands still, so that it is looked up once. Pictures do not depend on
 * those made before. */
#ifndef BW_SPOTS_H
#define BW_SPOTS_H

#include <picture/volume/solid/solid_spots.h>
#include <picture/volume/studio/studio_spots.h>
#include <picture/volume/studio/surroundings.h>

enum { BW_SPOTS_GRIDS = 3 };
/// Zero it before the first picture. Of each grid of places that are looked at: the picture's pixels, and those of
/// what is blurred.
struct bw_spots {
    struct bw_studio_spots *studio[BW_SPOTS_GRIDS];
    struct bw_solid_spots *solid[BW_SPOTS_GRIDS];
    struct bw_surroundings around;
};

static inline void bw_spots_free(const struct bw_tools *by, struct bw_spots *s)
{
    for (int g = 0; g < BW_SPOTS_GRIDS; g++) {
        bw_studio_spots_free(by, s->studio[g]);
        bw_solid_spots_free(by, s->solid[g]);
    }
    bw_surroundings_free(by, &s->around);
    *s = (struct bw_spots){{NULL}};
}

#endif
