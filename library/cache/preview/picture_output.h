// SPDX-License-Identifier: Apache-2.0
/* Output of finished frames: a movie, a contact sheet, or a file each. Atomic: a temporary file, renamed at the end. */
#ifndef CACHE_OUTPUT_H
#define CACHE_OUTPUT_H

#include "api_guard.h"
#include <picture/movie/movie.h>
#include <picture/movie/sheet.h>

enum picture_output_kind {
    OUTPUT_MOVIE,
    OUTPUT_SHEET, ///< several frames and one name that ends in .png
    OUTPUT_FILES, ///< one frame, or names with its number where `out` has ####
};

struct picture_output {
    const struct bw_tools *tools;
    struct api_call *api; ///< warnings
    enum picture_output_kind kind;
    int light;       ///< linear light with alpha: .exr
    const char *out; ///< borrowed
    int as_it_is;    ///< # in `out` is literal
    struct bw_movie *movie;
    struct bw_sheet sheet;
    char temporary[4200];
    int made;  ///< `temporary` exists
    char *why; ///< error message
    size_t why_size;
};

/// Choose the kind by the name `out` and the number of frames; nothing is written yet. Errors: BW_ERR_USAGE.
enum bw_status picture_output_parse(struct picture_output *d, const char *out, int32_t frames);
/// Create the temporary file. Errors: BW_ERR_IO.
enum bw_status picture_output_begin(struct picture_output *d);
/// Add a frame. `alpha`: of linear light, else NULL. Errors: BW_ERR_IO, BW_ERR_MEMORY, ….
enum bw_status picture_output_frame(struct picture_output *d, int64_t frame, double fps, const struct bw_image *img,
                                    const float *alpha);
/// If `status` is BW_OK, write the movie or sheet and rename it to its name. Temporary files are removed. Returns the
/// first failure.
enum bw_status picture_output_end(struct picture_output *d, enum bw_status status);

#endif
