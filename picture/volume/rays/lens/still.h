// SPDX-License-Identifier: Apache-2.0
/* A picture of surfaces as the lens's middle sees them, lit once a pixel, where rays of what is blurred read them. */
#ifndef BW_STILL_H
#define BW_STILL_H

#include <picture/volume/scene/scene.h>
#include <stddef.h>

/// What is first behind the medium in the middle of a pixel.
struct bw_still_spot {
    double p[3], normal[3];
    float rgb[3];
    int32_t form; ///< of the shapes, or …
};
enum { BW_STILL_FLOOR = -1, BW_STILL_NONE = -2 };

struct bw_still {
    const struct bw_camera *camera;
    int32_t w, h;
    struct bw_still_spot *spot; ///< of each pixel; NULL: there is none
    int32_t step, margin;       ///< pixels from one to the next; round the picture, before the first
    double blurred;             ///< pixels across: what spreads less is not read
};

/// Spots along a line of so many pixels.
static inline int32_t bw_still_count(const struct bw_still *s, int32_t pixels)
{
    return (pixels + 2 * s->margin + s->step - 1) / s->step;
}

/// What it is at a place `depth` m from the eye, if that is blurred and the lens's middle sees it. 0: look there.
int bw_still_read(const struct bw_still *still, const struct bw_still_spot *at, double depth, float rgb[3]);

#endif
