// SPDX-License-Identifier: Apache-2.0
/* PNG and EXR files compared by pixel values. */
#include "compare.h"

#include <picture/image/pixels.h>
#include <stdlib.h>

static void pixels_compare(const struct file_pair *c, const struct bw_read_pixels *a, const struct bw_read_pixels *b)
{
    if (a->width != b->width || a->height != b->height || a->channels != b->channels || a->bits != b->bits) {
        difference_add(c, "form", NULL, "%d × %d pixels, %d channels of %d bits; %d × %d, %d of %d", a->width,
                       a->height, a->channels, a->bits, b->width, b->height, b->channels, b->bits);
        return;
    }
    struct deviation s = {0};
    size_t n = (size_t)a->width * (size_t)a->height * (size_t)a->channels, row = (size_t)a->width * (size_t)a->channels;
    for (size_t i = 0; i < n; i++) deviation_add(&s, (double)a->value[i], (double)b->value[i], i);
    if (!s.differ) return;
    int x = (int)(s.at % row) / a->channels, y = (int)(s.at / row), channel = (int)(s.at % row) % a->channels;
    difference_add(c, "pixels",
                   json_pack("{s:I, s:o, s:o, s:[i,i], s:i}", "differ", (json_int_t)s.differ, "max",
                             json_finite(s.most), "mean", json_finite(deviation_mean(&s)), "at", x, y, "channel",
                             channel),
                   "%zu of %zu values differ, by %.4g at most, in channel %d of pixel (%d, %d): %.6g, %.6g; mean %.4g",
                   s.differ, s.n, s.most, channel, x, y, s.a, s.b, deviation_mean(&s));
}

static void both_compare(const struct file_pair *c, bool (*read)(const char *path, struct bw_read_pixels *out))
{
    struct bw_read_pixels a = {0}, b = {0};
    if (!read(c->a, &a)) difference_add(c, "unreadable", NULL, "%s can't be read as a picture", c->a);
    else if (!read(c->b, &b)) difference_add(c, "unreadable", NULL, "%s can't be read as a picture", c->b);
    else pixels_compare(c, &a, &b);
    free(a.value);
    free(b.value);
}

void compare_png(const struct file_pair *c) { both_compare(c, bw_pixels_read_png); }
void compare_exr(const struct file_pair *c) { both_compare(c, bw_pixels_read_exr); }
