// SPDX-License-Identifier: Apache-2.0
/* bw_film: movies and PNG files of pictures that a host has drawn. Atomic, by a temporary file; never overwrites a
 * file. */
#include "picture_tools.h"
#include "run/output/files.h"
#include <picture/movie/movie.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct film {
    struct object o;
    struct bw_tools tools;
    struct bw_movie *movie;
    int32_t size[2];
    pthread_mutex_t lock;
};

static void film_destroy(struct object *o)
{
    struct film *f = (struct film *)o;
    bw_movie_close(f->movie);
    pthread_mutex_destroy(&f->lock);
    bw_free(f);
}

static struct film *film_acquire(struct bw_film *handle, struct bw_diag *d)
{
    return handle_acquire(handle, HANDLE_FILM, d);
}

static struct bw_film *film_make(const struct bw_movie_options *o, struct bw_diag *d)
{
    struct film *f = bw_calloc(sizeof *f);
    struct bw_film *handle = NULL;
    const char *encoder;
    char why[1024] = "";
    if (!f) return out_of_memory(d), NULL;
    object_init(&f->o, film_destroy);
    pthread_mutex_init(&f->lock, NULL);
    f->tools = picture_tools();
    f->size[0] = o->w, f->size[1] = o->h;
    const enum bw_status status = bw_movie_open(&f->tools, o, &f->movie, &encoder, why, sizeof why);
    if (status) bw_diag_error(d, NULL, status, "%s", why);
    else if (!(handle = handle_new(HANDLE_FILM, &f->o))) out_of_memory(d);
    if (!handle) object_unref(&f->o);
    return handle;
}

enum bw_status bw_film_open(int32_t width, int32_t height, double fps, struct bw_film **film)
{
    enum { MOST = 8192 };
    struct api_call api;
    api_enter(&api);
    if (film) *film = NULL;
    if (!film || width < 2 || height < 2 || width > MOST || height > MOST || width % 2 || height % 2 || !(fps > 0))
        bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "a movie of %dx%d pixels, %g frames a second, can't be", width,
                      height, fps);
    else *film = film_make(&(struct bw_movie_options){width, height, fps, 19}, &api.d);
    return api_leave(&api);
}

/// As the movie and the PNG writer take it. Errors: in `d`.
static enum bw_status image_of_pixels(const struct bw_pixels *p, const struct bw_tools *tools, struct bw_image *img,
                                      struct bw_diag *d)
{
    if (!p || !p->memory || p->is_float || p->channels != 3 || p->width < 1 || p->height < 1)
        return bw_diag_error(d, NULL, BW_ERR_USAGE, "a picture of 8 bits and three channels is wanted");
    if (bw_image_init(img, tools, p->width, p->height)) return out_of_memory(d);
    const uint8_t *from = p->memory;
    for (size_t i = 0; i < 3 * (size_t)p->width * (size_t)p->height; i++)
        img->px[i] = ((float)from[i] + 1e-4f) / 255; // the dither adds up to 1, and cuts off
    return BW_OK;
}

static void picture_add(struct film *f, const struct bw_pixels *picture, struct bw_diag *d)
{
    struct bw_image img = {.tools = &f->tools};
    char why[1024] = "";
    if (image_of_pixels(picture, &f->tools, &img, d)) return;
    pthread_mutex_lock(&f->lock);
    const enum bw_status status =
        img.w == f->size[0] && img.h == f->size[1] ? bw_movie_add(f->movie, &img, why, sizeof why) : BW_ERR_USAGE;
    pthread_mutex_unlock(&f->lock);
    bw_image_free(&img);
    if (status)
        bw_diag_error(d, NULL, status, "%s", *why ? why : "all pictures of a movie are of one size, this one is not");
}

enum bw_status bw_film_add(struct bw_film *film, const struct bw_pixels *picture)
{
    struct api_call api;
    api_enter(&api);
    struct film *f = film_acquire(film, &api.d);
    if (f) picture_add(f, picture, &api.d);
    if (f) object_unref(&f->o);
    return api_leave(&api);
}

/// Rename without overwriting, by link and unlink; on file systems without hard links this is not atomic.
static enum bw_status file_rename_new(const char *temporary, const char *path, struct bw_diag *d)
{
    const int linked = !link(temporary, path);
    if (linked || (errno != EEXIST && access(path, F_OK) && !rename(temporary, path))) {
        if (linked) unlink(temporary);
        return BW_OK;
    }
    bw_diag_error(d, NULL, BW_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    unlink(temporary);
    return BW_ERR_IO;
}

/// Create the temporary file; links are not followed. Errors: in `d`.
static enum bw_status temporary_make(const char *path, char out[4200], struct bw_diag *d)
{
    static _Atomic unsigned number; // two at once
    snprintf(out, 4200, "%.*s.part-%ld-%u", (int)(file_base(path) - path), path, (long)getpid(), number++);
    const int fd = file_create(AT_FDCWD, out);
    if (fd >= 0 && !close(fd)) return BW_OK;
    return bw_diag_error(d, NULL, BW_ERR_IO, "cannot write %s: %s", path, strerror(errno));
}

static void file_commit(enum bw_status status, const char *why, const char *temporary, const char *path,
                        struct bw_diag *d)
{
    if (!status) {
        file_rename_new(temporary, path, d);
        return;
    }
    unlink(temporary);
    bw_diag_error(d, NULL, status, "%s", why);
}

enum bw_status bw_film_write(struct bw_film *film, const char *path)
{
    struct api_call api;
    char temporary[4200], why[1024] = "";
    api_enter(&api);
    struct film *f = film_acquire(film, &api.d);
    if (f && !path) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_film_write wants a name");
    else if (f && !temporary_make(path, temporary, &api.d)) {
        pthread_mutex_lock(&f->lock);
        const enum bw_status status = bw_movie_write(f->movie, temporary, why, sizeof why);
        pthread_mutex_unlock(&f->lock);
        file_commit(status, why, temporary, path, &api.d);
    }
    if (f) object_unref(&f->o);
    return api_leave(&api);
}

enum bw_status bw_film_join(const char *const *parts, int32_t count, const char *path)
{
    struct api_call api;
    char temporary[4200], why[1024] = "";
    const struct bw_tools tools = picture_tools();
    api_enter(&api);
    if (!parts || count < 1 || !path) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_film_join wants movies and a name");
    else if (!temporary_make(path, temporary, &api.d)) {
        const enum bw_status status = bw_movie_join(&tools, parts, count, temporary, why, sizeof why);
        file_commit(status, why, temporary, path, &api.d);
    }
    return api_leave(&api);
}

void bw_film_close(struct bw_film *film)
{
    struct api_call api;
    api_enter(&api);
    if (film) object_unref(handle_close(film, HANDLE_FILM, NULL));
    api_leave_silent(&api);
}

enum bw_status bw_pixels_write(const struct bw_pixels *picture, const char *path)
{
    struct api_call api;
    char temporary[4200], why[1024] = "";
    const struct bw_tools tools = picture_tools();
    struct bw_image img = {.tools = &tools};
    api_enter(&api);
    if (!path) bw_diag_error(&api.d, NULL, BW_ERR_USAGE, "bw_pixels_write wants a name");
    else if (!image_of_pixels(picture, &tools, &img, &api.d) && !temporary_make(path, temporary, &api.d)) {
        const enum bw_status status = bw_image_write_png(&img, temporary, 8, why, sizeof why);
        file_commit(status, why, temporary, path, &api.d);
    }
    bw_image_free(&img);
    return api_leave(&api);
}
