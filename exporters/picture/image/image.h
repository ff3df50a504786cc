// SPDX-License-Identifier: Apache-2.0
/* Pictures: a float image, drawing on it, colour maps, PNG. Used by the png and mp4 exporters and by the CLI, so
 * memory and threads come through bw_tools: a plugin passes the host's, a program its own. */
#ifndef BW_IMAGE_H
#define BW_IMAGE_H

#include <billow/status.h>
#include <stddef.h>
#include <stdint.h>

/// Where memory and workers come from.
struct bw_tools {
    void *(*alloc)(void *ctx, size_t bytes); ///< zeroed; NULL when out of memory
    void (*release)(void *ctx, void *memory);
    /// fn(i, user) for i in [0, n), in any order, on any thread.
    void (*parallel)(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user);
    void *ctx;
};

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
/// Write a PNG of 8 or 16 bits a channel, sRGB, dithered at 8. Errors: BW_ERR_IO with a sentence in `why`.
enum bw_status bw_image_write_png(const struct bw_image *img, const char *path, int depth, char *why, size_t why_size);

/// A fixed pattern of values in [0, 1) that looks even at every scale (Jimenez 2014): dither and ray jitter.
static inline float bw_pattern(int x, int y)
{
    float f = 0.06711056f * (float)x + 0.00583715f * (float)y;
    f = 52.9829189f * (f - (float)(int)f);
    return f - (float)(int)f;
}

/* Drawing (draw.c, font.c). Coordinates in pixels, (0, 0) is the corner of the top left pixel; colours as in the
 * image. */

/// Rectangle [x0, x1) × [y0, y1).
void bw_draw_rect(struct bw_image *img, double x0, double y0, double x1, double y1, const float rgb[3], float alpha);
/// Smooth line with round ends.
void bw_draw_line(struct bw_image *img, const double a[2], const double b[2], double width, const float rgb[3],
                  float alpha);
/// A line of text whose capitals are `size` pixels high, top left corner at (x, y), light with a soft dark edge.
void bw_draw_label(struct bw_image *img, double x, double y, double size, const char *text);
/// How wide that text is, pixels.
double bw_text_width(double size, const char *text);

/* Colour maps (colormap.c). */

enum bw_map { BW_MAP_AUTO, BW_MAP_SMOKE, BW_MAP_FIRE, BW_MAP_VIRIDIS, BW_MAP_DIVERGING, BW_MAP_GREY, BW_MAP_INK };
#define BW_MAP_CHOICES "auto|smoke|fire|viridis|diverging|grey|ink"

/// The colour at t in [0, 1] (sRGB); outside, the nearest end; NaN is magenta.
void bw_map_colour(enum bw_map map, float t, float rgb[3]);
/// The map that suits a field by its name and range: diverging for signed ones, fire for heat, …
enum bw_map bw_map_for(const char *field, double lo, double hi);

#endif
