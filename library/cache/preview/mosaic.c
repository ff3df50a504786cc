// SPDX-License-Identifier: Apache-2.0
/* Contact sheet of several caches (bw_cache_mosaic): previews side by side, each below its label, as a picture of one
 * frame or as a movie, in which shorter caches stay at their last frame. */
#include "cache/cache.h"

#include "options.h"
#include "base/file.h"
#include "run/output/files.h"
#include "view/picture_tools.h"
#include <picture/image/draw.h>
#include <picture/image/font.h>
#include <picture/movie/movie.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GAP = 6, LETTER = 9, LINE = 18, SIDE_MOST = 16384 }; ///< pixels

struct mosaic {
    const struct bw_mosaic_wish *request;
    struct cache **cache; ///< NULL: an empty place
    struct bw_tools tools;
    struct api_call *api;
    int32_t rows, lines;    ///< of pictures; of the longest label
    int32_t tile_w, tile_h; ///< of the largest picture
    int64_t frames;         ///< of the longest cache
    struct bw_movie *movie;
    char why[1024];
};

static int is_movie(const struct bw_mosaic_wish *w) { return bw_file_has_ending(w->out, ".mp4"); }

/* ---- one picture ---- */

/* Frame number `at` of a cache, counted from 0; later ones are its last. */
static int picture_get(struct mosaic *m, int32_t i, int64_t at, struct bw_pixels *out)
{
    struct cache *c = m->cache[i];
    *out = (struct bw_pixels){.width = 0};
    if (!c || !c->files.count) return 0;
    int64_t last = c->files.count - 1;
    return !cache_picture(c, c->files.frame[at < last ? at : last], m->request->options, out, m->api);
}

static void pixels_paste(struct bw_image *img, const struct bw_pixels *p, int32_t x, int32_t y)
{
    const uint8_t *from = p->memory;
    for (int32_t j = 0; j < p->height && y + j < img->h; j++) {
        float *to = img->px + 3 * ((size_t)(y + j) * (size_t)img->w + (size_t)x);
        for (int32_t k = 0; k < 3 * p->width; k++)
            to[k] = (float)from[3 * (size_t)j * (size_t)p->width + (size_t)k] / 255;
    }
}

/* A label's lines, smaller where one is wider than its picture. */
static void label_draw(const struct mosaic *m, struct bw_image *img, const char *label, double x, double y)
{
    char line[256];
    for (; label && *label; y += LINE) {
        size_t n = strcspn(label, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, label);
        double size = LETTER, width = bw_text_width(size, line);
        if (width > m->tile_w) size *= m->tile_w / width;
        bw_draw_label(img, x, y, size, line);
        label += n + (label[n] == '\n');
    }
}

/* ---- all of them ---- */

static enum bw_status frame_draw(struct mosaic *m, int64_t at, struct bw_image *img)
{
    static const float ground[3] = {0.055f, 0.058f, 0.064f}, empty[3] = {0.10f, 0.105f, 0.115f};
    const int32_t columns = m->request->columns, head = m->lines * LINE + GAP;
    const int32_t w = columns * (m->tile_w + GAP) + GAP, h = m->rows * (m->tile_h + head) + GAP;
    if (bw_image_init(img, &m->tools, w + w % 2, h + h % 2)) return out_of_memory(&m->api->d);
    bw_draw_rect(img, 0, 0, img->w, img->h, ground, 1);
    for (int32_t i = 0; i < m->request->count; i++) {
        const int32_t x = GAP + i % columns * (m->tile_w + GAP), y = GAP + i / columns * (m->tile_h + head);
        struct bw_pixels p;
        if (picture_get(m, i, at, &p)) pixels_paste(img, &p, x, y + m->lines * LINE);
        else if (m->api->d.status) return m->api->d.status;
        else bw_draw_rect(img, x, y + m->lines * LINE, x + m->tile_w, y + m->lines * LINE + m->tile_h, empty, 1);
        free(p.memory);
        label_draw(m, img, m->request->labels ? m->request->labels[i] : NULL, x + 2, y + 2);
    }
    return BW_OK;
}

static int32_t label_lines(const char *label)
{
    int32_t n = label && *label ? 1 : 0;
    for (; label && *label; label++) n += *label == '\n';
    return n;
}

/* Sizes and lengths, from the first picture of each. */
static enum bw_status mosaic_measure(struct mosaic *m)
{
    for (int32_t i = 0; i < m->request->count; i++) {
        struct bw_pixels p;
        const int32_t lines = label_lines(m->request->labels ? m->request->labels[i] : NULL);
        if (lines > m->lines) m->lines = lines;
        if (m->cache[i] && m->cache[i]->files.count > m->frames) m->frames = m->cache[i]->files.count;
        if (!picture_get(m, i, 0, &p)) {
            if (m->api->d.status) return m->api->d.status;
            continue;
        }
        if (p.width > m->tile_w) m->tile_w = p.width;
        if (p.height > m->tile_h) m->tile_h = p.height;
        free(p.memory);
    }
    const struct bw_mosaic_wish *w = m->request;
    if (!m->frames) return bw_diag_error(&m->api->d, NULL, BW_ERR_IO, "%s: none of the caches has a frame", w->out);
    if ((int64_t)w->columns * (m->tile_w + GAP) < SIDE_MOST &&
        (int64_t)m->rows * (m->tile_h + m->lines * LINE + GAP) < SIDE_MOST)
        return BW_OK;
    return bw_diag_error(
        &m->api->d, NULL, BW_ERR_USAGE,
        "%s: %d pictures of %d x %d pixels in rows of %d are too large for one; a smaller size is wanted", w->out,
        w->count, m->tile_w, m->tile_h, w->columns);
}

