// SPDX-License-Identifier: Apache-2.0
/* A movie that a browser plays: MP4, H.264 4:2:0, index first, BT.709 tagged; through libavcodec and libavformat. */
#ifndef BW_MOVIE_H
#define BW_MOVIE_H

#include <picture/image/image.h>

struct bw_movie;

struct bw_movie_options {
    int32_t w, h; ///< even
    double fps;
    double crf;      ///< constant quality: 18 is good, 28 is small
    int32_t threads; ///< of the encoder
};

/// Start a movie at `path` (any file name). *encoder gets the encoder's name. Errors: BW_ERR_IO, BW_ERR_MEMORY, BW_ERR
/// (no encoder at all), with a sentence in `why`; then *movie is NULL.
enum bw_status bw_movie_open(const struct bw_tools *tools, const char *path, const struct bw_movie_options *o,
                             struct bw_movie **movie, const char **encoder, char *why, size_t why_size);
/// Append a frame of exactly the movie's size. Errors: BW_ERR_IO, BW_ERR_USAGE.
enum bw_status bw_movie_add(struct bw_movie *m, const struct bw_image *img, char *why, size_t why_size);
/// Finish the file and free the movie, also after a failed add (NULL is allowed). Errors: BW_ERR_IO.
enum bw_status bw_movie_close(struct bw_movie *m, char *why, size_t why_size);

/// The encoder that there is for movies, or NULL; and the version of its library, in `out`.
const char *bw_movie_encoder(void);
void bw_movie_library(char *out, size_t size);

#endif
