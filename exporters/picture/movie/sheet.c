// SPDX-License-Identifier: Apache-2.0
#include "sheet.h"
#include <picture/image/draw.h>
#include <picture/image/font.h>

#include <math.h>
#include <stdio.h>

enum { COLUMNS = 4, THUMB = 360, GAP = 6 }; ///< pixels; THUMB: longer side

void bw_sheet_init(struct bw_sheet *s, int64_t first, int64_t last)
{
    int64_t frames = last - first + 1;
    *s = (struct bw_sheet){.first = first, .last = last};
    s->wanted = frames < BW_SHEET_MAX ? (int32_t)(frames > 0 ? frames : 1) : BW_SHEET_MAX;
}

/// 1 when `frame` is one of the frames spread evenly over the movie, the last one always among them.
static int frame_wanted(const struct bw_sheet *s, int64_t frame)
{
    int64_t frames = s->last - s->first + 1, at = frame - s->first + 1;
    return at * s->wanted / frames != (at - 1) * s->wanted / frames;
}

enum bw_status bw_sheet_add(struct bw_sheet *s, const struct bw_tools *tools, int64_t frame, const struct bw_image *img)
{
    if (s->count >= BW_SHEET_MAX || !frame_wanted(s, frame)) return BW_OK;
    double k = fmin(1, (double)THUMB / (img->w > img->h ? img->w : img->h));
    int32_t w = (int32_t)fmax(1, lround(img->w * k)), h = (int32_t)fmax(1, lround(img->h * k));
    enum bw_status status = bw_image_init(&s->thumb[s->count], tools, w, h);
    if (status) return status;
    bw_image_shrink(img, &s->thumb[s->count]);
    s->frame[s->count++] = frame;
    return BW_OK;
}

enum bw_status bw_sheet_draw(const struct bw_sheet *s, const struct bw_tools *tools, struct bw_image *out)
{
    static const float ground[3] = {0.055f, 0.058f, 0.064f};
    if (!s->count) return BW_ERR_USAGE;
    int32_t w = s->thumb[0].w, h = s->thumb[0].h, columns = s->count < COLUMNS ? s->count : COLUMNS;
    int32_t rows = (s->count + columns - 1) / columns;
    enum bw_status status = bw_image_init(out, tools, columns * (w + GAP) + GAP, rows * (h + GAP) + GAP);
    if (status) return status;
    bw_draw_rect(out, 0, 0, out->w, out->h, ground, 1);
    for (int32_t i = 0; i < s->count; i++) {
        int32_t x = GAP + i % columns * (w + GAP), y = GAP + i / columns * (h + GAP);
        char label[24];
        bw_image_paste(out, &s->thumb[i], x, y);
        snprintf(label, sizeof label, "%lld", (long long)s->frame[i]);
        bw_draw_label(out, x + w - 8 - bw_text_width(9, label), y + 8, 9, label);
    }
    return BW_OK;
}

void bw_sheet_free(struct bw_sheet *s)
{
    for (int32_t i = 0; i < s->count; i++) bw_image_free(&s->thumb[i]);
    s->count = 0;
}
