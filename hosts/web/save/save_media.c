// SPDX-License-Identifier: Apache-2.0
#include "save_media.h"

#include "clock.h"
#include "render/jpeg.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_NUMBER = 9999, PATH = 4096 };
static const double CLIENT_TIMEOUT_S = 20; ///< a page that sends no frame for so long is gone

/* ---- files ---- */

/// The folder `views` beside the source's files; for a preview, whose files are temporary, in the working folder. 0:
/// the sentence is in `result`.
static int folder_make(struct source *s, char out[PATH], char result[PATH])
{
    char *at = !strcmp(s->kind, "preview") ? strdup(".") : source_path(s, "."), *real = at ? realpath(at, NULL) : NULL;
    const int there = real && snprintf(out, PATH - 300, "%s/views", real) < PATH - 300;
    free(at);
    free(real);
    if (!there) {
        snprintf(result, PATH, "this bake writes no files: there is no folder to save in");
        return 0;
    }
    struct stat st; // a symbolic link would lead the files elsewhere
    if ((!mkdir(out, 0777) || errno == EEXIST) && !lstat(out, &st)) {
        if (S_ISDIR(st.st_mode)) return 1;
        errno = ENOTDIR;
    }
    snprintf(result, PATH, "cannot make %.3000s: %s", out, strerror(errno));
    return 0;
}

/// The title as part of a file's name.
static void host_name(struct source *s, char out[100])
{
    pthread_mutex_lock(&s->lock);
    snprintf(out, 100, "%s", s->title && *s->title ? s->title : "view");
    pthread_mutex_unlock(&s->lock);
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_", *c)) *c = '_';
}

/// Write the first of NAME_001.ending, NAME_002.ending … that does not exist, by `write`, which answers BW_ERR_IO where
/// a file exists. 1: its path is in `result`; 0: the sentence is.
static int file_write(struct source *s, const char *ending, enum bw_status (*write)(void *user, const char *path),
                      void *user, char result[PATH])
{
    char folder[PATH], name[100];
    if (!folder_make(s, folder, result)) return 0;
    host_name(s, name);
    for (int i = 1; i <= MAX_NUMBER; i++) {
        snprintf(result, PATH, "%.3700s/%s_%03d.%s", folder, name, i, ending);
        if (!access(result, F_OK)) continue;
        const enum bw_status status = write(user, result);
        if (!status) return 1;
        if (status == BW_ERR_IO && !access(result, F_OK)) continue; // another process has just written it
        snprintf(result, PATH, "%s", bw_error_last()->sentence);
        return 0;
    }
    snprintf(result, PATH, "%.3000s holds %d of them: no name is left", folder, MAX_NUMBER);
    return 0;
}

static enum bw_status png_write(void *pixels, const char *path) { return bw_pixels_write(pixels, path); }
static enum bw_status mp4_write(void *movie, const char *path) { return bw_film_write(movie, path); }

/* ---- responses ---- */

static struct response file_response(struct sources *sources, const struct query *q, const char *ending,
                                     enum bw_status (*write)(void *user, const char *path), void *user)
{
    char result[PATH] = "nothing is shown";
    struct source *s = sources_acquire(sources, q->source);
    const int good = s && file_write(s, ending, write, user, result);
    sources_release(sources, s);
    return text_response(good ? MHD_HTTP_OK : MHD_HTTP_CONFLICT, result);
}

/// Add a frame to the page's movie, or begin one. 409: another page is making one.
static struct response frame_add(struct recorder *r, const struct upload *upload, struct bw_pixels *p)
{
    const int own = !strcmp(r->client, upload->client);
    const double now = clock_seconds(CLOCK_MONOTONIC);
    if (r->movie && !own && now - r->last < CLIENT_TIMEOUT_S)
        return text_response(MHD_HTTP_CONFLICT, "another movie is being made");
    if (!own) recorder_cancel(r);
    enum bw_status status = r->movie ? BW_OK : bw_film_open(p->width, p->height, upload->query->fps, &r->movie);
    if (!status) status = bw_film_add(r->movie, p);
    snprintf(r->client, sizeof r->client, "%s", upload->client);
    r->last = now;
    return status ? text_response(MHD_HTTP_CONFLICT, bw_error_last()->sentence) : text_response(MHD_HTTP_OK, "");
}

static struct response movie_end(struct recorder *r, struct sources *sources, const struct upload *upload)
{
    if (!r->movie || strcmp(r->client, upload->client) != 0)
        return text_response(MHD_HTTP_CONFLICT, "no movie is being made");
    struct response out = upload->kind == SAVE_MOVIE ? file_response(sources, upload->query, "mp4", mp4_write, r->movie)
                                                     : text_response(MHD_HTTP_OK, "cancelled");
    recorder_cancel(r);
    return out;
}

struct response save_response(struct recorder *r, struct sources *sources, const struct upload *upload)
{
    struct bw_pixels p;
    if (upload->kind == SAVE_MOVIE || upload->kind == SAVE_CANCEL) return movie_end(r, sources, upload);
    if (!upload->jpeg || !jpeg_decode(upload->jpeg, upload->size, &p))
        return text_response(MHD_HTTP_CONFLICT, "what was sent is no picture");
    struct response out = upload->kind == SAVE_FRAME ? frame_add(r, upload, &p)
                                                     : file_response(sources, upload->query, "png", png_write, &p);
    free(p.memory);
    return out;
}

void recorder_cancel(struct recorder *r)
{
    if (r->movie) bw_film_close(r->movie);
    *r = (struct recorder){0};
}
