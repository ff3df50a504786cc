// SPDX-License-Identifier: Apache-2.0
/* The view rays. */
#ifndef BW_MARCH_H
#define BW_MARCH_H

#include <picture/image/image.h>
#include <picture/volume/detail/detail.h>
#include <picture/volume/light/medium.h>
#include <picture/volume/motion/shine.h>

/// What they go through.
struct bw_shot {
    const struct bw_lit *lit;
    const struct bw_ambient *ambient;
    const struct bw_volume *v; ///< obstacles
    const struct bw_scene *scene;
    const struct bw_detail *detail; ///< NULL: none
    const struct bw_shine *shine;   ///< NULL: none
};

/// March all pixels: medium in front of what is behind it, linear light into `img`. With `alpha` (w·h floats; NULL: the
/// studio behind it) what is seen alone, over nothing, and how much of each pixel it covers. Errors: BW_ERR_MEMORY.
enum bw_status bw_march(const struct bw_tools *tools, const struct bw_shot *shot, struct bw_image *img, float *alpha);

#endif
