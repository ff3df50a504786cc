// SPDX-License-Identifier: Apache-2.0
/* Pictures as those who asked for them get them. */
#ifndef BAKE_PICTURE_H
#define BAKE_PICTURE_H

#include "api_guard.h"
#include <picture/image/image.h>

/// The image as pixels of 8 bits. Errors: BW_ERR_MEMORY, in `d`.
enum bw_status pixels_of_image(const struct bw_image *img, struct bw_pixels *out, struct bw_diag *d);

#endif
