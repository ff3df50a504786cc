// SPDX-License-Identifier: Apache-2.0
#include "slice.h"
#include "bodies.h"
#include "light/relief.h"
#include "light/schlieren.h"
#include <picture/image/draw.h>
#include <picture/image/font.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

struct draw {
    const struct bw_slice *s;
    struct bw_image *img;
    enum bw_map map;
    double range[2];
    int colour;           ///< the vector is a colour and is shown as it is
    struct bw_image glow; ///< of maps that glow: the picture before obstacles are laid over it, smaller
};

/// Scalar to be coloured: the value, or a vector's length.
static float value_read(const struct bw_slice *s, double u, double v)
{
    if (!s->value[1]) return bw_slice_read(s, s->value[0], u, v);
    float sum = 0;
    for (int c = 0; c < 3 && s->value[c]; c++) {
        float x = bw_slice_read(s, s->value[c], u, v);
        sum += x * x;
    }
    return sqrtf(sum);
}

void bw_slice_range(const struct bw_slice *s, double range[2])
{
    range[0] = HUGE_VAL;
    range[1] = -HUGE_VAL;
    for (int j = 0; j < s->n[1]; j++)
        for (int i = 0; i < s->n[0]; i++) {
            double x = (double)value_read(s, i + 0.5, j + 0.5);
            if (x < range[0]) range[0] = x;
            if (x > range[1]) range[1] = x;
        }
    if (!(range[0] <= range[1])) range[0] = range[1] = 0;
}

void bw_slice_size(const int32_t n[2], int32_t height, int32_t size[2])
{
    double aspect = fmin(fmax((double)n[0] / n[1], 0.125), 8);
    double h = aspect > 2 ? height * 2 / aspect : height; // wide slices: width counts
    size[0] = 2 * (int32_t)fmax(lround(h * aspect / 2), 8);
    size[1] = 2 * (int32_t)fmax(lround(h / 2), 8);
}

/// A dye as light through it: colour over the dark ground of the smoke map.
static void colour_show(const struct bw_slice *s, double u, double v, float top, float rgb[3])
{
    float ground[3];
    bw_map_colour(BW_MAP_SMOKE, 0, ground);
    for (int c = 0; c < 3; c++) {
        float x = bw_slice_read_sharp(s, s->value[c], u, v) / top;
        rgb[c] = ground[c] + (1 - ground[c]) * powf(fminf(fmaxf(x, 0), 1), 1 / 2.2f);
    }
}

/// A dye as ink in water before paper: full strength lets little but light of its colour through, less of it lets
/// through more (Beer and Lambert).
static void ink_show(const struct bw_slice *s, double u, double v, float top, float rgb[3])
{
    float paper[3], x[3], most = 1e-6f * top;
    bw_map_colour(BW_MAP_INK, 0, paper);
    for (int c = 0; c < 3; c++) {
        x[c] = fmaxf(bw_slice_read_sharp(s, s->value[c], u, v), 0);
        most = fmaxf(most, x[c]);
    }
    for (int c = 0; c < 3; c++) rgb[c] = paper[c] * powf(0.55f * fmaxf(x[c] / most, 0.01f), 1.6f * most / top / 2.2f);
}

static void row_draw(int64_t y, void *user)
{
    const struct draw *d = user;
    const struct bw_slice *s = d->s;
    const double pixel[2] = {(double)s->n[0] / d->img->w, (double)s->n[1] / d->img->h};
    const double v = s->n[1] - ((double)y + 0.5) * pixel[1];
    float span = (float)(d->range[1] - d->range[0]);
    for (int x = 0; x < d->img->w; x++) {
        const double u = (x + 0.5) * pixel[0];
        float *rgb = d->img->px + 3 * ((size_t)y * (size_t)d->img->w + (size_t)x);
        if (d->colour) (d->map == BW_MAP_INK ? ink_show : colour_show)(s, u, v, (float)fmax(d->range[1], 1e-30), rgb);
        else if (d->map == BW_MAP_SCHLIEREN && !s->value[1]) bw_schlieren_show(s, u, v, d->range, rgb);
        else bw_map_colour(d->map, span > 0 ? (value_read(s, u, v) - (float)d->range[0]) / span : 0, rgb);
    }
}

