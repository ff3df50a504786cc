// SPDX-License-Identifier: Apache-2.0
/* A volume render of a frame. */
#ifndef BW_SHOW_RENDER_H
#define BW_SHOW_RENDER_H

#include "kept.h"
#include <picture/volume/scene/volume.h>

/// As a picture, into *img (free it). Errors are already reported.
enum bw_status bw_show_render(const struct bw_making *m, struct bw_image *img);
/// What a render shows, and how, at kept->size; both zeroed before. *memory and v->solid are released by the caller
/// with the tools, after a failure too. Errors are already reported.
enum bw_status bw_show_scene(const struct bw_making *m, struct bw_volume *v, float **memory, struct bw_scene *scene);
/// As linear light with the exposure, before film and bloom. `alpha`: NULL, or gets what the smoke covers (release it,
/// after a failure too); then the studio is not drawn.
enum bw_status bw_show_light(const struct bw_making *m, struct bw_image *img, float **alpha);

#endif
