// SPDX-License-Identifier: Apache-2.0
/* Particle splatting: those that shine as one cloud, each spread over what is round it, what is near before what is
 * far, lit. */
#ifndef BW_SPLAT_H
#define BW_SPLAT_H

#include <picture/volume/rays/march.h>
#include <picture/volume/scene/flame.h>

/// Is this one of them, or drawn by itself?
static inline int bw_splat_has(const struct bw_look *look, const struct bw_spark *s)
{
    return look->particles.show == BW_SHOW_LIGHT &&
           (look->particles.smooth > 1 || look->particles.veil > 0 || look->particles.lit > 0) &&
           !(s->kelvin > BW_DRAPER);
}

/// What is left of a particle's light, by how far it is from what the camera looks at: to there and beyond, and around.
float bw_splat_left(const struct bw_scene *scene, const double at[3]);

/// Lay them over the linear picture (and its `alpha`, or NULL). transmittance[i · step]: of the i-th particle's light,
/// what obstacles and smoke before it leave. Errors: BW_ERR_MEMORY.
enum bw_status bw_splat_draw(const struct bw_tools *tools, const struct bw_shot *shot, const float *transmittance,
                             int step, struct bw_image *img, float *alpha);

#endif
