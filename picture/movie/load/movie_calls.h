// SPDX-License-Identifier: Apache-2.0
/* What libbillow-movie.so, which movie.c is in, gives to movie_load.c: movie.h says what each of them does. */
#ifndef BW_MOVIE_CALLS_H
#define BW_MOVIE_CALLS_H

#include <billow/checkpoint.h>
#include <picture/image/image.h>
#include <picture/movie/options.h>

struct bw_movie;

struct bw_movie_calls {
    enum bw_status (*open)(const struct bw_tools *tools, const struct bw_movie_options *o, struct bw_movie **movie,
                           const char **encoder, char *why, size_t why_size);
    void (*quality)(struct bw_movie *m, double crf);
    enum bw_status (*add)(struct bw_movie *m, const struct bw_image *img, char *why, size_t why_size);
    enum bw_status (*write)(struct bw_movie *m, const char *path, char *why, size_t why_size);
    void (*close)(struct bw_movie *m);
    enum bw_status (*checkpoint)(struct bw_movie *m, struct bw_archive *a, char *why, size_t why_size);
    int32_t (*group)(const struct bw_movie_options *o);
    enum bw_status (*join)(const struct bw_tools *tools, const char *const *parts, int32_t count, const char *path,
                           char *why, size_t why_size);
    const char *(*encoder)(void);
    void (*library)(char *out, size_t size);
};

extern const struct bw_movie_calls bw_movie_calls;

#endif
