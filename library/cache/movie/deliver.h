// SPDX-License-Identifier: Apache-2.0
/* Where finished frames go: a movie, a sheet of small ones, or files of their own. What is written lies under a
 * temporary name until it is whole. */
#ifndef CACHE_DELIVER_H
#define CACHE_DELIVER_H

#include "api_guard.h"
#include <picture/movie/movie.h>
#include <picture/movie/sheet.h>

enum deliver_kind {
    DELIVER_MOVIE,
    DELIVER_SHEET, ///< several frames and one name that ends in .png
    DELIVER_FILES, ///< one frame, or names with its number where `out` has ####
};

struct delivery {
    const struct bw_tools *tools;
    struct api_call *api; ///< warnings
    enum deliver_kind kind;
    int light;       ///< the pictures are light, with alpha: .exr
    const char *out; ///< borrowed
    int as_it_is;    ///< # is a letter of its name
    struct bw_movie *movie;
    struct bw_sheet sheet;
    char temporary[4200];
    int made;  ///< it is there
    char *why; ///< a sentence
    size_t why_size;
};

/// What the name `out` means for so many frames; nothing is written yet. Errors: BW_ERR_USAGE.
enum bw_status deliver_choose(struct delivery *d, const char *out, int32_t frames);
/// Is there a place for it? Errors: BW_ERR_IO.
enum bw_status deliver_begin(struct delivery *d);
/// One frame more. `alpha`: of light, else NULL. Errors: BW_ERR_IO, BW_ERR_MEMORY, ….
enum bw_status deliver_frame(struct delivery *d, int64_t frame, double fps, const struct bw_image *img,
                             const float *alpha);
/// The last comes under its name where `status` is BW_OK; nothing half made stays. Answers the first failure.
enum bw_status deliver_end(struct delivery *d, enum bw_status status);

#endif
