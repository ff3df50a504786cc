// SPDX-License-Identifier: Apache-2.0
/* Where a preset wants a slice, and what else it says of slices. */
#ifndef BW_SLICE_PLACE_H
#define BW_SLICE_PLACE_H

#include "params.h"

/// Where along `axis`, m, within ends[0] … ends[1]. Errors are reported.
enum bw_status bw_slice_place(struct bw_exporter *e, const struct bw_picture_params *params, int axis,
                              const double ends[2], double *at);
/// What the preset says of slices can be drawn: told before the bake. Errors are reported.
enum bw_status bw_slice_check(struct bw_exporter *e, const struct bw_picture_params *params);

#endif
