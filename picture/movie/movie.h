// SPDX-License-Identifier: Apache-2.0
/* A movie that a browser plays: MP4, H.264 4:2:0, index first, BT.709 tagged; through libavcodec and libavformat.
 *
 * What an encoder knows can't be saved, and its bits depend on it. So a movie is a row of closed groups of about a
 * second, each encoded by an encoder of its own, and what a checkpoint keeps is the packets so far and the pictures of
 * the group that is not full yet. There is no file before bw_movie_write.
 *
 * movie.c and what it stands on are a library of their own; load/movie_load.c loads it and hands each call on. */
#ifndef BW_MOVIE_H
#define BW_MOVIE_H

#include "options.h"
#include <billow/checkpoint.h>
#include <picture/image/image.h>

struct bw_movie;

/// Begin a movie. *encoder gets the encoder's name. Errors: BW_ERR_IO, BW_ERR_MEMORY, BW_ERR_USAGE (fps), BW_ERR (no
/// encoder at all, no such library), with a sentence in `why`; then *movie is NULL.
enum bw_status bw_movie_open(const struct bw_tools *tools, const struct bw_movie_options *o, struct bw_movie **movie,
                             const char **encoder, char *why, size_t why_size);
/// The constant quality from now on: of the groups that are not full yet.
void bw_movie_quality(struct bw_movie *m, double crf);
/// Append a frame of exactly the movie's size. Errors: BW_ERR_IO, BW_ERR_MEMORY, BW_ERR_USAGE.
enum bw_status bw_movie_add(struct bw_movie *m, const struct bw_image *img, char *why, size_t why_size);
/// Write the frames so far, of which there is one at least, to `path` (any file name). More may follow. Errors:
/// BW_ERR_IO, BW_ERR_MEMORY.
enum bw_status bw_movie_write(struct bw_movie *m, const char *path, char *why, size_t why_size);
/// Pictures of a group: a movie that begins with one, and is behind others that end with one, is as if made at once.
int32_t bw_movie_group(const struct bw_movie_options *o);
/// Write movies one behind another as one. Errors: BW_ERR_IO, BW_ERR_MEMORY, with a sentence in `why`.
enum bw_status bw_movie_join(const struct bw_tools *tools, const char *const *parts, int32_t count, const char *path,
                             char *why, size_t why_size);
/// Free the movie; NULL is allowed.
void bw_movie_close(struct bw_movie *m);
/// Save the frames so far, or restore them to a movie just opened. Errors: what the archive reports; BW_ERR_MEMORY, and
/// BW_ERR_IO for what another encoder made or nobody can have, with a sentence in `why`, which is empty otherwise.
enum bw_status bw_movie_checkpoint(struct bw_movie *m, struct bw_archive *a, char *why, size_t why_size);

/// The encoder that there is for movies, or NULL; and the version of its library, in `out`.
const char *bw_movie_encoder(void);
void bw_movie_library(char *out, size_t size);

#endif
