// SPDX-License-Identifier: Apache-2.0
/* The camera rays of all pixels. */
#ifndef BW_MARCH_H
#define BW_MARCH_H

#include "shot.h"
#include <picture/image/image.h>

/// March all pixels: medium in front of what is behind it, linear light into `img`. With `alpha` (w·h floats; NULL: the
/// studio behind it) what is seen alone, over nothing, and how much of each pixel it covers. Errors: BW_ERR_MEMORY.
enum bw_status bw_march(const struct bw_tools *tools, const struct bw_shot *shot, struct bw_image *img, float *alpha);

#endif
