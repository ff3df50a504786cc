// SPDX-License-Identifier: Apache-2.0
/* What is asked of pictures of a cache: the options of `billow preview`, of bw_movie_wish and of bw_view_picture. */
#ifndef CACHE_WISH_H
#define CACHE_WISH_H

#include "base/diag.h"
#include "preset/values/params.h"

struct wish {
    int64_t first, last;
    int32_t slice, axis, vectors, map, y_up; ///< -1: not said
    int64_t size;
    int64_t part, parts; ///< of so many parts, which one; 0: all of it
    double range[2];     ///< both 0: the values so far
    int64_t start;       ///< the frame at 0 s
    double relief;       ///< of slices; below 0: not said
    double position, fps, thickness, exposure, fire, key;
    const char *field, *frames, *at, *share;
    struct bw_list asked; ///< range, as it was given
    struct bw_list said;  ///< texts as `--set` has them: bw_preset_say
    int32_t labels;
};

/// YAML or JSON, or NULL, as a struct; its texts belong to *params. Errors: BW_ERR_USAGE, BW_ERR_PRESET (what is said
/// of the look is wrong).
enum bw_status wish_read(struct wish *w, const char *options, struct bw_params **params, struct bw_diag *d);

#endif