static void row_bodies(int64_t y, void *user)
{
    const struct draw *d = user;
    const struct bw_slice *s = d->s;
    const double pixel[2] = {(double)s->n[0] / d->img->w, (double)s->n[1] / d->img->h};
    const double v = s->n[1] - ((double)y + 0.5) * pixel[1];
    for (int x = 0; x < d->img->w; x++)
        bw_slice_bodies(s, (x + 0.5) * pixel[0], v, pixel, d->img->h, d->glow.px ? &d->glow : NULL,
                        d->img->px + 3 * ((size_t)y * (size_t)d->img->w + (size_t)x));
}

/// How much there is at each pixel, as a share of the range.
struct heights {
    const struct draw *d;
    float *height;
};

static void row_heights(int64_t y, void *user)
{
    const struct heights *to = user;
    const struct bw_slice *s = to->d->s;
    const int32_t w = to->d->img->w;
    const double pixel[2] = {(double)s->n[0] / w, (double)s->n[1] / to->d->img->h};
    const float lo = to->d->colour ? 0 : (float)to->d->range[0], span = (float)to->d->range[1] - lo;
    for (int x = 0; x < w; x++) {
        const float value = value_read(s, (x + 0.5) * pixel[0], s->n[1] - ((double)y + 0.5) * pixel[1]);
        to->height[y * w + x] = span > 0 ? fminf(fmaxf((value - lo) / span, 0), 1) : 0;
    }
}

static enum bw_status relief_draw(const struct bw_tools *tools, const struct draw *d, double strength)
{
    struct heights to = {d, tools->alloc(tools->ctx, (size_t)d->img->w * (size_t)d->img->h * sizeof(float))};
    if (!to.height) return BW_ERR_MEMORY;
    tools->parallel(tools->ctx, d->img->h, row_heights, &to);
    enum bw_status status = bw_slice_relief(tools, d->img, to.height, strength);
    tools->release(tools->ctx, to.height);
    return status;
}

static enum bw_status bodies_draw(const struct bw_tools *tools, struct draw *d)
{
    enum { SHRINK = 8 };
    enum bw_status status = BW_OK;
    if (!d->s->solid) return BW_OK;
    if (d->map == BW_MAP_SCHLIEREN && d->range[0] > 0) { // only then does anything glow
        status = bw_image_init(&d->glow, tools, 1 + d->img->w / SHRINK, 1 + d->img->h / SHRINK);
        if (!status) bw_image_shrink(d->img, &d->glow);
    }
    if (!status) tools->parallel(tools->ctx, d->img->h, row_bodies, d);
    bw_image_free(&d->glow);
    return status;
}

/// A round length of about a quarter of the picture: 1, 2 or 5 times a power of ten.
static double round_length(double wanted)
{
    double ten = pow(10, floor(log10(wanted))), f = wanted / ten;
    return ten * (f >= 5 ? 5 : f >= 2 ? 2 : 1);
}

static void scale_bar(const struct draw *d, double text)
{
    static const float white[3] = {0.94f, 0.94f, 0.92f}, black[3] = {0.02f, 0.02f, 0.03f};
    double metre = d->img->w / (d->s->n[0] * d->s->h), len = round_length(0.28 * d->img->w / metre), px = len * metre;
    double x = text, y = d->img->h - 1.4 * text;
    char label[40];
    if (len >= 1) snprintf(label, sizeof label, "%g m", len);
    else if (len >= 0.01) snprintf(label, sizeof label, "%g cm", len * 100);
    else snprintf(label, sizeof label, "%g mm", len * 1000);
    bw_draw_rect(d->img, x - 1, y - 1, x + px + 1, y + 0.3 * text + 1, black, 0.5f);
    bw_draw_rect(d->img, x, y, x + px, y + 0.3 * text, white, 1);
    bw_draw_label(d->img, x, y - 1.7 * text, text, label);
}

static void colour_bar(const struct draw *d, double text)
{
    static const float black[3] = {0.02f, 0.02f, 0.03f};
    char lo[32], hi[32];
    snprintf(lo, sizeof lo, "%.3g", d->range[0]);
    snprintf(hi, sizeof hi, "%.3g", d->range[1]);
    const double least = bw_text_width(text, lo) + bw_text_width(text, hi) + text; // the two do not touch
    double w = fmax(0.22 * d->img->w, least), x = d->img->w - text - w, y = d->img->h - 1.7 * text;
    bw_draw_rect(d->img, x - 1, y - 1, x + w + 1, y + 0.6 * text + 1, black, 0.6f);
    for (int i = 0; i < (int)w; i++) {
        float rgb[3];
        bw_map_colour(d->map, (float)(i / w), rgb);
        bw_draw_rect(d->img, x + i, y, x + i + 1, y + 0.6 * text, rgb, 1);
    }
    bw_draw_label(d->img, x, y - 1.7 * text, text, lo);
    bw_draw_label(d->img, x + w - bw_text_width(text, hi), y - 1.7 * text, text, hi);
}

