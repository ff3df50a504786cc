// SPDX-License-Identifier: Apache-2.0
/* Surfaces as the lens's middle sees them, lit once a pixel: rays of what is blurred read it from there. */
#ifndef BW_STILL_H
#define BW_STILL_H

#include "sight.h"

/// What is first behind the medium in the middle of a pixel.
struct bw_still_spot {
    double p[3], normal[3];
    float rgb[3];
    int32_t form; ///< of the shapes, or …
};
enum { BW_STILL_FLOOR = -1, BW_STILL_NONE = -2 };

/// Look at all pixels; the caller releases m->still. Errors: BW_ERR_MEMORY.
enum bw_status bw_still_make(const struct bw_tools *tools, struct bw_march *m);
/// What it is at a place `depth` m from the eye, if that is blurred and the lens's middle sees it. 0: look there.
int bw_still_read(const struct bw_march *m, const struct bw_still_spot *at, double depth, float rgb[3]);

#endif
