// SPDX-License-Identifier: Apache-2.0
/* Depth of field of a picture that is seen from the lens's middle: what each pixel shows is spread over its circle of
 * confusion. */
#ifndef BW_LAYERS_H
#define BW_LAYERS_H

#include <picture/volume/rays/camera_ray.h>

/// Pixels round a picture from which what is blurred reaches into it.
int32_t bw_layers_margin(const struct bw_camera *camera, int32_t w, int32_t h);
/// March and spread all pixels of what a wide lens blurs; m->margin and m->still are given. Errors: BW_ERR_MEMORY.
enum bw_status bw_layers_march(const struct bw_tools *tools, const struct bw_take *m);

#endif
