// SPDX-License-Identifier: Apache-2.0
/* The movie writer is a library of its own that is loaded when the first movie begins: libav and the hundred libraries
 * that it stands on take 35 ms to load, which every start of the program would wait for. */
#include "movie_calls.h"

#include <common/late/late.h>
#include <picture/movie/movie.h>

#include <stdio.h>

static const struct bw_movie_calls *calls(struct late_failure *failure)
{
    return late_find("libbillow-movie.so.0", "bw_movie_calls", &(struct late_needs){.bytes = (size_t)16 << 20},
                     failure);
}

static enum bw_status load_failed(const struct late_failure *failure, char *why, size_t why_size)
{
    snprintf(why, why_size, "%sthe movie writer cannot be loaded: %s", failure->memory ? "out of memory: " : "",
             failure->why);
    return failure->memory ? BW_ERR_MEMORY : BW_ERR;
}

enum bw_status bw_movie_open(const struct bw_tools *tools, const struct bw_movie_options *o, struct bw_movie **movie,
                             const char **encoder, char *why, size_t why_size)
{
    struct late_failure failure;
    const struct bw_movie_calls *c = calls(&failure);
    *movie = NULL;
    return c ? c->open(tools, o, movie, encoder, why, why_size) : load_failed(&failure, why, why_size);
}

enum bw_status bw_movie_join(const struct bw_tools *tools, const char *const *parts, int32_t count, const char *path,
                             char *why, size_t why_size)
{
    struct late_failure failure;
    const struct bw_movie_calls *c = calls(&failure);
    return c ? c->join(tools, parts, count, path, why, why_size) : load_failed(&failure, why, why_size);
}

int32_t bw_movie_group(const struct bw_movie_options *o)
{
    struct late_failure failure;
    const struct bw_movie_calls *c = calls(&failure);
    return c ? c->group(o) : 1; // that there is none the movie says
}

/* ---- of a movie, so the library is there ---- */

static const struct bw_movie_calls *loaded(void)
{
    struct late_failure failure;
    return calls(&failure);
}

void bw_movie_quality(struct bw_movie *m, double crf) { loaded()->quality(m, crf); }

enum bw_status bw_movie_add(struct bw_movie *m, const struct bw_image *img, char *why, size_t why_size)
{
    return loaded()->add(m, img, why, why_size);
}

enum bw_status bw_movie_write(struct bw_movie *m, const char *path, char *why, size_t why_size)
{
    return loaded()->write(m, path, why, why_size);
}

void bw_movie_close(struct bw_movie *m)
{
    if (m) loaded()->close(m);
}

enum bw_status bw_movie_checkpoint(struct bw_movie *m, struct bw_archive *a, char *why, size_t why_size)
{
    return loaded()->checkpoint(m, a, why, why_size);
}

/* ---- what there is ---- */

const char *bw_movie_encoder(void)
{
    const struct bw_movie_calls *c = loaded();
    return c ? c->encoder() : NULL;
}

void bw_movie_library(char *out, size_t size)
{
    const struct bw_movie_calls *c = loaded();
    if (c) c->library(out, size);
    else snprintf(out, size, "none");
}
