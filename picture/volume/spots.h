// SPDX-License-Identifier: Apache-2.0
/* What is kept from picture to picture of what stands still, so that it is looked up once. Pictures do not depend on
 * those made before. */
#ifndef BW_SPOTS_H
#define BW_SPOTS_H

#include <picture/volume/solid/solid_spots.h>
#include <picture/volume/studio/floor_spots.h>
#include <picture/volume/studio/stone_lots.h>

/// Zero it before the first picture.
struct bw_spots {
    struct bw_floor_spots *floor;
    struct bw_solid_spots *solid;
    struct bw_stone_lots *stones;
};

static inline void bw_spots_free(const struct bw_tools *by, struct bw_spots *s)
{
    bw_floor_spots_free(by, s->floor), bw_solid_spots_free(by, s->solid), bw_stone_lots_free(by, s->stones);
    *s = (struct bw_spots){0};
}

#endif
