// SPDX-License-Identifier: Apache-2.0
/* A layer of cells, to be drawn. */
#ifndef BW_LAYER_H
#define BW_LAYER_H

#include <stddef.h>
#include <stdint.h>

/// In-plane axes are those that remain of x, y, z: the first to the right, the second up.
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
    double lo[3], hi[3]; ///< the box of its cells, m
    double time, fps;    ///< s, and frames a second: how finely the label tells the time; 0: 24
};

/// Bilinear value at (u, v) in cells from the low corner, clamped.
float bw_slice_read(const struct bw_slice *s, const float *data, double u, double v);
/// Likewise by Catmull and Rom's cubic through 4×4 cells, within what the four around it hold: lines as fine as a cell
/// stay lines, and nothing rings.
float bw_slice_read_sharp(const struct bw_slice *s, const float *data, double u, double v);

#endif
