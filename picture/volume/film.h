// SPDX-License-Identifier: Apache-2.0
/* From light to a picture, as film does it. */
#ifndef BW_FILM_H
#define BW_FILM_H

#include <picture/image/image.h>

/// Glow of lens and film around what is bright at that exposure. Errors: BW_ERR_MEMORY.
enum bw_status bw_film_bloom(struct bw_image *img, double bloom, double exposure);
/// Linear light to display, in place.
void bw_film_develop(struct bw_image *img, double exposure);
/// The same of one colour.
void bw_tone(const float linear[3], float exposure, float srgb[3]);

#endif
