// SPDX-License-Identifier: Apache-2.0
/* What lies between a lamp and the middles of cells: in and beside thick smoke finer than sweeps tell. */
#ifndef BW_STRAIGHT_H
#define BW_STRAIGHT_H

#include <picture/volume/light/lit.h>
#include <picture/tools.h>
#include <picture/volume/scene/light.h>

#include <stdint.h>

/// `lit`, `emission` (soot, the last of four a cell, or NULL) and `extinction`, that of obstacles with both, 1/m;
/// `near`: enum bw_beside; `share`: what sweeps say arrives, which is lost; `walls`: there are obstacles.
struct bw_straight {
    const struct bw_lit *lit;
    const float *emission, *extinction;
    const struct bw_light *light;
    const uint8_t *near;
    float *share;
    int32_t walls;
};
/// Optical depths, 0 and more a cell, into `out`, which is not `share`.
void bw_straight_depths(const struct bw_tools *tools, const struct bw_straight *s, float *out);
/// The same as sweeps alone have it, in place.
void bw_straight_swept(const struct bw_tools *tools, const struct bw_dense *box, float *share);

#endif
