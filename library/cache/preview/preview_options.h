// SPDX-License-Identifier: Apache-2.0
/* Options for pictures of a cache: those of `billow preview`, of bw_movie_wish and of bw_snapshot_picture. */
#ifndef CACHE_PREVIEW_OPTIONS_H
#define CACHE_PREVIEW_OPTIONS_H

#include "base/diag.h"
#include "preset/values/params.h"
#include <picture/params.h>

/// Options of slices, as an exporter of pictures has them.
struct slice_options {
    BW_SLICE_ROWS(BW_PICTURE_MEMBER, , )
    BW_SLICE_STYLE_ROWS(BW_PICTURE_MEMBER, , )
};

struct preview_options {
    struct slice_options slice; ///< axis, vectors, map, relief: -1 where they are not given
    const char *frames, *share; ///< frames, part: as given
    int64_t first, last;
    int32_t view;        ///< 0 a render, 1 a slice; -1: not given
    int32_t y_up;        ///< -1: not given
    int64_t size;        ///< pixels; 0: not given
    int64_t part, parts; ///< which part of how many; 0: all of it
    double range[2];     ///< of the slice's colours; both 0: the values so far
    double position;     ///< of the slice, m; NAN: the middle
    int64_t start;       ///< the frame at 0 s
    double fps, thickness, exposure, fire, key;
    struct bw_list set; ///< texts as `--set` has them: bw_preset_override_look
};

/// Read YAML or JSON, or NULL. Strings belong to *params. Errors: BW_ERR_USAGE; BW_ERR_PRESET for a wrong `set`.
enum bw_status preview_options_read(struct preview_options *o, const char *options, struct bw_params **params,
                                    struct bw_diag *d);

#endif
