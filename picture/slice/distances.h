// SPDX-License-Identifier: Apache-2.0
/* Distances to obstacles that a file cuts off. */
#ifndef BW_SLICE_DISTANCES_H
#define BW_SLICE_DISTANCES_H

#include "layer.h"
#include <billow/status.h>
#include <picture/tools.h>

/// Goes on with the distances of a layer of n[0] × n[1] cells h metres wide, x fastest, where they are `band` metres or
/// more either way. Errors: BW_ERR_MEMORY.
enum bw_status bw_slice_distances(const struct bw_tools *tools, const int32_t n[2], double h, double band, float *d);

#endif
