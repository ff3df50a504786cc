// SPDX-License-Identifier: Apache-2.0
/* The picture without blur that rays through a wide lens read surfaces from. */
#ifndef BW_SURFACES_H
#define BW_SURFACES_H

#include <picture/volume/rays/camera_ray.h>

/// Look at all pixels; the caller releases m->still.spot. Errors: BW_ERR_MEMORY.
enum bw_status bw_surfaces_find(const struct bw_tools *tools, struct bw_take *m);

#endif
