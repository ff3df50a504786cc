// SPDX-License-Identifier: Apache-2.0
/* For tests of the picture library: the C library's memory and no threads; how bright a pixel is. */
#ifndef IMAGE_TOOLS_H
#define IMAGE_TOOLS_H

#include <picture/image/image.h>
#include <stdlib.h>

static void *take(void *ctx, size_t bytes)
{
    (void)ctx;
    return calloc(1, bytes ? bytes : 1);
}

static void give(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

static void forwards(void *ctx, int64_t n, void (*fn)(int64_t i, void *user), void *user)
{
    (void)ctx;
    for (int64_t i = 0; i < n; i++) fn(i, user);
}

static const struct bw_tools tools = {take, give, forwards, NULL};

/// Mean of a pixel's channels.
static inline double brightness(const struct bw_image *img, int x, int y)
{
    const float *p = img->px + 3 * (y * img->w + x);
    return (double)(p[0] + p[1] + p[2]) / 3;
}

#endif
