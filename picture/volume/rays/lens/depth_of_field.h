// SPDX-License-Identifier: Apache-2.0
/* Depth of field: adaptive sampling of the lens, many rays a pixel where they are needed. */
#ifndef BW_DEPTH_OF_FIELD_H
#define BW_DEPTH_OF_FIELD_H

#include <picture/volume/rays/camera_ray.h>

/// March all pixels of what is blurred by a wide lens. Errors: BW_ERR_MEMORY.
enum bw_status bw_depth_of_field_march(const struct bw_tools *tools, const struct bw_take *m);

#endif
