// SPDX-License-Identifier: Apache-2.0
/* From a frame's snapshot to a picture: what the exporters of pictures share. */
#ifndef BW_PICTURE_H
#define BW_PICTURE_H

#include "kept.h"
#include <picture/image/image.h>
#include <picture/params.h>
#include <picture/volume/render.h>

/// Make the picture of a frame in *img (free it). Errors are already reported.
enum bw_status bw_picture_make(struct bw_picture *p, struct bw_exporter *e, const struct bw_frame *frame,
                               const struct bw_picture_params *params, struct bw_image *img);

/// A render as linear light with the exposure, before film and bloom. `alpha`: NULL, or gets what the smoke covers
/// (release it); then the studio is not drawn.
enum bw_status bw_picture_light(struct bw_picture *p, struct bw_exporter *e, const struct bw_frame *frame,
                                const struct bw_picture_params *params, struct bw_image *img, float **alpha);

#endif
