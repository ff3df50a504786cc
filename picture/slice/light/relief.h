// SPDX-License-Identifier: Apache-2.0
/* A slice as a thick layer under a lamp. */
#ifndef BW_RELIEF_H
#define BW_RELIEF_H

#include <picture/image/image.h>

/// Light `img` as if what it shows were piled up by `height`, one a pixel, 1 at the range's upper end; `strength` times
/// as much. `height` is used up. Errors: BW_ERR_MEMORY.
enum bw_status bw_slice_relief(const struct bw_tools *tools, struct bw_image *img, float *height, double strength);

#endif
