// SPDX-License-Identifier: Apache-2.0
#include "sky.h"
#include "daylight.h"
#include "hdri.h"

#include <stdio.h>
#include <string.h>

enum { WIDE = 1024 }; ///< pixels of a picture that is kept

/// Memory for a picture of that size.
static struct bw_sky *sky_new(const struct bw_tools *tools, const struct bw_sky_wish *wish, int32_t w, int32_t h)
{
    struct bw_sky *s = tools->alloc(tools->ctx, sizeof *s + 3 * (size_t)w * (size_t)h * sizeof(float));
    if (!s) return NULL;
    *s = (struct bw_sky){.wish = *wish, .w = w, .h = h, .rgb = (float *)(s + 1)};
    return s;
}

enum bw_status bw_sky_follow(const struct bw_tools *tools, const struct bw_sky_wish *wish, struct bw_sky **sky,
                             char *why, size_t why_size)
{
    struct bw_hdri file = {0};
    if (*sky && !memcmp(&(*sky)->wish, wish, sizeof *wish)) return BW_OK;
    if (*sky) tools->release(tools->ctx, *sky);
    *sky = NULL;
    if (wish->kind == BW_SKY_NONE) return BW_OK;
    const int hdri = wish->kind == BW_SKY_HDRI;
    if (hdri && !bw_hdri_read(wish->file, &file, why, why_size)) return BW_ERR_IO;
    const int32_t step = hdri ? (file.w + WIDE - 1) / WIDE : 1;
    struct bw_sky *s = sky_new(tools, wish, hdri ? file.w / step : BW_DAYLIGHT_WIDE,
                               hdri ? (file.h / step ? file.h / step : 1) : BW_DAYLIGHT_WIDE / 2);
    if (!s) snprintf(why, why_size, "out of memory for a sky");
    else if (hdri) bw_hdri_sky(&file, step, s);
    else bw_daylight_sky(s);
    bw_hdri_free(&file);
    if (s) bw_sky_survey(s);
    *sky = s;
    return s ? BW_OK : BW_ERR_MEMORY;
}
