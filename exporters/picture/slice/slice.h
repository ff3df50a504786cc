// SPDX-License-Identifier: Apache-2.0
/* A slice through a field as a picture that fills its frame: colours, obstacles, flow, and what one has to know to read
 * it (name, frame, time, range, a scale in metres). */
#ifndef BW_SLICE_H
#define BW_SLICE_H

#include <picture/image/image.h>

enum bw_vectors { BW_VECTORS_NONE, BW_VECTORS_ARROWS, BW_VECTORS_STREAMLINES };
#define BW_VECTORS_CHOICES "none|arrows|streamlines"

/// A layer of cells. In-plane axes are those that remain of x, y, z: the first to the right, the second up.
struct bw_slice {
    int32_t n[2];
    double h;              ///< cell edge, m
    int32_t axis;          ///< across the slice
    double position;       ///< m along it
    const float *value[3]; ///< n[0]·n[1] each; [1] and [2] NULL: a scalar
    const float *flow[2];  ///< in-plane velocity at cell centres, m/s, or NULL
    const float *solid;    ///< signed distance, m, or NULL
    const char *field, *unit;
    int64_t frame;
    double time; ///< s
};

struct bw_slice_style {
    enum bw_map map;
    uint32_t vectors; ///< enum bw_vectors
    double range[2];  ///< of the colours; equal: taken from the values
    int32_t labels;   ///< 1: title, scale bar, colour bar
};

/// Smallest and largest value (a vector's length) in range[2]; NaN is left out.
void bw_slice_range(const struct bw_slice *s, double range[2]);
/// Picture size for a slice of n cells that is `height` pixels high at most, even in both directions.
void bw_slice_size(const int32_t n[2], int32_t height, int32_t size[2]);
/// Draw into `img`, stretched to it. Errors: BW_ERR_MEMORY.
enum bw_status bw_slice_draw(const struct bw_tools *tools, const struct bw_slice *s, const struct bw_slice_style *style,
                             struct bw_image *img);
/// The flow alone, over what is there (lines.c).
enum bw_status bw_flow_draw(const struct bw_tools *tools, const struct bw_slice *s, uint32_t vectors,
                            struct bw_image *img);

/// Bilinear value at (u, v) in cells from the low corner, clamped.
float bw_slice_read(const struct bw_slice *s, const float *data, double u, double v);

#endif
