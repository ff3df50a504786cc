// SPDX-License-Identifier: Apache-2.0
/* The picture without blur that rays through a wide lens read surfaces from. */
#ifndef BW_SURFACES_H
#define BW_SURFACES_H

#include <picture/volume/rays/camera_ray.h>

/// Look at each `step`-th pixel, for what is blurred over `blurred` of them, or was before with larger ones; the caller
/// releases the spots of m->still. Errors: BW_ERR_MEMORY.
enum bw_status bw_surfaces_find(const struct bw_tools *tools, int32_t step, double blurred, struct bw_take *m);

#endif
