// SPDX-License-Identifier: Apache-2.0
#include "draft.h"

#include <math.h>

/// What lies between two pixels of a line of n, of which a line of twice as many shows pixel x.
struct between {
    size_t at[2];
    float share; ///< of the second
};

static struct between between(int x, int all, int n)
{
    const double at = fmin(fmax((x + 0.5) * n / all - 0.5, 0), n - 1);
    const int first = (int)at;
    return (struct between){{(size_t)first, (size_t)(first + (first + 1 < n))}, (float)(at - first)};
}

/// Pixel x, y of a picture, of `lanes` floats, from half as many.
static void pixel_read(const float *half, const int32_t n[2], int lanes, const struct between *u,
                       const struct between *v, float *out)
{
    for (int c = 0; c < lanes; c++) {
        float row[2];
        for (int q = 0; q < 2; q++) {
            const float *line = half + (size_t)lanes * v->at[q] * (size_t)n[0] + c;
            const float first = line[(size_t)lanes * u->at[0]], second = line[(size_t)lanes * u->at[1]];
            row[q] = first + u->share * (second - first);
        }
        out[c] = row[0] + v->share * (row[1] - row[0]);
    }
}

static void grow(const struct bw_image *half, const float *half_alpha, struct bw_image *img, float *alpha)
{
    const int32_t n[2] = {half->w, half->h};
    for (int y = 0; y < img->h; y++) {
        const struct between v = between(y, img->h, n[1]);
        for (int x = 0; x < img->w; x++) {
            const struct between u = between(x, img->w, n[0]);
            const size_t at = (size_t)y * (size_t)img->w + (size_t)x;
            pixel_read(half->px, n, 3, &u, &v, img->px + 3 * at);
            if (alpha) pixel_read(half_alpha, n, 1, &u, &v, alpha + at);
        }
    }
}

enum bw_status bw_draft_march(const struct bw_tools *tools, const struct bw_shot *shot, struct bw_image *img,
                              float *alpha)
{
    struct bw_image half = {0};
    float *cover = NULL;
    enum bw_status status = bw_image_init(&half, tools, (img->w + 1) / 2, (img->h + 1) / 2);
    if (!status && alpha) {
        cover = tools->alloc(tools->ctx, (size_t)half.w * (size_t)half.h * sizeof *cover);
        if (!cover) status = BW_ERR_MEMORY;
    }
    if (!status) status = bw_march(tools, shot, &half, cover);
    if (!status) grow(&half, cover, img, alpha);
    bw_image_free(&half);
    if (cover) tools->release(tools->ctx, cover);
    return status;
}
