// SPDX-License-Identifier: Apache-2.0
/* Obstacles in a slice, in relief. */
#ifndef BW_SLICE_BODIES_H
#define BW_SLICE_BODIES_H

#include "lines.h"
#include <picture/image/image.h>

/// Lay the obstacles of `s->solid` over the colour `rgb` at (u, v), in cells; `pixel`: cells that a pixel is wide and
/// high; `height`: pixels of the picture; `glow`: the picture without obstacles, smaller, that lights them, or NULL.
/// Without obstacles nothing happens.
void bw_slice_bodies(const struct bw_slice *s, double u, double v, const double pixel[2], double height,
                     const struct bw_image *glow, float rgb[3]);

#endif
