// SPDX-License-Identifier: Apache-2.0
/* A scalar seen by its slopes. */
#ifndef BW_SCHLIEREN_H
#define BW_SCHLIEREN_H

#include <picture/slice/layer.h>
#include <picture/image/image.h>

/// The colour at (u, v), in cells from the low corner. A change by the whole range within a 28th of the layer's
/// height is half as bright as any may get; what is less than the range's upper end glows.
void bw_schlieren_show(const struct bw_slice *s, double u, double v, const double range[2], float rgb[3]);

/// Light from what glows in `layer`, on all that lies beside it in its picture `img`. Errors: BW_ERR_MEMORY.
enum bw_status bw_schlieren_spill(const struct bw_tools *tools, const struct bw_slice *layer, const double range[2],
                                  struct bw_image *img);

#endif
