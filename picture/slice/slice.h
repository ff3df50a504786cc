// SPDX-License-Identifier: Apache-2.0
/* A slice through a field as a picture that fills its frame: colours, obstacles, flow, and what one has to know to read
 * it (name, frame, time, range, a scale in metres). */
#ifndef BW_SLICE_H
#define BW_SLICE_H

#include "layer.h"
#include "lines.h"
#include <picture/image/colormap.h>
#include <picture/image/image.h>

struct bw_slice_style {
    enum bw_map map;
    uint32_t vectors; ///< enum bw_vectors
    double range[2];  ///< of the colours; equal: taken from the values
    int32_t labels;   ///< 1: title, scale bar, colour bar
    double relief;    ///< 0: flat, 1: what is shown is lit as a thick layer
};

/// Smallest and largest value (a vector's length) in range[2]; NaN is left out.
void bw_slice_range(const struct bw_slice *s, double range[2]);
/// Picture size for a slice of n cells that is `height` pixels high at most, even in both directions.
void bw_slice_size(const int32_t n[2], int32_t height, int32_t size[2]);
/// Draw into `img`, stretched to it. Errors: BW_ERR_MEMORY.
enum bw_status bw_slice_draw(const struct bw_tools *tools, const struct bw_slice *s, const struct bw_slice_style *style,
                             struct bw_image *img);

#endif
