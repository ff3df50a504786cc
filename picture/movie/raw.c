// SPDX-License-Identifier: Apache-2.0
#include "raw.h"

#include <string.h>

size_t bw_raw_bytes(int32_t w, int32_t h) { return (size_t)w * (size_t)h + 2 * (size_t)(w / 2) * (size_t)(h / 2); }

/// Luma of BT.709 in 0 … 1.
static float luma(const float *p) { return 0.2126f * p[0] + 0.7152f * p[1] + 0.0722f * p[2]; }

static uint8_t quantise(float v, float dither)
{
    v += dither;
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/// Mean colour of 2×2 pixels.
static void colour_mean(const struct bw_image *img, int x, int y, float mean[3])
{
    for (int c = 0; c < 3; c++) mean[c] = 0;
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++)
            mean[c] +=
                0.25f * img->px[3 * ((size_t)(2 * y + k / 2) * (size_t)img->w + (size_t)(2 * x + k % 2)) + (size_t)c];
}

/// sRGB to limited-range Y'CbCr, chroma as the mean of 2×2 pixels; luma dithered like our PNGs.
void bw_raw_fill(uint8_t *out, const struct bw_image *img)
{
    const int w = img->w / 2, h = img->h / 2;
    for (int y = 0; y < img->h; y++)
        for (int x = 0; x < img->w; x++)
            *out++ =
                quantise(16 + 219 * luma(img->px + 3 * ((size_t)y * (size_t)img->w + (size_t)x)), bw_pattern(x, y));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++, out++) {
            float mean[3];
            colour_mean(img, x, y, mean);
            const float l = luma(mean);
            out[0] = quantise(128 + 224 * (mean[2] - l) / 1.8556f, 0.5f);
            out[(size_t)w * (size_t)h] = quantise(128 + 224 * (mean[0] - l) / 1.5748f, 0.5f);
        }
}

static void plane_copy(uint8_t *to, int stride, const uint8_t *from, int w, int h)
{
    for (int y = 0; y < h; y++) memcpy(to + (ptrdiff_t)y * stride, from + (size_t)y * (size_t)w, (size_t)w);
}

void bw_raw_frame(AVFrame *f, const uint8_t *raw)
{
    const size_t luma_bytes = (size_t)f->width * (size_t)f->height;
    const int w = f->width / 2, h = f->height / 2;
    plane_copy(f->data[0], f->linesize[0], raw, f->width, f->height);
    plane_copy(f->data[1], f->linesize[1], raw + luma_bytes, w, h);
    plane_copy(f->data[2], f->linesize[2], raw + luma_bytes + (size_t)w * (size_t)h, w, h);
}