static enum bw_status movie_add(struct mosaic *m, const struct bw_image *img)
{
    const char *encoder;
    const struct bw_movie_options o = {img->w, img->h, m->request->fps > 0 ? m->request->fps : 24, 19};
    enum bw_status status = m->movie ? BW_OK : bw_movie_open(&m->tools, &o, &m->movie, &encoder, m->why, sizeof m->why);
    if (!status) status = bw_movie_add(m->movie, img, m->why, sizeof m->why);
    return status ? bw_diag_error(&m->api->d, NULL, status, "%s", m->why) : BW_OK;
}

static enum bw_status movie_draw(struct mosaic *m, const char *temporary)
{
    for (int64_t at = 0; at < m->frames; at++) {
        struct bw_image img = {.tools = &m->tools};
        enum bw_status status = frame_draw(m, at, &img);
        if (!status) status = movie_add(m, &img);
        bw_image_free(&img);
        if (status) return status;
        if (m->request->on_frame && !m->request->on_frame((int32_t)at + 1, (int32_t)m->frames, m->request->user))
            return m->api->d.status = BW_ERR_CANCELLED;
    }
    enum bw_status status = bw_movie_write(m->movie, temporary, m->why, sizeof m->why);
    return status ? bw_diag_error(&m->api->d, NULL, status, "%s", m->why) : BW_OK;
}

static enum bw_status picture_draw(struct mosaic *m, const char *temporary)
{
    struct bw_image img = {.tools = &m->tools};
    const int64_t place = m->request->place;
    enum bw_status status = frame_draw(m, place > 0 && place <= m->frames ? place - 1 : m->frames - 1, &img);
    if (!status && (status = bw_image_write_png(&img, temporary, 8, m->why, sizeof m->why)))
        bw_diag_error(&m->api->d, NULL, status, "%s", m->why);
    bw_image_free(&img);
    return status;
}

static void mosaic_write(struct mosaic *m)
{
    const char *out = m->request->out;
    char temporary[4200];
    struct file_facts facts;
    struct stat st;
    snprintf(temporary, sizeof temporary, "%.*s.part-%ld", (int)(file_base(out) - out), out, (long)getpid());
    errno = EISDIR;
    int fd = !stat(out, &st) && S_ISDIR(st.st_mode) ? -1 : file_create(AT_FDCWD, temporary);
    if (fd < 0 || close(fd)) {
        bw_diag_error(&m->api->d, BW_NAMED(out), BW_ERR_IO, "cannot write %s: %s", out, strerror(errno));
        return;
    }
    enum bw_status status = mosaic_measure(m);
    if (!status) status = is_movie(m->request) ? movie_draw(m, temporary) : picture_draw(m, temporary);
    if (!status && (!file_settle(AT_FDCWD, temporary, &facts) || rename(temporary, out)))
        status = bw_diag_error(&m->api->d, BW_NAMED(out), BW_ERR_IO, "cannot write %s: %s", out, strerror(errno));
    if (status) remove(temporary);
    bw_movie_close(m->movie);
}

/* ---- bake.h ---- */

static enum bw_status wish_check(const struct bw_mosaic_wish *w, struct bw_diag *d)
{
    if (!w->out || (!bw_file_has_ending(w->out, ".png") && !bw_file_has_ending(w->out, ".mp4")))
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "out is %s; a name that ends in .mp4 or .png is wanted",
                             w->out ? w->out : "nothing");
    if (w->count < 1 || w->columns < 1 || !w->caches)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "a mosaic wants a cache and a column at least");
    return BW_OK;
}

enum bw_status bw_cache_mosaic(const struct bw_mosaic_wish *request)
{
    struct api_call api;
    struct bw_mosaic_wish asked;
    api_enter(&api);
    struct mosaic m = {.request = &asked, .tools = picture_tools(), .api = &api};
    if (host_struct_copy(&asked, request, sizeof asked, "bw_mosaic_wish", &api.d) && !wish_check(&asked, &api.d)) {
        m.cache = bw_calloc((size_t)asked.count * sizeof *m.cache);
        m.rows = (asked.count + asked.columns - 1) / asked.columns;
        if (!m.cache) out_of_memory(&api.d);
        for (int32_t i = 0; !api.d.status && i < asked.count; i++)
            if (asked.caches[i]) m.cache[i] = cache_acquire(asked.caches[i], &api.d);
        if (!api.d.status) mosaic_write(&m);
        for (int32_t i = 0; m.cache && i < asked.count; i++)
            if (m.cache[i]) object_unref(&m.cache[i]->o);
        bw_free(m.cache);
    }
    return api_leave(&api);
}
