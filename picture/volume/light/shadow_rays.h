// SPDX-License-Identifier: Apache-2.0
/* Shadow rays: optical depth from the middles of cells to a lamp, in and beside thick smoke, where the shadow volume is
 * too coarse. */
#ifndef BW_SHADOW_RAYS_H
#define BW_SHADOW_RAYS_H

#include <picture/volume/light/lit.h>
#include <picture/tools.h>
#include <picture/volume/scene/light.h>

#include <stdint.h>

/// `lit`, `emission` (soot, the last of four a cell, or NULL) and `extinction`, that of obstacles with both, 1/m;
/// `near`: enum bw_boundary; `share`: what sweeps say arrives, which is lost; `walls`: there are obstacles.
struct bw_shadow_rays {
    const struct bw_lit *lit;
    const float *emission, *extinction;
    const struct bw_light *light;
    const uint8_t *near;
    float *share;
    int32_t walls;
};
/// Optical depths, 0 and more a cell, into `out`, which is not `share`.
void bw_shadow_ray_depths(const struct bw_tools *tools, const struct bw_shadow_rays *s, float *out);
/// The same as sweeps alone have it, in place.
void bw_shadow_swept_depths(const struct bw_tools *tools, const struct bw_dense *box, float *share);

#endif
