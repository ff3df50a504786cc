// SPDX-License-Identifier: Apache-2.0
#include "sheet.h"
#include <picture/image/draw.h>
#include <picture/image/font.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 4, THUMB = 360, GAP = 6 }; ///< pixels; THUMB: longer side

static size_t thumb_bytes(const struct bw_sheet *s) { return 3 * (size_t)s->w * (size_t)s->h; }

static enum bw_status thumb_room(const struct bw_sheet *s, const struct bw_tools *tools, struct bw_sheet_thumb *t)
{
    if (!t->rgb) t->rgb = tools->alloc(tools->ctx, thumb_bytes(s));
    return t->rgb ? BW_OK : BW_ERR_MEMORY;
}

/* ---- keeping ---- */

static void size_choose(struct bw_sheet *s, const struct bw_image *img)
{
    double k = fmin(1, (double)THUMB / (img->w > img->h ? img->w : img->h));
    s->w = (int32_t)fmax(1, lround(img->w * k));
    s->h = (int32_t)fmax(1, lround(img->h * k));
    s->stride = 1;
}

static enum bw_status newest_take(struct bw_sheet *s, const struct bw_tools *tools, int64_t frame,
                                  const struct bw_image *img)
{
    struct bw_image small = {.tools = tools};
    enum bw_status status = thumb_room(s, tools, &s->newest);
    if (!status) status = bw_image_init(&small, tools, s->w, s->h);
    if (status) return status;
    bw_image_shrink(img, &small);
    for (int32_t y = 0; y < s->h; y++) bw_image_row(&small, y, 8, s->newest.rgb + 3 * (size_t)y * (size_t)s->w);
    bw_image_free(&small);
    s->newest.frame = frame;
    return BW_OK;
}

/// Every other one goes.
static void stride_double(struct bw_sheet *s, const struct bw_tools *tools)
{
    for (int32_t i = 0; i < s->count; i++) {
        if (i % 2) s->kept[i / 2] = s->kept[i];
        else tools->release(tools->ctx, s->kept[i].rgb);
    }
    s->count /= 2;
    memset(&s->kept[s->count], 0, (size_t)(BW_SHEET_KEPT - s->count) * sizeof *s->kept);
    s->stride *= 2;
}

static enum bw_status newest_keep(struct bw_sheet *s, const struct bw_tools *tools)
{
    struct bw_sheet_thumb *t = &s->kept[s->count];
    enum bw_status status = thumb_room(s, tools, t);
    if (status) return status;
    memcpy(t->rgb, s->newest.rgb, thumb_bytes(s));
    t->frame = s->newest.frame;
    s->count++;
    return BW_OK;
}

enum bw_status bw_sheet_add(struct bw_sheet *s, const struct bw_tools *tools, int64_t frame, const struct bw_image *img)
{
    if (!s->stride) size_choose(s, img);
    enum bw_status status = newest_take(s, tools, frame, img);
    if (status) return status;
    s->seen++;
    if (s->count == BW_SHEET_KEPT && s->seen % s->stride == 0) stride_double(s, tools);
    return s->seen % s->stride ? BW_OK : newest_keep(s, tools);
}

/* ---- drawing ---- */

int32_t bw_sheet_choose(const struct bw_sheet *s, const struct bw_sheet_thumb *out[BW_SHEET_MAX])
{
    const int64_t n = s->seen < BW_SHEET_MAX ? s->seen : BW_SHEET_MAX;
    for (int64_t k = 1; k < n; k++) { // two strides or more apart, or stride 1: none comes twice
        const int64_t wanted = (k * s->seen + n - 1) / n;
        out[k - 1] = &s->kept[(wanted + s->stride / 2) / s->stride - 1];
    }
    if (n) out[n - 1] = &s->newest;
    return (int32_t)n;
}

