// SPDX-License-Identifier: Apache-2.0
/* A slice through a frame. */
#ifndef BW_SHOW_SLICE_H
#define BW_SHOW_SLICE_H

#include "kept.h"

/// Into *img (free it). Errors are already reported.
enum bw_status bw_show_slice(const struct bw_making *m, struct bw_image *img);

#endif