/* As finely as frames follow each other: "0.42 s", "0.05 ms". */
static void time_write(const struct bw_slice *s, char *out, size_t size)
{
    static const char *const unit[] = {"s", "ms", "us"};
    const double step = s->fps > 0 ? 1 / s->fps : 1.0 / 24;
    const int u = step >= 1e-3 ? 0 : step >= 1e-6 ? 1 : 2;
    const double scale = pow(1000, u), finest = step * scale;
    const int digits = finest >= 0.02 ? 2 : 3;
    const double rounds = fabs(s->time) * scale < 0.5 * pow(10, -digits) ? 0 : s->time * scale; // no "-0.00"
    snprintf(out, size, "%.*f %s", digits, rounds, unit[u]);
}

/// As many to a line as fit.
static void parts_draw(const struct draw *d, double text, const char *const *part, size_t n)
{
    char line[300] = "", longer[300];
    double y = text;
    for (size_t i = 0; i < n; i++) {
        snprintf(longer, sizeof longer, "%s%s%s", line, *line ? "  " : "", part[i]);
        if (*line && bw_text_width(text, longer) > d->img->w - 2 * text) {
            bw_draw_label(d->img, text, y, text, line);
            y += 1.7 * text;
            snprintf(longer, sizeof longer, "%s", part[i]);
        }
        memcpy(line, longer, sizeof line);
    }
    bw_draw_label(d->img, text, y, text, line);
}

static void title_draw(const struct draw *d, double text)
{
    static const char axis[] = "xyz";
    const struct bw_slice *s = d->s;
    char what[96], frame[32], range[64], plane[40], time[48];
    const char *unit = s->unit && strcmp(s->unit, "1") ? s->unit : "";
    snprintf(what, sizeof what, "%s%s%s%s", s->field, s->value[1] && !d->colour ? " length" : "", *unit ? " in " : "",
             unit);
    snprintf(range, sizeof range, "%.3g to %.3g", d->range[0], d->range[1]);
    const double at = fabs(s->position) < 1e-6 * s->h ? 0 : s->position; // no "4.34e-19"
    snprintf(plane, sizeof plane, "%c = %.3g m", axis[s->axis], at);
    time_write(s, time, sizeof time);
    snprintf(frame, sizeof frame, "frame %lld", (long long)s->frame);
    const char *const part[] = {what, frame, time, plane, range};
    parts_draw(d, text, part, sizeof part / sizeof *part);
}

enum bw_status bw_slice_draw(const struct bw_tools *tools, const struct bw_slice *s, const struct bw_slice_style *style,
                             struct bw_image *img)
{
    struct draw d = {.s = s, .img = img, .map = style->map, .range = {style->range[0], style->range[1]}};
    if (!(d.range[0] < d.range[1])) bw_slice_range(s, d.range);
    d.colour = s->value[2] && (style->map == BW_MAP_AUTO || style->map == BW_MAP_INK) && !strcmp(s->field, "dye");
    if (d.map == BW_MAP_AUTO) d.map = bw_map_for(s->field, d.range[0], d.range[1]);
    tools->parallel(tools->ctx, img->h, row_draw, &d);
    enum bw_status status =
        d.map == BW_MAP_SCHLIEREN && !s->value[1] ? bw_schlieren_spill(tools, s, d.range, img) : BW_OK;
    if (!status && style->relief > 0) status = relief_draw(tools, &d, style->relief);
    if (!status) status = bodies_draw(tools, &d);
    if (!status && s->flow[0] && style->vectors) status = bw_flow_draw(tools, s, style->vectors, img);
    if (!style->labels) return status;
    double text = fmin(fmax(img->h / 50.0, 7), fmax(img->w / 60.0, 7));
    title_draw(&d, text);
    scale_bar(&d, text);
    if (!d.colour) colour_bar(&d, text);
    return status;
}
