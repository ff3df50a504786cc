// SPDX-License-Identifier: Apache-2.0
/* The flow on a slice: arrows or streamlines. */
#ifndef BW_LINES_H
#define BW_LINES_H

#include "layer.h"
#include <picture/image/image.h>

enum bw_vectors { BW_VECTORS_NONE, BW_VECTORS_ARROWS, BW_VECTORS_STREAMLINES };
#define BW_VECTORS_CHOICES "none|arrows|streamlines"

/// Over what is there. `vectors`: enum bw_vectors. Errors: BW_ERR_MEMORY.
enum bw_status bw_flow_draw(const struct bw_tools *tools, const struct bw_slice *s, uint32_t vectors,
                            struct bw_image *img);

#endif
