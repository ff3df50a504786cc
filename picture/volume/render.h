// SPDX-License-Identifier: Apache-2.0
/* The preview renderer: smoke as an absorbing, scattering, glowing medium under shadowed lights, the fire's own
 * light and a soft sky, over a studio floor. Physical where it is cheap, a photographer's taste elsewhere.
 *
 * The medium is lit first (light/medium.c), which gives every cell an extinction s and a source j = s·albedo·(light
 * that arrives and is scattered to the eye) + emission. What remains is classic emission and absorption along the
 * view ray (rays/march.c): I = ∫ j(x) exp(-∫ s) dx, with j premultiplied by s, so that interpolation has no fringes. */
#ifndef BW_RENDER_H
#define BW_RENDER_H

#include <picture/image/image.h>
#include <picture/volume/scene/scene.h>
#include <picture/volume/scene/volume.h>

/// Draw `v` (density NULL and no flame: an empty stage) into `img`. Errors: BW_ERR_MEMORY.
enum bw_status bw_render(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                         struct bw_image *img);
/// The same as linear light, before film. With `alpha` (w·h floats; NULL: the studio behind it) what is seen alone,
/// over nothing, and how much of each pixel it covers.
enum bw_status bw_render_linear(const struct bw_tools *tools, const struct bw_volume *v, const struct bw_scene *scene,
                                struct bw_image *img, float *alpha);

#endif
