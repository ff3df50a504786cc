// SPDX-License-Identifier: Apache-2.0
#include "picture_output.h"

#include "base/file.h"
#include "run/output/files.h"
#include <picture/image/exr_file.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The last #### of the file's own name, and how many; 0: none. */
static int frame_digits(const struct picture_output *d, const char **at)
{
    const char *name = file_base(d->out), *end = d->as_it_is ? NULL : strrchr(name, '#');
    *at = end;
    while (*at && *at > name && (*at)[-1] == '#') --*at;
    return end ? (int)(end + 1 - *at) : 0;
}

enum bw_status picture_output_parse(struct picture_output *d, const char *out, int32_t frames)
{
    const char *at;
    d->out = out;
    const int numbered = frame_digits(d, &at);
    d->light = bw_file_has_ending(out, ".exr");
    d->kind = bw_file_has_ending(out, ".mp4") ? OUTPUT_MOVIE : numbered || frames == 1 ? OUTPUT_FILES : OUTPUT_SHEET;
    if (d->kind != OUTPUT_MOVIE && !d->light && !bw_file_has_ending(out, ".png"))
        snprintf(d->why, d->why_size, "out is %s; a name that ends in .mp4, .png or .exr is wanted", out);
    else if (d->kind == OUTPUT_SHEET && d->light)
        snprintf(d->why, d->why_size, "out is %s, one picture, and there are %d frames; NAME_####.exr numbers them",
                 out, frames);
    else if (strlen(out) > 4000) snprintf(d->why, d->why_size, "out is too long a name");
    else return BW_OK;
    return BW_ERR_USAGE;
}

static enum bw_status output_error(struct picture_output *d, const char *name)
{
    snprintf(d->why, d->why_size, "cannot write %s: %s", name, strerror(errno));
    return BW_ERR_IO;
}

/* An empty file, before the work: of a folder that takes none one hears at once, and no link is written through. */
enum bw_status picture_output_begin(struct picture_output *d)
{
    static _Atomic unsigned number; // two movies in one process
    struct stat st;
    snprintf(d->temporary, sizeof d->temporary, "%.*s.part-%ld-%u", (int)(file_base(d->out) - d->out), d->out,
             (long)getpid(), number++);
    if (stat(d->out, &st) && errno == ENAMETOOLONG) return output_error(d, d->out);
    errno = EISDIR;
    if (!stat(d->out, &st) && S_ISDIR(st.st_mode)) return output_error(d, d->out);
    const int fd = file_create(AT_FDCWD, d->temporary);
    d->made = fd >= 0;
    return fd < 0 || close(fd) ? output_error(d, d->out) : BW_OK;
}

static enum bw_status temporary_settle(struct picture_output *d, const char *name)
{
    struct file_facts facts;
    if (!file_settle(AT_FDCWD, d->temporary, &facts) || rename(d->temporary, name)) return output_error(d, name);
    d->made = 0;
    return BW_OK;
}

static enum bw_status file_put(struct picture_output *d, int64_t frame, const struct bw_image *img, const float *alpha)
{
    const char *at;
    char name[4100];
    const int digits = frame_digits(d, &at);
    if (digits)
        snprintf(name, sizeof name, "%.*s%0*" PRId64 "%s", (int)(at - d->out), d->out, digits, frame, at + digits);
    else snprintf(name, sizeof name, "%s", d->out);
    enum bw_status status = d->made ? BW_OK : picture_output_begin(d);
    if (!status)
        status = d->light ? exr_file_write(img, alpha, d->temporary, "Billow " BW_VERSION, d->why, d->why_size)
                          : bw_image_write_png(img, d->temporary, 8, d->why, d->why_size);
    return status ? status : temporary_settle(d, name);
}

static enum bw_status movie_put(struct picture_output *d, double fps, const struct bw_image *img)
{
    const char *encoder = "libx264";
    const struct bw_movie_options o = {img->w, img->h, fps, 19};
    enum bw_status status = d->movie ? BW_OK : bw_movie_open(d->tools, &o, &d->movie, &encoder, d->why, d->why_size);
    if (!status && strcmp(encoder, "libx264"))
        api_warn(d->api, "libx264 is not there; %s makes the movie, which not every browser plays", encoder);
    return status ? status : bw_movie_add(d->movie, img, d->why, d->why_size);
}

enum bw_status picture_output_frame(struct picture_output *d, int64_t frame, double fps, const struct bw_image *img,
                                    const float *alpha)
{
    if (d->kind == OUTPUT_FILES) return file_put(d, frame, img, alpha);
    if (d->kind == OUTPUT_MOVIE) return movie_put(d, fps, img);
    const enum bw_status status = bw_sheet_add(&d->sheet, d->tools, frame, img);
    if (status) snprintf(d->why, d->why_size, "out of memory for the contact sheet");
    return status;
}

static enum bw_status sheet_write(struct picture_output *d)
{
    struct bw_image sheet = {.tools = d->tools};
    enum bw_status status = bw_sheet_draw(&d->sheet, d->tools, &sheet);
    if (status) snprintf(d->why, d->why_size, "out of memory for the contact sheet");
    else status = bw_image_write_png(&sheet, d->temporary, 8, d->why, d->why_size);
    bw_image_free(&sheet);
    return status;
}

/* A movie without frames, a part behind the last group, is an empty file. */
enum bw_status picture_output_end(struct picture_output *d, enum bw_status status)
{
    if (!status && d->movie) status = bw_movie_write(d->movie, d->temporary, d->why, d->why_size);
    if (!status && d->kind == OUTPUT_SHEET) status = sheet_write(d);
    bw_movie_close(d->movie);
    if (!status && d->made) status = temporary_settle(d, d->out);
    if (d->made) remove(d->temporary);
    bw_sheet_free(&d->sheet, d->tools);
    return status;
}
