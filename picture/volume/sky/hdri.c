// SPDX-License-Identifier: Apache-2.0
/* Radiance's .hdr (Ward 1991): a head of lines, an empty one, "-Y h +X w", then lines of {r, g, b, exponent}, of
 * which each may be packed: 2, 2, w, then the four channels one after the other in runs (over 128: the next byte so
 * many times less 128) and heaps. OpenEXR by the library's reader, its channels in the order of their names. */
#include "hdri.h"
#include <picture/image/pixels.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// Of a pixel: a thousand times the sun's. Beyond, sums of the renderer's are no numbers any more.
static const float light_most = 1e9f;

/// By its first bytes: the name may end as it likes.
static int is_exr(FILE *f)
{
    static const uint8_t exr[4] = {0x76, 0x2f, 0x31, 0x01};
    uint8_t first[4];
    const int is = fread(first, 1, 4, f) == 4 && !memcmp(first, exr, 4);
    rewind(f);
    return is;
}

/// One packed channel of a line.
static int runs_read(FILE *f, int w, uint8_t *to)
{
    for (int x = 0; x < w;) {
        int count = getc(f), value = 0;
        if (count <= 0) return 0;
        const int run = count > 128;
        if (run) count -= 128, value = getc(f);
        if (count > w - x || value < 0) return 0;
        for (; count; count--) {
            if (!run && (value = getc(f)) < 0) return 0;
            to[4 * x++] = (uint8_t)value;
        }
    }
    return 1;
}

static int line_read(FILE *f, int w, uint8_t *to)
{
    uint8_t head[4];
    if (fread(head, 1, 4, f) != 4) return 0;
    if (head[0] == 2 && head[1] == 2 && (head[2] << 8 | head[3]) == w) {
        for (int c = 0; c < 4; c++)
            if (!runs_read(f, w, to + c)) return 0;
        return 1;
    }
    memcpy(to, head, 4);
    return fread(to + 4, 1, 4 * (size_t)(w - 1), f) == 4 * (size_t)(w - 1);
}

static void line_decode(const uint8_t *from, int w, float *to)
{
    for (int x = 0; x < w; x++, from += 4)
        for (int c = 0; c < 3; c++) *to++ = from[3] ? ldexpf((float)from[c] + 0.5f, from[3] - 136) : 0;
}

/// The head, up to the size.
static int size_read(FILE *f, struct bw_hdri *out)
{
    char line[512] = "";
    if (!fgets(line, sizeof line, f) || strncmp(line, "#?", 2)) return 0;
    while (fgets(line, sizeof line, f) && line[0] != '\n' && line[0] != '\r') {
    }
    if (!fgets(line, sizeof line, f) || sscanf(line, "-Y %d +X %d", &out->h, &out->w) != 2) return 0;
    return out->w > 0 && out->h > 0 && out->w <= BW_PIXELS_EDGE && out->h <= BW_PIXELS_EDGE;
}

static int radiance_read(FILE *f, struct bw_hdri *out)
{
    if (!size_read(f, out)) return 0;
    const size_t line = (size_t)out->w;
    uint8_t *packed = malloc(4 * line);
    out->rgb = calloc(line * (size_t)out->h, 3 * sizeof *out->rgb);
    int good = packed && out->rgb;
    for (int y = 0; good && y < out->h; y++) {
        good = line_read(f, out->w, packed);
        if (good) line_decode(packed, out->w, out->rgb + 3 * line * (size_t)y);
    }
    free(packed);
    return good;
}

static int channel_find(const struct bw_read_pixels *p, const char *name)
{
    for (int c = 0; c < p->channels; c++)
        if (!strcmp(p->name[c], name)) return c;
    return -1;
}

static int exr_read(const char *path, struct bw_hdri *out)
{
    struct bw_read_pixels p = {0};
    int good = bw_pixels_read_exr(path, &p);
    const int from[3] = {channel_find(&p, "R"), channel_find(&p, "G"), channel_find(&p, "B")};
    const size_t pixels = good ? (size_t)p.width * (size_t)p.height : 0;
    good = good && from[0] >= 0 && from[1] >= 0 && from[2] >= 0;
    if (good) out->rgb = calloc(pixels, 3 * sizeof *out->rgb);
    good = good && out->rgb;
    for (size_t i = 0; good && i < pixels; i++)
        for (size_t c = 0; c < 3; c++) out->rgb[3 * i + c] = p.value[i * (size_t)p.channels + (size_t)from[c]];
    out->w = p.width, out->h = p.height;
    free(p.value);
    return good;
}

/* A pipe would wait for ever. */
static FILE *file_open(const char *path, char *why, size_t why_size)
{
    struct stat st;
    FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    if (!f) snprintf(why, why_size, "there is no file %s for the sky", path);
    return f;
}

static void no_picture(const char *path, char *why, size_t why_size)
{
    snprintf(why, why_size, "%s is no picture for a sky: .hdr, or .exr of lines, with three colours", path);
}

int bw_hdri_begins(const char *path, char *why, size_t why_size)
{
    struct bw_hdri head = {0};
    FILE *f = file_open(path, why, why_size);
    if (!f) return 0;
    const int good = is_exr(f) || size_read(f, &head);
    if (!good) no_picture(path, why, why_size);
    fclose(f);
    return good;
}

int bw_hdri_read(const char *path, struct bw_hdri *out, char *why, size_t why_size)
{
    *out = (struct bw_hdri){0};
    FILE *f = file_open(path, why, why_size);
    int good = f != NULL;
    if (good && is_exr(f)) good = exr_read(path, out);
    else if (good) good = radiance_read(f, out);
    if (f && !good) no_picture(path, why, why_size);
    if (f) fclose(f);
    for (size_t i = 0; good && i < 3 * (size_t)out->w * (size_t)out->h; i++) {
        if (isfinite(out->rgb[i]) && out->rgb[i] >= 0) continue;
        out->rgb[i] = 0; // dead pixels of a camera
    }
    if (!good) bw_hdri_free(out);
    return good;
}

void bw_hdri_free(struct bw_hdri *p)
{
    free(p->rgb);
    *p = (struct bw_hdri){0};
}

void bw_hdri_sky(const struct bw_hdri *file, int32_t step, struct bw_sky *s)
{
    const double turns = s->wish.turn / (2 * 3.14159265358979323846);
    const int shift = (int)lround((turns - floor(turns)) * s->w); // its pixels go to the left: anticlockwise from above
    const float gain = (float)(s->wish.strength / (step * step));
    for (int y = 0; y < s->h; y++)
        for (int x = 0; x < s->w; x++) {
            float *to = s->rgb + 3 * (y * s->w + (x - shift + s->w) % s->w);
            for (int q = 0; q < step * step; q++) {
                const int at[2] = {x * step + q % step, y * step + q / step};
                if (at[0] >= file->w || at[1] >= file->h) continue;
                const float *rgb = file->rgb + 3 * ((size_t)at[1] * (size_t)file->w + (size_t)at[0]);
                for (int c = 0; c < 3; c++) to[c] = fminf(to[c] + gain * rgb[c], light_most);
            }
        }
}
