// SPDX-License-Identifier: Apache-2.0
/* The tonemapper: tone mapping with exposure by a film curve, and bloom. */
#ifndef BW_TONE_MAP_H
#define BW_TONE_MAP_H

#include <picture/image/image.h>

#define BW_FILM_CLIPS 0.05f ///< of what is brighter than white, in each channel: a fire's core is white, not yellow

/// Glow of lens and film around what is bright at that exposure. Errors: BW_ERR_MEMORY.
enum bw_status bw_bloom(struct bw_image *img, double bloom, double exposure);
/// Linear light to display, in place.
void bw_tone_map(struct bw_image *img, double exposure);
/// The same of one colour.
void bw_tone_map_colour(const float linear[3], float exposure, float srgb[3]);

#endif
