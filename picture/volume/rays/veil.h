// SPDX-License-Identifier: Apache-2.0
/* What the medium before a pixel sends and lets through. Cells are wider than pixels, mostly: where it is alike in four
 * pixels round one, that one has their mean and is not marched. */
#ifndef BW_VEIL_H
#define BW_VEIL_H

#include "camera_ray.h"

/// m->veil of pixels that have one ray, which meets no obstacle; NULL where there are none, or none is wanted. Released
/// by the caller. Errors: BW_ERR_MEMORY.
enum bw_status bw_veil_make(const struct bw_tools *tools, struct bw_take *m);

#endif
