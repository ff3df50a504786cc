// SPDX-License-Identifier: Apache-2.0
/* What a pixel shows of obstacles: their edges fade over it as they do on film. */
#ifndef BW_SHAPES_PIXEL_H
#define BW_SHAPES_PIXEL_H

#include "shapes.h"

/// A ray and the pixel round it: `right` and `up` lead on by a pixel.
struct bw_shapes_ray {
    const double *eye, *dir;
    double right[3], up[3];
    int32_t fine;  ///< 0: the middle alone is looked at
    double floor;  ///< height of a floor that hides what is below, or -HUGE_VAL
    double within; ///< m: no farther
    double when;   ///< s after the frame's time
};

enum { BW_PIXEL_PARTS = 4 };
/// Surfaces in it, near ones first, and shares of the pixel that they cover.
struct bw_shapes_part {
    struct bw_shape_hit hit;
    float share;
};
/// Answers how many, at most BW_PIXEL_PARTS.
int bw_shapes_pixel(const struct bw_shapes *s, const struct bw_shapes_ray *ray,
                    struct bw_shapes_part part[BW_PIXEL_PARTS]);

#endif
