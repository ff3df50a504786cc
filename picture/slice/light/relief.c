// SPDX-License-Identifier: Apache-2.0
/* What a slice shows lies there as thick as there is much of it: lit by a lamp at its upper left (Lambert, and a gloss
 * by Blinn's half vector), and throwing a soft shadow on what is bare beside it. Its surface is the sum of three blurs,
 * so that broad tongues are round, and lines on them are ridges. We cheat: nothing shades itself. */
#include "relief.h"
#include "blur.h"

#include <math.h>

#define AMBIENT 0.4f ///< of the light, that slopes do not change
#define GLOSS 0.35f  ///< of what is mirrored at most
#define SHADOW 0.34f ///< of the light, that the shadow takes at most
#define THROW 0.016  ///< of the picture's height: how far the shadow falls, downwards; a fifth less to the right
#define SOFT 0.009   ///< of it: how soft
#define COVER 0.3f   ///< height from which on the ground is covered
static const double BLUR[] = {0.0016, 0.0052, 0.0167};   ///< of the picture's height
static const float RAISE[] = {0.0033f, 0.0075f, 0.015f}; ///< of it: how high a height of 1 is, of each blur

static float within(float x, float lo, float hi) { return x < lo ? lo : x > hi ? hi : x; }

/// Surface, in pixels, out of `height`.
static void surface_raise(const float *height, float *surface, float *part, float *spare, int32_t w, int32_t h)
{
    const size_t n = (size_t)w * (size_t)h;
    for (size_t i = 0; i < n; i++) surface[i] = 0;
    for (size_t b = 0; b < sizeof BLUR / sizeof *BLUR; b++) {
        for (size_t i = 0; i < n; i++) part[i] = height[i];
        bw_layer_blur(part, spare, w, h, BLUR[b] * h);
        for (size_t i = 0; i < n; i++) surface[i] += RAISE[b] * (float)h * part[i];
    }
}

/// One pixel: dx, dy the surface's slopes, dy downwards, `cover` how much of the ground is covered, `dark` its shadow.
static void pixel_light(float *rgb, float dx, float dy, float cover, float dark, float strength)
{
    static const float lamp[3] = {-0.501f, -0.622f, 0.602f}, half[3] = {-0.28f, -0.347f, 0.895f};
    const float flat = sqrtf(1 + dx * dx + dy * dy);
    const float lit = within((lamp[2] - lamp[0] * dx - lamp[1] * dy) / (flat * lamp[2]), 0.25f, 1.6f);
    const float shine = within((half[2] - half[0] * dx - half[1] * dy) / flat, 0, 1);
    const float shade = (1 + (1 - AMBIENT) * cover * (lit - 1)) * (1 - strength * SHADOW * dark * (1 - cover));
    const float gloss = strength * GLOSS * cover * powf(shine, 60);
    for (int c = 0; c < 3; c++) {
        const float light = powf(within(rgb[c], 0, 1), 2.2f) * fmaxf(shade, 0) + gloss;
        rgb[c] = powf(within(light, 0, 1), 1 / 2.2f);
    }
}

enum bw_status bw_slice_relief(const struct bw_tools *tools, struct bw_image *img, float *height, double strength)
{
    const int32_t w = img->w, h = img->h;
    const size_t n = (size_t)w * (size_t)h;
    float *surface = tools->alloc(tools->ctx, 3 * n * sizeof(float)), *dark = surface + n, *spare = dark + n;
    if (!surface) return BW_ERR_MEMORY;
    surface_raise(height, surface, dark, spare, w, h);
    for (size_t i = 0; i < n; i++) height[i] = dark[i] = within(height[i] / COVER, 0, 1);
    bw_layer_blur(dark, spare, w, h, SOFT * h);
    const int32_t down = (int32_t)lround(THROW * h), right = (int32_t)lround(0.8 * THROW * h);
    for (int32_t j = 0; j < h; j++)
        for (int32_t i = 0; i < w; i++) {
            const int32_t l = i > 0 ? i - 1 : 0, r = i + 1 < w ? i + 1 : i, t = j > 0 ? j - 1 : 0,
                          b = j + 1 < h ? j + 1 : j, x = i > right ? i - right : 0, y = j > down ? j - down : 0;
            const size_t at = (size_t)j * (size_t)w + (size_t)i;
            const float up = 0.5f * (float)strength, *row = surface + (ptrdiff_t)j * w;
            const float dx = up * (row[r] - row[l]);
            const float dy = up * (surface[(ptrdiff_t)b * w + i] - surface[(ptrdiff_t)t * w + i]);
            pixel_light(img->px + 3 * at, dx, dy, height[at], dark[(ptrdiff_t)y * w + x], (float)strength);
        }
    tools->release(tools->ctx, surface);
    return BW_OK;
}
