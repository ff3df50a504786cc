// SPDX-License-Identifier: Apache-2.0
/* Shadows of obstacles as they are. */
#ifndef BW_SHAPES_OPEN_H
#define BW_SHAPES_OPEN_H

#include "shapes.h"

/// From a place on a surface that faces `face` (a unit vector, or 0: on none), `rays` of them to a lamp, turned by
/// 0 … 1; 0: one, to a place on it that `turn` says, for those who ask many times.
struct bw_open_place {
    const double *p, *face;
    int32_t rays;
    float turn;
};
/// Share of the lamp that is seen, of what of it is above the surface's horizon.
float bw_shapes_open(const struct bw_shapes *s, const struct bw_open_place *at, const struct bw_light_seen *lamp);

#endif
