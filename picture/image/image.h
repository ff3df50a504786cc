// SPDX-License-Identifier: Apache-2.0
/* A float image, made smaller, pasted, written as PNG. */
#ifndef BW_IMAGE_H
#define BW_IMAGE_H

#include <picture/tools.h>

/// Display-referred sRGB values, 0 … 1, three floats a pixel, top row first.
struct bw_image {
    int32_t w, h;
    float *px;
    const struct bw_tools *tools; ///< gave `px`
};

/// A black image. Errors: BW_ERR_MEMORY.
enum bw_status bw_image_init(struct bw_image *img, const struct bw_tools *tools, int32_t w, int32_t h);
/// Give the pixels back; a zeroed image is allowed.
void bw_image_free(struct bw_image *img);
/// Fill `dst` with an area average of `src` (any sizes, dst not larger).
void bw_image_shrink(const struct bw_image *src, struct bw_image *dst);
/// Copy `src` with its top left corner to (x, y) of `dst`, clipped.
void bw_image_paste(struct bw_image *dst, const struct bw_image *src, int32_t x, int32_t y);
/// Version of the library that writes PNG.
const char *bw_image_library(void);
/// Row y as samples of 8 (dithered) or 16 bits, most significant byte first, into `out`.
void bw_image_row(const struct bw_image *img, int y, int depth, uint8_t *out);
/// Write a PNG of 8 or 16 bits a channel, sRGB, dithered at 8. Errors: BW_ERR_IO with a sentence in `why`.
enum bw_status bw_image_write_png(const struct bw_image *img, const char *path, int depth, char *why, size_t why_size);

/// A fixed pattern of values in [0, 1) that looks even at every scale (Jimenez 2014): dither and ray jitter.
static inline float bw_pattern(int x, int y)
{
    float f = 0.06711056f * (float)x + 0.00583715f * (float)y;
    f = 52.9829189f * (f - (float)(int)f);
    return f - (float)(int)f;
}

#endif
