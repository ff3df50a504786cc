// SPDX-License-Identifier: Apache-2.0
/* The image buffer, and PNG through libpng. Eight-bit files are dithered with a fixed pattern, because the dark
 * gradients behind smoke band visibly otherwise. */
#include "image.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

enum bw_status bw_image_init(struct bw_image *img, const struct bw_tools *tools, int32_t w, int32_t h)
{
    *img = (struct bw_image){w, h, NULL, tools};
    img->px = tools->alloc(tools->ctx, (size_t)w * (size_t)h * 3 * sizeof(float));
    return img->px ? BW_OK : BW_ERR_MEMORY;
}

void bw_image_free(struct bw_image *img)
{
    if (img->px) img->tools->release(img->tools->ctx, img->px);
    img->px = NULL;
}

/// How much of pixel i an interval covers. Not fmin and fmax: those are calls, for every pixel.
static double pixel_share(const double x[2], int i)
{
    const double from = x[0] > i ? x[0] : i, to = x[1] < i + 1 ? x[1] : i + 1;
    return to - from;
}

/// Mean of the source rectangle [x0, x1) × [y0, y1) in whole and broken pixels.
static void area_mean(const struct bw_image *src, const double x[2], const double y[2], float rgb[3])
{
    double sum[3] = {0}, weight = 0;
    for (int j = (int)y[0]; j < src->h && j < y[1]; j++)
        for (int i = (int)x[0]; i < src->w && i < x[1]; i++) {
            const double w = pixel_share(x, i) * pixel_share(y, j);
            const float *p = src->px + 3 * ((size_t)j * (size_t)src->w + (size_t)i);
            for (int c = 0; c < 3; c++) sum[c] += w * (double)p[c];
            weight += w;
        }
    for (int c = 0; c < 3; c++) rgb[c] = weight > 0 ? (float)(sum[c] / weight) : 0;
}

void bw_image_shrink(const struct bw_image *src, struct bw_image *dst)
{
    double sx = (double)src->w / dst->w, sy = (double)src->h / dst->h;
    for (int j = 0; j < dst->h; j++)
        for (int i = 0; i < dst->w; i++)
            area_mean(src, (double[2]){i * sx, (i + 1) * sx}, (double[2]){j * sy, (j + 1) * sy},
                      dst->px + 3 * ((size_t)j * (size_t)dst->w + (size_t)i));
}

void bw_image_paste(struct bw_image *dst, const struct bw_image *src, int32_t x, int32_t y)
{
    int n = src->w < dst->w - x ? src->w : dst->w - x;
    for (int j = 0; j < src->h && y + j < dst->h && n > 0; j++)
        memcpy(dst->px + 3 * ((size_t)(y + j) * (size_t)dst->w + (size_t)x), src->px + 3 * (size_t)j * (size_t)src->w,
               3 * (size_t)n * sizeof(float));
}

const char *bw_image_library(void) { return png_get_libpng_ver(NULL); }

void bw_image_row(const struct bw_image *img, int y, int depth, uint8_t *out)
{
    const float *p = img->px + 3 * (size_t)y * (size_t)img->w;
    for (int i = 0; i < 3 * img->w; i++) {
        float v = p[i] > 0 ? p[i] < 1 ? p[i] : 1 : 0; // NaN becomes 0
        if (depth == 16) {
            unsigned q = (unsigned)(v * 65535 + 0.5f);
            *out++ = (uint8_t)(q >> 8);
            *out++ = (uint8_t)q;
        } else {
            *out++ = (uint8_t)fminf(v * 255 + bw_pattern(i / 3, y), 255);
        }
    }
}

/// Everything that libpng may jump out of; `row` lives outside so that nothing is lost.
static int png_rows(png_structp png, png_infop info, FILE *f, const struct bw_image *img, int depth, uint8_t *row)
{
    if (setjmp(png_jmpbuf(png))) return 0;
    png_init_io(png, f);
    png_set_IHDR(png, info, (png_uint_32)img->w, (png_uint_32)img->h, depth, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_compression_level(png, 5);
    png_write_info(png, info);
    for (int y = 0; y < img->h; y++) {
        bw_image_row(img, y, depth, row);
        png_write_row(png, row);
    }
    png_write_end(png, info);
    return 1;
}

/// libpng's own words would go to stderr; ours say what the user needs.
static void png_silent(png_structp png, png_const_charp text)
{
    (void)text;
    png_longjmp(png, 1);
}

static void png_ignore(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

enum bw_status bw_image_write_png(const struct bw_image *img, const char *path, int depth, char *why, size_t why_size)
{
    uint8_t *row = img->tools->alloc(img->tools->ctx, 6 * (size_t)img->w);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, png_silent, png_ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    int memory = row && info;
    FILE *f = memory ? fopen(path, "wb") : NULL;
    int ok = f && png_rows(png, info, f, img, depth, row);
    if (f && fclose(f)) ok = 0;
    if (!ok)
        snprintf(why, why_size, "cannot write the picture %s: %s", path, memory ? strerror(errno) : "out of memory");
    png_destroy_write_struct(&png, &info);
    if (row) img->tools->release(img->tools->ctx, row);
    return ok ? BW_OK : memory ? BW_ERR_IO : BW_ERR_MEMORY;
}
