// SPDX-License-Identifier: Apache-2.0
/* Depth of field, and motion blur of obstacles: adaptive sampling of lens and shutter, many rays a pixel where they are
 * needed. */
#ifndef BW_DEPTH_OF_FIELD_H
#define BW_DEPTH_OF_FIELD_H

#include <picture/volume/rays/camera_ray.h>

/// March all pixels of what is blurred by a wide lens or the shutter. Errors: BW_ERR_MEMORY.
enum bw_status bw_depth_of_field_march(const struct bw_tools *tools, const struct bw_take *m);

#endif
