// SPDX-License-Identifier: Apache-2.0
/* Memory and threads for the picture library outside of a bake's writer, and its images as pixels for the host. */
#ifndef VIEW_PICTURE_TOOLS_H
#define VIEW_PICTURE_TOOLS_H

#include "api_guard.h"
#include <picture/image/image.h>
#include <picture/tools.h>

/// The image as pixels of 8 bits. Errors: BW_ERR_MEMORY, in `d`.
enum bw_status pixels_of_image(const struct bw_image *img, struct bw_pixels *out, struct bw_diag *d);

/// Memory, threads and SIMD level for the picture library.
struct bw_tools picture_tools(void);

#endif
