// SPDX-License-Identifier: Apache-2.0
/* Pictures of a movie that is made up. */
#ifndef MOVING_PICTURE_H
#define MOVING_PICTURE_H

#include "unit/render/image_tools.h"

#include <criterion/criterion.h>
#include <math.h>

/// Something that moves, so smoothly that encoders look ahead.
static struct bw_image picture(int32_t w, int32_t h, int frame)
{
    struct bw_image img;
    cr_assert_eq(bw_image_init(&img, &tools, w, h), BW_OK);
    for (int i = 0; i < 3 * w * h; i++)
        img.px[i] = 0.5f + 0.5f * sinf(0.1f * (float)(i / 3 % w + frame)) * cosf(0.09f * (float)(i / 3 / w));
    return img;
}

#endif
