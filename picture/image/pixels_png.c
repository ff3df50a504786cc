// SPDX-License-Identifier: Apache-2.0
#include "pixels.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>

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

static bool rows_take(png_structp png, png_infop info, struct bw_read_pixels *out)
{
    png_bytepp rows = png_get_rows(png, info);
    out->width = (int)png_get_image_width(png, info);
    out->height = (int)png_get_image_height(png, info);
    out->channels = png_get_channels(png, info);
    out->bits = png_get_bit_depth(png, info);
    size_t row = (size_t)out->width * (size_t)out->channels;
    out->value = calloc(1, row * (size_t)out->height * sizeof *out->value + 1);
    for (size_t i = 0; out->value && i < row * (size_t)out->height; i++) {
        const png_byte *at = rows[i / row] + i % row * (out->bits == 16 ? 2 : 1);
        out->value[i] = out->bits == 16 ? (float)(at[0] << 8 | at[1]) : (float)at[0];
    }
    return out->value != NULL;
}

/* Everything that libpng may jump out of. */
static bool png_take(png_structp png, png_infop info, FILE *f, struct bw_read_pixels *out)
{
    if (setjmp(png_jmpbuf(png))) return false;
    png_init_io(png, f);
    png_set_user_limits(png, BW_PIXELS_EDGE, BW_PIXELS_EDGE);
    png_read_png(png, info, PNG_TRANSFORM_EXPAND, NULL);
    return rows_take(png, info, out);
}

bool bw_pixels_read_png(const char *path, struct bw_read_pixels *out)
{
    FILE *f = fopen(path, "rb");
    png_structp png = f ? png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, png_silent, png_ignore) : NULL;
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool good = info && png_take(png, info, f, out);
    png_destroy_read_struct(&png, &info, NULL);
    if (f) fclose(f);
    return good;
}
