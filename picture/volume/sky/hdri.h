// SPDX-License-Identifier: Apache-2.0
/* Environment maps: pictures of the whole sphere, in files. */
#ifndef BW_HDRI_H
#define BW_HDRI_H

#include "sphere.h"

#include <stddef.h>

/// rgb, top row first; bw_hdri_free gives it back.
struct bw_hdri {
    int32_t w, h;
    float *rgb;
};

/// An .exr of lines with red, green and blue, or a .hdr of Radiance. 0: it is none, with a sentence in `why`.
int bw_hdri_read(const char *path, struct bw_hdri *out, char *why, size_t why_size);
/// Whether the file is there and begins like one: for who asks before the first picture. 0: with a sentence.
int bw_hdri_begins(const char *path, char *why, size_t why_size);
void bw_hdri_free(struct bw_hdri *p);
/// Fill the sky's picture, of which each pixel is step × step of the file's, turned and strengthened as it wishes.
void bw_hdri_sky(const struct bw_hdri *file, int32_t step, struct bw_sky *s);

#endif
