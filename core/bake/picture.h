// SPDX-License-Identifier: Apache-2.0
/* What the picture library needs, outside of a bake. */
#ifndef PICTURE_TOOLS_H
#define PICTURE_TOOLS_H

#include "door.h"
#include <picture/image/image.h>

/// Memory and threads for the picture library.
struct bw_tools picture_tools(void);
/// The image as pixels of 8 bits. Errors: BW_ERR_MEMORY, said.
enum bw_status pixels_of_image(const struct bw_image *img, struct bw_pixels *out, struct bw_diag *d);

#endif