static void thumb_paste(const struct bw_sheet *s, const struct bw_sheet_thumb *t, struct bw_image *out, int32_t x,
                        int32_t y)
{
    for (int32_t j = 0; j < s->h; j++) {
        const uint8_t *from = t->rgb + 3 * (size_t)j * (size_t)s->w;
        float *to = out->px + 3 * ((size_t)(y + j) * (size_t)out->w + (size_t)x);
        for (int32_t i = 0; i < 3 * s->w; i++) to[i] = (float)from[i] / 255;
    }
}

enum bw_status bw_sheet_draw(const struct bw_sheet *s, const struct bw_tools *tools, struct bw_image *out)
{
    static const float ground[3] = {0.055f, 0.058f, 0.064f};
    const struct bw_sheet_thumb *t[BW_SHEET_MAX];
    const int32_t n = bw_sheet_choose(s, t), w = s->w, h = s->h;
    if (!n) return BW_ERR_USAGE;
    int32_t columns = n < COLUMNS ? n : COLUMNS, rows = (n + columns - 1) / columns;
    enum bw_status status = bw_image_init(out, tools, columns * (w + GAP) + GAP, rows * (h + GAP) + GAP);
    if (status) return status;
    bw_draw_rect(out, 0, 0, out->w, out->h, ground, 1);
    for (int32_t i = 0; i < n; i++) {
        int32_t x = GAP + i % columns * (w + GAP), y = GAP + i / columns * (h + GAP);
        char label[24];
        thumb_paste(s, t[i], out, x, y);
        snprintf(label, sizeof label, "%lld", (long long)t[i]->frame);
        bw_draw_label(out, x + w - 8 - bw_text_width(9, label), y + 8, 9, label);
    }
    return BW_OK;
}

/* ---- a checkpoint ---- */

static enum bw_status thumb_checkpoint(struct bw_sheet *s, const struct bw_tools *tools, struct bw_sheet_thumb *t,
                                       const char *key, struct bw_archive *a)
{
    char number[64];
    snprintf(number, sizeof number, "%s.frame", key);
    enum bw_status status = thumb_room(s, tools, t);
    if (!status) status = a->bytes(a, number, &t->frame, sizeof t->frame);
    return status ? status : a->bytes(a, key, t->rgb, thumb_bytes(s));
}

/// Is it a sheet that bw_sheet_add can have left?
static int head_good(const int64_t head[5])
{
    const int64_t seen = head[0], stride = head[1], count = head[2];
    if (!seen) return !stride && !count;
    if (seen < 0 || seen > INT32_MAX || stride < 1 || count != seen / stride) return 0;
    return count >= (stride > 1 ? BW_SHEET_KEPT / 2 : 0) && count <= BW_SHEET_KEPT && head[3] > 0 && head[3] <= THUMB &&
           head[4] > 0 && head[4] <= THUMB;
}

enum bw_status bw_sheet_checkpoint(struct bw_sheet *s, const struct bw_tools *tools, struct bw_archive *a)
{
    int64_t head[5] = {s->seen, s->stride, s->count, s->w, s->h};
    char key[32];
    enum bw_status status = a->bytes(a, "sheet", head, sizeof head);
    if (status || !head_good(head)) return status ? status : BW_ERR_IO;
    s->w = (int32_t)head[3], s->h = (int32_t)head[4];
    for (int32_t i = 0; i < head[2] && !status; i++) {
        snprintf(key, sizeof key, "sheet.%d", i);
        status = thumb_checkpoint(s, tools, &s->kept[i], key, a);
    }
    if (!status && head[0]) status = thumb_checkpoint(s, tools, &s->newest, "sheet.newest", a);
    if (status) return status;
    s->seen = head[0], s->stride = head[1], s->count = (int32_t)head[2];
    return BW_OK;
}

void bw_sheet_free(struct bw_sheet *s, const struct bw_tools *tools)
{
    for (int32_t i = 0; i < BW_SHEET_KEPT; i++) tools->release(tools->ctx, s->kept[i].rgb);
    tools->release(tools->ctx, s->newest.rgb);
    *s = (struct bw_sheet){0};
}
