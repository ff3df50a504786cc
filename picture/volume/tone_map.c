// SPDX-License-Identifier: Apache-2.0
/* From light to a picture, as film does it: a glow around what is bright (light scattered in lens and emulsion),
 * dyes that overlap a little, and a curve with toe and shoulder for each, so that flames go from red through orange
 * and yellow to a warm white instead of clipping to one flat colour. */
#include "tone_map.h"
#include <picture/volume/scene/fast_math.h>

#include <math.h>

#define OVERLAP 0.0005f  ///< of each other channel in a channel
#define WHITE 0.8f       ///< of the film's light: what is brighter glows
#define TONED_MOST 1e10f ///< is white long before, and its cube is a number
#define LIGHT_MOST 1e30f ///< of a pixel, so that differences of sums are numbers

/// Mean over ±r samples of n, `step` apart, in place; ends are repeated. `line`: n floats of scratch.
static void line_blur(float *p, int n, size_t step, int r, float *line)
{
    double sum = 0;
    for (int i = 0; i < n; i++) line[i] = p[(size_t)i * step];
    for (int i = -r; i <= r; i++) sum += (double)line[i < 0 ? 0 : i < n ? i : n - 1];
    for (int i = 0; i < n; i++) {
        p[(size_t)i * step] = (float)(sum / (2 * r + 1));
        const int in = i + r + 1 < n ? i + r + 1 : n - 1, out = i - r > 0 ? i - r : 0;
        sum += (double)line[in] - (double)line[out];
    }
}

/// Three times a box blur, near enough a Gaussian.
static void image_blur(struct bw_image *img, int r, float *line)
{
    for (int round = 0; round < 3; round++)
        for (size_t c = 0; c < 3; c++) {
            for (int y = 0; y < img->h; y++)
                line_blur(img->px + 3 * (size_t)y * (size_t)img->w + c, img->w, 3, r, line);
            for (int x = 0; x < img->w; x++)
                line_blur(img->px + 3 * (size_t)x + c, img->h, 3 * (size_t)img->w, r, line);
        }
}

/// A pixel of a small image read between its pixels.
static void image_read(const struct bw_image *img, float x, float y, float rgb[3])
{
    x = bw_least(bw_most(x, 0), (float)(img->w - 1)), y = bw_least(bw_most(y, 0), (float)(img->h - 1));
    const int i = (int)x, j = (int)y;
    const size_t right = i + 1 < img->w ? 3 : 0, down = j + 1 < img->h ? 3 * (size_t)img->w : 0;
    const float fx = x - (float)i, fy = y - (float)j, *p = img->px + 3 * ((size_t)j * (size_t)img->w + (size_t)i);
    for (size_t c = 0; c < 3; c++)
        rgb[c] =
            (p[c] * (1 - fx) + p[c + right] * fx) * (1 - fy) + (p[c + down] * (1 - fx) + p[c + down + right] * fx) * fy;
}

/// Of what is brighter than `white`, as much as that.
static void image_excess(const struct bw_image *img, struct bw_image *out, float white)
{
    bw_image_shrink(img, out);
    for (int i = 0; i < 3 * out->w * out->h; i++) out->px[i] = bw_least(bw_most(out->px[i] - white, 0), LIGHT_MOST);
}

/// The picture, and what glows of it over a fortieth and an eighth.
struct bloom {
    struct bw_image *img, near, far;
    float share, white;
};

static void row_bloom(int64_t y, void *user)
{
    const struct bloom *f = user;
    const struct bw_image *img = f->img;
    const float v = ((float)y + 0.5f) * (float)f->near.h / (float)img->h - 0.5f;
    float *p = img->px + 3 * (size_t)y * (size_t)img->w;
    for (int x = 0; x < img->w; x++, p += 3) {
        const float u = ((float)x + 0.5f) * (float)f->near.w / (float)img->w - 0.5f;
        float a[3], b[3];
        image_read(&f->near, u, v, a);
        image_read(&f->far, u, v, b);
        for (int c = 0; c < 3; c++) p[c] = bw_least(p[c], LIGHT_MOST);
        for (int c = 0; c < 3; c++) p[c] += f->share * (0.6f * a[c] + 0.4f * b[c] - bw_most(p[c] - f->white, 0));
    }
}

/// Of the light above white the share `bloom` spreads over a fortieth and an eighth of the picture. What is darker
/// keeps its contrast: no veil lies over smoke.
enum bw_status bw_bloom(struct bw_image *img, double bloom, double exposure)
{
    enum { SHRINK = 4 };
    const struct bw_tools *tools = img->tools;
    struct bloom f = {.img = img, .far = {.tools = tools}, .share = (float)bloom};
    const int w = (img->w + SHRINK - 1) / SHRINK, h = (img->h + SHRINK - 1) / SHRINK, size = w > h ? w : h;
    if (!(bloom > 0) || !(exposure > 0) || w < 4 || h < 4) return BW_OK;
    f.white = WHITE / (float)exposure;
    float *line = tools->alloc(tools->ctx, (size_t)size * sizeof *line);
    enum bw_status status = bw_image_init(&f.near, tools, w, h);
    if (!status) status = bw_image_init(&f.far, tools, w, h);
    if (!status && line) {
        image_excess(img, &f.near, f.white);
        image_blur(&f.near, 1 + size / 120, line);
        bw_image_paste(&f.far, &f.near, 0, 0);
        image_blur(&f.far, 1 + size / 20, line);
        tools->parallel(tools->ctx, img->h, row_bloom, &f);
    }
    bw_image_free(&f.near);
    bw_image_free(&f.far);
    if (line) tools->release(tools->ctx, line);
    return status || line ? status : BW_ERR_MEMORY;
}

/// Toe and shoulder of film, as sRGB shows it: a ratio of cubics in a power of the light, by least squares over 15
/// stops within 0.5 of 255 of Blender's Filmic of medium high contrast, 1.5 where that clips to white and this does
/// not.
static float film_curve(float x)
{
    const float a = powf(bw_least(x, TONED_MOST), 0.8354351f), top = a * (a * (a + 3.3586336f) + 0.0061462f);
    return top / (top + 0.8554559f * a + 0.0029560f);
}

void bw_tone_map_colour(const float linear[3], float exposure, float srgb[3])
{
    float light[3], more = 0;
    for (int c = 0; c < 3; c++) {
        light[c] = bw_most(linear[c], 0) * exposure;
        more += OVERLAP * light[c] + BW_FILM_CLIPS * bw_most(light[c] - 1, 0);
    }
    for (int c = 0; c < 3; c++) srgb[c] = film_curve(light[c] * (1 - 3 * OVERLAP) + more);
}

/// A row of the picture.
struct develop {
    struct bw_image *img;
    float exposure;
};

static void row_develop(int64_t y, void *user)
{
    const struct develop *d = user;
    float *p = d->img->px + 3 * (size_t)y * (size_t)d->img->w;
    for (int x = 0; x < d->img->w; x++, p += 3) bw_tone_map_colour((float[3]){p[0], p[1], p[2]}, d->exposure, p);
}

void bw_tone_map(struct bw_image *img, double exposure)
{
    struct develop d = {img, (float)exposure};
    img->tools->parallel(img->tools->ctx, img->h, row_develop, &d);
}
