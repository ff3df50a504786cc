// SPDX-License-Identifier: Apache-2.0
/* The environment, far off: a map of the whole sphere, and what of it lights. It is not importance sampled: what is
 * small and bright in it becomes lamps, the rest light by side. */
#ifndef BW_SPHERE_H
#define BW_SPHERE_H

#include <picture/volume/scene/light.h>
#include <picture/volume/studio/texture.h>

#include <stdint.h>

enum bw_sky_kind { BW_SKY_NONE, BW_SKY_HDRI, BW_SKY_SUN };

/// What is asked for. Zero it whole: wishes are compared by their bytes.
struct bw_sky_wish {
    int32_t kind, unused;
    double strength;                      ///< times what the file or the sun has
    double turn;                          ///< rad, of a file, as the camera's azimuth
    double elevation, azimuth, turbidity; ///< of the sun; rad, 1
    double clouds;                        ///< 0 … 1: how much of its sky they cover
    char file[1024];
};

enum { BW_SKY_LIGHTS = 3 };

struct bw_sky {
    struct bw_sky_wish wish;
    int32_t w, h;
    float *rgb;               ///< radiance, w × h, the top row from above: as Blender's environment texture
    float side[6][3];         ///< parts of the mean radiance from +z, -z, +x, -x, +y, -y, without the lamps
    float above[3], below[3]; ///< irradiance over π of a level surface that looks up, down; likewise
    struct bw_light light[BW_SKY_LIGHTS]; ///< what is bright and small
    int32_t n_lights;
};

/// What covers it, 0 … 1, as a texture.
struct bw_sky_clouds {
    const struct bw_texture_plan *plan;
    struct bw_texture *texture;
};
/// Nothing to make: it has none.
void bw_sky_clouds_plan(const struct bw_sky *s, struct bw_texture_plan *plan);
/// Radiance from the direction `to`, a unit vector, clouds before it; by their texture, or, NULL, as they are there.
void bw_sky_read(const struct bw_sky *s, const struct bw_sky_clouds *clouds, const double to[3], float rgb[3]);
/// Fill in side, above, below, light from rgb; lamps that are there already stay.
void bw_sky_survey(struct bw_sky *s);
/// The direction of a pixel's middle, and its solid angle.
double bw_sky_pixel(const struct bw_sky *s, int x, int y, double to[3]);

#endif
